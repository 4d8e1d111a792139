//! A ranking that keeps its best score once more in an atomic, to answer fast. Attempts that are
//! rolled back have written there too, and commits come in another order than handlers.

use super::{Notes, Way, check, client, processing};
use odeon_core::{Access, Message, Reply};
use odeon_speculative::{SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

struct Ranking {
    scores: [TVar<u64>; 2],
    total: TVar<u64>,
    /// The same, as it was set last.
    cached: AtomicU64,
    way: Way,
}

enum Game {
    Score(usize, Reply<u64>),
    Total(Reply<u64>),
}

impl Message for Game {
    fn access(&self) -> Access {
        match self {
            Self::Score(..) => Access::Update,
            Self::Total(_) => Access::Snapshot,
        }
    }
}

impl SpeculativeActor for Ranking {
    type Msg = Game;
    fn handle<'t>(
        &'t self,
        game: &'t Game,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match game {
            Game::Score(player, reply) => {
                let total = self.total.get(tx)? + 1;
                self.scores[*player].update(tx, |score| score + 1)?;
                self.total.set(tx, total)?;
                self.cached.store(total, Relaxed);
                ctx.reply(reply, 0);
            }
            Game::Total(reply) => {
                let total = match self.way {
                    Way::Wrong => self.cached.load(Relaxed),
                    Way::Right => self.total.get(tx)?,
                };
                ctx.reply(reply, total);
            }
        }
        Ok(())
    }
}

/// The total never falls.
fn keeps_its_promise(seed: u64, way: Way) -> bool {
    let (run, totals) = (Deterministic::new(seed), Notes::new());
    let (scores, total, cached) = (Default::default(), TVar::new(0), AtomicU64::new(0));
    let ranking = Ranking { scores, total, cached, way };
    let ranking = run.theater().spawn_speculative(ranking, processing(seed));
    for player in 0..4 {
        let mut left = 3;
        client(run.theater(), &ranking, move |_, reply| {
            left -= 1;
            (left >= 0).then_some(Game::Score(player % 2, reply))
        });
    }
    let (heard, mut left) = (totals.clone(), 6);
    client(run.theater(), &ranking, move |total, reply| {
        total.into_iter().for_each(|total: u64| heard.add(total));
        left -= 1;
        (left >= 0).then_some(Game::Total(reply))
    });
    run.run_until_idle();
    totals.take().windows(2).all(|two| two[0] <= two[1])
}

#[test]
fn s23_what_is_no_variable_is_not_rolled_back() {
    check(keeps_its_promise);
}
