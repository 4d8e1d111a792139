//! `front`: many ask one account, and wait for the answer: [`odeon_example_front`] has the ways to
//! keep it, here they are declared.

use crate::workload::prelude::*;
use odeon_example_front::{Asking, KEEPERS, Work};

/// See the module.
pub(super) static FRONT: Workload = Workload {
    summary: "threads or tasks of tokio make deposits and wait: an actor that is called or asked, a lock, a channel",
    operation: "question",
    floor_is: "one thread that makes all deposits in a variable",
    parameters: &[
        Parameter::word("mode", "how the accounts are kept", KEEPERS).outside_floor().odeon_only(),
        Parameter::word("askers", "who asks", &["threads", "tasks"]).outside_floor(),
        Parameter::number("senders", "how many ask", 1, 10_000, 1).outside_floor(),
        Parameter::number("accounts", "how many, for askers by turns", 1, 10_000, 1)
            .outside_floor()
            .odeon_only(),
        Parameter::number("deposits", "of all askers together", 1, 1_000_000_000, 100_000),
        Parameter::number("handler_ns", "computing of each deposit, in ns", 0, 1_000_000, 0),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("front", run, floor)
};

fn work(params: &Params) -> Work {
    Work::of_ns(params.number("handler_ns"))
}

fn run(_: Variant, params: &Params) -> Result<Measured, BenchError> {
    let asking = Asking {
        keeper: params.word("mode"),
        askers: params.count("senders"),
        accounts: params.count("accounts"),
        by_tasks: params.word("askers") == "tasks",
        deposits: params.number("deposits"),
        work: work(params),
        workers: params.count("workers"),
    };
    Ok(odeon_example_front::run(&asking)?.into())
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let deposits = params.number("deposits");
    Ok(odeon_example_front::floor(deposits, work(params))?.into())
}
