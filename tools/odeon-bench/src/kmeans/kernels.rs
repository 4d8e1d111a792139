//! Assigning points on a device: the whole logic of it, once for every device that CubeCL reaches.
//!
//! All sums are taken in an order that depends on nothing but the size of a block: a result is the same in each run.

use odeon_gpu::cubecl;

use cubecl::prelude::*;

/// The closest centre of each point: a unit has one. Of centres that are equally close the first counts.
#[cube(launch)]
pub(super) fn closest(
    points: &[f32],
    first: u32,
    centres: &[f32],
    members: &mut [u32],
    #[comptime] dims: usize,
    #[comptime] count: usize,
) {
    if ABSOLUTE_POS < members.len() {
        let point = (first as usize + ABSOLUTE_POS) * dims;
        let mut best = 0u32;
        let mut least = f32::new(3.0e38);
        for centre in 0..count {
            let mut distance = f32::new(0.0);
            for dim in 0..dims {
                let difference = points[point + dim] - centres[centre * dims + dim];
                distance += difference * difference;
            }
            if distance < least {
                least = distance;
                best = centre as u32;
            }
        }
        members[ABSOLUTE_POS] = best;
    }
}

/// For each block of points, the sum of those of each centre: a unit has one dimension of one block, and nobody else writes there.
#[cube(launch)]
pub(super) fn sums_of_blocks(
    points: &[f32],
    first: u32,
    members: &[u32],
    sums: &mut [f32],
    #[comptime] dims: usize,
    #[comptime] count: usize,
    #[comptime] block: usize,
) {
    let of = ABSOLUTE_POS / dims;
    let dim = ABSOLUTE_POS % dims;
    if of < members.len().div_ceil(block) {
        let begin = of * block;
        let mut end = begin + block;
        if end > members.len() {
            end = members.len();
        }
        for centre in 0..count {
            sums[(of * count + centre) * dims + dim] = f32::new(0.0);
        }
        for point in begin..end {
            let centre = members[point] as usize;
            sums[(of * count + centre) * dims + dim] +=
                points[(first as usize + point) * dims + dim];
        }
    }
}
