//! The rounds of gradient descent.

use super::{Labelled, Partial, SamplesPiece};
use odeon_example_iterative::{Rounds, shares};
use std::sync::Arc;

/// How far to descend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// How many.
    pub rounds: u64,
    /// How far each goes: times the gradient of the mean loss.
    pub rate: f64,
}

/// What gradient descent comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// After the last step.
    pub weights: Vec<f32>,
    /// The mean loss of a point before the last step.
    pub loss: f64,
}

/// The iteration actor's part.
pub struct Descent {
    samples: Arc<Labelled>,
    weights: Arc<[f32]>,
    pieces: usize,
    steps: Steps,
    done: u64,
    merged: Partial,
}

impl Descent {
    /// Each round in so many pieces; one for each row if there are fewer of those.
    pub fn new(samples: Arc<Labelled>, pieces: usize, steps: Steps) -> Self {
        let count = samples.points.dims() + 1;
        let weights = vec![0.0; count].into();
        Self { samples, weights, pieces, steps, done: 0, merged: Partial::new(count) }
    }

    /// The outcome, when the last round has been merged.
    pub fn into_fitted(self) -> Fitted {
        let loss = self.merged.loss / self.samples.points.rows() as f64;
        Fitted { weights: self.weights.to_vec(), loss }
    }
}

impl Rounds for Descent {
    type Piece = SamplesPiece;

    fn first(&mut self) -> Vec<SamplesPiece> {
        let parts = shares(self.samples.points.rows(), self.pieces);
        let piece = |(number, rows)| SamplesPiece {
            number,
            samples: self.samples.clone(),
            rows,
            weights: self.weights.clone(),
            partial: self.merged.clone(),
        };
        parts.enumerate().map(piece).collect()
    }

    fn next(&mut self, mut done: Vec<SamplesPiece>) -> Option<Vec<SamplesPiece>> {
        self.merged.clear();
        done.iter().for_each(|piece| self.merged.merge(&piece.partial));
        let rows = self.samples.points.rows();
        self.weights = self.merged.step(&self.weights, rows, self.steps.rate).into();
        self.done += 1;
        if self.done == self.steps.rounds {
            return None;
        }
        done.iter_mut().for_each(|piece| piece.weights = self.weights.clone());
        Some(done)
    }
}
