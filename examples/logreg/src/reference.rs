//! Plain sequential gradient descent in `f64`, and comparing with it.

use super::samples::{probability, score};
use super::{Fitted, Labelled, Steps};
use odeon_example_run::RunError;

/// TUNE: how far weights may be off; 2026-11: after 100 rounds they are by some millionths, since
/// scores are `f32`.
const WEIGHT: f64 = 1e-3;
/// How far the mean loss of a point may be off.
const LOSS: f64 = 1e-4;

/// The same steps by the definition.
pub fn sequential(samples: &Labelled, steps: Steps) -> Fitted {
    let rows = samples.points.rows();
    let mut weights = vec![0.0; samples.points.dims() + 1];
    let mut loss = 0.0;
    for _ in 0..steps.rounds {
        let mut slopes = vec![0.0; weights.len()];
        loss = 0.0;
        for (row, label) in samples.labels.iter().enumerate() {
            let point = samples.points.row(row);
            let score = score(point, &weights);
            let error = probability(score) - f64::from(*label);
            let values = point.iter().map(|value| f64::from(*value)).chain([1.0]);
            slopes.iter_mut().zip(values).for_each(|(slope, value)| *slope += error * value);
            loss -= probability(if *label > 0.5 { score } else { -score }).ln();
        }
        let rate = steps.rate / rows as f64;
        weights.iter_mut().zip(slopes).for_each(|(weight, slope)| *weight -= rate * slope);
    }
    let weights = weights.into_iter().map(|weight| weight as f32).collect();
    Fitted { weights, loss: loss / rows as f64 }
}

/// Compares an outcome with the reference.
///
/// # Errors
/// If a weight is off by more than a thousandth, or the mean loss by more than a ten-thousandth.
pub fn check(found: &Fitted, expected: &Fitted) -> Result<(), RunError> {
    let wrong = |what: String| Err(RunError::WrongResult(what));
    let (weights, expected_weights) = (&found.weights, &expected.weights);
    if weights.len() != expected_weights.len() {
        return wrong(format!("{} weights, not {}", weights.len(), expected_weights.len()));
    }
    let off = |one: f64, other: f64, most: f64| {
        let apart = (one - other).abs();
        apart.is_nan() || apart > most
    };
    let pairs = weights.iter().zip(expected_weights);
    let is_off = |(one, other): &(&f32, &f32)| off(f64::from(**one), f64::from(**other), WEIGHT);
    if let Some((one, other)) = pairs.into_iter().find(is_off) {
        return wrong(format!("a weight is {one} instead of {other}"));
    }
    if off(found.loss, expected.loss, LOSS) {
        return wrong(format!("the loss is {} instead of {}", found.loss, expected.loss));
    }
    Ok(())
}
