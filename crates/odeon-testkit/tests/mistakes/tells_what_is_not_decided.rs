//! A lottery that tells its winner on a channel of the standard library. What a handler sends to
//! actors leaves when its attempt has committed; the channel knows nothing of that, and its
//! listener hears of draws that have never taken place.

use super::{Notes, Way, check, client, processing};
use odeon_core::{Message, Reply};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;
use std::sync::mpsc::{Sender, channel};

struct Lottery {
    draws: TVar<u64>,
    prizes: TVar<u64>,
    winners: Sender<u64>,
    way: Way,
}

struct Draw(Reply<u64>);
impl Message for Draw {}

impl SpeculativeActor for Lottery {
    type Msg = Draw;
    fn handle<'t>(
        &'t self,
        Draw(reply): &'t Draw,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let draw = self.draws.get(tx)?;
        if self.way == Way::Wrong {
            self.winners.send(draw).unwrap();
        }
        self.draws.set(tx, draw + 1)?;
        self.prizes.update(tx, |prizes| prizes + draw)?;
        if self.way == Way::Right {
            let winners = self.winners.clone();
            tx.on_commit(move || winners.send(draw).unwrap());
        }
        ctx.reply(reply, draw);
        Ok(())
    }
}

/// Whoever listens hears of each draw once.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, answers) = (Deterministic::new(seed), Notes::new());
    let (winners, told) = channel();
    let (draws, prizes) = (TVar::new(0), TVar::new(0));
    let lottery = Lottery { draws, prizes, winners, way };
    let lottery = run.theater().spawn_speculative(lottery, processing(seed));
    for _ in 0..4 {
        let (answers, mut left) = (answers.clone(), 3);
        client(run.theater(), &lottery, move |answer, reply| {
            answer.into_iter().for_each(|draw: u64| answers.add(draw));
            left -= 1;
            (left >= 0).then_some(Draw(reply))
        });
    }
    run.run_until_idle();
    // Also in the order of the draws.
    answers.take().len() == 12 && told.try_iter().eq(0..12)
}

#[test]
fn s23_what_leaves_otherwise_than_by_the_outbox_leaves_undecided() {
    check(keeps_its_promise);
}
