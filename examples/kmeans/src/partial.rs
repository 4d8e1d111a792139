//! What a piece comes to, which is merged.

use super::Centres;

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
