//! Ranks of which the first is drawn most often: rank `r` in proportion to `1 / r^skew`.

use odeon_example_run::SplitMix64;

/// The table behind the draws of all senders.
pub struct Zipf {
    /// Of each rank, how likely it or one before is.
    cumulated: Vec<f64>,
}

impl Zipf {
    /// With `skew` 0 all of the `ranks`, at least one, are as likely as each other.
    pub fn new(ranks: usize, skew: f64) -> Self {
        let weights = (1..=ranks).map(|rank| (rank as f64).powf(-skew));
        let mut sum = 0.0;
        let mut cumulated: Vec<f64> = weights
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        cumulated.iter_mut().for_each(|share| *share /= sum);
        Self { cumulated }
    }

    /// From 0.
    #[inline]
    pub(super) fn draw(&self, random: &mut SplitMix64) -> usize {
        // 53 bits are what a fraction holds.
        let uniform = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = self.cumulated.partition_point(|share| *share <= uniform);
        rank.min(self.cumulated.len() - 1)
    }
}
