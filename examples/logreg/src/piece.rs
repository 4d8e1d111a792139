//! A piece of a round, the same for every way to do it.

use super::Labelled;
use std::ops::Range;
use std::sync::Arc;

/// Some points of one round. It brings all that a worker needs, and has room for what comes out.
#[derive(Debug)]
pub struct SamplesPiece {
    /// Which of the round's pieces it is.
    pub number: usize,
    /// The same in all rounds of a run, so that a device may keep its rows.
    pub samples: Arc<Labelled>,
    /// Those of this piece.
    pub rows: Range<usize>,
    /// Of this round: one for each dimension, and one more.
    pub weights: Arc<[f32]>,
    /// A worker writes all of it.
    pub partial: Partial,
}

/// What is merged.
#[derive(Debug, Clone, PartialEq)]
pub struct Partial {
    /// Of the sum of the points' losses, by each weight.
    pub gradient: Vec<f64>,
    /// The sum of the points' losses.
    pub loss: f64,
}

impl Partial {
    /// Of no points.
    pub fn new(weights: usize) -> Self {
        Self { gradient: vec![0.0; weights], loss: 0.0 }
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        self.gradient.fill(0.0);
        self.loss = 0.0;
    }

    /// Adds the points of another.
    pub fn merge(&mut self, other: &Self) {
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(sum, more)| *sum += more);
        self.loss += other.loss;
    }

    /// Moves weights against the gradient of so many points.
    pub(super) fn step(&self, weights: &[f32], rows: usize, rate: f64) -> Vec<f32> {
        let rate = rate / rows as f64;
        let moved = |(weight, slope): (&f32, &f64)| (f64::from(*weight) - rate * slope) as f32;
        weights.iter().zip(&self.gradient).map(moved).collect()
    }
}

impl odeon_example_iterative::RoundPiece for SamplesPiece {
    fn number(&self) -> usize {
        self.number
    }
}
