//! `astar`: Savina's guided search. Searchers look for a way through a random grid of three dimensions, each for some nodes at a
//! time, and hand the nodes at the edge of what is known to a master, who hands them on.

mod actor_only;
mod floor;
mod grid;
mod queue;
mod searching;
mod selector;

use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params, Value};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use grid::Grid;
use odeon_example_run::finish_line;
use searching::{First, Plan};
use std::sync::Arc;

/// See the module.
pub(super) struct AStar;

static ABOUT: About = About {
    name: "astar",
    summary: "a way through a random grid of three dimensions, found by many searchers that share the work through a master",
    operation: "search",
    floor: "one search of the same grid, breadth first, on one thread",
    parameters: &[
        Parameter::number("edge", "nodes along each edge of the grid", 2, MAX_EDGE, 75),
        Parameter::number("searchers", "actors that search", 1, 10_000, 24).outside_floor(),
        Parameter::number("threshold", "nodes that a searcher looks at for one message", 1, 1_000_000_000, 1024)
            .outside_floor(),
        Parameter::number("seed", "seed of the grid", 0, u64::MAX, 1),
        Parameter::word(
            "first",
            "the work that goes first: farthest from the far corner, as the suite's program has it, or nearest to the goal, as its paper has it",
            &["farthest", "nearest"],
        )
        .outside_floor(),
        Parameter::word(
            "version",
            "selectors with a mailbox for each priority, or actors with one: first come first served (actor), or with a priority queue inside (queue)",
            &["selector", "actor", "queue"],
        )
        .outside_floor()
        .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool],
};

/// What the selector paper reports (AGERE 2014, figure 15).
pub(super) const PAPER: &[Setting] = &[("edge", Value::Number(150))];

/// Nodes along an edge for which there are priorities enough.
const MAX_EDGE: u64 = 248;

impl Workload for AStar {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let grid = Arc::new(Grid::random(params.count("edge"), params.number("seed")));
        let plan = Plan {
            searchers: params.count("searchers"),
            threshold: params.count("threshold"),
            first: First::named(params.word("first")),
        };
        let (finish, waiting) = finish_line(1);
        let begin = match params.word("version") {
            "selector" => selector::begin,
            "queue" => queue::begin,
            _ => actor_only::begin,
        };
        let (measured, outcome) = Measured::time(1, || {
            begin(&theater, plan, grid.clone(), finish);
            waiting.wait()
        });
        outcome?;
        grid.check().map(|()| measured).map_err(BenchError::WrongResult)
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
