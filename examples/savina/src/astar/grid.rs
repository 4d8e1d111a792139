//! The grid: from each node some steps lead on, and each node remembers from where it was reached
//! first.

use odeon_example_run::SplitMix64;
use std::sync::atomic::{AtomicU32, Ordering};

/// A node by its number; those of the last dimension follow each other.
pub(super) type GridNode = u32;

/// Where every search begins.
pub(super) const ORIGIN: GridNode = 0;

const UNREACHED: GridNode = GridNode::MAX;

/// The steps that there are, as numbers of three bits, one for each dimension in which a step goes
/// on by one.
const STEPS: std::ops::RangeInclusive<u8> = 0b001..=0b110;

/// A step that is always there where no other is.
const SPARE_STEP: u8 = 0b110;

/// Of a set of steps: the one that leads nowhere.
const NO_STEP: u8 = 1;

pub(super) struct Grid {
    edge: usize,
    /// Of each node a set of steps: bit `n` is step `n`.
    steps: Box<[u8]>,
    /// From where each node was reached.
    reached_from: Box<[AtomicU32]>,
}

impl Grid {
    /// Half of all steps are there, by chance.
    pub(super) fn random(edge: usize, seed: u64) -> Self {
        let nodes = edge * edge * edge;
        let mut random = SplitMix64::new(seed);
        let steps = (0..nodes).map(|node| random_steps(&mut random, place(edge, node), edge));
        let reached_from = (0..nodes).map(|_| AtomicU32::new(UNREACHED));
        Self { edge, steps: steps.collect(), reached_from: reached_from.collect() }
    }

    pub(super) fn edge(&self) -> usize {
        self.edge
    }

    pub(super) fn place(&self, node: GridNode) -> [usize; 3] {
        place(self.edge, node as usize)
    }

    /// Four fifths along each edge.
    pub(super) fn goal(&self) -> GridNode {
        let along = self.edge * 4 / 5;
        ((along * self.edge + along) * self.edge + along) as GridNode
    }

    /// Where steps lead from here.
    #[inline]
    pub(super) fn neighbours(&self, node: GridNode) -> impl Iterator<Item = GridNode> + use<> {
        let (steps, edge) = (self.steps[node as usize], self.edge as GridNode);
        let lengths = move |step: u8| {
            let in_dimension = |bit: u8| GridNode::from(step >> bit & 1);
            (in_dimension(2) * edge + in_dimension(1)) * edge + in_dimension(0)
        };
        STEPS.filter(move |step| steps >> step & 1 != 0).map(move |step| node + lengths(step))
    }

    /// Whether `node` is reached for the first time.
    #[inline]
    pub(super) fn reach(&self, node: GridNode, from: GridNode) -> bool {
        let reached_from = &self.reached_from[node as usize];
        // ORDERING: Relaxed, all three: who is first owns the node from then on, and nothing else
        // is told by it. The run's end orders all of it before the check.
        reached_from.load(Ordering::Relaxed) == UNREACHED
            && reached_from
                .compare_exchange(UNREACHED, from, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Whether a search has found a way, if there is one, and no other way.
    pub(super) fn check(&self) -> Result<(), String> {
        // ORDERING: Relaxed: the search is over.
        let reached_from =
            |node: GridNode| self.reached_from[node as usize].load(Ordering::Relaxed);
        let goal = self.goal();
        let found = reached_from(goal) != UNREACHED;
        if found != self.is_reachable(goal) {
            let found = if found { "was" } else { "was not" };
            return Err(format!("the goal {found} found, which cannot be"));
        }
        let mut node = if found { goal } else { ORIGIN };
        while node != ORIGIN {
            let from = reached_from(node);
            // No circle: each step leads to a greater number.
            if from >= node || !self.neighbours(from).any(|neighbour| neighbour == node) {
                return Err(format!(
                    "the way found has a step from {from} to {node}, which there is not"
                ));
            }
            node = from;
        }
        Ok(())
    }

    fn is_reachable(&self, goal: GridNode) -> bool {
        let mut reachable = vec![false; self.steps.len()];
        reachable[ORIGIN as usize] = true;
        // Each step leads to a greater number, so one pass sees all ways.
        for node in ORIGIN..goal {
            if reachable[node as usize] {
                self.neighbours(node).for_each(|neighbour| reachable[neighbour as usize] = true);
            }
        }
        reachable[goal as usize]
    }
}

fn place(edge: usize, node: usize) -> [usize; 3] {
    [node / (edge * edge), node / edge % edge, node % edge]
}

fn random_steps(random: &mut SplitMix64, place: [usize; 3], edge: usize) -> u8 {
    // At the far sides of the grid a step goes on in the other dimensions only, or not at all.
    let [i, j, k] = place.map(|along| u8::from(along + 1 < edge));
    let possible = i << 2 | j << 1 | k;
    let steps = STEPS.fold(0, |steps: u8, step| {
        let is_spare = step == SPARE_STEP && steps & !NO_STEP == 0;
        let taken = is_spare || random.next() >> 63 == 1;
        steps | u8::from(taken) << (step & possible)
    });
    steps & !NO_STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_in_the_grid_and_nearly_every_node_has_one() {
        let grid = Grid::random(6, 3);
        for node in 0..6 * 6 * 6 {
            let place = grid.place(node);
            let neighbours: Vec<GridNode> = grid.neighbours(node).collect();
            for neighbour in &neighbours {
                let next = grid.place(*neighbour);
                let steps: Vec<usize> = (0..3).map(|side| next[side] - place[side]).collect();
                assert!(steps.iter().all(|step| *step <= 1), "{place:?} to {next:?}");
                assert!((1..=2).contains(&steps.iter().sum::<usize>()), "{place:?} to {next:?}");
            }
            let inside = place[0] < 5 || place[1] < 5;
            assert!(!(inside && neighbours.is_empty()), "{place:?}");
        }
    }

    #[test]
    fn a_node_is_reached_once() {
        let grid = Grid::random(3, 1);
        assert!(grid.reach(5, 1));
        assert!(!grid.reach(5, 2));
    }

    /// A grid with a way to its goal, and a step of that way.
    fn searched() -> (Grid, GridNode) {
        let grid = Grid::random(5, 1);
        assert!(grid.is_reachable(grid.goal()));
        let mut nodes = vec![ORIGIN];
        while let Some(node) = nodes.pop() {
            nodes.extend(grid.neighbours(node).filter(|neighbour| grid.reach(*neighbour, node)));
        }
        let step = grid.reached_from[grid.goal() as usize].load(Ordering::Relaxed);
        (grid, step)
    }

    #[test]
    fn ways_are_checked() {
        let (grid, step) = searched();
        grid.check().expect("the way that was found");
        grid.reached_from[step as usize].store(step + 1, Ordering::Relaxed);
        assert!(grid.check().unwrap_err().contains("which there is not"));
        let (grid, step) = searched();
        let no_neighbour =
            (ORIGIN..step).find(|node| grid.neighbours(*node).all(|other| other != step));
        let no_neighbour = no_neighbour.expect("most nodes are no neighbours");
        grid.reached_from[step as usize].store(no_neighbour, Ordering::Relaxed);
        assert!(grid.check().unwrap_err().contains("which there is not"));
        let unsearched = Grid::random(5, 1);
        assert_eq!(unsearched.check().unwrap_err(), "the goal was not found, which cannot be");
    }
}
