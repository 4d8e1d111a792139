//! Programs of the Savina suite in versions, with selectors and without: [`odeon_example_savina`]
//! has them, here they are declared.

use crate::parameter::Value::{Number, Word};
use crate::workload::prelude::*;
use odeon_example_run::Timed;
use odeon_example_savina::{
    adderjoin, astar, banking, barber, bndbuffer, cigsmok, dictionary, filterbank, logmap, nqueens,
    philosophers, sortedlist,
};

/// Of all random draws.
const SEED: Parameter = Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1);

/// Which version is run.
const fn version(about: &'static str, versions: &'static [&'static str]) -> Parameter {
    Parameter::word("version", about, versions).outside_floor().odeon_only()
}

type ProgramRun<S> = fn(&str, usize, &S) -> Result<Timed, BenchError>;
type Floor<S> = fn(&S) -> Result<Timed, BenchError>;

fn run<S>(program: ProgramRun<S>, setup: S, params: &Params) -> Result<Measured, BenchError> {
    program(params.word("version"), params.count("workers"), &setup).map(Measured::from)
}

fn floor<S>(program: Floor<S>, setup: S) -> Result<Measured, BenchError> {
    program(&setup).map(Measured::from)
}

/// A number that the floor is not told, and does not need.
fn if_told(params: &Params, name: &str) -> usize {
    params.get(name).map_or(1, |_| params.count(name))
}

pub(super) static LOGISTIC_MAP: Workload = Workload {
    summary: "series of the logistic map, each waiting for the actor that computes its next term",
    operation: "term",
    floor_is: "one loop for each series",
    parameters: &[
        Parameter::number(
            "series",
            "series, each with its rate",
            1,
            logmap::MAX_SERIES as u64,
            150,
        ),
        Parameter::number("terms", "terms of each series", 1, 1_000_000_000, 15_000),
        version("what requests wait in", logmap::VERSIONS),
        WORKERS,
    ],
    paper: &[("terms", Number(150_000))],
    ..Workload::new(
        "logmap",
        |_, params| run(logmap::run, series(params), params),
        |params| floor(logmap::floor, series(params)),
    )
};

fn series(params: &Params) -> logmap::LogisticMapSetup {
    logmap::LogisticMapSetup { series: params.count("series"), terms: params.number("terms") }
}

pub(super) static BANKING: Workload = Workload {
    summary: "transfers between accounts that take part in nothing else while they wait",
    operation: "transfer",
    floor_is: "an array of balances and a loop over the transfers",
    parameters: &[
        Parameter::number("accounts", "accounts", 2, 1_000_000, 1000),
        Parameter::number("transfers", "transfers", 1, 1_000_000_000, 1_000_000),
        SEED,
        version("what waits for a confirmation", banking::VERSIONS),
        WORKERS,
    ],
    paper: &[("transfers", Number(10_000_000))],
    ..Workload::new(
        "banking",
        |_, params| run(banking::run, transfers(params), params),
        |params| floor(banking::floor, transfers(params)),
    )
};

fn transfers(params: &Params) -> banking::BankingSetup {
    banking::BankingSetup {
        accounts: params.count("accounts"),
        transfers: params.number("transfers"),
        seed: params.number("seed"),
    }
}

pub(super) static BOUNDED_BUFFER: Workload = Workload {
    summary: "producers and consumers of items in one bounded buffer",
    operation: "item",
    floor_is: "one VecDeque on one thread",
    parameters: &[
        Parameter::number("buffer", "items under way at most", 2, 1_000_000, 600),
        Parameter::number("producers", "producers", 1, 40_000, 500),
        Parameter::number("consumers", "consumers", 1, 40_000, 200),
        Parameter::number("items", "items of each producer", 1, 100_000, 1000),
        Parameter::number("producer_cost", "hundreds of logarithms for an item", 0, 1000, 0),
        Parameter::number("consumer_cost", "hundreds of logarithms with an item", 0, 1000, 0),
        version("what waits for room or for items", bndbuffer::VERSIONS),
        WORKERS,
    ],
    paper: &[("buffer", Number(6000)), ("producers", Number(5000)), ("consumers", Number(2000))],
    check: each_producer_may_have_one_item_under_way,
    ..Workload::new(
        "bndbuffer",
        |_, params| run(bndbuffer::run, buffer(params), params),
        |params| floor(bndbuffer::floor, buffer(params)),
    )
};

fn buffer(params: &Params) -> bndbuffer::BufferSetup {
    bndbuffer::BufferSetup {
        buffer: params.count("buffer"),
        producers: params.number("producers"),
        consumers: params.number("consumers"),
        items: params.number("items"),
        producer_cost: params.number("producer_cost"),
        consumer_cost: params.number("consumer_cost"),
    }
}

fn each_producer_may_have_one_item_under_way(params: &Params) -> Result<(), BenchError> {
    let (buffer, producers) = (params.number("buffer"), params.number("producers"));
    if buffer > producers {
        return Ok(());
    }
    let problem = format!("{producers} producers need more than {producers}, not {buffer}");
    Err(BenchError::bad_argument("--buffer", problem))
}

pub(super) static ADDER_JOIN: Workload = Workload {
    summary: "numbers of several sources, joined by one adder",
    operation: "number",
    floor_is: "one loop that adds to the sums that are not complete",
    parameters: &[
        Parameter::number("sources", "sources of numbers", 2, adderjoin::MAX_SOURCES as u64, 8),
        Parameter::number("numbers", "numbers of all sources", 64, 1_000_000_000, 2_400_000),
        SEED,
        version("what the next sum's numbers wait in, and how they are taken", adderjoin::VERSIONS),
        WORKERS,
    ],
    // With 4, 8, 12 and 36 sources.
    paper: &[("numbers", Number(24_000_000))],
    ..Workload::new(
        "adderjoin",
        |_, params| run(adderjoin::run, numbers(params), params),
        |params| floor(adderjoin::floor, numbers(params)),
    )
};

fn numbers(params: &Params) -> adderjoin::AdderJoinSetup {
    adderjoin::AdderJoinSetup {
        sources: params.count("sources"),
        numbers: params.number("numbers"),
        seed: params.number("seed"),
    }
}

pub(super) static FILTER_BANK: Workload = Workload {
    summary: "a signal through banks of delays and filters, joined behind them",
    operation: "item of the signal",
    floor_is: "the same delays and filters in a loop on one thread",
    parameters: &[
        Parameter::number("items", "items of the signal", 3, 100_000_000, 34_816),
        Parameter::number("columns", "items that a filter looks at", 2, 10_000_000, 16_384),
        Parameter::number("channels", "banks", 2, filterbank::MAX_CHANNELS as u64, 8),
        version(
            "what the integrator's items wait in, and how they are taken",
            filterbank::VERSIONS,
        ),
        WORKERS,
    ],
    paper: &[("items", Number(300_000)), ("columns", Number(131_072))],
    check: two_filters_have_to_fill_before_anything_comes_out,
    ..Workload::new(
        "filterbank",
        |_, params| run(filterbank::run, signal(params), params),
        |params| floor(filterbank::floor, signal(params)),
    )
};

fn signal(params: &Params) -> filterbank::FilterBankSetup {
    filterbank::FilterBankSetup {
        items: params.number("items"),
        columns: params.count("columns"),
        channels: params.count("channels"),
    }
}

fn two_filters_have_to_fill_before_anything_comes_out(params: &Params) -> Result<(), BenchError> {
    let (items, columns) = (params.number("items"), params.number("columns"));
    let needed = 2 * columns - 1;
    if items >= needed {
        return Ok(());
    }
    let problem =
        format!("with {columns} columns nothing comes out of {items} items; {needed} are needed");
    Err(BenchError::bad_argument("--items", problem))
}

const PRIORITIES: &str = "selectors with a mailbox for each priority, or actors with one: first come first served (actor), or with a priority queue inside (queue)";

pub(super) static N_QUEENS: Workload = Workload {
    summary: "the first solutions of N queens, found by many solvers that share the work through a master",
    operation: "solution asked for",
    floor_is: "the same boards on one thread, from a Vec whose last is taken first",
    parameters: &[
        Parameter::number("size", "rows of the board", 4, nqueens::MAX_SIZE as u64, 13),
        Parameter::number("threshold", "queens from which on one solver does the rest", 1, 20, 5),
        Parameter::number("solvers", "actors that solve", 1, 10_000, 24).outside_floor(),
        Parameter::number("limit", "solutions after which all stop", 1, 1_000_000_000, 48_500),
        Parameter::number(
            "priorities",
            "priorities of work",
            1,
            nqueens::MAX_PRIORITIES as u64,
            10,
        )
        .outside_floor(),
        version(PRIORITIES, nqueens::VERSIONS),
        WORKERS,
    ],
    paper: &[("size", Number(15)), ("limit", Number(1_500_000))],
    ..Workload::new(
        "nqueens",
        |_, params| run(nqueens::run, queens(params), params),
        |params| floor(nqueens::floor, queens(params)),
    )
};

fn queens(params: &Params) -> nqueens::QueensSetup {
    nqueens::QueensSetup {
        size: params.count("size"),
        threshold: params.count("threshold"),
        solvers: if_told(params, "solvers"),
        limit: params.number("limit"),
        priorities: if_told(params, "priorities"),
    }
}

pub(super) static A_STAR: Workload = Workload {
    summary: "a way through a random grid of three dimensions, found by many searchers that share the work through a master",
    operation: "search",
    floor_is: "one search of the same grid, breadth first, on one thread",
    parameters: &[
        Parameter::number("edge", "nodes along each edge of the grid", 2, astar::MAX_EDGE, 75),
        Parameter::number("searchers", "actors that search", 1, 10_000, 24).outside_floor(),
        Parameter::number(
            "threshold",
            "nodes that a searcher looks at for one message",
            1,
            1_000_000_000,
            1024,
        )
        .outside_floor(),
        Parameter::number("seed", "seed of the grid", 0, u64::MAX, 1),
        Parameter::word(
            "first",
            "the work that goes first: farthest from the far corner, as the suite's program has it, or nearest to the goal, as its paper has it",
            &["farthest", NEAREST],
        )
        .outside_floor(),
        version(PRIORITIES, astar::VERSIONS),
        WORKERS,
    ],
    paper: &[("edge", Number(150))],
    ..Workload::new(
        "astar",
        |_, params| run(astar::run, search(params), params),
        |params| floor(astar::floor, search(params)),
    )
};

const NEAREST: &str = "nearest";

fn search(params: &Params) -> astar::AStarSetup {
    let is_nearest = params.get("first") == Some(Word(NEAREST));
    astar::AStarSetup {
        edge: params.count("edge"),
        searchers: if_told(params, "searchers"),
        threshold: if_told(params, "threshold"),
        seed: params.number("seed"),
        first: if is_nearest { astar::First::Nearest } else { astar::First::Farthest },
    }
}

pub(super) static PHILOSOPHERS: Workload = Workload {
    summary: "philosophers at a round table eat with the forks that an arbitrator gives them",
    operation: "meal",
    floor_is: "the same table on one thread, the hungry ones in a VecDeque",
    parameters: &[
        Parameter::number(
            "philosophers",
            "philosophers and forks",
            2,
            philosophers::MAX_SEATS as u64,
            20,
        ),
        Parameter::number("rounds", "meals of each philosopher", 1, 1_000_000_000, 10_000),
        version(
            "where the hungry wait: in closed mailboxes of the arbitrator (selector), in a set that it keeps (actor), or nowhere: they ask again, as in the suite (retries)",
            philosophers::VERSIONS,
        ),
        WORKERS,
    ],
    ..Workload::new(
        "philosophers",
        |_, params| run(philosophers::run, table(params), params),
        |params| floor(philosophers::floor, table(params)),
    )
};

fn table(params: &Params) -> philosophers::PhilosophersSetup {
    philosophers::PhilosophersSetup {
        philosophers: params.count("philosophers"),
        rounds: params.number("rounds"),
    }
}

pub(super) static BARBER: Workload = Workload {
    summary: "customers come to a barber whose waiting room has few seats",
    operation: "haircut",
    floor_is: "the work of street and barber on one thread",
    parameters: &[
        Parameter::number(
            "haircuts",
            "customers, each of whom gets a haircut",
            1,
            100_000_000,
            5000,
        ),
        Parameter::number("seats", "seats of the waiting room", 1, 100_000_000, 1000)
            .outside_floor(),
        Parameter::number(
            "pause",
            "draws between two customers, at most, about 3 ns each",
            1,
            1_000_000_000,
            1000,
        ),
        Parameter::number("cut", "draws of a haircut, at most", 1, 1_000_000_000, 1000),
        SEED,
        version(
            "when all seats are taken, customers wait in a closed mailbox of the room (selector), in a second queue that it keeps (actor), or are sent away and come again, as in the suite (retries)",
            barber::VERSIONS,
        ),
        WORKERS,
    ],
    ..Workload::new(
        "barber",
        |_, params| run(barber::run, shop(params), params),
        |params| floor(barber::floor, shop(params)),
    )
};

fn shop(params: &Params) -> barber::BarberSetup {
    barber::BarberSetup {
        haircuts: params.count("haircuts"),
        seats: if_told(params, "seats"),
        pause: params.number("pause"),
        cut: params.number("cut"),
        seed: params.number("seed"),
    }
}

pub(super) static CIGARETTE_SMOKERS: Workload = Workload {
    summary: "an arbiter has one smoker after the other smoke, each drawn by lot",
    operation: "round",
    floor_is: "the smoking alone, on one thread",
    parameters: &[
        Parameter::number("rounds", "rounds", 1, 1_000_000_000, 1000),
        Parameter::number("smokers", "smokers", 1, 1_000_000, 200),
        Parameter::number(
            "smoke",
            "draws of a cigarette, at most, about 3 ns each",
            1,
            1_000_000_000,
            1000,
        ),
        SEED,
        version(
            "selectors, where the end waits behind every cigarette in a mailbox of its own, or actors with one mailbox",
            cigsmok::VERSIONS,
        ),
        WORKERS,
    ],
    ..Workload::new(
        "cigsmok",
        |_, params| run(cigsmok::run, smokers(params), params),
        |params| floor(cigsmok::floor, smokers(params)),
    )
};

fn smokers(params: &Params) -> cigsmok::SmokersSetup {
    cigsmok::SmokersSetup {
        rounds: params.number("rounds"),
        smokers: params.number("smokers"),
        smoke: params.number("smoke"),
        seed: params.number("seed"),
    }
}

const POLICIES: &str =
    "readers and writers by a policy, or an actor that handles one request at a time";

pub(super) static DICTIONARY: Workload = Workload {
    summary: "clients look up keys of one dictionary, and change some",
    operation: "request",
    floor_is: "a HashMap and a loop over the requests",
    parameters: &[
        Parameter::number("clients", "actors that ask", 1, 10_000, 24),
        Parameter::number("requests", "requests of each client", 1, 1_000_000_000, 40_000),
        Parameter::number("writes", "per cent of requests that write", 0, 100, 10),
        SEED,
        version(POLICIES, dictionary::VERSIONS),
        WORKERS,
    ],
    paper: &[("requests", Number(400_000))],
    ..Workload::new(
        "dictionary",
        |_, params| run(dictionary::run, entries(params), params),
        |params| floor(dictionary::floor, entries(params)),
    )
};

fn entries(params: &Params) -> dictionary::DictionarySetup {
    dictionary::DictionarySetup {
        clients: params.count("clients"),
        requests: params.number("requests"),
        writes: params.number("writes"),
        seed: params.number("seed"),
    }
}

pub(super) static SORTED_LIST: Workload = Workload {
    summary: "clients look for numbers in one sorted list, and add some",
    operation: "request",
    floor_is: "the same list and a loop over the requests",
    parameters: &[
        Parameter::number("clients", "actors that ask", 1, 10_000, 24),
        Parameter::number("requests", "requests of each client", 1, 1_000_000_000, 1500),
        Parameter::number("writes", "per cent of requests that add a number", 0, 99, 10),
        Parameter::number("sizes", "per cent of requests that count the list", 0, 1, 1),
        SEED,
        version(POLICIES, sortedlist::VERSIONS),
        WORKERS,
    ],
    paper: &[("requests", Number(15_000))],
    ..Workload::new(
        "sortedlist",
        |_, params| run(sortedlist::run, list(params), params),
        |params| floor(sortedlist::floor, list(params)),
    )
};

fn list(params: &Params) -> sortedlist::SortedListSetup {
    sortedlist::SortedListSetup {
        clients: params.count("clients"),
        requests: params.number("requests"),
        writes: params.number("writes"),
        sizes: params.number("sizes"),
        seed: params.number("seed"),
    }
}
