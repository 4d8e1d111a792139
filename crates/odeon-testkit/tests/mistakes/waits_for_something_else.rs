//! A queue whose takers wait until there is something. A `retry` waits until something changes that
//! the attempt has *read*: what it has only peeked at wakes nobody. Such a taker waits for ever,
//! and the test sees that: the run is idle, and it has no answer.

use super::{Notes, Way, check, client, processing};
use odeon_core::{Message, Reply};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;

struct Store {
    is_open: TVar<bool>,
    count: TVar<u64>,
    way: Way,
}

enum Use {
    Put(Reply<bool>),
    Take(Reply<bool>),
}
impl Message for Use {}

impl SpeculativeActor for Store {
    type Msg = Use;
    fn handle<'t>(
        &'t self,
        what: &'t Use,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let is_open = self.is_open.get(tx)?;
        match what {
            Use::Put(reply) => {
                self.count.update(tx, |count| count + u64::from(is_open))?;
                ctx.reply(reply, is_open);
            }
            Use::Take(reply) => {
                let is_empty = match self.way {
                    Way::Wrong => self.count.peek() == 0,
                    Way::Right => self.count.get(tx)? == 0,
                };
                if is_empty && is_open {
                    return Ok(tx.retry()?);
                }
                self.count.update(tx, |count| count - 1)?;
                ctx.reply(reply, true);
            }
        }
        Ok(())
    }
}

/// As many take as put, so all are answered.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, answers) = (Deterministic::new(seed), Notes::new());
    let store = Store { is_open: TVar::new(true), count: TVar::new(0), way };
    let store = run.theater().spawn_speculative(store, processing(seed));
    for puts in [true, false, true, false] {
        let (answers, mut left) = (answers.clone(), 2);
        client(run.theater(), &store, move |answer, reply| {
            answer.into_iter().for_each(|answer: bool| answers.add(answer));
            left -= 1;
            let question = if puts { Use::Put(reply) } else { Use::Take(reply) };
            (left >= 0).then_some(question)
        });
    }
    run.run_until_idle();
    answers.take().len() == 8
}

#[test]
fn s23_a_retry_waits_for_what_it_has_read() {
    check(keeps_its_promise);
}
