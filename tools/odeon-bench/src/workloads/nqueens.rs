//! `nqueens`: Savina's N queens. Solvers place queens row by row and hand what they find to a master, who hands it on, until
//! enough solutions are known.

mod actor_only;
mod board;
mod floor;
mod queue;
mod selector;

use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Parameter, Params, Value};
use crate::samples::Measured;
use crate::theater::theater;
use crate::workload::{About, Variant, WORKERS, Workload};
use board::{Board, MAX_SIZE, Task};
use odeon_example_run::{Finish, finish_line};

/// See the module.
pub(super) struct NQueens;

static ABOUT: About = About {
    name: "nqueens",
    summary: "the first solutions of N queens, found by many solvers that share the work through a master",
    operation: "solution asked for",
    floor: "the same boards on one thread, from a Vec whose last is taken first",
    parameters: &[
        Parameter::number("size", "rows of the board", 4, MAX_SIZE as u64, 13),
        Parameter::number("threshold", "queens from which on one solver does the rest", 1, 20, 5),
        Parameter::number("solvers", "actors that solve", 1, 10_000, 24).outside_floor(),
        Parameter::number("limit", "solutions after which all stop", 1, 1_000_000_000, 48_500),
        Parameter::number("priorities", "priorities of work", 1, MAX_PRIORITIES as u64, 10)
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

/// What the selector paper reports (AGERE 2014, figure 14).
pub(super) const PAPER: &[Setting] =
    &[("size", Value::Number(15)), ("limit", Value::Number(1_500_000))];

/// As many as a selector can have mailboxes for, and one for what is no work.
const MAX_PRIORITIES: usize = 30;

impl Workload for NQueens {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn run(&self, _variant: Variant, params: &Params) -> Result<Measured, BenchError> {
        let theater = theater(params)?;
        let plan = Plan::new(params);
        let (finish, waiting) = finish_line(1);
        let begin = match params.word("version") {
            "selector" => selector::begin,
            "queue" => queue::begin,
            _ => actor_only::begin,
        };
        let (measured, outcome) = Measured::time(plan.wanted(), || {
            begin(&theater, plan, finish);
            waiting.wait()
        });
        outcome.map(|()| measured)
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

/// The parameters of a run, read once.
#[derive(Debug, Clone, Copy)]
struct Plan {
    size: usize,
    threshold: usize,
    solvers: usize,
    limit: u64,
    priorities: usize,
}

impl Plan {
    fn new(params: &Params) -> Self {
        Self {
            size: params.count("size"),
            threshold: params.count("threshold"),
            solvers: params.count("solvers"),
            limit: params.number("limit"),
            priorities: params.count("priorities"),
        }
    }

    /// The empty board, with the lowest priority: what has more queens goes before it.
    fn first_task(&self) -> Task {
        Task { board: Board::EMPTY, priority: self.priorities - 1 }
    }

    /// How many solutions a run must find.
    fn wanted(&self) -> u64 {
        self.limit.min(board::solutions(self.size))
    }

    /// What solvers were at when the limit was reached may have been found as well.
    fn check(&self, found: u64) -> Result<(), String> {
        let (wanted, all) = (self.wanted(), board::solutions(self.size));
        if (wanted..=all).contains(&found) {
            return Ok(());
        }
        Err(format!("{found} solutions were found; expected {wanted} at least, and {all} at most"))
    }

    /// Ends the run.
    fn end(&self, found: u64, finish: &Finish) {
        let checked = self.check(found);
        finish.arrive_if(checked.is_ok(), || checked.err().unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_and_impossibly_many_solutions_are_noticed() {
        let plan = Plan { size: 6, threshold: 2, solvers: 1, limit: 3, priorities: 1 };
        plan.check(3).expect("as many as asked for");
        plan.check(4).expect("all there are");
        let few = plan.check(2).unwrap_err();
        assert_eq!(few, "2 solutions were found; expected 3 at least, and 4 at most");
        assert!(plan.check(5).is_err());
    }
}
