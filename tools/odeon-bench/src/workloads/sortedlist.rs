//! `sortedlist`: Savina's concurrent sorted linked list. Clients look for numbers in one sorted list, add some, and count it; each
//! waits for its answer, and each request walks through the list.

mod actor_only;
mod cells;
mod floor;
mod read_write;
mod script;

use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params, Value};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use crate::workloads::clients::{SetUp, policy};
use cells::Cells;
use odeon_example_run::finish_line;
use script::ListScript;

/// See the module.
pub(super) struct SortedListOfNumbers;

static ABOUT: About = About {
    name: "sortedlist",
    summary: "clients look for numbers in one sorted list, and add some",
    operation: "request",
    floor: "the same list and a loop over the requests",
    parameters: &[
        Parameter::number("clients", "actors that ask", 1, 10_000, 24),
        Parameter::number("requests", "requests of each client", 1, 1_000_000_000, 1500),
        Parameter::number("writes", "per cent of requests that add a number", 0, 99, 10),
        Parameter::number("sizes", "per cent of requests that count the list", 0, 1, 1),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        Parameter::word(
            "version",
            "readers and writers by a policy, or an actor that handles one request at a time",
            &["arrival-order", "readers-first", "writers-first", "actor"],
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

/// As the paper ran it.
pub(super) const PAPER: &[Setting] = &[("requests", Value::Number(15_000))];

impl Workload for SortedListOfNumbers {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let (finish, waiting) = finish_line(params.count("clients"));
        let scripts = ListScript::all(params);
        let SetUp { begin, outcome } = match policy(params.word("version")) {
            Some(policy) => read_write::set_up(&theater, policy, scripts, &finish),
            None => actor_only::set_up(&theater, scripts, &finish),
        };
        let (measured, finished) = Measured::time(requests(params), || {
            begin();
            waiting.wait()
        });
        finished?;
        script::check_numbers(params, outcome())?;
        Ok(measured)
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

fn requests(params: &Params) -> u64 {
    params.number("clients") * params.number("requests")
}
