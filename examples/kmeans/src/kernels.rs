//! Assigning points on a device: the whole logic of it, once for every device that CubeCL reaches.
//! In tiles ([`tiled`]) where points and centres have room in what a cube shares; here, by units
//! that read all from the memory of the device, of any size.
//!
//! All sums are taken in an order that depends on nothing but the sizes of blocks: a result is the
//! same in each run.

pub(crate) mod tiled;

use odeon_gpu::cubecl;

use cubecl::prelude::*;

/// Centres whose distances a unit adds up side by side, so that it reads each value of its point
/// once for all of them.
/// TUNE: guessed 2026-11: they are to have room in registers.
pub(super) const LANES: usize = 16;

/// The closest centre of each point: a unit has one. Of centres that are equally close the first
/// counts.
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
        let mut distances = Array::<f32>::new(LANES);
        for block in 0..comptime!(count.div_ceil(LANES)) {
            let begin = block * LANES;
            #[unroll]
            for lane in 0..LANES {
                distances[lane] = f32::new(0.0);
            }
            for dim in 0..dims {
                let value = points[point + dim];
                #[unroll]
                for lane in 0..LANES {
                    let mut centre = begin + lane;
                    if comptime!(count % LANES != 0) {
                        // Where the last block has no more centres.
                        if centre >= count {
                            centre = begin;
                        }
                    }
                    let difference = value - centres[centre * dims + dim];
                    distances[lane] += difference * difference;
                }
            }
            #[unroll]
            for lane in 0..LANES {
                if begin + lane < count && distances[lane] < least {
                    least = distances[lane];
                    best = (begin + lane) as u32;
                }
            }
        }
        members[ABSOLUTE_POS] = best;
    }
}

/// For each block of points, the sum of those of each centre, how many these are, and last how many
/// points had another centre before. A unit has one dimension of one block, or its numbers of
/// points, and nobody else writes there.
#[cube(launch)]
pub(super) fn sums_of_blocks(
    points: &[f32],
    first: u32,
    members: &[u32],
    previous: &[u32],
    sums: &mut [f32],
    counts: &mut [u32],
    #[comptime] dims: usize,
    #[comptime] count: usize,
    #[comptime] block: usize,
) {
    let of = ABSOLUTE_POS / (dims + 1);
    let dim = ABSOLUTE_POS % (dims + 1);
    if of < members.len().div_ceil(block) {
        let begin = of * block;
        let mut end = begin + block;
        if end > members.len() {
            end = members.len();
        }
        if dim < dims {
            for centre in 0..count {
                sums[(of * count + centre) * dims + dim] = f32::new(0.0);
            }
            for point in begin..end {
                let centre = members[point] as usize;
                sums[(of * count + centre) * dims + dim] +=
                    points[(first as usize + point) * dims + dim];
            }
        } else {
            let at = of * (count + 1);
            for centre in 0..count + 1 {
                counts[at + centre] = 0u32;
            }
            let mut moved = 0u32;
            for point in begin..end {
                let centre = members[point];
                counts[at + centre as usize] += 1u32;
                if previous[point] != centre {
                    moved += 1u32;
                }
            }
            counts[at + count] = moved;
        }
    }
}

/// Adds up what `sums_of_blocks` has found: of each `fan` blocks, in their order, makes one. A unit
/// has one number.
#[cube(launch)]
pub(super) fn add_up(
    sums: &[f32],
    counts: &[u32],
    into_sums: &mut [f32],
    into_counts: &mut [u32],
    #[comptime] values: usize,
    #[comptime] numbers: usize,
    #[comptime] fan: usize,
) {
    let group = ABSOLUTE_POS / (values + numbers);
    let at = ABSOLUTE_POS % (values + numbers);
    if group < into_counts.len() / numbers {
        let begin = group * fan;
        let mut end = begin + fan;
        if end > counts.len() / numbers {
            end = counts.len() / numbers;
        }
        if at < values {
            let mut sum = f32::new(0.0);
            for block in begin..end {
                sum += sums[block * values + at];
            }
            into_sums[group * values + at] = sum;
        } else {
            let mut sum = 0u32;
            for block in begin..end {
                sum += counts[block * numbers + at - values];
            }
            into_counts[group * numbers + at - values] = sum;
        }
    }
}
