//! What every searcher does with the node it is sent, and which node goes first.

use super::grid::{Grid, GridNode};
use odeon_example_run::BusyWork;
use std::collections::VecDeque;
use std::sync::Arc;

/// A node to go on from, and how urgent that is: 0 goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SearchTask {
    pub(super) priority: usize,
    pub(super) node: GridNode,
}

/// Priorities of tasks.
pub(super) const PRIORITIES: usize = 32;

/// Nodes along an edge that have one priority.
const GRANULARITY: usize = 8;

/// Which work goes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum First {
    /// What is farthest from the far sides of the grid: the program of the suite.
    Farthest,
    /// What is nearest to the goal: the paper about it.
    Nearest,
}

impl First {
    pub(super) fn task(self, grid: &Grid, node: GridNode) -> SearchTask {
        let priority = match self {
            Self::Farthest => {
                let left = grid.place(node).map(|along| grid.edge() - along);
                let farthest = left.into_iter().max().unwrap_or(0) / GRANULARITY;
                (PRIORITIES - 2).abs_diff(farthest)
            }
            Self::Nearest => {
                let (place, goal) = (grid.place(node), grid.place(grid.goal()));
                let squares = (0..3).map(|side| place[side].abs_diff(goal[side]).pow(2));
                squares.sum::<usize>().isqrt() / GRANULARITY
            }
        };
        SearchTask { priority: priority.min(PRIORITIES - 1), node }
    }
}

/// Draws for each node: the time that looking at it takes.
const DRAWS: u64 = 100;

/// What a searcher keeps.
pub(super) struct SearchState {
    grid: Arc<Grid>,
    goal: GridNode,
    /// Nodes that have been reached and not been looked at.
    edge: VecDeque<GridNode>,
    work: BusyWork,
}

impl SearchState {
    pub(super) fn new(grid: Arc<Grid>, number: usize) -> Self {
        let goal = grid.goal();
        Self { grid, goal, edge: VecDeque::new(), work: BusyWork::new(number as u64) }
    }

    /// Goes on from `node` and looks at so many nodes, breadth first. Whether the goal was found;
    /// if not, the [nodes at the edge](Self::drain_edge) remain to be looked at.
    pub(super) fn go_on(&mut self, node: GridNode, threshold: usize) -> bool {
        self.edge.clear();
        self.edge.push_back(node);
        for _ in 0..threshold {
            let Some(node) = self.edge.pop_front() else { break };
            self.work.draw(DRAWS);
            for neighbour in self.grid.neighbours(node) {
                if !self.grid.reach(neighbour, node) {
                    continue;
                }
                if neighbour == self.goal {
                    return true;
                }
                self.edge.push_back(neighbour);
            }
        }
        false
    }

    /// The nodes that remain, as tasks.
    pub(super) fn drain_edge(&mut self, first: First) -> impl Iterator<Item = SearchTask> {
        let grid = &self.grid;
        self.edge.drain(..).map(move |node| first.task(grid, node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_in_range_and_in_order() {
        for edge in [2, 75, 248] {
            let grid = Grid::random(edge, 1);
            let nodes = (edge * edge * edge) as GridNode;
            for first in [First::Farthest, First::Nearest] {
                let priorities =
                    (0..nodes).step_by(97).map(|node| first.task(&grid, node).priority);
                assert!(priorities.max() < Some(PRIORITIES), "{edge} {first:?}");
            }
        }
        let grid = Grid::random(75, 1);
        let near = grid.goal() - 1;
        let priority = |first: First, node| first.task(&grid, node).priority;
        assert_eq!((priority(First::Nearest, near), priority(First::Nearest, 0)), (0, 12));
        assert_eq!((priority(First::Farthest, near), priority(First::Farthest, 0)), (28, 21));
    }
}
