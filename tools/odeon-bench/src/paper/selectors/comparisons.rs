//! What is compared, and what the paper says of it: data.

use crate::parameter::Setting;
use crate::parameter::Value::{Number, Word};
use crate::workload::Workload;
use crate::workloads;
use VersionKind::{Actor, Selector};

/// A benchmark in all its versions.
#[derive(Debug)]
pub(super) struct Comparison {
    /// Its number in the paper.
    pub(super) figure: Option<&'static str>,
    /// What it is called here, no other one so.
    pub(super) title: &'static str,
    pub(super) workload: &'static str,
    /// What the paper's figure shows.
    pub(super) shows: &'static str,
    /// Where they differ from the defaults.
    pub(super) settings: &'static [Setting],
    /// With the paper's parameters, besides those of the workload.
    pub(super) paper_settings: &'static [Setting],
    /// For a quick look.
    pub(super) quick: &'static [Setting],
    /// A parameter that has several values.
    pub(super) swept: Option<(&'static str, &'static [u64])>,
    pub(super) versions: &'static [Version],
    /// What the paper says, in our words.
    pub(super) paper: &'static [&'static str],
    /// How many times faster its selectors are than its best actors.
    pub(super) paper_ratio: &'static str,
}

/// A way to write a benchmark.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) name: &'static str,
    pub(super) kind: VersionKind,
    pub(super) settings: &'static [Setting],
    /// The file with its messages and actors, if it has one to itself.
    pub(super) source: Option<&'static str>,
}

/// Whether a version uses several mailboxes, guards, or readers and writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VersionKind {
    Selector,
    Actor,
}

impl Comparison {
    pub(super) fn workload(&self) -> &'static Workload {
        workloads::find(self.workload).expect("a test looks for all of them")
    }

    /// Of the parameter that is swept, if one is.
    pub(super) fn values(&self) -> Vec<Option<u64>> {
        match self.swept {
            None => vec![None],
            Some((_, values)) => values.iter().copied().map(Some).collect(),
        }
    }

    pub(super) fn name_at(&self, value: Option<u64>) -> String {
        match (self.swept, value) {
            (Some((parameter, _)), Some(value)) => format!("{}, {value} {parameter}", self.title),
            _ => self.title.to_owned(),
        }
    }

    /// The file of its plot.
    pub(super) fn plot(&self) -> String {
        format!("{}.svg", self.title.replace([' ', ','], "-"))
    }
}

/// A version that the parameter `version` chooses, with its file in the workload's folder.
macro_rules! version {
    ($kind:ident, $name:literal, $file:literal) => {
        Version {
            name: $name,
            kind: $kind,
            settings: &[("version", Word($name))],
            source: Some(include_str!(concat!("../../../../../examples/savina/src/", $file))),
        }
    };
}

/// A number of mailboxes; the same program for all.
macro_rules! mailboxes {
    ($kind:ident, $name:literal, $number:literal) => {
        Version {
            name: $name,
            kind: $kind,
            settings: &[("mailboxes", Number($number))],
            source: None,
        }
    };
}

const READ_WRITE_DICTIONARY: &[Version] = &[
    version!(Selector, "arrival-order", "dictionary/read_write.rs"),
    version!(Selector, "readers-first", "dictionary/read_write.rs"),
    version!(Selector, "writers-first", "dictionary/read_write.rs"),
    version!(Actor, "actor", "dictionary/actor_only.rs"),
];

const READ_WRITE_LIST: &[Version] = &[
    version!(Selector, "arrival-order", "sortedlist/read_write.rs"),
    version!(Selector, "readers-first", "sortedlist/read_write.rs"),
    version!(Selector, "writers-first", "sortedlist/read_write.rs"),
    version!(Actor, "actor", "sortedlist/actor_only.rs"),
];

/// What is not said of a comparison.
const UNSAID: Comparison = Comparison {
    figure: None,
    title: "",
    workload: "",
    shows: "",
    settings: &[],
    paper_settings: &[],
    quick: &[],
    swept: None,
    versions: &[],
    paper: &[],
    paper_ratio: "",
};

pub(super) static ALL: &[Comparison] = &[
    Comparison {
        figure: Some("3"),
        title: "fork-join throughput",
        workload: "fjthrput",
        shows: "60 actors are sent 400,000 messages each, in turn to each of their mailboxes.",
        quick: &[("messages", Number(2_000))],
        versions: &[
            mailboxes!(Actor, "1 mailbox", 1),
            mailboxes!(Selector, "8 mailboxes", 8),
            mailboxes!(Selector, "16 mailboxes", 16),
            mailboxes!(Selector, "32 mailboxes", 32),
            mailboxes!(Selector, "64 mailboxes", 64),
        ],
        paper: &[
            "One mailbox costs about 5 % more than an actor's only one, and each further mailbox costs more.",
        ],
        paper_ratio: "below 0.95x",
        ..UNSAID
    },
    Comparison {
        figure: Some("4"),
        title: "chameneos",
        workload: "chameneos",
        shows: "500 creatures meet in pairs at one mall; the selector's mall has several mailboxes without guards, which share the contention.",
        settings: &[("creatures", Number(500)), ("meetings", Number(2_000_000))],
        paper_settings: &[("meetings", Number(8_000_000))],
        quick: &[("meetings", Number(2_000))],
        versions: &[
            mailboxes!(Actor, "1 mailbox", 1),
            mailboxes!(Selector, "8 mailboxes", 8),
            mailboxes!(Selector, "16 mailboxes", 16),
            mailboxes!(Selector, "32 mailboxes", 32),
        ],
        paper: &[
            "More mailboxes are faster, up to 16, since senders meet less; 32 are slightly slower than 16.",
        ],
        ..UNSAID
    },
    Comparison {
        figure: Some("8"),
        title: "logistic map",
        workload: "logmap",
        shows: "150 series, each of which waits for the actor that computes its next term before it handles anything else.",
        quick: &[("terms", Number(100))],
        versions: &[
            version!(Selector, "selector", "logmap/selector.rs"),
            version!(Actor, "actor", "logmap/actor_only.rs"),
        ],
        paper: &["Selectors are at least 1.6x faster than any actors, and 12 % shorter."],
        paper_ratio: "1.6x",
        ..UNSAID
    },
    Comparison {
        figure: Some("9"),
        title: "bank transactions",
        workload: "banking",
        shows: "Transfers between 1,000 accounts; one that waits for its partner takes part in nothing else.",
        quick: &[("transfers", Number(2_000))],
        versions: &[
            version!(Selector, "selector", "banking/selector.rs"),
            version!(Actor, "actor", "banking/actor_only.rs"),
        ],
        paper: &["Selectors are over 2x faster than actors with stashes, and 10 % shorter."],
        paper_ratio: "2x",
        ..UNSAID
    },
    Comparison {
        figure: Some("12"),
        title: "filter bank",
        workload: "filterbank",
        shows: "A signal through 8 banks of delays and filters, joined behind them.",
        quick: &[("items", Number(600)), ("columns", Number(128))],
        versions: &[
            version!(Selector, "any-order", "filterbank/any_order.rs"),
            version!(Selector, "round-robin", "filterbank/round_robin.rs"),
            version!(Actor, "actor", "filterbank/actor_only.rs"),
        ],
        paper: &[
            "Selectors are at least 28 % faster than actors with a dictionary; in any order is slightly faster than in turns.",
        ],
        paper_ratio: "1.28x",
        ..UNSAID
    },
    Comparison {
        figure: Some("13"),
        title: "adder of joined numbers",
        workload: "adderjoin",
        shows: "One entity puts numbers into the mailboxes of an adder at random; it adds one of each.",
        quick: &[("numbers", Number(7_200))],
        swept: Some(("sources", &[4, 8, 12, 36])),
        versions: &[
            version!(Selector, "any-order", "adderjoin/any_order.rs"),
            version!(Selector, "round-robin", "adderjoin/round_robin.rs"),
            version!(Actor, "actor", "adderjoin/actor_only.rs"),
        ],
        paper: &[
            "In turns is faster for 4 and 8 sources, about equal for 12, and clearly slower from 36 on. (It has no version with actors.)",
        ],
        ..UNSAID
    },
    Comparison {
        figure: Some("14"),
        title: "N queens",
        workload: "nqueens",
        shows: "The first solutions are looked for by 24 solvers; boards with more queens go first.",
        quick: &[("size", Number(9)), ("threshold", Number(3)), ("limit", Number(200))],
        versions: &[
            version!(Selector, "selector", "nqueens/selector.rs"),
            version!(Actor, "actor", "nqueens/actor_only.rs"),
            version!(Actor, "queue", "nqueens/queue.rs"),
        ],
        paper: &[
            "Selectors are at least 1.7x faster than any actors; Akka's priority queue comes closest.",
        ],
        paper_ratio: "1.7x",
        ..UNSAID
    },
    Comparison {
        title: "N queens, few solutions",
        workload: "nqueens",
        shows: "The same with so few solutions that it matters which boards go first.",
        settings: &[("limit", Number(5_000))],
        paper_settings: &[("limit", Number(5_000))],
        quick: &[("size", Number(9)), ("threshold", Number(3)), ("limit", Number(50))],
        versions: &[
            version!(Selector, "selector", "nqueens/selector.rs"),
            version!(Actor, "actor", "nqueens/actor_only.rs"),
            version!(Actor, "queue", "nqueens/queue.rs"),
        ],
        ..UNSAID
    },
    Comparison {
        figure: Some("15"),
        title: "guided search",
        workload: "astar",
        shows: "A way through a random grid of three dimensions, looked for by 24 searchers.",
        quick: &[("edge", Number(10))],
        versions: &[
            version!(Selector, "selector", "astar/selector.rs"),
            version!(Actor, "actor", "astar/actor_only.rs"),
            version!(Actor, "queue", "astar/queue.rs"),
        ],
        paper: &[
            "Selectors are about 13 % faster than the best actors (Jetlang's), and over 17 % faster than all others.",
        ],
        paper_ratio: "1.17x",
        ..UNSAID
    },
    Comparison {
        title: "guided search, nearest to the goal first",
        workload: "astar",
        shows: "The same with the priorities that the paper describes; the suite's program has them the other way round.",
        settings: &[("first", Word("nearest"))],
        quick: &[("edge", Number(10))],
        versions: &[
            version!(Selector, "selector", "astar/selector.rs"),
            version!(Actor, "actor", "astar/actor_only.rs"),
            version!(Actor, "queue", "astar/queue.rs"),
        ],
        ..UNSAID
    },
    Comparison {
        figure: Some("17"),
        title: "dictionary",
        workload: "dictionary",
        shows: "24 clients look up keys of one dictionary; one request in ten writes. Each takes constant time.",
        quick: &[("requests", Number(200))],
        versions: READ_WRITE_DICTIONARY,
        paper: &[
            "Reading in parallel makes selectors much faster than most actors; but a read is so short that the task for it outweighs it, and Scalaz' actors are as fast.",
        ],
        paper_ratio: "about 1x",
        ..UNSAID
    },
    Comparison {
        figure: Some("18"),
        title: "sorted list",
        workload: "sortedlist",
        shows: "24 clients look for numbers in one sorted list; one request in ten adds one. Each walks through the list.",
        quick: &[("requests", Number(50))],
        versions: READ_WRITE_LIST,
        paper: &[
            "Selectors are much faster than all actors without parallel reads; which policy is best depends on how long reads and writes take.",
        ],
        ..UNSAID
    },
    Comparison {
        figure: Some("20"),
        title: "bounded buffer",
        workload: "bndbuffer",
        shows: "Producers and consumers of one buffer that is full or empty at times.",
        quick: &[("items", Number(10))],
        versions: &[
            version!(Selector, "declared", "bndbuffer/declared.rs"),
            version!(Selector, "imperative", "bndbuffer/imperative.rs"),
            version!(Actor, "actor", "bndbuffer/actor_only.rs"),
        ],
        paper: &[
            "Selectors are about as fast as the best actors, and much faster than actors of the same library; declared guards cost 6.5 % more than imperative ones.",
        ],
        paper_ratio: "about 1x",
        ..UNSAID
    },
    Comparison {
        title: "dining philosophers",
        workload: "philosophers",
        shows: "Philosophers at a round table eat with forks that an arbitrator gives them.",
        quick: &[("rounds", Number(20))],
        versions: &[
            version!(Selector, "selector", "philosophers/selector.rs"),
            version!(Actor, "actor", "philosophers/actor_only.rs"),
            version!(Actor, "retries", "philosophers/retries.rs"),
        ],
        ..UNSAID
    },
    Comparison {
        title: "sleeping barber",
        workload: "barber",
        shows: "Customers come to a barber's waiting room that may be full.",
        quick: &[("haircuts", Number(50))],
        versions: &[
            version!(Selector, "selector", "barber/selector.rs"),
            version!(Actor, "actor", "barber/actor_only.rs"),
            version!(Actor, "retries", "barber/retries.rs"),
        ],
        ..UNSAID
    },
    Comparison {
        title: "cigarette smokers",
        workload: "cigsmok",
        shows: "An arbiter lays out what one of the smokers lacks.",
        quick: &[("rounds", Number(20))],
        versions: &[
            version!(Selector, "selector", "cigsmok/selector.rs"),
            version!(Actor, "actor", "cigsmok/actor_only.rs"),
        ],
        ..UNSAID
    },
];
