//! Pieces of k-means by kernels, on any device that CubeCL reaches.

mod blocks;
mod tiles;

use crate::piece::NONE;
use crate::rooms::{PieceRoom, Rooms};
use crate::{Centres, PointsPiece};
use blocks::Blocks;
use bytemuck::{cast_slice, cast_slice_mut};
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuBuffer, GpuDevice, Kernel, KernelWorker, Launch, Which, Workbench};
use std::mem::swap;
use tiles::Tiles;

/// TUNE: guessed 2026-11: pieces that are launched before the first result is waited for.
const AT_ONCE: usize = 16;

/// Has a device do pieces. Points and members stay there between rounds.
#[derive(Default)]
pub struct ByKernels(Rooms<KernelMemory>);

/// What a piece has on the device.
struct KernelMemory {
    centres: GpuBuffer,
    members: GpuBuffer,
    /// Of the round before.
    previous: GpuBuffer,
    sums: Sums,
}

/// How its points are added up.
enum Sums {
    Tiles(Tiles),
    Blocks(Blocks),
}

/// What has come back: of tiles all in one, of blocks sums and counts.
type KernelResults = (Vec<f32>, Vec<u32>);

impl ByKernels {
    /// A worker with that device.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is none, or no driver for it.
    pub fn on(which: Which) -> Result<KernelWorker<Self>, DeviceError> {
        GpuDevice::open(which).map(|gpu| KernelWorker::new(gpu, Self::default()))
    }

    fn attempt(
        &mut self,
        bench: &mut Workbench,
        batch: &mut [PointsPiece],
    ) -> Result<(), DeviceError> {
        let launched = batch.iter().map(|piece| launch(bench, piece, self.0.take(piece)));
        let rooms: Vec<_> = launched.collect::<Result<_, _>>()?;
        let mut found: Vec<KernelResults> =
            rooms.iter().map(|room| room.memory.sums.room()).collect();
        let mut all: Vec<(&GpuBuffer, &mut [u8])> = Vec::new();
        for ((piece, room), (sums, counts)) in batch.iter_mut().zip(&rooms).zip(&mut found) {
            if room.may_keep_members(piece) {
                piece.members.clear();
            } else {
                piece.members.resize(piece.rows.len(), NONE);
                all.push((&room.memory.members, cast_slice_mut(&mut piece.members)));
            }
            let (of_sums, of_counts) = room.memory.sums.found();
            all.push((of_sums, cast_slice_mut(sums)));
            all.extend(of_counts.map(|of_counts| (of_counts, cast_slice_mut(counts))));
        }
        bench.gpu().download_all(all)?;
        for ((piece, room), (sums, counts)) in batch.iter_mut().zip(rooms).zip(found) {
            match room.memory.sums {
                Sums::Tiles(_) => tiles::accept(&mut piece.partial, &sums),
                Sums::Blocks(_) => blocks::accept(&mut piece.partial, &sums, &counts),
            }
            self.0.put(piece, room);
        }
        Ok(())
    }
}

impl Kernel for ByKernels {
    type Work = PointsPiece;

    fn most_at_once(&self) -> usize {
        AT_ONCE
    }

    fn work(
        &mut self,
        bench: &mut Workbench,
        batch: &mut [PointsPiece],
    ) -> Result<(), DeviceError> {
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

/// Has all that comes out for a piece written into its room.
fn launch(
    bench: &mut Workbench,
    piece: &PointsPiece,
    room: Option<PieceRoom<KernelMemory>>,
) -> Result<PieceRoom<KernelMemory>, DeviceError> {
    let points = bench.input(piece.points.shared())?;
    let mut room = match room {
        Some(room) => room,
        None => PieceRoom::new(piece, KernelMemory::new(bench, piece)?),
    };
    let has_round_before = room.has_round_before(piece);
    let KernelMemory { centres, members, previous, sums } = &mut room.memory;
    swap(previous, members);
    match (has_round_before, &piece.before) {
        (true, _) => {}
        (false, Some(before)) if piece.previous.is_empty() => {
            bench.gpu().write(centres, cast_slice(before.values()))?;
            // Compared with anything: what comes of that is not looked at.
            let all = [&*points, &*centres, &*members];
            bench.gpu().launch(|on| sums.find(on, piece, all, previous))?;
        }
        _ => bench.gpu().write(previous, cast_slice(&piece.previous))?,
    }
    bench.gpu().write(centres, cast_slice(piece.centres.values()))?;
    let gpu: &mut GpuDevice = bench.gpu();
    gpu.launch(|on| {
        sums.find(on, piece, [&*points, &*centres, &*previous], members);
        match sums {
            Sums::Tiles(tiles) => tiles.add(on),
            Sums::Blocks(blocks) => blocks.add(on, piece, &points, [members, previous]),
        }
    })?;
    Ok(room)
}

impl Sums {
    /// Finds the closest centres of all points: compares them with those of the round before, if it
    /// does so at all.
    fn find(
        &mut self,
        on: &Launch<'_>,
        piece: &PointsPiece,
        [points, centres, previous]: [&GpuBuffer; 3],
        members: &mut GpuBuffer,
    ) {
        match self {
            Self::Tiles(tiles) => {
                tiles.find(on, piece.rows.start, [points, centres, previous], members);
            }
            Self::Blocks(_) => Blocks::find(on, piece, points, centres, members),
        }
    }

    fn found(&self) -> (&GpuBuffer, Option<&GpuBuffer>) {
        match self {
            Self::Tiles(tiles) => (tiles.found(), None),
            Self::Blocks(blocks) => {
                let (sums, counts) = blocks.found();
                (sums, Some(counts))
            }
        }
    }

    /// For what is found, on this side.
    fn room(&self) -> KernelResults {
        let words = |buffer: &GpuBuffer| buffer.bytes() / size_of::<u32>();
        let (sums, counts) = self.found();
        (vec![0.0; words(sums)], vec![0; counts.map_or(0, words)])
    }
}

impl KernelMemory {
    fn new(bench: &mut Workbench, piece: &PointsPiece) -> Result<Self, DeviceError> {
        let (values, _) = sizes(&piece.centres);
        let sums = match Tiles::new(bench, piece)? {
            Some(tiles) => Sums::Tiles(tiles),
            None => Sums::Blocks(Blocks::new(bench, piece)?),
        };
        Ok(Self {
            centres: bench.allocate::<f32>(values)?,
            members: bench.allocate::<u32>(piece.rows.len())?,
            previous: bench.allocate::<u32>(piece.rows.len())?,
            sums,
        })
    }
}
