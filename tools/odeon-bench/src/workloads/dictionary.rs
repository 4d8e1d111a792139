//! `dictionary`: Savina's concurrent dictionary. Clients look up keys of one dictionary, and change some; each waits for its answer.

mod actor_only;
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
use odeon_example_run::finish_line;
use script::DictionaryScript;

/// See the module.
pub(super) struct Dictionary;

static ABOUT: About = About {
    name: "dictionary",
    summary: "clients look up keys of one dictionary, and change some",
    operation: "request",
    floor: "a HashMap and a loop over the requests",
    parameters: &[
        Parameter::number("clients", "actors that ask", 1, 10_000, 24),
        Parameter::number("requests", "requests of each client", 1, 1_000_000_000, 40_000),
        Parameter::number("writes", "per cent of requests that write", 0, 100, 10),
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
pub(super) const PAPER: &[Setting] = &[("requests", Value::Number(400_000))];

impl Workload for Dictionary {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let (finish, waiting) = finish_line(params.count("clients"));
        let scripts = DictionaryScript::all(params);
        let SetUp { begin, outcome } = match policy(params.word("version")) {
            Some(policy) => read_write::set_up(&theater, policy, scripts, &finish),
            None => actor_only::set_up(&theater, scripts, &finish),
        };
        let (measured, finished) = Measured::time(requests(params), || {
            begin();
            waiting.wait()
        });
        finished?;
        script::check_writes(params, outcome())?;
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
