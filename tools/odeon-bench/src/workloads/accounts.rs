//! `accounts`: transfers between the accounts that one actor keeps. In `bank` each account is an actor of its own, and a
//! transfer is a conversation; here it is one message.

mod balances;
mod transfers;

use super::shared_state::{self, HANDLER_NS, MODE, SECONDS, SENDERS};
use crate::trace;
use crate::workload::prelude::*;
use transfers::Plan;

/// See the module.
pub(super) static ACCOUNTS: Workload = Workload {
    summary: "transfers between accounts of one actor: speculative or plain, sharded, or behind a lock",
    operation: "message",
    floor_is: "one thread that moves amounts in an array",
    parameters: &[
        MODE,
        HANDLER_NS,
        Parameter::number("accounts", "accounts", 2, 1_000_000, 1000),
        Parameter::number("hot", "transfers within the hot accounts, in per cent", 0, 100, 0),
        Parameter::number("hot_accounts", "the hot accounts", 2, 1_000_000, 4),
        Parameter::number("audits", "looks at all balances, in per cent", 0, 100, 0),
        SENDERS,
        Parameter::number(
            "transfers",
            "messages of all senders together",
            1,
            1_000_000_000,
            100_000,
        ),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        SECONDS,
        WORKERS,
    ],
    check,
    traced_modes: &trace::MODES,
    ..Workload::new("accounts", run, floor)
};

fn check(params: &Params) -> Result<(), BenchError> {
    let (hot, accounts) = (params.number("hot_accounts"), params.number("accounts"));
    if hot > accounts {
        let problem = format!("{hot} hot accounts need as many accounts, not {accounts}");
        return Err(BenchError::bad_argument("--hot-accounts", problem));
    }
    if params.number("audits") > 0 && params.word("mode") == "sharded" {
        let problem = "no message sees all balances of sharded accounts";
        return Err(BenchError::bad_argument("--audits", problem));
    }
    Ok(())
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    shared_state::run(&Plan::new(params), params)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    shared_state::floor(&Plan::new(params))
}

#[cfg(test)]
mod tests;
