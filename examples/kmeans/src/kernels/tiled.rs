//! Assigning points on a device, in tiles: a cube of units brings its points and the centres into
//! the memory that its units share, reading values that stand side by side, finds the closest
//! centres, and adds the points up there. So of each cube little goes back to the memory of the
//! device.
//!
//! All sums are taken in an order that depends on nothing but the sizes: a result is the same in
//! each run.

use super::LANES;
use odeon_gpu::cubecl;

use cubecl::prelude::*;

/// The closest centre of each point: a unit has one of each of `tiles` tiles of its cube; of
/// centres that are equally close the first counts. What a cube has found is its part of `parts`:
/// for each centre the sum of its points and behind it how many these are; last how many points had
/// another centre before. In a cube of `units` units, `groups` of them add up the points of a tile
/// side by side: a unit has one dimension of one group's points, and nobody else writes there.
#[cube(launch)]
pub(crate) fn assign(
    points: &[f32],
    first: u32,
    centres: &[f32],
    previous: &[u32],
    members: &mut [u32],
    parts: &mut [f32],
    #[comptime] dims: usize,
    #[comptime] count: usize,
    #[comptime] units: usize,
    #[comptime] groups: usize,
    #[comptime] tiles: usize,
) {
    let unit = UNIT_POS as usize;
    // Behind the values of each point a 1: so points are counted as they are added up. An odd
    // distance has units read from all banks.
    let pitch = comptime!((dims + 1) | 1);
    let columns = comptime!(dims + 1);
    let words = comptime!(count * (dims + 1));
    let mut tile = Shared::<[f32]>::new_slice(comptime!(units * ((dims + 1) | 1)));
    let mut near = Shared::<[f32]>::new_slice(comptime!(count * dims));
    let mut sums = Shared::<[f32]>::new_slice(comptime!(groups * count * (dims + 1)));
    let mut closest = Shared::<[u32]>::new_slice(units);
    let mut moved = Shared::<[u32]>::new_slice(units);

    let mut at = unit;
    while at < comptime!(count * dims) {
        near[at] = centres[at];
        at += units;
    }
    let mut word = unit;
    while word < comptime!(groups * count * (dims + 1)) {
        sums[word] = f32::new(0.0);
        word += units;
    }
    let mut movers = 0u32;
    for turn in 0..tiles {
        let begin = (CUBE_POS * tiles + turn) * units;
        let mut value = unit;
        while value < comptime!(units * dims) {
            let point = value / dims;
            let dim = value % dims;
            if begin + point < members.len() {
                tile[point * pitch + dim] = points[(first as usize + begin + point) * dims + dim];
            }
            value += units;
        }
        tile[unit * pitch + dims] = f32::new(1.0);
        sync_cube();

        // No centre, where there is no point.
        let mut best = comptime!(count as u32).runtime();
        let row = begin + unit;
        if row < members.len() {
            let mut least = f32::new(3.0e38);
            best = 0u32;
            let mut distances = Array::<f32>::new(LANES);
            for block in 0..comptime!(count.div_ceil(LANES)) {
                let begin = block * LANES;
                #[unroll]
                for lane in 0..LANES {
                    distances[lane] = f32::new(0.0);
                }
                for dim in 0..dims {
                    let value = tile[unit * pitch + dim];
                    #[unroll]
                    for lane in 0..LANES {
                        let mut centre = begin + lane;
                        if comptime!(count % LANES != 0) {
                            // Where the last block has no more centres.
                            if centre >= count {
                                centre = begin;
                            }
                        }
                        let difference = value - near[centre * dims + dim];
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
            members[row] = best;
            if previous[row] != best {
                movers += 1u32;
            }
        }
        closest[unit] = best;
        sync_cube();

        let mut column = unit;
        while column < comptime!(groups * (dims + 1)) {
            let group = column / columns;
            let dim = column % columns;
            let span = comptime!(units / groups);
            for point in group * span..(group + 1) * span {
                let centre = closest[point] as usize;
                if centre < count {
                    sums[group * words + centre * columns + dim] += tile[point * pitch + dim];
                }
            }
            column += units;
        }
        // Before the next tile comes.
        sync_cube();
    }
    moved[unit] = movers;
    sync_cube();

    let part = CUBE_POS * comptime!(count * (dims + 1) + 1);
    if part < parts.len() {
        let mut word = unit;
        while word < words {
            let mut sum = f32::new(0.0);
            for group in 0..groups {
                sum += sums[group * words + word];
            }
            parts[part + word] = sum;
            word += units;
        }
        if unit == 0 {
            let mut all = 0u32;
            for unit in 0..units {
                all += moved[unit];
            }
            parts[part + words] = f32::cast_from(all);
        }
    }
}
