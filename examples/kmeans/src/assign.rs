//! Assigning points on a core: the distances of one point to 16 centres are computed side by side,
//! so that the compiler makes vector instructions of it and each distance is still added up in the
//! order of the dimensions.

use super::centres::LANES;
use super::{Centres, Partial};

/// Finds the closest centre of each of `points`, which stand one behind the other, writes it to
/// `members`, and adds what comes out to `partial`. Of centres that are equally close the first
/// counts.
pub fn assign(
    points: &[f32],
    centres: &Centres,
    previous: &[u32],
    members: &mut [u32],
    partial: &mut Partial,
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: this processor has AVX2: the line above has asked it.
        #[allow(unsafe_code)]
        unsafe {
            return with_avx2(points, centres, previous, members, partial);
        }
    }
    on_any(points, centres, previous, members, partial);
}

/// The same function, compiled for processors with AVX2; the operations on each value and their
/// order are the same.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
unsafe fn with_avx2(
    points: &[f32],
    centres: &Centres,
    previous: &[u32],
    members: &mut [u32],
    partial: &mut Partial,
) {
    on_any(points, centres, previous, members, partial);
}

#[inline(always)]
fn on_any(
    points: &[f32],
    centres: &Centres,
    previous: &[u32],
    members: &mut [u32],
    partial: &mut Partial,
) {
    let dims = centres.values().len() / centres.count();
    let points = points.chunks_exact(dims).zip(members).zip(previous);
    for ((point, member), previous) in points {
        let centre = closest(point, centres.lanes());
        *member = centre as u32;
        partial.changed += u64::from(*member != *previous);
        partial.counts[centre] += 1;
        let sums = &mut partial.sums[centre * dims..(centre + 1) * dims];
        sums.iter_mut().zip(point).for_each(|(sum, value)| *sum += f64::from(*value));
    }
}

/// WHY one point at a time: of two or four, the compiler makes slower code, with values moved
/// between vectors.
#[inline(always)]
fn closest(point: &[f32], lanes: &[f32]) -> usize {
    let (mut found, mut least) = (0, f32::INFINITY);
    for (block, lanes) in lanes.chunks_exact(point.len() * LANES).enumerate() {
        let mut distances = [0.0_f32; LANES];
        for (value, lanes) in point.iter().zip(lanes.chunks_exact(LANES)) {
            for (distance, lane) in distances.iter_mut().zip(lanes) {
                let difference = value - lane;
                *distance += difference * difference;
            }
        }
        for (lane, distance) in distances.into_iter().enumerate() {
            if distance < least {
                (found, least) = (block * LANES + lane, distance);
            }
        }
    }
    found
}
