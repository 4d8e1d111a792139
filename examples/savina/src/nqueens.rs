//! `nqueens`: Savina's N queens. Solvers place queens row by row and hand what they find to a
//! master, who hands it on, until enough solutions are known.

mod actor_only;
mod board;
mod floor;
mod queue;
mod selector;

use board::{Board, BoardTask};
use odeon_example_run::{Finish, RunError, Timed, finish_line, theater_with};

pub use board::MAX_SIZE;

/// As many as a selector can have mailboxes for, and one for what is no work.
pub const MAX_PRIORITIES: usize = 30;

/// What is run.
#[derive(Debug, Clone, Copy)]
pub struct QueensSetup {
    /// Rows of the board.
    pub size: usize,
    /// Queens from which on one solver does the rest.
    pub threshold: usize,
    /// Actors that solve.
    pub solvers: usize,
    /// Solutions after which all stop.
    pub limit: u64,
    /// Priorities of work.
    pub priorities: usize,
}

/// The ways to run it.
pub const VERSIONS: &[&str] = &["selector", "actor", "queue"];

/// Runs a version on a theater with so many workers, and checks what comes out.
///
/// # Errors
/// If it is not what it should be.
pub fn run(version: &str, workers: usize, setup: &QueensSetup) -> Result<Timed, RunError> {
    let theater = theater_with(workers)?;
    let (finish, waiting) = finish_line(1);
    let begin = match version {
        "selector" => selector::begin,
        "queue" => queue::begin,
        _ => actor_only::begin,
    };
    waiting.time(setup.wanted(), || begin(&theater, *setup, finish))
}

/// The same boards on one thread, from a `Vec` whose last is taken first.
///
/// # Errors
/// If it is not what it should be.
pub fn floor(setup: &QueensSetup) -> Result<Timed, RunError> {
    floor::run(setup)
}

impl QueensSetup {
    /// The empty board, with the lowest priority: what has more queens goes before it.
    fn first_task(&self) -> BoardTask {
        BoardTask { board: Board::EMPTY, priority: self.priorities - 1 }
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
        let plan = QueensSetup { size: 6, threshold: 2, solvers: 1, limit: 3, priorities: 1 };
        plan.check(3).expect("as many as asked for");
        plan.check(4).expect("all there are");
        let few = plan.check(2).unwrap_err();
        assert_eq!(few, "2 solutions were found; expected 3 at least, and 4 at most");
        assert!(plan.check(5).is_err());
    }
}
