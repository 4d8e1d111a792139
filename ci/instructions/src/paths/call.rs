//! A thread calls an idle actor; an operation is a call, which changes a number and is answered.

use super::{text, theater};
use odeon::prelude::*;

#[derive(Message)]
struct Deposit(u64, Reply<u64>);

struct Plain {
    balance: u64,
}

impl Actor for Plain {
    type Msg = Deposit;

    fn handle(&mut self, Deposit(amount, reply): Deposit, _ctx: &mut Context<'_, Self>) {
        self.balance += amount;
        reply.send(self.balance);
    }
}

#[derive(Transactional)]
struct Hot {
    balance: TVar<u64>,
}

impl SpeculativeActor for Hot {
    type Msg = Deposit;

    fn handle<'t>(
        &'t self,
        Deposit(amount, reply): &'t Deposit,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let balance = self.balance.get(tx)? + amount;
        self.balance.set(tx, balance)?;
        ctx.reply(reply, balance);
        Ok(())
    }
}

pub(super) fn of_plain(calls: u64) -> Result<(), String> {
    let theater = theater()?;
    run(&theater.spawn(Plain { balance: 0 }), calls)
}

pub(super) fn of_speculative(calls: u64) -> Result<(), String> {
    let theater = theater()?;
    let hot = Hot { balance: TVar::new(0) };
    run(&theater.spawn_speculative(hot, Processing::default()), calls)
}

fn run(account: &ActorRef<Deposit>, calls: u64) -> Result<(), String> {
    for made in 1..=calls {
        let balance = account.call(|reply| Deposit(1, reply)).wait().map_err(text)?;
        if balance != made {
            return Err(format!("{balance} after {made} deposits of one"));
        }
    }
    Ok(())
}
