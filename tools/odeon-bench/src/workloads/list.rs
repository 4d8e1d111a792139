//! `list`: the distributed sorted integer linked list (OPODIS 2013, section 6).
//!
//! List actors hold consecutive parts of one sorted list; request actors look up, insert, remove
//! and sum, each waiting for every answer. A sum visits all list actors in order, as one coordinated transaction or as messages
//! of their own: then updates slip in front of it and behind it.

mod actors;
mod client;
mod course;
mod floor;
mod mode;
mod segment;
mod speculative;
mod spread;
mod wire;

use crate::error::BenchError;
use crate::history::History;
use crate::parameter::{Parameter, Params};
use crate::peers::ACTOR_RUNTIMES;
use crate::samples::Measured;
use crate::workload::{Variant, WORKERS, Workload};
use client::Mix;
use mode::{COORDINATED, MODES, SPECULATIVE_MODES, SUMS, Sum, is_speculative};
use segment::Segment;
use spread::{SPREADS, Spread};

pub(crate) use course::record as record_course;

/// See the module.
pub(super) static LIST: Workload = Workload {
    summary: "the distributed sorted linked list of OPODIS 2013: lookups, updates and sums",
    operation: "request answered",
    floor_is: "the same list parts and requesters, boxed, driven by one VecDeque on one thread",
    parameters: &[
        Parameter::number("list_actors", "actors that hold parts of the list", 1, 1024, 1),
        Parameter::number("requesters", "actors that send requests", 1, 100_000, 125),
        Parameter::number("requests", "requests of each requester", 1, 100_000_000, 1000),
        Parameter::number("range", "integers that the list may hold", 1, 100_000_000, 41_216),
        Parameter::number("fill", "per cent of the range in the list at first", 0, 100, 20),
        Parameter::word(
            "workload",
            "lookup/update/sum in per cent: read 97/2/1, write 1/98/1, mixed 49/50/1",
            &["read", "write", "mixed"],
        ),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        Parameter::word(
            "mode",
            "how list actors handle requests: plain actors, or speculative ones",
            &MODES,
        )
        .outside_floor()
        .odeon_only(),
        Parameter::word(
            "sum",
            "how to add up: sums that list actors keep; walks over values in snapshots, transactions or without; kept sums in one coordinated transaction or snapshot; usual: coordinated for several speculative list actors, else kept",
            &SUMS,
        )
        .odeon_only(),
        Parameter::number(
            "hop_delay",
            "us from one list actor to the next for coordinated sums, as on a network; the system's timers add to it",
            0,
            1_000_000,
            0,
        )
        .outside_floor()
        .odeon_only(),
        Parameter::word("spread", "which list actor has a value: by ranges or by a hash", &SPREADS)
            .odeon_only(),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    check,
    note,
    traced_modes: SPECULATIVE_MODES,
    recorder: Some(record_history),
    ..Workload::new("list", run, floor)
};

fn check(params: &Params) -> Result<(), BenchError> {
    let (list_actors, range) = (params.number("list_actors"), params.number("range"));
    if list_actors > range {
        let problem =
            format!("{list_actors} list actors need at least as many integers, not {range}");
        return Err(BenchError::bad_argument("--list-actors", problem));
    }
    if Sum::of(params).is_coordinated() && !is_speculative(params) {
        let problem = format!("{COORDINATED} sums need speculative list actors");
        return Err(BenchError::bad_argument("--sum", problem));
    }
    if params.number("hop_delay") > 0 && !Sum::of(params).is_coordinated() {
        let problem = format!("only {COORDINATED} sums are delayed");
        return Err(BenchError::bad_argument("--hop-delay", problem));
    }
    Ok(())
}

fn note(params: &Params) -> Option<String> {
    let is_torn = params.number("list_actors") > 1 && !Sum::of(params).is_coordinated();
    is_torn.then(|| {
        "A sum over several list actors is a walk from one to the next, each part as of another moment: it is not atomic.".to_owned()
    })
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    actors::run(&Plan::new(params), params, false).map(|(measured, _)| measured)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    floor::run(&Plan::new(params))
}

/// One run of Odeon with every operation recorded; recording costs time, so nothing is measured.
fn record_history(_variant: Variant, params: &Params) -> Result<History, BenchError> {
    record(&Plan::new(params), params)
}

fn record(plan: &Plan, params: &Params) -> Result<History, BenchError> {
    let initial = Segment::prefilled(plan).iter().flat_map(|part| part.values()).collect();
    let (_, mut events) = actors::run(plan, params, true)?;
    events.sort_by_key(|event| event.call_ns);
    Ok(History { initial, events })
}

/// The parameters of a run, read once.
#[derive(Debug, Clone, Copy)]
struct Plan {
    list_actors: usize,
    requesters: usize,
    requests: u64,
    range: u64,
    fill_percent: u64,
    mix: Mix,
    sum: Sum,
    spread: Spread,
    seed: u64,
}

impl Plan {
    fn new(params: &Params) -> Self {
        Self {
            list_actors: params.count("list_actors"),
            requesters: params.count("requesters"),
            requests: params.number("requests"),
            range: params.number("range"),
            fill_percent: params.number("fill"),
            mix: Mix::named(params.word("workload")),
            sum: Sum::of(params),
            spread: Spread::named(params.word("spread")),
            seed: params.number("seed"),
        }
    }

    fn operations(&self) -> u64 {
        self.requesters as u64 * self.requests
    }

    /// The list actor that is responsible for a value.
    fn owner(&self, value: u32) -> usize {
        self.spread.owner(value, self.range, self.list_actors)
    }
}

/// What a requester asks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Request {
    Lookup(u32),
    Insert(u32),
    Remove(u32),
    Sum(Sum),
}

impl Request {
    /// The list actor that gets the request; a sum starts at the first.
    fn receiver(self, plan: &Plan) -> usize {
        match self {
            Self::Lookup(value) | Self::Insert(value) | Self::Remove(value) => plan.owner(value),
            Self::Sum(_) => 0,
        }
    }
}

/// What it is told.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Answer {
    Whether(bool),
    Sum(i64),
}

/// Compares what the list actors say at the end with what must be.
fn check_sums(audits: &[(i64, i64)], expected: i64) -> Result<(), BenchError> {
    let partial_sums: i64 = audits.iter().map(|(partial, _)| partial).sum();
    let values: i64 = audits.iter().map(|(_, values)| values).sum();
    if partial_sums == expected && values == expected {
        return Ok(());
    }
    let found = format!(
        "the partial sums add up to {partial_sums}, the values to {values}; expected {expected}"
    );
    Err(BenchError::WrongResult(found))
}

#[cfg(test)]
mod tests;
