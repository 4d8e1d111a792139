//! `adderjoin`: numbers of several sources come in any order to one adder, which adds the first ones of all sources, the second ones,
//! and so on, and passes the sums on.

mod actor_only;
mod any_order;
mod feed;
mod floor;
mod round_robin;

use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params, Value};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use feed::Feed;
use odeon_example_run::finish_line;

/// See the module.
pub(super) struct AdderJoin;

static ABOUT: About = About {
    name: "adderjoin",
    summary: "numbers of several sources, joined by one adder",
    operation: "number",
    floor: "one loop that adds to the sums that are not complete",
    parameters: &[
        Parameter::number("sources", "sources of numbers", 2, MAX_SOURCES as u64, 8),
        Parameter::number("numbers", "numbers of all sources", 64, 1_000_000_000, 2_400_000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        Parameter::word(
            "version",
            "what the next sum's numbers wait in, and how they are taken",
            &["any-order", "round-robin", "actor"],
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

/// Each has a mailbox of its own.
const MAX_SOURCES: usize = 64;

/// As the paper ran it, with 4, 8, 12 and 36 sources.
pub(super) const PAPER: &[Setting] = &[("numbers", Value::Number(24_000_000))];

impl Workload for AdderJoin {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let (finish, waiting) = finish_line(1);
        let feed = Feed::new(params);
        let numbers = feed.numbers();
        let begin: Box<dyn FnOnce()> = match params.word("version") {
            "any-order" => Box::new(any_order::set_up(&theater, feed, finish)),
            "round-robin" => Box::new(round_robin::set_up(&theater, feed, finish)),
            _ => Box::new(actor_only::set_up(&theater, feed, finish)),
        };
        let (measured, outcome) = Measured::time(numbers, || {
            begin();
            waiting.wait()
        });
        outcome.map(|()| measured)
    }

    fn floor(&self, params: &Params) -> Result<Measured, BenchError> {
        floor::run(params)
    }

    fn peers(&self) -> &'static [&'static str] {
        &[]
    }

    fn paper_settings(&self) -> &'static [Setting] {
        PAPER
    }
}
