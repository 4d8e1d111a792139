//! Boards with queens in their first rows, and what solvers do with them.

use super::QueensSetup;

/// As far as the number of solutions is known here; the work grows sevenfold from one size to the
/// next.
pub const MAX_SIZE: usize = 16;

/// How many solutions a board of this many rows has.
pub(super) fn solutions(size: usize) -> u64 {
    const KNOWN: [u64; MAX_SIZE] =
        [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14_200, 73_712, 365_596, 2_279_184, 14_772_512];
    KNOWN[size - 1]
}

/// Queens in the first rows, one in each, none of which attacks another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Board {
    columns: [u8; MAX_SIZE],
    rows: u8,
}

/// A board to go on with, and how urgent that is: 0 goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BoardTask {
    pub(super) board: Board,
    pub(super) priority: usize,
}

/// What a solver finds.
pub(super) enum Finding {
    Solution,
    /// A board that is to be handed on.
    Task(BoardTask),
}

impl Board {
    pub(super) const EMPTY: Self = Self { columns: [0; MAX_SIZE], rows: 0 };

    fn rows(&self) -> usize {
        usize::from(self.rows)
    }

    /// All boards with one more queen. WHY each pair of queens is compared, although only the last
    /// one is new: Savina's workload does so, and it is what makes the work coarse beside its
    /// messages.
    fn followers(&self, size: usize) -> impl Iterator<Item = Self> + '_ {
        (0..size).filter_map(|column| {
            let mut board = *self;
            board.columns[self.rows()] = column as u8;
            board.rows += 1;
            board.is_valid().then_some(board)
        })
    }

    fn is_valid(&self) -> bool {
        let queens = &self.columns[..self.rows()];
        queens.iter().enumerate().all(|(row, queen)| {
            queens[row + 1..].iter().zip(1..).all(|(below, rows)| {
                let columns = queen.abs_diff(*below);
                columns != 0 && columns != rows
            })
        })
    }

    /// Finds all solutions that begin like this.
    fn solve(&self, size: usize, found: &mut impl FnMut()) {
        if self.rows() == size {
            return found();
        }
        for board in self.followers(size) {
            board.solve(size, found);
        }
    }
}

impl BoardTask {
    /// Goes on: with few queens on the board by one row, else to the end.
    pub(super) fn run(self, plan: &QueensSetup, mut found: impl FnMut(Finding)) {
        let Self { board, priority } = self;
        if board.rows() >= plan.threshold.min(plan.size) {
            return board.solve(plan.size, &mut || found(Finding::Solution));
        }
        for board in board.followers(plan.size) {
            found(Finding::Task(Self { board, priority: priority.saturating_sub(1) }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_solutions_of_small_boards_are_found() {
        for size in 1..=8 {
            let mut found = 0;
            Board::EMPTY.solve(size, &mut || found += 1);
            assert_eq!(found, solutions(size), "{size}");
        }
    }

    #[test]
    fn attacks_are_seen() {
        let board = |columns: &[u8]| {
            let mut board = Board { rows: columns.len() as u8, ..Board::EMPTY };
            board.columns[..columns.len()].copy_from_slice(columns);
            board.is_valid()
        };
        assert!(board(&[]) && board(&[1, 3, 0, 2]));
        assert!(!board(&[1, 3, 1]), "one column");
        assert!(!board(&[2, 0, 3, 1, 0, 4, 7]), "upwards");
        assert!(!board(&[2, 5, 1, 3, 6]), "downwards");
    }
}
