//! A desk at which one customer is served at a time. That it is free in a snapshot says that it
//! *was* free: who wants to have it says so in the transaction that finds it free.

use super::{Notes, Way, check, client, processing};
use odeon_core::{Access, Message, Reply};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;

struct Desk {
    is_taken: TVar<bool>,
}

enum Say {
    /// Answers whether it is free, and is its customer's then.
    IsFree(Way, Reply<bool>),
    /// "I am here."
    Come(Reply<bool>),
    Go(Reply<bool>),
}

impl Message for Say {
    fn access(&self) -> Access {
        match self {
            Self::IsFree(Way::Wrong, _) => Access::Snapshot,
            _ => Access::Update,
        }
    }
}

impl SpeculativeActor for Desk {
    type Msg = Say;
    fn handle<'t>(
        &'t self,
        said: &'t Say,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match said {
            Say::IsFree(way, reply) => {
                let is_free = !self.is_taken.get(tx)?;
                if *way == Way::Right {
                    self.is_taken.set(tx, true)?;
                }
                ctx.reply(reply, is_free);
            }
            Say::Come(reply) => {
                self.is_taken.set(tx, true)?;
                ctx.reply(reply, true);
            }
            Say::Go(reply) => {
                self.is_taken.set(tx, false)?;
                ctx.reply(reply, true);
            }
        }
        Ok(())
    }
}

/// One customer comes and goes before another one comes.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    #[derive(PartialEq)]
    enum Step {
        Begin,
        Asked,
        Came,
        Gone,
    }
    let (run, steps) = (Deterministic::new(seed), Notes::new());
    let desk = Desk { is_taken: TVar::new(false) };
    let desk = run.theater().spawn_speculative(desk, processing(seed));
    for customer in 0..3 {
        let (steps, mut step) = (steps.clone(), Step::Begin);
        client(run.theater(), &desk, move |answer, reply| {
            let (next, said) = match (&step, answer) {
                (Step::Begin, _) => (Step::Asked, Say::IsFree(way, reply)),
                (Step::Asked, Some(true)) => {
                    steps.add((customer, "comes"));
                    (Step::Came, Say::Come(reply))
                }
                (Step::Came, _) => {
                    steps.add((customer, "goes"));
                    (Step::Gone, Say::Go(reply))
                }
                _ => return None,
            };
            step = next;
            Some(said)
        });
    }
    run.run_until_idle();
    let steps = steps.take();
    steps.chunks(2).all(|two| two[0].0 == two[1].0)
}

#[test]
fn s23_a_snapshot_is_over_when_it_is_answered() {
    check(keeps_its_promise);
}
