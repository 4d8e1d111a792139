//! `philosophers`: Savina's dining philosophers. An arbitrator has the forks; each philosopher asks it for two, eats, and gives
//! them back.

mod actor_only;
mod feast;
mod floor;
mod retries;
mod selector;

use crate::error::BenchError;
use crate::parameter::{Parameter, Params};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use feast::{Feast, MAX_SEATS};
use odeon_example_run::finish_line;

/// See the module.
pub(super) struct Philosophers;

static ABOUT: About = About {
    name: "philosophers",
    summary: "philosophers at a round table eat with the forks that an arbitrator gives them",
    operation: "meal",
    floor: "the same table on one thread, the hungry ones in a VecDeque",
    parameters: &[
        Parameter::number("philosophers", "philosophers and forks", 2, MAX_SEATS as u64, 20),
        Parameter::number("rounds", "meals of each philosopher", 1, 1_000_000_000, 10_000),
        Parameter::word(
            "version",
            "where the hungry wait: in closed mailboxes of the arbitrator (selector), in a set that it keeps (actor), or nowhere: they ask again, as in the suite (retries)",
            &["selector", "actor", "retries"],
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

impl Workload for Philosophers {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let (seats, rounds) = (params.count("philosophers"), params.number("rounds"));
        let (finish, waiting) = finish_line(1);
        let begin = match params.word("version") {
            "selector" => selector::begin,
            "retries" => retries::begin,
            _ => actor_only::begin,
        };
        let (measured, outcome) = Measured::time(seats as u64 * rounds, || {
            begin(&theater, Feast::new(seats, rounds, finish));
            waiting.wait()
        });
        outcome.map(|()| measured)
    }

    fn floor(&self, params: &Params) -> Result<Measured, BenchError> {
        floor::run(params.count("philosophers"), params.number("rounds"))
    }

    fn peers(&self) -> &'static [&'static str] {
        &[]
    }
}
