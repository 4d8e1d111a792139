//! `barber`: Savina's sleeping barber. Customers come to a waiting room with few seats; the barber cuts one after the other, and
//! sleeps when nobody waits.

mod actor_only;
mod floor;
mod retries;
mod selector;
mod visits;

use crate::error::BenchError;
use crate::parameter::{Parameter, Params};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use odeon_example_run::finish_line;
use visits::{Plan, Visits};

/// See the module.
pub(super) struct Barber;

static ABOUT: About = About {
    name: "barber",
    summary: "customers come to a barber whose waiting room has few seats",
    operation: "haircut",
    floor: "the work of street and barber on one thread",
    parameters: &[
        Parameter::number("haircuts", "customers, each of whom gets a haircut", 1, 100_000_000, 5000),
        Parameter::number("seats", "seats of the waiting room", 1, 100_000_000, 1000).outside_floor(),
        Parameter::number("pause", "draws between two customers, at most, about 3 ns each", 1, 1_000_000_000, 1000),
        Parameter::number("cut", "draws of a haircut, at most", 1, 1_000_000_000, 1000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        Parameter::word(
            "version",
            "when all seats are taken, customers wait in a closed mailbox of the room (selector), in a second queue that it keeps (actor), or are sent away and come again, as in the suite (retries)",
            &["selector", "actor", "retries"],
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

impl Workload for Barber {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let plan = Plan::new(params);
        let (finish, waiting) = finish_line(1);
        let visits = Visits::new(plan.haircuts, finish);
        let begin = match params.word("version") {
            "selector" => selector::begin,
            "retries" => retries::begin,
            _ => actor_only::begin,
        };
        let (measured, outcome) = Measured::time(plan.haircuts as u64, || {
            begin(&theater, plan, params.count("seats"), visits);
            waiting.wait()
        });
        outcome.map(|()| measured)
    }

    fn floor(&self, params: &Params) -> Result<Measured, BenchError> {
        floor::run(Plan::new(params))
    }

    fn peers(&self) -> &'static [&'static str] {
        &[]
    }
}
