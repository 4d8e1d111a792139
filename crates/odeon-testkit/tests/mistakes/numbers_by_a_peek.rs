//! An order book that numbers its orders. A `peek` is what was committed last and nothing more:
//! nobody checks at the commit whether it still is.

use super::{Notes, Way, check, client, processing};
use odeon_core::{Message, Reply};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;

struct Book {
    next: TVar<u64>,
    way: Way,
}

struct Order(Reply<u64>);
impl Message for Order {}

impl SpeculativeActor for Book {
    type Msg = Order;
    fn handle<'t>(
        &'t self,
        Order(reply): &'t Order,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let number = match self.way {
            Way::Wrong => self.next.peek(),
            Way::Right => self.next.get(tx)?,
        };
        self.next.set(tx, number + 1)?;
        ctx.reply(reply, number);
        Ok(())
    }
}

/// No two orders have one number.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, numbers) = (Deterministic::new(seed), Notes::new());
    let book = Book { next: TVar::new(0), way };
    let book = run.theater().spawn_speculative(book, processing(seed));
    for _ in 0..4 {
        let (numbers, mut left) = (numbers.clone(), 3);
        client(run.theater(), &book, move |number, reply| {
            number.into_iter().for_each(|number| numbers.add(number));
            left -= 1;
            (left >= 0).then_some(Order(reply))
        });
    }
    run.run_until_idle();
    let mut numbers = numbers.take();
    numbers.sort_unstable();
    numbers.windows(2).all(|two| two[0] != two[1])
}

#[test]
fn s23_a_peek_is_not_validated() {
    check(keeps_its_promise);
}
