//! `banking`: Savina's bank transaction. A teller orders transfers between accounts; the source of one takes part in nothing else
//! until its destination has confirmed.

mod actor_only;
mod floor;
mod ledger;
mod selector;

use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params, Value};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use ledger::Ledger;
use odeon_example_run::finish_line;

/// See the module.
pub(super) struct Banking;

static ABOUT: About = About {
    name: "banking",
    summary: "transfers between accounts that take part in nothing else while they wait",
    operation: "transfer",
    floor: "an array of balances and a loop over the transfers",
    parameters: &[
        Parameter::number("accounts", "accounts", 2, 1_000_000, 1000),
        Parameter::number("transfers", "transfers", 1, 1_000_000_000, 1_000_000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        Parameter::word("version", "what waits for a confirmation", &["selector", "actor"])
            .outside_floor()
            .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

/// As the paper ran it.
pub(super) const PAPER: &[Setting] = &[("transfers", Value::Number(10_000_000))];

impl Workload for Banking {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let (finish, waiting) = finish_line(params.count("accounts"));
        let ledger = Ledger::new(params);
        let begin: Box<dyn FnOnce()> = match params.word("version") {
            "selector" => Box::new(selector::set_up(&theater, ledger, finish)),
            _ => Box::new(actor_only::set_up(&theater, ledger, finish)),
        };
        let (measured, outcome) = Measured::time(params.number("transfers"), || {
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
