//! Values that `serde` writes, and would not read again from what it has written.

use super::ledger::{store, theater};
use odeon_core::{Message, Reply};
use odeon_durable::SpawnDurable;
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::disk::SimulatedDisk;
use serde::{Deserialize, Serialize};

/// The second kind is written without its last field, if that is empty.
#[derive(Clone, Serialize, Deserialize)]
enum Order {
    Open,
    Closed {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Shop {
    #[durable(1)]
    order: TVar<Order>,
}

struct Become(Order, Reply<()>);
impl Message for Become {}

impl SpeculativeActor for Shop {
    type Msg = Become;

    fn handle<'t>(
        &'t self,
        Become(order, done): &'t Become,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        self.order.set(tx, order.clone())?;
        ctx.reply(done, ());
        Ok(())
    }
}

#[test]
fn s44_a_value_that_could_not_be_read_again_fails_its_message_and_not_the_log() {
    let disk = SimulatedDisk::new(1);
    for _ in 0..2 {
        let (theater, store) = (theater(), store(disk.clone()));
        let shop = Shop { order: TVar::new(Order::Open) };
        let shop = theater.spawn_durable(&store, "shop", shop, Processing::default()).unwrap();
        let closed = |why: &str| shop.ask(|done| Become(Order::Closed { why: why.into() }, done));
        assert!(closed("").wait().is_err());
        closed("it was paid").wait().unwrap();
        let _ = theater.shutdown(super::ledger::PATIENCE);
    }
}
