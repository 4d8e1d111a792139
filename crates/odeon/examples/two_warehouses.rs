//! One action over several actors, wholly or not at all: goods move between warehouses, and a
//! stocktaking goes from one to the next as of one moment.

use odeon::prelude::*;
use odeon::speculative::fail;

#[derive(Message)]
enum ToWarehouse {
    Add(u64),
    Remove(u64),
    /// Adds up what this warehouse and those behind it have, on top of what those before it had.
    #[access(snapshot)]
    Count {
        before: u64,
        total: Reply<u64>,
    },
}

#[derive(Transactional)]
struct Warehouse {
    stock: TVar<u64>,
    next: Option<ActorRef<ToWarehouse>>,
}

impl SpeculativeActor for Warehouse {
    type Msg = ToWarehouse;

    fn handle<'t>(
        &'t self,
        msg: &'t ToWarehouse,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let stock = self.stock.get(tx)?;
        match msg {
            ToWarehouse::Add(n) => self.stock.set(tx, stock + n)?,
            ToWarehouse::Remove(n) => match stock.checked_sub(*n) {
                Some(left) => self.stock.set(tx, left)?,
                None => return fail("not in stock"),
            },
            ToWarehouse::Count { before, total } => match &self.next {
                Some(next) => {
                    let total = ctx.pass_on(total);
                    ctx.join(next, ToWarehouse::Count { before: before + stock, total });
                }
                None => ctx.reply(total, before + stock),
            },
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let south = Warehouse { stock: TVar::new(100), next: None };
    let south = theater.spawn_speculative(south, Processing::default());
    let north = Warehouse { stock: TVar::new(100), next: Some(south.actor_ref()) };
    let north = theater.spawn_speculative(north, Processing::default());

    let mut refused = 0;
    for round in 0..100 {
        let (from, to) = if round % 3 == 0 { (&north, &south) } else { (&south, &north) };
        let moving = theater.coordinate(|co| {
            co.send(to, ToWarehouse::Add(7));
            co.send(from, ToWarehouse::Remove(7));
        });
        // Meanwhile: what is on its way is in one of the two.
        let total = north.ask(|total| ToWarehouse::Count { before: 0, total });
        assert_eq!(total.wait()?, 200, "seen half of a move");
        refused += usize::from(moving.wait().is_err());
    }
    println!("{refused} moves were refused, and have changed nothing");
    println!("total {}", north.ask(|total| ToWarehouse::Count { before: 0, total }).wait()?);
    Ok(())
}
