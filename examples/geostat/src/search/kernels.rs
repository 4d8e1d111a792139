//! The search on a device: the whole logic of it, once for every device that CubeCL reaches. A unit
//! looks at a stretch of nodes for one event; another launch chooses among the stretches.

use odeon_gpu::cubecl;

use cubecl::prelude::*;

/// What an event has in `windows`, one behind the other: where its neighbours begin, and how many
/// there are; the upper left node of its window, the window's columns and nodes; the first node
/// that is looked at, counted row by row within the window; and how many are looked at.
pub(super) const WINDOW: usize = 7;

/// For each stretch of `stretch` nodes and each event, the first of the nearest nodes, in the order
/// of the search: `places`, and how far it differs: `sums`. `near` has for each event the sum that
/// is near enough, and `hits` the first place known to be so near: who would begin behind it has
/// nothing to do, which changes no result.
#[cube(launch)]
pub(super) fn look_at_stretches(
    image: &[f32],
    width: u32,
    windows: &[u32],
    near: &[f32],
    offsets: &[i32],
    values: &[f32],
    hits: &mut [Atomic<u32>],
    sums: &mut [f32],
    places: &mut [u32],
    #[comptime] stretch: usize,
    #[comptime] is_of_categories: bool,
) {
    if ABSOLUTE_POS < sums.len() {
        // Units beside each other have the same stretch of different events: all events get on
        // together.
        let event = ABSOLUTE_POS % near.len();
        let begin = (ABSOLUTE_POS / near.len() * stretch) as u32;
        let at = event * WINDOW;
        let first = windows[at] as usize;
        let last = first + windows[at + 1] as usize;
        let corner = windows[at + 2];
        let columns = windows[at + 3];
        let nodes = windows[at + 4];
        let start = windows[at + 5];
        let mut end = begin + stretch as u32;
        if end > windows[at + 6] {
            end = windows[at + 6];
        }
        let enough = near[event];
        let mut nearest = f32::new(FARTHEST);
        let mut found = u32::MAX.runtime();
        if hits[event].load() > begin {
            for place in begin..end {
                let mut inside = start + place;
                if inside >= nodes {
                    inside -= nodes;
                }
                let node = i32::cast_from(corner + inside / columns * width + inside % columns);
                let mut sum = f32::new(0.0);
                let mut neighbour = first;
                // Given up as soon as it cannot be the nearest.
                while neighbour < last && sum < nearest {
                    let there = image[usize::cast_from(node + offsets[neighbour])];
                    if comptime!(is_of_categories) {
                        if there != values[neighbour] {
                            sum += 1.0;
                        }
                    } else {
                        sum += f32::abs(there - values[neighbour]);
                    }
                    neighbour += 1;
                }
                if sum < nearest {
                    nearest = sum;
                    found = place;
                    if nearest <= enough {
                        hits[event].fetch_min(place);
                        break;
                    }
                }
            }
        }
        sums[ABSOLUTE_POS] = nearest;
        places[ABSOLUTE_POS] = found;
    }
}

/// More than any sum.
const FARTHEST: f32 = 3.0e38;

/// For each event what its first stretch has found that is near enough, or else the first of the
/// nearest.
#[cube(launch)]
pub(super) fn choose(
    sums: &[f32],
    places: &[u32],
    near: &[f32],
    chosen: &mut [u32],
    differences: &mut [f32],
) {
    if ABSOLUTE_POS < chosen.len() {
        let events = chosen.len();
        let mut nearest = f32::new(FARTHEST);
        let mut place = u32::MAX.runtime();
        for stretch in 0..sums.len() / events {
            let sum = sums[stretch * events + ABSOLUTE_POS];
            if sum < nearest {
                nearest = sum;
                place = places[stretch * events + ABSOLUTE_POS];
                if nearest <= near[ABSOLUTE_POS] {
                    break;
                }
            }
        }
        chosen[ABSOLUTE_POS] = place;
        differences[ABSOLUTE_POS] = nearest;
    }
}
