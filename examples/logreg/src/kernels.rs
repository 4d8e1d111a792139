//! The gradient of some points on a device: the whole logic of it, once for every device that
//! CubeCL reaches.
//!
//! All sums are taken in an order that depends on nothing but the size of a block: a result is the
//! same in each run.

use odeon_gpu::cubecl;

use cubecl::prelude::*;

/// For each point how far its probability is off its label, and its loss: a unit has one. No score
/// is too large for the powers in it.
#[cube(launch)]
pub(super) fn errors(
    points: &[f32],
    labels: &[f32],
    first: u32,
    weights: &[f32],
    off: &mut [f32],
    losses: &mut [f32],
    #[comptime] dims: usize,
) {
    if ABSOLUTE_POS < off.len() {
        let row = first as usize + ABSOLUTE_POS;
        let mut score = weights[dims];
        for dim in 0..dims {
            score += points[row * dims + dim] * weights[dim];
        }
        let label = labels[row];
        let small = f32::exp(-f32::abs(score));
        let mut probability = 1.0 / (1.0 + small);
        let mut above = score;
        if score < 0.0 {
            probability = small / (1.0 + small);
            above = f32::new(0.0);
        }
        off[ABSOLUTE_POS] = probability - label;
        losses[ABSOLUTE_POS] = above - score * label + f32::ln(1.0 + small);
    }
}

/// For each block of points the slope of each weight, and behind them the loss: a unit has one of
/// these of one block, and nobody else writes there.
#[cube(launch)]
pub(super) fn sums_of_blocks(
    points: &[f32],
    first: u32,
    off: &[f32],
    losses: &[f32],
    sums: &mut [f32],
    #[comptime] dims: usize,
    #[comptime] block: usize,
) {
    let columns = comptime!(dims + 2);
    let of = ABSOLUTE_POS / columns;
    let column = ABSOLUTE_POS % columns;
    if ABSOLUTE_POS < sums.len() {
        let begin = of * block;
        let mut end = begin + block;
        if end > off.len() {
            end = off.len();
        }
        let mut sum = f32::new(0.0);
        for point in begin..end {
            let mut part = off[point];
            if column < dims {
                part *= points[(first as usize + point) * dims + column];
            } else if column > dims {
                part = losses[point];
            }
            sum += part;
        }
        sums[ABSOLUTE_POS] = sum;
    }
}
