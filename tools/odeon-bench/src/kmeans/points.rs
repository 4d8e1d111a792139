//! What is clustered.

use std::ops::Range;
use std::sync::Arc;

/// Points of a space, one behind the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    dims: usize,
    values: Arc<[f32]>,
}

impl Points {
    /// Points of so many dimensions, one behind the other.
    ///
    /// # Panics
    /// If the last one is not whole, or there are no dimensions.
    pub fn new(dims: usize, values: Vec<f32>) -> Self {
        assert!(dims > 0 && values.len() % dims == 0, "{} values, {dims} dimensions", values.len());
        Self { dims, values: values.into() }
    }

    /// How many.
    pub fn rows(&self) -> usize {
        self.values.len() / self.dims
    }

    /// Of how many dimensions.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The values of one.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.dims..(row + 1) * self.dims]
    }

    /// The values of some, one behind the other.
    pub fn values(&self, rows: Range<usize>) -> &[f32] {
        &self.values[rows.start * self.dims..rows.end * self.dims]
    }

    /// All values, one point behind the other, for who keeps a copy of them elsewhere.
    pub fn shared(&self) -> &Arc<[f32]> {
        &self.values
    }
}
