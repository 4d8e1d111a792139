//! The search of Direct Sampling: where in a training image does it look like around a point that is to be simulated?
//!
//! A data event is what is known around such a point: values, and where they are relative to it. Positions of the image are tried in a
//! given order, from a given one on and around, until one mismatches in no more neighbours than is allowed; if none does, the first
//! one that mismatches in the fewest is taken. A position where a neighbour would be outside of the image is not tried. (Mariethoz, Renard and
//! Straubhaar 2010, with the distance for categories.)

use odeon_device::{Device, DeviceError};
use odeon_gpu::cubecl;
use odeon_gpu::{GpuBuffer, GpuDevice};

use cubecl::prelude::*;

/// Positions that one unit tries, one after the other.
/// TUNE: fewer make more units; more make fewer rows to look through at the end.
pub(crate) const CHUNK: usize = 128;

/// No position, or none that can be tried.
pub(crate) const NONE: u32 = u32::MAX;

/// For each data event and each chunk of positions, the first one with the fewest mismatches. `hits` has for each event the first place
/// in the order that is good enough: who would begin behind it has nothing to do, which changes no result.
#[cube(launch)]
fn search_chunks(
    image: &[u32],
    order: &[u32],
    offsets: &[i32],
    values: &[u32],
    lengths: &[u32],
    starts: &[u32],
    allowed: &[u32],
    hits: &mut [Atomic<u32>],
    fewest: &mut [u32],
    firsts: &mut [u32],
    width: u32,
    height: u32,
    #[comptime] most_neighbours: usize,
    #[comptime] chunk: usize,
) {
    let events = lengths.len();
    // Units beside each other have the same chunk of different events: all events get on together.
    let of = ABSOLUTE_POS / events;
    let event = ABSOLUTE_POS % events;
    if ABSOLUTE_POS < fewest.len() {
        let begin = of * chunk;
        let mut end = begin + chunk;
        if end > order.len() {
            end = order.len();
        }
        let mut best = u32::MAX.runtime();
        let mut first = u32::MAX.runtime();
        let neighbours = lengths[event] as usize;
        let enough = allowed[event];
        if hits[event].load() > begin as u32 {
            for place in begin..end {
                let mut at = place + starts[event] as usize;
                if at >= order.len() {
                    at -= order.len();
                }
                let position = order[at];
                let x = i32::cast_from(position % width);
                let y = i32::cast_from(position / width);
                let mut mismatches = 0u32;
                let mut inside = true;
                for neighbour in 0..neighbours {
                    let known = event * most_neighbours + neighbour;
                    let nx = x + offsets[2 * known];
                    let ny = y + offsets[2 * known + 1];
                    if nx < 0
                        || ny < 0
                        || nx >= i32::cast_from(width)
                        || ny >= i32::cast_from(height)
                    {
                        inside = false;
                    } else {
                        let there = image[usize::cast_from(ny * i32::cast_from(width) + nx)];
                        if there != values[known] {
                            mismatches += 1;
                        }
                    }
                }
                if inside && mismatches < best {
                    best = mismatches;
                    first = place as u32;
                    if best <= enough {
                        hits[event].fetch_min(first);
                        break;
                    }
                }
            }
        }
        fewest[ABSOLUTE_POS] = best;
        firsts[ABSOLUTE_POS] = first;
    }
}

/// For each event the first chunk that is good enough, or else the first one with the fewest mismatches.
#[cube(launch)]
fn choose(
    fewest: &[u32],
    firsts: &[u32],
    allowed: &[u32],
    chosen: &mut [u32],
    mismatches: &mut [u32],
) {
    if ABSOLUTE_POS < chosen.len() {
        let events = chosen.len();
        let chunks = fewest.len() / events;
        let mut best = u32::MAX.runtime();
        let mut place = u32::MAX.runtime();
        for chunk in 0..chunks {
            let here = fewest[chunk * events + ABSOLUTE_POS];
            if here < best {
                best = here;
                place = firsts[chunk * events + ABSOLUTE_POS];
                if best <= allowed[ABSOLUTE_POS] {
                    break;
                }
            }
        }
        chosen[ABSOLUTE_POS] = place;
        mismatches[ABSOLUTE_POS] = best;
    }
}

/// What is known around a point that is to be simulated, and how it is searched for.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    /// Where (to the right, downwards) is which category.
    pub(crate) known: Vec<((i32, i32), u32)>,
    /// The place in the order of positions with which the search begins.
    pub(crate) start: u32,
    /// The fraction of neighbours that may mismatch, from 0 to 1.
    pub(crate) threshold: f32,
}

impl Event {
    /// How many neighbours may mismatch.
    pub(crate) fn allowed(&self) -> u32 {
        (self.threshold * self.known.len() as f32).floor() as u32
    }
}

/// What was found for an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Match {
    /// The position, counted by rows from the upper left one.
    pub(crate) position: u32,
    /// The fraction of neighbours that mismatch there.
    pub(crate) distance: f32,
}

/// A training image on a device, and the order in which its positions are tried.
pub(crate) struct Image {
    width: u32,
    height: u32,
    order: Vec<u32>,
    image: GpuBuffer,
    order_there: GpuBuffer,
}

impl Image {
    /// Brings an image, rows of `width` categories, and the order of its positions to the device.
    pub(crate) fn new(
        gpu: &mut GpuDevice,
        image: &[u32],
        width: u32,
        order: Vec<u32>,
    ) -> Result<Self, DeviceError> {
        let height = image.len() as u32 / width;
        Ok(Self {
            width,
            height,
            image: gpu.upload_slice(image)?,
            order_there: gpu.upload_slice(&order)?,
            order,
        })
    }

    /// The best match for each event; none where there is no position that can be tried.
    pub(crate) fn search(
        &self,
        gpu: &mut GpuDevice,
        events: &[Event],
    ) -> Result<Vec<Option<Match>>, DeviceError> {
        let longest = events.iter().map(|event| event.known.len()).max().unwrap_or(0).max(1);
        // The kernel is compiled for a room for neighbours: few different ones.
        let most_neighbours = longest.next_power_of_two();
        let mut offsets = vec![0i32; events.len() * most_neighbours * 2];
        let mut values = vec![0u32; events.len() * most_neighbours];
        for (event, row) in events.iter().zip(0..) {
            for (&((x, y), value), column) in event.known.iter().zip(0..) {
                let at = row * most_neighbours + column;
                (offsets[2 * at], offsets[2 * at + 1], values[at]) = (x, y, value);
            }
        }
        let of_each = |number: fn(&Event) -> u32| events.iter().map(number).collect::<Vec<_>>();
        let offsets = gpu.upload_slice(&offsets)?;
        let values = gpu.upload_slice(&values)?;
        let lengths = gpu.upload_slice(&of_each(|event| event.known.len() as u32))?;
        let starts = gpu.upload_slice(&of_each(|event| event.start))?;
        let allowed = gpu.upload_slice(&of_each(Event::allowed))?;
        let mut hits = gpu.upload_slice(&vec![NONE; events.len()])?;
        let rows = self.order.len().div_ceil(CHUNK) * events.len();
        let mut fewest = gpu.allocate(rows * 4)?;
        let mut firsts = gpu.allocate(rows * 4)?;
        let mut chosen = gpu.allocate(events.len() * 4)?;
        let mut mismatches = gpu.allocate(events.len() * 4)?;
        gpu.launch(|on| {
            let (cubes, cube) = on.in_cubes_of(64, rows);
            search_chunks::launch(
                on.client(),
                cubes,
                cube,
                on.input::<u32>(&self.image),
                on.input::<u32>(&self.order_there),
                on.input::<i32>(&offsets),
                on.input::<u32>(&values),
                on.input::<u32>(&lengths),
                on.input::<u32>(&starts),
                on.input::<u32>(&allowed),
                on.output::<u32>(&mut hits),
                on.output::<u32>(&mut fewest),
                on.output::<u32>(&mut firsts),
                self.width,
                self.height,
                most_neighbours,
                CHUNK,
            );
            let (cubes, cube) = on.in_cubes_of(64, events.len());
            choose::launch(
                on.client(),
                cubes,
                cube,
                on.input::<u32>(&fewest),
                on.input::<u32>(&firsts),
                on.input::<u32>(&allowed),
                on.output::<u32>(&mut chosen),
                on.output::<u32>(&mut mismatches),
            );
        })?;
        let (mut places, mut misses) = (vec![0u32; events.len()], vec![0u32; events.len()]);
        gpu.download_slice(&chosen, &mut places)?;
        gpu.download_slice(&mismatches, &mut misses)?;
        let found = events.iter().zip(places.into_iter().zip(misses));
        Ok(found
            .map(|(event, (place, missed))| {
                let at = (place as u64 + u64::from(event.start)) % self.order.len() as u64;
                (place != NONE).then(|| Match {
                    position: self.order[at as usize],
                    distance: missed as f32 / event.known.len().max(1) as f32,
                })
            })
            .collect())
    }
}
