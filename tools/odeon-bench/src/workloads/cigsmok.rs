//! `cigsmok`: Savina's cigarette smokers. An arbiter puts ingredients on a table for a smoker drawn by lot; as soon as that one has
//! taken them, for the next one.

mod actor_only;
mod floor;
mod rounds;
mod selector;

use crate::error::BenchError;
use crate::parameter::{Parameter, Params};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use odeon_example_run::finish_line;
use rounds::Rounds;

/// See the module.
pub(super) struct CigaretteSmokers;

static ABOUT: About = About {
    name: "cigsmok",
    summary: "an arbiter has one smoker after the other smoke, each drawn by lot",
    operation: "round",
    floor: "the smoking alone, on one thread",
    parameters: &[
        Parameter::number("rounds", "rounds", 1, 1_000_000_000, 1000),
        Parameter::number("smokers", "smokers", 1, 1_000_000, 200),
        Parameter::number("smoke", "draws of a cigarette, at most, about 3 ns each", 1, 1_000_000_000, 1000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        Parameter::word(
            "version",
            "selectors, where the end waits behind every cigarette in a mailbox of its own, or actors with one mailbox",
            &["selector", "actor"],
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

impl Workload for CigaretteSmokers {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let rounds = Rounds::new(params);
        let shares = rounds.shares();
        let ops = rounds.left();
        let (finish, waiting) = finish_line(shares.len());
        let begin = match params.word("version") {
            "selector" => selector::begin,
            _ => actor_only::begin,
        };
        let (measured, outcome) = Measured::time(ops, || {
            begin(&theater, rounds, &shares, &finish);
            waiting.wait()
        });
        outcome.map(|()| measured)
    }

    fn floor(&self, params: &Params) -> Result<Measured, BenchError> {
        floor::run(Rounds::new(params))
    }

    fn peers(&self) -> &'static [&'static str] {
        &[]
    }
}
