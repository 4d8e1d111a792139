//! `logmap`: Savina's logistic map. A master asks each series for many terms in advance; a series has each term computed by the
//! actor that knows its rate, and takes no further request until that has replied.

mod actor_only;
mod floor;
mod map;
mod selector;

use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params, Value};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use map::{FinalTerms, MAX_SERIES};
use odeon_example_run::finish_line;

/// See the module.
pub(super) struct LogisticMap;

static ABOUT: About = About {
    name: "logmap",
    summary: "series of the logistic map, each waiting for the actor that computes its next term",
    operation: "term",
    floor: "one loop for each series",
    parameters: &[
        Parameter::number("series", "series, each with its rate", 1, MAX_SERIES as u64, 150),
        Parameter::number("terms", "terms of each series", 1, 1_000_000_000, 15_000),
        Parameter::word("version", "what requests wait in", &["selector", "actor"])
            .outside_floor()
            .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

/// As the paper ran it.
pub(super) const PAPER: &[Setting] = &[("terms", Value::Number(150_000))];

impl Workload for LogisticMap {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let (series, terms) = (params.count("series"), params.number("terms"));
        let (finish, waiting) = finish_line(series);
        let expected = FinalTerms::of(series, terms);
        let begin: Box<dyn FnOnce()> = match params.word("version") {
            "selector" => Box::new(selector::set_up(&theater, expected, finish)),
            _ => Box::new(actor_only::set_up(&theater, expected, finish)),
        };
        let (measured, outcome) = Measured::time(series as u64 * terms, || {
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
