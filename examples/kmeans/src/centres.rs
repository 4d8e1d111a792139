//! The centres of a round.

use super::Points;
use odeon_example_run::SplitMix64;

/// How many centres a core looks at side by side; see [`Centres::lanes`].
pub(super) const LANES: usize = 16;

/// Centres of clusters, in two orders.
#[derive(Debug, Clone, PartialEq)]
pub struct Centres {
    dims: usize,
    values: Vec<f32>,
    lanes: Vec<f32>,
}

impl Centres {
    /// Centres of so many dimensions, one behind the other.
    ///
    /// # Panics
    /// If the last one is not whole, or there are no dimensions.
    pub fn new(dims: usize, values: Vec<f32>) -> Self {
        assert!(dims > 0 && values.len() % dims == 0, "{} values, {dims} dimensions", values.len());
        let count = values.len() / dims;
        let blocks = count.div_ceil(LANES);
        // No point is close to a centre that is not there.
        let mut lanes = vec![f32::INFINITY; blocks * dims * LANES];
        for (index, centre) in values.chunks_exact(dims).enumerate() {
            let block = index / LANES * dims * LANES;
            for (dim, value) in centre.iter().enumerate() {
                lanes[block + dim * LANES + index % LANES] = *value;
            }
        }
        Self { dims, values, lanes }
    }

    /// Different points, drawn from all.
    ///
    /// # Panics
    /// If there are fewer points than centres.
    pub fn drawn(points: &Points, count: usize, seed: u64) -> Self {
        assert!(count <= points.rows(), "{count} centres among {} points", points.rows());
        let mut random = SplitMix64::new(seed);
        let mut chosen = Vec::with_capacity(count);
        while chosen.len() < count {
            let row = (random.next() % points.rows() as u64) as usize;
            if !chosen.contains(&row) {
                chosen.push(row);
            }
        }
        let values = chosen.into_iter().flat_map(|row| points.row(row)).copied();
        Self::new(points.dims(), values.collect())
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.values.len() / self.dims
    }

    /// One behind the other.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The values of one.
    pub fn row(&self, centre: usize) -> &[f32] {
        &self.values[centre * self.dims..(centre + 1) * self.dims]
    }

    /// In blocks of 16 centres: the first dimension of each of them, then the second, and so on.
    /// Centres that the last block lacks are infinitely far away.
    pub(super) fn lanes(&self) -> &[f32] {
        &self.lanes
    }
}
