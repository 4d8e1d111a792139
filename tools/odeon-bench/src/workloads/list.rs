//! `list`: the distributed sorted integer linked list of OPODIS 2013:
//! [`odeon_example_sorted_list`].

use crate::trace;
use crate::workload::prelude::*;
use odeon_example_sorted_list::history::History;
use odeon_example_sorted_list::{
    COORDINATED, List, ListCourse, ListHandling, ListMode, ListPlan, MODES, Mix, SPECULATIVE_MODES,
    SPREADS, SUMS, Spread, Sum,
};
use std::time::Duration;

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
    if sum(params).is_coordinated() && !is_speculative(params) {
        let problem = format!("{COORDINATED} sums need speculative list actors");
        return Err(BenchError::bad_argument("--sum", problem));
    }
    if params.number("hop_delay") > 0 && !sum(params).is_coordinated() {
        let problem = format!("only {COORDINATED} sums are delayed");
        return Err(BenchError::bad_argument("--hop-delay", problem));
    }
    Ok(())
}

fn note(params: &Params) -> Option<String> {
    let is_torn = params.number("list_actors") > 1 && !sum(params).is_coordinated();
    is_torn.then(|| {
        "A sum over several list actors is a walk from one to the next, each part as of another moment: it is not atomic.".to_owned()
    })
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    set_up(params)?.run().map(Measured::from)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    odeon_example_sorted_list::floor(&plan(params)).map(Measured::from)
}

/// One run of Odeon with every operation recorded; recording costs time, so nothing is measured.
fn record_history(_variant: Variant, params: &Params) -> Result<History, BenchError> {
    set_up(params)?.record()
}

/// One run, looked at after every `every`.
pub(crate) fn record_course(params: &Params, every: Duration) -> Result<ListCourse, BenchError> {
    set_up(params)?.run_watched(every)
}

fn set_up(params: &Params) -> Result<List, BenchError> {
    let handling = ListHandling {
        workers: params.count("workers"),
        mode: ListMode::named(params.word("mode")),
        hop_delay: Duration::from_micros(params.number("hop_delay")),
    };
    let list = List::new(&plan(params), &handling)?;
    list.speculative().for_each(trace::watch);
    Ok(list)
}

fn plan(params: &Params) -> ListPlan {
    ListPlan {
        list_actors: params.count("list_actors"),
        requesters: params.count("requesters"),
        requests: params.number("requests"),
        range: params.number("range"),
        fill_percent: params.number("fill"),
        mix: Mix::named(params.word("workload")),
        sum: sum(params),
        spread: Spread::named(params.word("spread")),
        seed: params.number("seed"),
    }
}

/// Several speculative list actors need a coordinated transaction for what is exact.
fn sum(params: &Params) -> Sum {
    let is_coordinated = params.number("list_actors") > 1 && is_speculative(params);
    let usual = if is_coordinated { Sum::Coordinated } else { Sum::Kept };
    Sum::named(params.word("sum"), usual)
}

/// A floor has no mode.
fn is_speculative(params: &Params) -> bool {
    params.get("mode").is_some_and(|mode| mode != Value::Word(MODES[0]))
}

#[cfg(test)]
mod tests;
