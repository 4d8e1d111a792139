//! `bndbuffer`: Savina's producers and consumers with a bounded buffer. Each producer makes an item when the buffer asks it to; each
//! consumer gets one when there is one.

mod actor_only;
mod buffer;
mod declared;
mod floor;
mod imperative;

use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params, Value};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use buffer::Trade;
use odeon_example_run::finish_line;

/// See the module.
pub(super) struct BoundedBuffer;

static ABOUT: About = About {
    name: "bndbuffer",
    summary: "producers and consumers of items in one bounded buffer",
    operation: "item",
    floor: "one VecDeque on one thread",
    parameters: &[
        Parameter::number("buffer", "items under way at most", 2, 1_000_000, 600),
        Parameter::number("producers", "producers", 1, 40_000, 500),
        Parameter::number("consumers", "consumers", 1, 40_000, 200),
        Parameter::number("items", "items of each producer", 1, 100_000, 1000),
        Parameter::number("producer_cost", "hundreds of logarithms for an item", 0, 1000, 0),
        Parameter::number("consumer_cost", "hundreds of logarithms with an item", 0, 1000, 0),
        Parameter::word(
            "version",
            "what waits for room or for items",
            &["declared", "imperative", "actor"],
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

/// As the paper ran it.
pub(super) const PAPER: &[Setting] = &[
    ("buffer", Value::Number(6000)),
    ("producers", Value::Number(5000)),
    ("consumers", Value::Number(2000)),
];

impl Workload for BoundedBuffer {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// Each producer may have one item under way to the buffer.
    fn check(&self, params: &Params) -> Result<(), BenchError> {
        let (buffer, producers) = (params.number("buffer"), params.number("producers"));
        if buffer > producers {
            return Ok(());
        }
        let problem = format!("{producers} producers need more than {producers}, not {buffer}");
        Err(BenchError::bad_argument("--buffer", problem))
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let (finish, waiting) = finish_line(1);
        let trade = Trade::new(params);
        let items = trade.items();
        let begin: Box<dyn FnOnce()> = match params.word("version") {
            "declared" => Box::new(declared::set_up(&theater, trade, finish)),
            "imperative" => Box::new(imperative::set_up(&theater, trade, finish)),
            _ => Box::new(actor_only::set_up(&theater, trade, finish)),
        };
        let (measured, outcome) = Measured::time(items, || {
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
