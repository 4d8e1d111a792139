//! States that many senders share, in all ways to share them: [`odeon_example_shared_state`] has
//! them, here they are declared.

use crate::memory::MemoryCourse;
use crate::trace;
use crate::workload::prelude::*;
use odeon::Message;
use odeon_example_shared_state::{
    Looks, MODES, SharedState, Sharing, Work, accounts, directory, ledger,
};
use odeon_speculative::SpeculativeRef;
use std::sync::Arc;
use std::time::Duration;

/// How the state is shared.
const MODE: Parameter = Parameter::word(
    "mode",
    "how the state is shared: a speculative actor (adaptive, concurrent, sequential), a plain one, 16 plain ones, a lock",
    MODES,
)
.outside_floor();

/// How long it goes on, if not once.
const SECONDS: Parameter = Parameter::number(
    "seconds",
    "repeat the run for so long and look at the memory; 0 for once",
    0,
    1_000_000,
    0,
)
.outside_floor();

/// The computing of each message.
pub(super) const HANDLER_NS: Parameter =
    Parameter::number("handler_ns", "computing of each message, in ns", 0, 1_000_000, 2000);

/// Who sends.
const SENDERS: Parameter =
    Parameter::number("senders", "actors or threads that send", 1, 10_000, 16);

/// Who looks at the memory of a run that lasts, and at its speculative actor.
struct Looking(MemoryCourse);

impl Looks for Looking {
    fn begins<M: Message>(&mut self, actor: &SpeculativeRef<M>) {
        trace::watch(actor);
    }

    fn passes(&mut self, elapsed: Duration) {
        self.0.look(elapsed);
    }
}

fn run<S: SharedState>(shared: &S, params: &Params) -> Result<Measured, BenchError> {
    let (mode, workers) = (params.word("mode"), params.count("workers"));
    let lasting = Duration::from_secs(params.number("seconds"));
    let mut looking = Looking(MemoryCourse::lasting(lasting));
    let sharing = Sharing { mode, workers, lasting };
    let timed = odeon_example_shared_state::run(shared, sharing, &mut looking)?;
    let growth_kib_per_minute = looking.0.growth_kib_per_minute();
    Ok(Measured { growth_kib_per_minute, ..timed.into() })
}

/// One thread that does everything to the plain struct.
pub(super) fn floor<S: SharedState>(shared: &S) -> Result<Measured, BenchError> {
    odeon_example_shared_state::floor(shared).map(Measured::from)
}

/// Of each sender.
fn share(params: &Params, all: &str) -> u64 {
    params.number(all).div_ceil(params.number("senders"))
}

fn work(params: &Params) -> Work {
    Work::of_ns(params.number("handler_ns"))
}

pub(super) static LEDGER: Workload = Workload {
    summary: "senders enter into one ledger: as one actor, sharded, or behind a lock",
    operation: "entry",
    floor_is: "one thread that makes all entries in an array",
    parameters: &[
        MODE,
        HANDLER_NS,
        Parameter::number("conflict", "entries into one hot account, in per cent", 0, 100, 0),
        Parameter::number("reads", "questions for one account, in per cent", 0, 100, 0),
        SENDERS,
        Parameter::number("entries", "entries of all senders together", 1, 1_000_000_000, 100_000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        SECONDS,
        WORKERS,
    ],
    traced_modes: &trace::MODES,
    ..Workload::new(
        "ledger",
        |_, params| run(&ledger_plan(params), params),
        |params| floor(&ledger_plan(params)),
    )
};

/// Who enters what.
pub(super) fn ledger_plan(params: &Params) -> ledger::LedgerPlan {
    ledger::LedgerPlan {
        senders: params.count("senders"),
        entries: share(params, "entries"),
        conflict: params.number("conflict"),
        reads: params.number("reads"),
        work: work(params),
        seed: params.number("seed"),
        is_named: trace::is_on(),
    }
}

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
    check: check_accounts,
    traced_modes: &trace::MODES,
    ..Workload::new(
        "accounts",
        |_, params| run(&accounts_plan(params), params),
        |params| floor(&accounts_plan(params)),
    )
};

fn accounts_plan(params: &Params) -> accounts::AccountsPlan {
    accounts::AccountsPlan {
        senders: params.count("senders"),
        accounts: params.number("accounts"),
        hot: params.number("hot"),
        hot_accounts: params.number("hot_accounts"),
        audits: params.number("audits"),
        transfers: share(params, "transfers"),
        work: work(params),
        seed: params.number("seed"),
    }
}

fn check_accounts(params: &Params) -> Result<(), BenchError> {
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

pub(super) static SESSION_DIRECTORY: Workload = Workload {
    summary: "a directory of sessions in a map of one actor: speculative or plain, sharded, or behind a lock",
    operation: "request",
    floor_is: "one thread with a hash map",
    parameters: &[
        MODE,
        HANDLER_NS,
        Parameter::number(
            "keys",
            "sessions that can be; every other one is there at first",
            2,
            10_000_000,
            10_000,
        ),
        Parameter::number(
            "skew",
            "exponent of the Zipf distribution of the keys, in hundredths",
            0,
            300,
            99,
        ),
        Parameter::number("reads", "lookups, in per cent", 0, 100, 90),
        Parameter::number(
            "updates",
            "touches of a session, in per cent; the rest begins and ends sessions",
            0,
            100,
            8,
        ),
        SENDERS,
        Parameter::number(
            "requests",
            "requests of all senders together",
            1,
            1_000_000_000,
            100_000,
        ),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        SECONDS,
        WORKERS,
    ],
    check: check_directory,
    traced_modes: &trace::MODES,
    ..Workload::new(
        "tmap",
        |_, params| run(&directory_plan(params), params),
        |params| floor(&directory_plan(params)),
    )
};

fn directory_plan(params: &Params) -> directory::DirectoryPlan {
    let skew = params.number("skew") as f64 / 100.0;
    directory::DirectoryPlan {
        senders: params.count("senders"),
        keys: params.number("keys"),
        zipf: Arc::new(directory::Zipf::new(params.count("keys"), skew)),
        reads: params.number("reads"),
        updates: params.number("updates"),
        requests: share(params, "requests"),
        work: work(params),
        seed: params.number("seed"),
    }
}

fn check_directory(params: &Params) -> Result<(), BenchError> {
    let (reads, updates) = (params.number("reads"), params.number("updates"));
    if reads + updates > 100 {
        let problem = format!("{reads} and {updates} per cent are more than all requests");
        return Err(BenchError::bad_argument("--updates", problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
