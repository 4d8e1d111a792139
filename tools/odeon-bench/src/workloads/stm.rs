//! `stm`: threads that run transactions on memory; there are no actors here.
//!
//! What a transaction does is a case; each case has a file of its own, which brings a [`Case`].
//! Another one is a file, its `mod` and its place in [`CASES`].

mod case;
mod counter;
mod counter_var;
mod disjoint;
mod linked_list;
mod locked_marks;
mod map;
mod marks;
mod places;
mod read_write;
mod threads;
mod transfer;
mod walk_direct;
mod walk_logged;
mod walk_snapshot;
mod writer;

use crate::peers;
use crate::workload::prelude::*;
use case::{Case, TxPlan};

/// See the module.
pub(super) static STM: Workload = Workload {
    summary: "threads run transactions: on variables, over a linked list, on one counter, on a map, beside readers",
    operation: "transaction",
    floor_is: "walks: a list of boxes; transfer: a mutex for each account, locked in order; map: a hash \
            map behind a read-write lock; writer: memory with a lock for each variable, beside threads that look at all of it; \
            else plain memory and one thread",
    parameters: &[
        Parameter::word("case", "what a transaction does", &NAMES).peers_know(CASES_OF_PEERS),
        Parameter::number("threads", "threads that run transactions", 1, 64, 2),
        Parameter::number(
            "variables",
            "variables, accounts or keys; of each thread, where they are disjoint",
            2,
            1_000_000,
            1000,
        ),
        Parameter::number("length", "variables that a transaction touches", 2, 1000, 2),
        Parameter::number(
            "transactions",
            "transactions or walks of all threads together",
            1,
            1_000_000_000,
            100_000,
        ),
        Parameter::number("nodes", "nodes of the list that is walked", 1, 1_000_000, 8192)
            .odeon_only(),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
    ],
    variants: &[Variant::Stm],
    peers: &peers::TRANSACTIONAL_MEMORIES,
    check,
    ..Workload::new("stm", run, floor)
};

/// Every case, in the order of the help text; the first is the default.
const CASES: [Case; 10] = [
    read_write::CASE,
    disjoint::CASE,
    transfer::CASE,
    walk_snapshot::CASE,
    walk_logged::CASE,
    walk_direct::CASE,
    counter::CASE,
    counter_var::CASE,
    map::CASE,
    writer::CASE,
];

/// The cases that peers can run: their libraries have plain variables and nothing else.
const CASES_OF_PEERS: &[&str] = &[read_write::CASE.name, disjoint::CASE.name, transfer::CASE.name];

const NAMES: [&str; CASES.len()] = {
    let mut names = [""; CASES.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = CASES[index].name;
        index += 1;
    }
    names
};

fn check(params: &Params) -> Result<(), BenchError> {
    let (length, variables) = (params.number("length"), params.number("variables"));
    if length > variables {
        let problem =
            format!("{length} different variables need as many variables, not {variables}");
        return Err(BenchError::bad_argument("--length", problem));
    }
    Ok(())
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    (case(params).run)(&TxPlan::new(params))
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    (case(params).floor)(&TxPlan::new(params))
}

fn case(params: &Params) -> &'static Case {
    let name = params.word("case");
    CASES.iter().find(|case| case.name == name).expect("the parameter takes names of cases only")
}

#[cfg(test)]
mod tests;
