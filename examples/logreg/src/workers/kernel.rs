//! Pieces of logistic regression by kernels, on any device that CubeCL reaches.

use crate::kernels::{errors, sums_of_blocks};
use crate::{Partial, SamplesPiece};
use bytemuck::{cast_slice, cast_slice_mut};
use odeon_device::{Device, DeviceError};
use odeon_example_iterative::sums::{SLICES, WORDS, add_parts};
use odeon_gpu::{GpuBuffer, GpuDevice, Kernel, KernelWorker, Which, Workbench};
use std::collections::HashMap;

/// TUNE: points whose part of the gradient is added up by one unit for each weight; guessed
/// 2026-11: fewer keep more units busy, and leave more sums to add up.
const BLOCK: usize = 128;

/// TUNE: guessed 2026-11: pieces that are launched before the first result is waited for.
const AT_ONCE: usize = 16;

/// Has a device do pieces. Points and labels stay there between rounds, and so does the room to
/// work in.
#[derive(Default)]
pub struct ByKernels(HashMap<usize, SamplesMemory>);

/// What a piece has on the device.
struct SamplesMemory {
    rows: usize,
    dims: usize,
    weights: GpuBuffer,
    off: GpuBuffer,
    losses: GpuBuffer,
    /// Of blocks.
    parts: GpuBuffer,
    found: GpuBuffer,
}

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
        batch: &mut [SamplesPiece],
    ) -> Result<(), DeviceError> {
        let launched = batch.iter().map(|piece| {
            let known = self.0.remove(&piece.number).filter(|memory| memory.is_of(piece));
            let mut memory = known.map_or_else(|| SamplesMemory::new(bench, piece), Ok)?;
            memory.launch(bench, piece)?;
            Ok(memory)
        });
        let launched: Vec<SamplesMemory> = launched.collect::<Result<_, DeviceError>>()?;
        let mut found: Vec<Vec<f32>> =
            launched.iter().map(|memory| vec![0.0; memory.words()]).collect();
        let all = launched.iter().zip(&mut found);
        let all = all.map(|(memory, found)| (&memory.found, cast_slice_mut(found)));
        bench.gpu().download_all(all.collect())?;
        for ((piece, memory), found) in batch.iter_mut().zip(launched).zip(found) {
            accept(&mut piece.partial, &found);
            self.0.insert(piece.number, memory);
        }
        Ok(())
    }
}

impl Kernel for ByKernels {
    type Work = SamplesPiece;

    fn most_at_once(&self) -> usize {
        AT_ONCE
    }

    fn work(
        &mut self,
        bench: &mut Workbench,
        batch: &mut [SamplesPiece],
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

impl SamplesMemory {
    fn new(bench: &mut Workbench, piece: &SamplesPiece) -> Result<Self, DeviceError> {
        let (rows, dims) = (piece.rows.len(), piece.samples.points.dims());
        Ok(Self {
            rows,
            dims,
            weights: bench.allocate::<f32>(dims + 1)?,
            off: bench.allocate::<f32>(rows)?,
            losses: bench.allocate::<f32>(rows)?,
            parts: bench.allocate::<f32>(rows.div_ceil(BLOCK) * (dims + 2))?,
            found: bench.allocate::<f32>(dims + 2)?,
        })
    }

    fn is_of(&self, piece: &SamplesPiece) -> bool {
        (self.rows, self.dims) == (piece.rows.len(), piece.samples.points.dims())
    }

    /// One for each weight, and the loss.
    fn words(&self) -> usize {
        self.dims + 2
    }

    /// Has all that comes out for a piece written to `found`.
    fn launch(&mut self, bench: &mut Workbench, piece: &SamplesPiece) -> Result<(), DeviceError> {
        let points = bench.input(piece.samples.points.shared())?;
        let labels = bench.input(&piece.samples.labels)?;
        let (words, first) = (self.words(), piece.rows.start as u32);
        let Self { rows, dims, weights, off, losses, parts, found } = self;
        let (rows, dims) = (*rows, *dims);
        bench.gpu().write(weights, cast_slice(&piece.weights))?;
        bench.gpu().launch(|on| {
            let (client, (cubes, cube)) = (on.client(), on.over(rows));
            let (all, labels) = (on.input::<f32>(&points), on.input::<f32>(&labels));
            let weights = on.input::<f32>(weights);
            let (of, lost) = (on.output::<f32>(off), on.output::<f32>(losses));
            errors::launch(client, cubes, cube, all, labels, first, weights, of, lost, dims);
            let (cubes, cube) = on.in_cubes_of(64, rows.div_ceil(BLOCK) * words);
            let all = on.input::<f32>(&points);
            let (of, lost) = (on.input::<f32>(off), on.input::<f32>(losses));
            let into = on.output::<f32>(parts);
            sums_of_blocks::launch(client, cubes, cube, all, first, of, lost, into, dims, BLOCK);
            let units = words.div_ceil(WORDS) * WORDS * SLICES;
            let (cubes, cube) = on.in_cubes_of((WORDS * SLICES) as u32, units);
            let (parts, found) = (on.input::<f32>(parts), on.output::<f32>(found));
            add_parts::launch(client, cubes, cube, parts, found, words);
        })
    }
}

/// Takes over what was found.
fn accept(partial: &mut Partial, found: &[f32]) {
    let sums = partial.gradient.iter_mut().chain([&mut partial.loss]);
    sums.zip(found).for_each(|(sum, found)| *sum = f64::from(*found));
}
