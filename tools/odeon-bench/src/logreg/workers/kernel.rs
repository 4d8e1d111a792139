//! Pieces of logistic regression by kernels, on any device that CubeCL reaches.

use crate::logreg::kernels::{errors, sums_of_blocks};
use crate::logreg::{Partial, Piece};
use odeon_device::DeviceError;
use odeon_gpu::{GpuBuffer, GpuDevice, Kernel, KernelWorker, Which, Workbench};

/// TUNE: points whose part of the gradient is added up by one unit for each weight; guessed 2026-11, as in k-means.
const BLOCK: usize = 256;

/// TUNE: guessed 2026-11: pieces that are launched before the first result is waited for.
const AT_ONCE: usize = 16;

/// Has a device do pieces. Points and labels stay there between rounds.
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
        for (piece, sums) in batch.iter_mut().zip(launched?) {
            let mut blocks = vec![0.0_f32; sums.bytes() / size_of::<f32>()];
            bench.gpu().download_slice(&sums, &mut blocks)?;
            merge(&mut piece.partial, &blocks);
        }
        Ok(())
    }
}

/// Where the sums of a piece's blocks will be.
fn launch(bench: &mut Workbench, piece: &Piece) -> Result<GpuBuffer, DeviceError> {
    let (samples, rows) = (&piece.samples, piece.rows.len());
    let (dims, first) = (samples.points.dims(), piece.rows.start as u32);
    let parts = rows.div_ceil(BLOCK) * (dims + 2);
    let points = bench.input(samples.points.shared())?;
    let labels = bench.input(&samples.labels)?;
    // The same for all pieces of a round.
    let weights = bench.input(&piece.weights)?;
    let mut off = bench.allocate::<f32>(rows)?;
    let mut losses = bench.allocate::<f32>(rows)?;
    let mut sums = bench.allocate::<f32>(parts)?;
    bench.gpu().launch(|on| {
        let (cubes, cube) = on.over(rows);
        let (all, labels) = (on.input::<f32>(&points), on.input::<f32>(&labels));
        let weights = on.input::<f32>(&weights);
        let (of, lost) = (on.output::<f32>(&mut off), on.output::<f32>(&mut losses));
        errors::launch(on.client(), cubes, cube, all, labels, first, weights, of, lost, dims);
        let (cubes, cube) = on.in_cubes_of(64, parts);
        let all = on.input::<f32>(&points);
        let (of, lost) = (on.input::<f32>(&off), on.input::<f32>(&losses));
        let into = on.output::<f32>(&mut sums);
        sums_of_blocks::launch(on.client(), cubes, cube, all, first, of, lost, into, dims, BLOCK);
    })?;
    Ok(sums)
}

/// Adds up the blocks.
fn merge(partial: &mut Partial, blocks: &[f32]) {
    partial.clear();
    for block in blocks.chunks_exact(partial.gradient.len() + 1) {
        let sums = partial.gradient.iter_mut().chain([&mut partial.loss]);
        sums.zip(block).for_each(|(sum, more)| *sum += f64::from(*more));
    }
}
