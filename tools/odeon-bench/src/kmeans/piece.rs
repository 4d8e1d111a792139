//! A piece of a round, the same for every way to do it.

use super::{Centres, Points};
use std::ops::Range;
use std::sync::Arc;

/// Some points of one round. It brings all that a worker needs, and has room for what comes out.
#[derive(Debug)]
pub struct Piece {
    /// Which of the round's pieces it is.
    pub number: usize,
    /// The same in all rounds of a run, so that a device may keep its rows.
    pub points: Arc<Points>,
    /// Those of this piece.
    pub rows: Range<usize>,
    /// Of this round.
    pub centres: Arc<Centres>,
    /// For each row, the centre of the round before.
    pub previous: Vec<u32>,
    /// For each row, its closest centre: a worker writes all of it.
    pub members: Vec<u32>,
    /// A worker writes all of it.
    pub partial: Partial,
}

/// What is merged.
#[derive(Debug, Clone, PartialEq)]
pub struct Partial {
    /// For each centre the sum of its points, one behind the other.
    pub sums: Vec<f64>,
    /// For each centre how many points it has.
    pub counts: Vec<u64>,
    /// How many points have another centre than in the round before.
    pub changed: u64,
}

/// The centre of points in the round before the first.
pub(super) const NONE: u32 = u32::MAX;

impl Partial {
    /// Of no points.
    pub fn new(centres: usize, dims: usize) -> Self {
        Self { sums: vec![0.0; centres * dims], counts: vec![0; centres], changed: 0 }
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        self.sums.fill(0.0);
        self.counts.fill(0);
        self.changed = 0;
    }

    /// Adds the points of another.
    pub fn merge(&mut self, other: &Self) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum += more);
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.changed += other.changed;
    }

    /// The means; a centre without points stays where it is.
    pub fn centres(&self, before: &Centres) -> Centres {
        let dims = self.sums.len() / self.counts.len();
        let mut values = before.values().to_vec();
        for (index, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let at = index * dims..(index + 1) * dims;
            let means = self.sums[at.clone()].iter().map(|sum| (sum / *count as f64) as f32);
            values[at].iter_mut().zip(means).for_each(|(value, mean)| *value = mean);
        }
        Centres::new(dims, values)
    }
}

impl crate::iterative::Piece for Piece {
    fn number(&self) -> usize {
        self.number
    }
}
