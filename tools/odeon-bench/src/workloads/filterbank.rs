//! `filterbank`: Savina's filter bank, from StreamIt. A signal goes through several banks of delays and filters at once; an
//! integrator joins what comes out of them.

mod actor_only;
mod any_order;
mod floor;
mod pipeline;
mod results;
mod round_robin;
mod signal;

use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params, Value};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use odeon_example_run::finish_line;
use results::Results;
use signal::Shape;

/// See the module.
pub(super) struct FilterBank;

static ABOUT: About = About {
    name: "filterbank",
    summary: "a signal through banks of delays and filters, joined behind them",
    operation: "item of the signal",
    floor: "the same delays and filters in a loop on one thread",
    parameters: &[
        Parameter::number("items", "items of the signal", 3, 100_000_000, 34_816),
        Parameter::number("columns", "items that a filter looks at", 2, 10_000_000, 16_384),
        Parameter::number("channels", "banks", 2, MAX_CHANNELS as u64, 8),
        Parameter::word(
            "version",
            "what the integrator's items wait in, and how they are taken",
            &["any-order", "round-robin", "actor"],
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

/// Each has a mailbox of its own at the integrator.
const MAX_CHANNELS: usize = 64;

/// As the paper ran it.
pub(super) const PAPER: &[Setting] =
    &[("items", Value::Number(300_000)), ("columns", Value::Number(131_072))];

impl Workload for FilterBank {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// Two filters have to fill before anything comes out.
    fn check(&self, params: &Params) -> Result<(), BenchError> {
        let (items, columns) = (params.number("items"), params.number("columns"));
        let needed = 2 * columns - 1;
        if items >= needed {
            return Ok(());
        }
        let problem = format!(
            "with {columns} columns nothing comes out of {items} items; {needed} are needed"
        );
        Err(BenchError::bad_argument("--items", problem))
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let (finish, waiting) = finish_line(1);
        let shape = Shape::new(params);
        let results = Results::expected_of(shape, finish);
        let begin: Box<dyn FnOnce()> = match params.word("version") {
            "any-order" => Box::new(any_order::set_up(&theater, shape, results)),
            "round-robin" => Box::new(round_robin::set_up(&theater, shape, results)),
            _ => Box::new(actor_only::set_up(&theater, shape, results)),
        };
        let (measured, outcome) = Measured::time(shape.items, || {
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
