//! A stock that is asked in one message whether there is something, and gives in another one. What
//! was seen by a message that is over may be another's by now: who decides on it looks in the same
//! transaction.

use super::{Notes, Way, check, client, processing};
use odeon_core::{Access, Message, Reply};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;

struct Stock {
    left: TVar<i64>,
    way: Way,
}

enum Want {
    HowMany(Reply<i64>),
    /// Answers what is left.
    Take(Reply<i64>),
}

impl Message for Want {
    fn access(&self) -> Access {
        match self {
            Self::HowMany(_) => Access::Snapshot,
            Self::Take(_) => Access::Update,
        }
    }
}

impl SpeculativeActor for Stock {
    type Msg = Want;
    fn handle<'t>(
        &'t self,
        want: &'t Want,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let left = self.left.get(tx)?;
        match want {
            Want::HowMany(reply) => ctx.reply(reply, left),
            Want::Take(reply) if self.way == Way::Right && left == 0 => ctx.reply(reply, left),
            Want::Take(reply) => {
                self.left.set(tx, left - 1)?;
                ctx.reply(reply, left - 1);
            }
        }
        Ok(())
    }
}

/// Nothing is given that is not there.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, seen) = (Deterministic::new(seed), Notes::new());
    let stock = Stock { left: TVar::new(2), way };
    let stock = run.theater().spawn_speculative(stock, processing(seed));
    for _ in 0..3 {
        let (seen, mut has_asked) = (seen.clone(), false);
        client(run.theater(), &stock, move |left, reply| {
            left.into_iter().for_each(|left| seen.add(left));
            has_asked = !has_asked;
            match left {
                _ if has_asked && left != Some(0) => Some(Want::HowMany(reply)),
                Some(left) if left > 0 => Some(Want::Take(reply)),
                _ => None,
            }
        });
    }
    run.run_until_idle();
    seen.take().into_iter().all(|left| left >= 0)
}

#[test]
fn s23_what_an_earlier_message_has_seen_is_not_validated() {
    check(keeps_its_promise);
}
