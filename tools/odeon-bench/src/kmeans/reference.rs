//! Plain sequential k-means, and comparing with it.

use super::piece::NONE;
use super::{Centres, Clusters, Partial, Points, Stop};
use crate::error::BenchError;

/// The same rounds by the definition: one point after the other, one centre after the other.
pub fn sequential(points: &Points, first: &Centres, stop: Stop) -> Clusters {
    let mut partial = Partial::new(first.count(), points.dims());
    let mut members = vec![NONE; points.rows()];
    let mut centres = first.clone();
    let mut rounds = 0;
    loop {
        partial.clear();
        for (row, member) in members.iter_mut().enumerate() {
            let point = points.row(row);
            let mut closest = (f32::INFINITY, 0);
            for centre in 0..centres.count() {
                let distance = distance(point, centres.row(centre));
                if distance < closest.0 {
                    closest = (distance, centre);
                }
            }
            let (_, centre) = closest;
            partial.changed += u64::from(*member != centre as u32);
            *member = centre as u32;
            partial.counts[centre] += 1;
            let sums = &mut partial.sums[centre * point.len()..(centre + 1) * point.len()];
            sums.iter_mut().zip(point).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        centres = partial.centres(&centres);
        rounds += 1;
        if stop.is_reached(rounds, partial.changed, points.rows()) {
            return Clusters { members, centres, rounds };
        }
        if let (0, Stop::After(last)) = (partial.changed, stop) {
            // Nothing has changed, so nothing ever will.
            return Clusters { members, centres, rounds: last };
        }
    }
}

fn distance(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}

/// How far an outcome may be from the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Millionths of all points that may have another centre.
    pub members_ppm: u64,
    /// How far a value of a centre may be off.
    pub centres: f32,
    /// How many rounds more or less, if they end by themselves.
    pub rounds: u64,
}

impl Tolerance {
    /// On cores: distances are the same, sums differ by less than an `f32` can say. A point that is as close to one centre as to another may
    /// go the other way.
    pub const CORES: Self = Self { members_ppm: 100, centres: 1e-5, rounds: 0 };
    /// On devices, which add up in `f32` and in an order of their own, over several rounds.
    pub const DEVICES: Self = Self { members_ppm: 1000, centres: 1e-3, rounds: 2 };
}

/// Compares an outcome with the reference.
///
/// # Errors
/// If it is further away than that.
pub fn check(found: &Clusters, expected: &Clusters, within: Tolerance) -> Result<(), BenchError> {
    let wrong = |what: String| Err(BenchError::WrongResult(what));
    if found.rounds.abs_diff(expected.rounds) > within.rounds {
        return wrong(format!("{} rounds instead of {}", found.rounds, expected.rounds));
    }
    let points = expected.members.len();
    if found.members.len() != points {
        return wrong(format!("{} points instead of {points}", found.members.len()));
    }
    let pairs = found.members.iter().zip(&expected.members);
    let others = pairs.filter(|(found, expected)| found != expected).count();
    if others as u128 * 1_000_000 > u128::from(within.members_ppm) * points as u128 {
        return wrong(format!("{others} of {points} points have another centre"));
    }
    let pairs = found.centres.values().iter().zip(expected.centres.values());
    let off = pairs.map(|(found, expected)| (found - expected).abs());
    // WHY not `max`: it would pass over what is not a number.
    if let Some(off) = off.into_iter().find(|off| off.is_nan() || *off > within.centres) {
        return wrong(format!("a centre is off by {off}"));
    }
    Ok(())
}
