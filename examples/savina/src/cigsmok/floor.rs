//! One thread smokes for all.

use super::rounds::{Rounds, Smoking};
use odeon_example_run::RunError;
use odeon_example_run::Timed;
use odeon_example_run::finish_line;

pub(super) fn run(rounds: Rounds) -> Result<Timed, RunError> {
    let shares = rounds.shares();
    let (finish, waiting) = finish_line(shares.len());
    let smoker = |share| Smoking::new(share, finish.clone());
    let mut smokers: Vec<Smoking> = shares.into_iter().map(smoker).collect();
    let (timed, ()) = Timed::of(rounds.left(), || {
        for round in rounds {
            smokers[round.smoker].smoke(round.draws);
        }
        smokers.iter().for_each(Smoking::end);
    });
    waiting.wait().map(|()| timed)
}
