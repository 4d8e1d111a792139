//! A bank whose audit adds up its accounts. Relaxed reads see each variable as it is when they come
//! to it: no two of them belong together.

use super::{Notes, Way, check, client, processing};
use odeon_core::{Access, Message, Reply};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;

const ACCOUNTS: usize = 3;

struct Bank {
    accounts: [TVar<i64>; ACCOUNTS],
}

enum Do {
    Transfer(usize, Reply<i64>),
    Audit(Way, Reply<i64>),
}

impl Message for Do {
    fn access(&self) -> Access {
        match self {
            Self::Transfer(..) => Access::Update,
            Self::Audit(Way::Wrong, _) => Access::Relaxed,
            Self::Audit(Way::Right, _) => Access::Snapshot,
        }
    }
}

impl SpeculativeActor for Bank {
    type Msg = Do;
    fn handle<'t>(
        &'t self,
        what: &'t Do,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match what {
            Do::Transfer(from, reply) => {
                self.accounts[*from].update(tx, |balance| balance - 1)?;
                self.accounts[(from + 1) % ACCOUNTS].update(tx, |balance| balance + 1)?;
                ctx.reply(reply, 0);
            }
            Do::Audit(_, reply) => {
                let mut sum = 0;
                for account in &self.accounts {
                    sum += account.get(tx)?;
                }
                ctx.reply(reply, sum);
            }
        }
        Ok(())
    }
}

/// A transfer does not change the sum.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, sums) = (Deterministic::new(seed), Notes::new());
    let bank = Bank { accounts: Default::default() };
    let bank = run.theater().spawn_speculative(bank, processing(seed));
    for from in 0..ACCOUNTS {
        let mut left = 3;
        client(run.theater(), &bank, move |_, reply| {
            left -= 1;
            (left >= 0).then_some(Do::Transfer(from, reply))
        });
    }
    let (heard, mut left) = (sums.clone(), 4);
    client(run.theater(), &bank, move |sum, reply| {
        sum.into_iter().for_each(|sum| heard.add(sum));
        left -= 1;
        (left >= 0).then_some(Do::Audit(way, reply))
    });
    run.run_until_idle();
    sums.take().into_iter().all(|sum: i64| sum == 0)
}

#[test]
fn s23_relaxed_reads_do_not_belong_together() {
    check(keeps_its_promise);
}
