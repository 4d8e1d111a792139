//! Pieces of k-means by CUDA C, which is compiled when the worker is made.

use crate::kmeans::{Partial, Piece};
use bytemuck::{cast_slice, cast_slice_mut};
use odeon_cuda::{Argument, CudaBuffer, CudaDevice, Function, Grid, Parameter};
use odeon_device::{Device, DeviceError, Place, Worker};
use odeon_gpu::Kept;

const SOURCE: &str = include_str!("../kmeans.cu");
const PARAMETERS: [Parameter; 9] = {
    use Parameter::{Read, U32, Write};
    [Read, Read, Write, Write, Write, U32, U32, U32, U32]
};

/// The memory that threads of a block share has room for so many values of centres.
const MOST_SUMS: usize = 8192;
const MOST_CENTRES: usize = 1024;

/// What the source is compiled with.
fn options() -> [String; 2] {
    [format!("-DMOST_SUMS={MOST_SUMS}"), format!("-DMOST_CENTRES={MOST_CENTRES}")]
}

/// Threads of a block: the thesis's (6.5.2).
const THREADS: u32 = 128;

/// TUNE: points of a block, guessed 2026-11: fewer keep more of a device busy, and leave more sums to add up here.
const POINTS: u32 = 256;

/// TUNE: guessed 2026-11: pieces that are launched before the first result is waited for.
const AT_ONCE: usize = 16;

/// Has a GPU do pieces. The points stay there between rounds.
pub struct ByCuda {
    // Dropped before the session: that gives back what copies had.
    kept: Kept<CudaDevice>,
    assign: Function,
    device: CudaDevice,
}

/// Where the results of a piece will be.
struct Launched {
    members: CudaBuffer,
    sums: CudaBuffer,
    counts: CudaBuffer,
}

impl ByCuda {
    /// A worker with the first GPU.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is none, no driver for it, or no compiler.
    pub fn open() -> Result<Self, DeviceError> {
        let mut device = CudaDevice::open(0, None)?;
        let module =
            device.compile("kmeans.cu", SOURCE, &options().each_ref().map(String::as_str))?;
        // SAFETY: these are its parameters; it compares what it touches with the sizes that are passed, writes only to what is `Write`, and keeps no pointer.
        #[allow(unsafe_code)]
        let assign = unsafe { module.function("assign", &PARAMETERS) }?;
        Ok(Self { kept: Kept::new(), assign, device })
    }

    /// What is too much for a block's memory, in words.
    pub fn is_too_large(centres: usize, dims: usize) -> Option<String> {
        (centres > MOST_CENTRES || centres * dims > MOST_SUMS).then(|| {
            format!("CUDA C has room for {MOST_CENTRES} centres and {MOST_SUMS} values of them, not for {centres} of {dims}")
        })
    }

    fn launch(&mut self, piece: &Piece) -> Result<Launched, DeviceError> {
        let Self { kept, assign, device } = self;
        let (dims, count, rows) = (piece.points.dims(), piece.centres.count(), piece.rows.len());
        if let Some(why) = Self::is_too_large(count, dims) {
            return Err(DeviceError::Invalid(why));
        }
        let grid = grid(rows);
        let blocks = grid.blocks as usize;
        let points = kept.copy_of(device, piece.points.shared(), |points| cast_slice(points))?;
        let centres = kept.or_let_go(|| device.upload(cast_slice(piece.centres.values())))?;
        let mut members = kept.or_let_go(|| device.allocate(4 * rows))?;
        let mut sums = kept.or_let_go(|| device.allocate(4 * blocks * count * dims))?;
        let mut counts = kept.or_let_go(|| device.allocate(4 * blocks * count))?;
        let mut arguments = [
            Argument::Read(&points),
            Argument::Read(&centres),
            Argument::Write(&mut members),
            Argument::Write(&mut sums),
            Argument::Write(&mut counts),
            Argument::U32(piece.rows.start as u32),
            Argument::U32(rows as u32),
            Argument::U32(dims as u32),
            Argument::U32(count as u32),
        ];
        device.launch(assign, grid, &mut arguments)?;
        Ok(Launched { members, sums, counts })
    }
}

impl Worker for ByCuda {
    type Work = Piece;

    fn place(&self) -> Place {
        Place::Device
    }

    fn device(&self) -> Option<String> {
        Some(self.device.name().to_owned())
    }

    fn most_at_once(&self) -> usize {
        AT_ONCE
    }

    fn work(&mut self, batch: &mut [Piece]) -> Result<(), DeviceError> {
        let launched: Result<Vec<_>, _> = batch.iter().map(|piece| self.launch(piece)).collect();
        for (piece, launched) in batch.iter_mut().zip(launched?) {
            let mut sums = vec![0.0_f32; launched.sums.len() / 4];
            let mut counts = vec![0_u32; launched.counts.len() / 4];
            self.device.download(&launched.members, cast_slice_mut(&mut piece.members))?;
            self.device.download(&launched.sums, cast_slice_mut(&mut sums))?;
            self.device.download(&launched.counts, cast_slice_mut(&mut counts))?;
            merge(&mut piece.partial, &sums, &counts, &piece.previous, &piece.members);
        }
        Ok(())
    }
}

fn grid(rows: usize) -> Grid {
    Grid { threads: THREADS, ..Grid::of(rows as u32, POINTS) }
}

/// Adds up the blocks, and counts who has moved.
fn merge(partial: &mut Partial, sums: &[f32], counts: &[u32], previous: &[u32], members: &[u32]) {
    partial.clear();
    for block in sums.chunks_exact(partial.sums.len()) {
        partial.sums.iter_mut().zip(block).for_each(|(sum, more)| *sum += f64::from(*more));
    }
    for block in counts.chunks_exact(partial.counts.len()) {
        partial.counts.iter_mut().zip(block).for_each(|(count, more)| *count += u64::from(*more));
    }
    let pairs = members.iter().zip(previous);
    partial.changed = pairs.filter(|(member, previous)| member != previous).count() as u64;
}

#[cfg(test)]
mod tests;
