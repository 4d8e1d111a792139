//! Each workload's parameters: name, default, permitted range.

use std::ops::RangeInclusive;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// TUNE: more actors than any machine holds would end the process instead of answering (guessed).
const MOST_ACTORS: usize = 1 << 24;
/// TUNE: more worker threads than this is a slip of the pen (guessed).
const MOST_WORKERS: usize = 1024;
/// TUNE: the prefill walks the list for each value, so a wider range would never get ready
/// (guessed).
const WIDEST_RANGE: u32 = 1 << 22;

/// The marks of `stm` have room for so many.
const MOST_TRANSACTIONS: u64 = 1 << 40;

/// What a request's `params` object is read into.
pub trait Parameters: DeserializeOwned {
    /// Names the parameter that is out of its range.
    fn check(&self) -> Result<(), String>;
}

/// Parameters of a workload that an actor runtime runs.
pub trait Hosted: Parameters {
    /// Worker threads of the runtime.
    fn workers(&self) -> usize;
}

/// Declares a workload's parameters; each workload has `workers` besides those listed. A relation
/// between parameters is checked by the method named after `also`.
macro_rules! parameters {
    (
        $workload:ident { $($field:ident = $default:expr, in $range:expr;)* }
        $(also $relation:ident)?
    ) => {
        #[derive(Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $workload {
            $(pub $field: usize,)*
            pub workers: usize,
        }

        impl Default for $workload {
            fn default() -> Self {
                Self { $($field: $default,)* workers: 2 }
            }
        }

        impl Parameters for $workload {
            fn check(&self) -> Result<(), String> {
                $(check_range(stringify!($field), self.$field, $range)?;)*
                $(self.$relation()?;)?
                check_range("workers", self.workers, 1..=MOST_WORKERS)
            }
        }

        impl Hosted for $workload {
            fn workers(&self) -> usize {
                self.workers
            }
        }
    };
}

parameters!(Ring {
    actors = 31, in 1..=MOST_ACTORS;
    hops = 1_000_000, in 1..=usize::MAX;
});

parameters!(Pingpong {
    rounds = 300_000, in 1..=usize::MAX;
});

// Only Odeon's actors have several mailboxes.
parameters!(Fjthrput {
    actors = 60, in 1..=MOST_ACTORS;
    messages = 400_000, in 1..=usize::MAX;
    mailboxes = 1, in 1..=1;
});

parameters!(Create {
    actors = 100_000, in 1..=MOST_ACTORS;
});

parameters!(Chameneos {
    creatures = 100, in 2..=MOST_ACTORS;
    meetings = 200_000, in 1..=usize::MAX / 2;
});

parameters!(Big {
    actors = 120, in 2..=MOST_ACTORS;
    pings = 5_000, in 1..=usize::MAX;
});

parameters!(Count {
    messages = 1_000_000, in 1..=usize::MAX;
});

parameters!(Forward {
    actors = 1_000, in 1..=MOST_ACTORS;
    tokens = 200, in 1..=MOST_ACTORS;
    hops = 100_000, in 1..=usize::MAX;
} also check_tokens);

impl Forward {
    /// Tokens start in the first actors, one in each, so there may not be more of them.
    fn check_tokens(&self) -> Result<(), String> {
        check_range("tokens", self.tokens, 1..=self.actors)
    }
}

parameters!(Bank {
    accounts = 1_000, in 2..=MOST_ACTORS;
    transfers = 1_000_000, in 1..=usize::MAX;
    seed = 1, in 0..=usize::MAX;
});

parameters!(IdleActors {
    actors = 100_000, in 1..=MOST_ACTORS;
});

/// What a requester of `list` asks for, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mix {
    Read,
    Write,
    Mixed,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct List {
    pub list_actors: usize,
    pub requesters: usize,
    /// Requests of each requester.
    pub requests: usize,
    pub range: u32,
    /// Percent of the range that the lists hold at the start.
    pub fill: u32,
    #[serde(rename = "workload")]
    pub mix: Mix,
    pub seed: u64,
    pub workers: usize,
}

impl Default for List {
    fn default() -> Self {
        Self {
            list_actors: 1,
            requesters: 125,
            requests: 1_000,
            range: 41_216,
            fill: 20,
            mix: Mix::Read,
            seed: 1,
            workers: 2,
        }
    }
}

impl Parameters for List {
    fn check(&self) -> Result<(), String> {
        check_range("list_actors", self.list_actors, 1..=MOST_ACTORS)?;
        check_range("requesters", self.requesters, 1..=MOST_ACTORS)?;
        check_range("requests", self.requests, 1..=usize::MAX)?;
        check_range("range", self.range, 1..=WIDEST_RANGE)?;
        check_range("fill", self.fill, 0..=100)?;
        check_range("workers", self.workers, 1..=MOST_WORKERS)
    }
}

impl Hosted for List {
    fn workers(&self) -> usize {
        self.workers
    }
}

/// Who asks in `front`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Askers {
    Threads,
    Tasks,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Front {
    pub askers: Askers,
    /// How many ask.
    pub senders: usize,
    /// Of all askers together.
    pub deposits: u64,
    /// What a deposit computes.
    pub handler_ns: u64,
    pub workers: usize,
}

impl Default for Front {
    fn default() -> Self {
        Self { askers: Askers::Threads, senders: 1, deposits: 100_000, handler_ns: 0, workers: 2 }
    }
}

impl Parameters for Front {
    fn check(&self) -> Result<(), String> {
        check_range("senders", self.senders, 1..=10_000)?;
        check_range("deposits", self.deposits, 1..=1_000_000_000)?;
        check_range("handler_ns", self.handler_ns, 0..=1_000_000)?;
        check_range("workers", self.workers, 1..=MOST_WORKERS)
    }
}

impl Hosted for Front {
    fn workers(&self) -> usize {
        self.workers
    }
}

/// What a transaction of `stm` does. Odeon has more cases, for which plain variables are not
/// enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Case {
    ReadWrite,
    Disjoint,
    Transfer,
}

#[derive(Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stm {
    pub case: Case,
    pub threads: usize,
    /// Of each thread, where they are disjoint.
    pub variables: usize,
    /// Variables that a transaction touches.
    pub length: usize,
    /// Of all threads together.
    pub transactions: u64,
    pub seed: u64,
}

impl Default for Stm {
    fn default() -> Self {
        Self {
            case: Case::ReadWrite,
            threads: 2,
            variables: 1_000,
            length: 2,
            transactions: 100_000,
            seed: 1,
        }
    }
}

impl Parameters for Stm {
    fn check(&self) -> Result<(), String> {
        check_range("threads", self.threads, 1..=64)?;
        check_range("variables", self.variables, 2..=1_000_000)?;
        check_range("length", self.length, 2..=self.variables)?;
        check_range("transactions", self.transactions, 1..=MOST_TRANSACTIONS)
    }
}

fn check_range<N: PartialOrd + std::fmt::Display>(
    name: &str,
    value: N,
    range: RangeInclusive<N>,
) -> Result<(), String> {
    if range.contains(&value) {
        Ok(())
    } else {
        let (least, most) = range.into_inner();
        Err(format!("{name} is {value}, not {least} to {most}"))
    }
}
