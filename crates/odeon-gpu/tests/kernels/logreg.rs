//! The gradient of logistic regression: for all rows at once, in sums whose order depends on nothing but the size of a block.

use odeon_device::{Device, DeviceError};
use odeon_gpu::cubecl;
use odeon_gpu::{GpuBuffer, GpuDevice};

use cubecl::prelude::*;

use crate::kmeans::add_rows;

/// Rows whose part of the gradient is added up by one unit per column.
/// TUNE: as in `kmeans.rs`.
pub(crate) const BLOCK: usize = 512;

/// For each row how far the model is off, and what that costs: the logarithmic loss, written so that no power overflows.
#[cube(launch)]
fn residuals(
    rows: &[f32],
    labels: &[f32],
    weights: &[f32],
    off: &mut [f32],
    loss: &mut [f32],
    #[comptime] columns: usize,
) {
    if ABSOLUTE_POS < off.len() {
        let row = ABSOLUTE_POS * columns;
        let mut z = f32::new(0.0);
        for column in 0..columns {
            z += rows[row + column] * weights[column];
        }
        let label = labels[ABSOLUTE_POS];
        let small = f32::exp(-f32::abs(z));
        let mut probability = 1.0 / (1.0 + small);
        if z < 0.0 {
            probability = small / (1.0 + small);
        }
        off[ABSOLUTE_POS] = probability - label;
        let mut positive = z;
        if z < 0.0 {
            positive = f32::new(0.0);
        }
        loss[ABSOLUTE_POS] = positive - z * label + f32::ln(1.0 + small);
    }
}

/// For each block its part of the gradient, and behind that of its loss. A unit has one column of one block.
#[cube(launch)]
fn add_blocks(
    rows: &[f32],
    off: &[f32],
    loss: &[f32],
    parts: &mut [f32],
    #[comptime] columns: usize,
    #[comptime] block: usize,
) {
    if ABSOLUTE_POS < parts.len() {
        let of = ABSOLUTE_POS / (columns + 1);
        let column = ABSOLUTE_POS % (columns + 1);
        let first = of * block;
        let mut end = first + block;
        if end > off.len() {
            end = off.len();
        }
        let mut sum = f32::new(0.0);
        for row in first..end {
            let mut part = loss[row];
            if column < columns {
                part = off[row] * rows[row * columns + column];
            }
            sum += part;
        }
        parts[ABSOLUTE_POS] = sum;
    }
}

/// Rows on a device, and room for what is computed out of them.
pub(crate) struct Rows {
    columns: usize,
    count: usize,
    rows: GpuBuffer,
    labels: GpuBuffer,
    off: GpuBuffer,
    loss: GpuBuffer,
    parts: GpuBuffer,
    sums: GpuBuffer,
}

impl Rows {
    /// Brings rows of `columns` numbers to the device, with a label of 0 or 1 for each.
    pub(crate) fn new(
        gpu: &mut GpuDevice,
        rows: &[f32],
        labels: &[f32],
        columns: usize,
    ) -> Result<Self, DeviceError> {
        let count = labels.len();
        Ok(Self {
            columns,
            count,
            rows: gpu.upload_slice(rows)?,
            labels: gpu.upload_slice(labels)?,
            off: gpu.allocate(count * 4)?,
            loss: gpu.allocate(count * 4)?,
            parts: gpu.allocate(count.div_ceil(BLOCK) * (columns + 1) * 4)?,
            sums: gpu.allocate((columns + 1) * 4)?,
        })
    }

    /// The gradient of the loss at these weights, and the loss: both as sums over all rows.
    pub(crate) fn gradient(
        &mut self,
        gpu: &mut GpuDevice,
        weights: &[f32],
    ) -> Result<(Vec<f32>, f32), DeviceError> {
        let weights = gpu.upload_slice(weights)?;
        let columns = self.columns;
        let blocks = self.count.div_ceil(BLOCK);
        gpu.launch(|on| {
            let (cubes, cube) = on.over(self.count);
            residuals::launch(
                on.client(),
                cubes,
                cube,
                on.input::<f32>(&self.rows),
                on.input::<f32>(&self.labels),
                on.input::<f32>(&weights),
                on.output::<f32>(&mut self.off),
                on.output::<f32>(&mut self.loss),
                columns,
            );
            let (cubes, cube) = on.in_cubes_of(64, blocks * (columns + 1));
            add_blocks::launch(
                on.client(),
                cubes,
                cube,
                on.input::<f32>(&self.rows),
                on.input::<f32>(&self.off),
                on.input::<f32>(&self.loss),
                on.output::<f32>(&mut self.parts),
                columns,
                BLOCK,
            );
            let (cubes, cube) = on.in_cubes_of(64, columns + 1);
            let (table, into) = (&self.parts, &mut self.sums);
            add_rows::launch(
                on.client(),
                cubes,
                cube,
                on.input::<f32>(table),
                on.output::<f32>(into),
            );
        })?;
        let mut gradient = vec![0.0; columns + 1];
        gpu.download_slice(&self.sums, &mut gradient)?;
        let loss = gradient.pop().expect("one more than columns");
        Ok((gradient, loss))
    }
}
