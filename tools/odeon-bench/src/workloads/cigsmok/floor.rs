//! One thread smokes for all.

use super::rounds::{Rounds, Smoking};
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_example_run::finish_line;

pub(super) fn run(rounds: Rounds) -> Result<Measured, BenchError> {
    let shares = rounds.shares();
    let (finish, waiting) = finish_line(shares.len());
    let smoker = |share| Smoking::new(share, finish.clone());
    let mut smokers: Vec<Smoking> = shares.into_iter().map(smoker).collect();
    let (measured, ()) = Measured::time(rounds.left(), || {
        for round in rounds {
            smokers[round.smoker].smoke(round.draws);
        }
        smokers.iter().for_each(Smoking::end);
    });
    waiting.wait().map(|()| measured)
}
