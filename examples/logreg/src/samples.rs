//! Points with labels.

use odeon_example_kmeans::{Points, fraction, normal};
use odeon_example_run::SplitMix64;
use std::sync::Arc;

/// Points, each with the label 0 or 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled {
    /// Where they are.
    pub points: Points,
    /// One for each: 0 or 1.
    pub labels: Arc<[f32]>,
}

/// So many points, normally distributed, and the weights by which their labels are drawn; the same
/// for the same seed.
pub fn generate(rows: usize, dims: usize, seed: u64) -> (Labelled, Vec<f64>) {
    let mut random = SplitMix64::new(seed);
    // So that the label of a point is never nearly certain, however many dimensions it has.
    let size = 2.0 / (dims as f64 + 1.0).sqrt();
    let weights: Vec<f64> = (0..=dims).map(|_| normal(&mut random) * size).collect();
    let (mut values, mut labels) = (Vec::with_capacity(rows * dims), Vec::with_capacity(rows));
    for _ in 0..rows {
        let begin = values.len();
        values.extend((0..dims).map(|_| normal(&mut random) as f32));
        let score = score(&values[begin..], &weights);
        labels.push(if fraction(&mut random) < probability(score) { 1.0 } else { 0.0 });
    }
    (Labelled { points: Points::new(dims, values), labels: labels.into() }, weights)
}

/// The sum of a point's values, each with its weight, and the last weight.
pub(super) fn score(point: &[f32], weights: &[f64]) -> f64 {
    let products = point.iter().zip(weights).map(|(value, weight)| f64::from(*value) * weight);
    products.sum::<f64>() + weights[point.len()]
}

/// How likely the label 1 is at a score.
pub(super) fn probability(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}
