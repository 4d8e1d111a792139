//! Plain sequential k-means.

use super::piece::NONE;
use super::{Centres, Clusters, Partial, Points, Stop};
use std::mem::replace;

/// The same rounds by the definition: one point after the other, one centre after the other.
pub fn sequential(points: &Points, first: &Centres, stop: Stop) -> Clusters {
    let stop = stop.begun();
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
        let means = partial.centres(&centres);
        let by = replace(&mut centres, means);
        rounds += 1;
        if stop.is_reached(rounds, partial.changed, points.rows()) {
            return Clusters { members, by, centres, rounds };
        }
        if let (0, Stop::After(last)) = (partial.changed, stop) {
            // Nothing has changed, so nothing ever will.
            return Clusters { members, by, centres, rounds: last };
        }
    }
}

fn distance(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}
