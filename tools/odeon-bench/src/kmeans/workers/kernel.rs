//! Pieces of k-means by kernels, on any device that CubeCL reaches.

use crate::kmeans::kernels::{add_up, closest, sums_of_blocks};
use crate::kmeans::piece::NONE;
use crate::kmeans::rooms::{Room, Rooms};
use crate::kmeans::{Centres, Piece};
use bytemuck::{cast_slice, cast_slice_mut};
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuBuffer, GpuDevice, Kernel, KernelWorker, Launch, Which, Workbench};
use std::mem::swap;

/// TUNE: points whose sum is taken by one unit for each dimension; guessed 2026-11: fewer keep more units busy, and leave more sums to add up.
const BLOCK: usize = 64;

/// TUNE: guessed 2026-11: points of a block for each centre, so that the sums of all blocks have less room than the points.
const BLOCK_PER_CENTRE: usize = 4;

/// TUNE: guessed 2026-11: sums that one unit adds up.
const FAN: usize = 64;

/// TUNE: guessed 2026-11: pieces that are launched before the first result is waited for.
const AT_ONCE: usize = 16;

/// Has a device do pieces. Points and members stay there between rounds.
#[derive(Default)]
pub struct ByKernels(Rooms<Memory>);

/// What a piece has on the device.
struct Memory {
    centres: GpuBuffer,
    members: GpuBuffer,
    /// Of the round before.
    previous: GpuBuffer,
    /// Sums and counts: of blocks, of some blocks each, and so on up to those of the piece.
    sums: Vec<(GpuBuffer, GpuBuffer)>,
}

impl ByKernels {
    /// A worker with that device.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is none, or no driver for it.
    pub fn on(which: Which) -> Result<KernelWorker<Self>, DeviceError> {
        GpuDevice::open(which).map(|gpu| KernelWorker::new(gpu, Self::default()))
    }

    fn attempt(&mut self, bench: &mut Workbench, batch: &mut [Piece]) -> Result<(), DeviceError> {
        let launched = batch.iter().map(|piece| launch(bench, piece, self.0.take(piece)));
        let rooms: Vec<_> = launched.collect::<Result<_, _>>()?;
        let mut found: Vec<(Vec<f32>, Vec<u32>)> = batch
            .iter()
            .map(|piece| {
                let (values, numbers) = sizes(&piece.centres);
                (vec![0.0; values], vec![0; numbers])
            })
            .collect();
        let mut all: Vec<(&GpuBuffer, &mut [u8])> = Vec::new();
        for ((piece, room), (sums, counts)) in batch.iter_mut().zip(&rooms).zip(&mut found) {
            if room.may_keep_members(piece) {
                piece.members.clear();
            } else {
                piece.members.resize(piece.rows.len(), NONE);
                all.push((&room.memory.members, cast_slice_mut(&mut piece.members)));
            }
            let (of_sums, of_counts) = room.memory.sums.last().expect("each piece has a block");
            all.push((of_sums, cast_slice_mut(sums)));
            all.push((of_counts, cast_slice_mut(counts)));
        }
        bench.gpu().download_all(all)?;
        for ((piece, room), (sums, mut counts)) in batch.iter_mut().zip(rooms).zip(found) {
            piece.partial.changed = counts.pop().map_or(0, u64::from);
            piece.partial.sums = sums.into_iter().map(f64::from).collect();
            piece.partial.counts = counts.into_iter().map(u64::from).collect();
            self.0.put(piece, room);
        }
        Ok(())
    }
}

impl Kernel for ByKernels {
    type Work = Piece;

    fn most_at_once(&self) -> usize {
        AT_ONCE
    }

    fn work(&mut self, bench: &mut Workbench, batch: &mut [Piece]) -> Result<(), DeviceError> {
        let mut done = self.attempt(bench, batch);
        if matches!(done, Err(DeviceError::OutOfMemory { .. })) {
            // Other pieces may have what these need.
            self.0.clear();
            done = self.attempt(bench, batch);
        }
        done.inspect_err(|_| self.0.clear())
    }
}

/// How many sums and counts there are; the last count is of points that had another centre.
fn sizes(centres: &Centres) -> (usize, usize) {
    (centres.values().len(), centres.count() + 1)
}

fn block(centres: &Centres) -> usize {
    BLOCK.max(BLOCK_PER_CENTRE * centres.count())
}

/// Has all that comes out for a piece written into its room.
fn launch(
    bench: &mut Workbench,
    piece: &Piece,
    room: Option<Room<Memory>>,
) -> Result<Room<Memory>, DeviceError> {
    let points = bench.input(piece.points.shared())?;
    let mut room = match room {
        Some(room) => room,
        None => Room::new(piece, Memory::new(bench, piece)?),
    };
    let has_round_before = room.has_round_before(piece);
    let Memory { centres, members, previous, sums } = &mut room.memory;
    let find = |gpu: &mut GpuDevice, of: &Centres, members: &mut GpuBuffer, to: &mut GpuBuffer| {
        gpu.write(to, cast_slice(of.values()))?;
        gpu.launch(|on| find_closest(on, piece, &points, to, members))
    };
    swap(previous, members);
    match (has_round_before, &piece.before) {
        (true, _) => {}
        (false, Some(before)) if piece.previous.is_empty() => {
            find(bench.gpu(), before, previous, centres)?;
        }
        _ => bench.gpu().write(previous, cast_slice(&piece.previous))?,
    }
    find(bench.gpu(), &piece.centres, members, centres)?;
    bench.gpu().launch(|on| add_points(on, piece, &points, [members, previous], sums))?;
    Ok(room)
}

fn find_closest(
    on: &Launch<'_>,
    piece: &Piece,
    points: &GpuBuffer,
    centres: &GpuBuffer,
    members: &mut GpuBuffer,
) {
    let (cubes, cube) = on.over(piece.rows.len());
    let (dims, count) = (piece.points.dims(), piece.centres.count());
    let (points, centres) = (on.input::<f32>(points), on.input::<f32>(centres));
    let (first, members) = (piece.rows.start as u32, on.output::<u32>(members));
    closest::launch(on.client(), cubes, cube, points, first, centres, members, dims, count);
}

fn add_points(
    on: &Launch<'_>,
    piece: &Piece,
    points: &GpuBuffer,
    [members, previous]: [&GpuBuffer; 2],
    sums: &mut [(GpuBuffer, GpuBuffer)],
) {
    let (dims, count, first) =
        (piece.points.dims(), piece.centres.count(), piece.rows.start as u32);
    let block = block(&piece.centres);
    let (cubes, cube) = on.in_cubes_of(64, piece.rows.len().div_ceil(block) * (dims + 1));
    let points = on.input::<f32>(points);
    let (members, previous) = (on.input::<u32>(members), on.input::<u32>(previous));
    let (of_sums, of_counts) = &mut sums[0];
    let (into, counts) = (on.output::<f32>(of_sums), on.output::<u32>(of_counts));
    sums_of_blocks::launch(
        on.client(),
        cubes,
        cube,
        points,
        first,
        members,
        previous,
        into,
        counts,
        dims,
        count,
        block,
    );
    let (values, numbers) = sizes(&piece.centres);
    for level in 1..sums.len() {
        let (from, to) = sums.split_at_mut(level);
        let ((from, from_counts), (to, to_counts)) = (&from[level - 1], &mut to[0]);
        let groups = to_counts.bytes() / size_of::<u32>() / numbers;
        let (cubes, cube) = on.in_cubes_of(64, groups * (values + numbers));
        let (from, from_counts) = (on.input::<f32>(from), on.input::<u32>(from_counts));
        let (to, to_counts) = (on.output::<f32>(to), on.output::<u32>(to_counts));
        add_up::launch(
            on.client(),
            cubes,
            cube,
            from,
            from_counts,
            to,
            to_counts,
            values,
            numbers,
            FAN,
        );
    }
}

impl Memory {
    fn new(bench: &mut Workbench, piece: &Piece) -> Result<Self, DeviceError> {
        let (values, numbers) = sizes(&piece.centres);
        let mut groups = piece.rows.len().div_ceil(block(&piece.centres));
        let mut sums = Vec::new();
        loop {
            let both = bench.allocate::<f32>(groups * values)?;
            sums.push((both, bench.allocate::<u32>(groups * numbers)?));
            if groups <= 1 {
                break;
            }
            groups = groups.div_ceil(FAN);
        }
        Ok(Self {
            centres: bench.allocate::<f32>(values)?,
            members: bench.allocate::<u32>(piece.rows.len())?,
            previous: bench.allocate::<u32>(piece.rows.len())?,
            sums,
        })
    }
}
