//! Pieces of k-means by kernels, on any device that CubeCL reaches.

use crate::kmeans::kernels::{closest, sums_of_blocks};
use crate::kmeans::{Partial, Piece};
use odeon_device::DeviceError;
use odeon_gpu::{GpuBuffer, GpuDevice, Kernel, KernelWorker, Which, Workbench};

/// TUNE: points whose sum is taken by one unit for each dimension; guessed 2026-11: fewer keep more units busy, and leave more sums to add up here.
const BLOCK: usize = 256;

/// TUNE: guessed 2026-11: pieces that are launched before the first result is waited for.
const AT_ONCE: usize = 16;

/// Has a device do pieces. The points stay there between rounds.
pub struct ByKernels;

impl ByKernels {
    /// A worker with that device.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is none, or no driver for it.
    pub fn on(which: Which) -> Result<KernelWorker<Self>, DeviceError> {
        GpuDevice::open(which).map(|gpu| KernelWorker::new(gpu, Self))
    }
}

impl Kernel for ByKernels {
    type Work = Piece;

    fn most_at_once(&self) -> usize {
        AT_ONCE
    }

    fn work(&mut self, bench: &mut Workbench, batch: &mut [Piece]) -> Result<(), DeviceError> {
        let launched: Result<Vec<_>, _> = batch.iter().map(|piece| launch(bench, piece)).collect();
        for (piece, (members, sums)) in batch.iter_mut().zip(launched?) {
            bench.gpu().download_slice(&members, &mut piece.members)?;
            let mut blocks = vec![0.0_f32; sums.bytes() / size_of::<f32>()];
            bench.gpu().download_slice(&sums, &mut blocks)?;
            merge(&mut piece.partial, &blocks, &piece.previous, &piece.members);
        }
        Ok(())
    }
}

/// Where the members of a piece will be, and the sums of its blocks.
fn launch(bench: &mut Workbench, piece: &Piece) -> Result<(GpuBuffer, GpuBuffer), DeviceError> {
    let (dims, count, rows) = (piece.points.dims(), piece.centres.count(), piece.rows.len());
    let (blocks, first) = (rows.div_ceil(BLOCK), piece.rows.start as u32);
    let points = bench.input(piece.points.shared())?;
    let centres = bench.upload(piece.centres.values())?;
    let mut members = bench.allocate::<u32>(rows)?;
    let mut sums = bench.allocate::<f32>(blocks * count * dims)?;
    bench.gpu().launch(|on| {
        let (cubes, cube) = on.over(rows);
        let (all, into) = (on.input::<f32>(&points), on.output::<u32>(&mut members));
        let centres = on.input::<f32>(&centres);
        closest::launch(on.client(), cubes, cube, all, first, centres, into, dims, count);
        let (cubes, cube) = on.in_cubes_of(64, blocks * dims);
        let (all, of) = (on.input::<f32>(&points), on.input::<u32>(&members));
        let into = on.output::<f32>(&mut sums);
        sums_of_blocks::launch(on.client(), cubes, cube, all, first, of, into, dims, count, BLOCK);
    })?;
    Ok((members, sums))
}

/// Adds up the blocks, and counts who has moved.
fn merge(partial: &mut Partial, blocks: &[f32], previous: &[u32], members: &[u32]) {
    partial.clear();
    for block in blocks.chunks_exact(partial.sums.len()) {
        partial.sums.iter_mut().zip(block).for_each(|(sum, more)| *sum += f64::from(*more));
    }
    for (member, previous) in members.iter().zip(previous) {
        partial.counts[*member as usize] += 1;
        partial.changed += u64::from(member != previous);
    }
}
