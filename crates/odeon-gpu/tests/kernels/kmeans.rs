//! One step of k-means: each point to the nearest centre, and for each cluster the sum of its points and their number.
//!
//! All sums are taken in an order that depends on nothing but the size of a block: a result is the same in each run, and on each
//! device that rounds alike.

use odeon_device::{Device, DeviceError};
use odeon_gpu::cubecl;
use odeon_gpu::{GpuBuffer, GpuDevice};

use cubecl::prelude::*;

/// Points whose sum is taken by one unit per dimension.
/// TUNE: fewer make more units and more partial sums to add up; 512 points keep a GPU busy from some 100,000 points on.
pub(crate) const BLOCK: usize = 512;

/// The nearest centre of each point, and whether it is another one than before.
#[cube(launch)]
fn assign(
    points: &[f32],
    centres: &[f32],
    nearest: &mut [u32],
    moved: &mut [u32],
    #[comptime] dimensions: usize,
    #[comptime] clusters: usize,
) {
    if ABSOLUTE_POS < nearest.len() {
        let point = ABSOLUTE_POS * dimensions;
        let mut best = 0u32;
        let mut smallest = f32::new(3.0e38);
        for cluster in 0..clusters {
            let mut distance = f32::new(0.0);
            for dimension in 0..dimensions {
                let by = points[point + dimension] - centres[cluster * dimensions + dimension];
                distance += by * by;
            }
            if distance < smallest {
                smallest = distance;
                best = cluster as u32;
            }
        }
        moved[ABSOLUTE_POS] = u32::cast_from(nearest[ABSOLUTE_POS] != best);
        nearest[ABSOLUTE_POS] = best;
    }
}

/// For each block, the sums of its points by cluster. A unit has one dimension of one block, and nobody else writes there.
#[cube(launch)]
fn add_blocks(
    points: &[f32],
    nearest: &[u32],
    moved: &[u32],
    sums: &mut [f32],
    counts: &mut [u32],
    #[comptime] dimensions: usize,
    #[comptime] clusters: usize,
    #[comptime] block: usize,
) {
    let blocks = nearest.len().div_ceil(block);
    let of = ABSOLUTE_POS / dimensions;
    let dimension = ABSOLUTE_POS % dimensions;
    if of < blocks {
        let first = of * block;
        let mut end = first + block;
        if end > nearest.len() {
            end = nearest.len();
        }
        for cluster in 0..clusters {
            sums[(of * clusters + cluster) * dimensions + dimension] = f32::new(0.0);
        }
        for point in first..end {
            let cluster = nearest[point] as usize;
            sums[(of * clusters + cluster) * dimensions + dimension] +=
                points[point * dimensions + dimension];
        }
        // The numbers of points by cluster, and behind them how many have moved.
        if dimension == 0 {
            let row = of * (clusters + 1);
            for column in 0..clusters + 1 {
                counts[row + column] = 0;
            }
            for point in first..end {
                counts[row + nearest[point] as usize] += 1;
                counts[row + clusters] += moved[point];
            }
        }
    }
}

/// The columns of a table of floats, each added up from the first row to the last.
#[cube(launch)]
pub(crate) fn add_rows(table: &[f32], into: &mut [f32]) {
    if ABSOLUTE_POS < into.len() {
        let rows = table.len() / into.len();
        let mut sum = f32::new(0.0);
        for row in 0..rows {
            sum += table[row * into.len() + ABSOLUTE_POS];
        }
        into[ABSOLUTE_POS] = sum;
    }
}

/// The same of whole numbers.
#[cube(launch)]
fn add_counts(table: &[u32], into: &mut [u32]) {
    if ABSOLUTE_POS < into.len() {
        let rows = table.len() / into.len();
        let mut sum = 0u32;
        for row in 0..rows {
            sum += table[row * into.len() + ABSOLUTE_POS];
        }
        into[ABSOLUTE_POS] = sum;
    }
}

/// What a step has found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    /// `clusters` rows of `dimensions`: the sum of the points of each cluster.
    pub(crate) sums: Vec<f32>,
    /// How many points each cluster has.
    pub(crate) counts: Vec<u32>,
    /// How many points have another nearest centre than in the step before.
    pub(crate) moved: u32,
}

/// Points on a device, and room for what steps find out of them.
pub(crate) struct Points {
    dimensions: usize,
    clusters: usize,
    count: usize,
    points: GpuBuffer,
    nearest: GpuBuffer,
    moved: GpuBuffer,
    block_sums: GpuBuffer,
    block_counts: GpuBuffer,
    sums: GpuBuffer,
    counts: GpuBuffer,
}

impl Points {
    /// Brings points, rows of `dimensions` numbers, to the device.
    pub(crate) fn new(
        gpu: &mut GpuDevice,
        points: &[f32],
        dimensions: usize,
        clusters: usize,
    ) -> Result<Self, DeviceError> {
        let count = points.len() / dimensions;
        let blocks = count.div_ceil(BLOCK);
        Ok(Self {
            dimensions,
            clusters,
            count,
            points: gpu.upload_slice(points)?,
            // No cluster has this number: in the first step all points move.
            nearest: gpu.upload_slice(&vec![u32::MAX; count])?,
            moved: gpu.allocate(count * 4)?,
            block_sums: gpu.allocate(blocks * clusters * dimensions * 4)?,
            block_counts: gpu.allocate(blocks * (clusters + 1) * 4)?,
            sums: gpu.allocate(clusters * dimensions * 4)?,
            counts: gpu.allocate((clusters + 1) * 4)?,
        })
    }

    /// One step, with these centres.
    pub(crate) fn step(
        &mut self,
        gpu: &mut GpuDevice,
        centres: &[f32],
    ) -> Result<Step, DeviceError> {
        let centres = gpu.upload_slice(centres)?;
        let (dimensions, clusters) = (self.dimensions, self.clusters);
        let blocks = self.count.div_ceil(BLOCK);
        gpu.launch(|on| {
            let (cubes, cube) = on.over(self.count);
            assign::launch(
                on.client(),
                cubes,
                cube,
                on.input::<f32>(&self.points),
                on.input::<f32>(&centres),
                on.output::<u32>(&mut self.nearest),
                on.output::<u32>(&mut self.moved),
                dimensions,
                clusters,
            );
            let (cubes, cube) = on.in_cubes_of(64, blocks * dimensions);
            add_blocks::launch(
                on.client(),
                cubes,
                cube,
                on.input::<f32>(&self.points),
                on.input::<u32>(&self.nearest),
                on.input::<u32>(&self.moved),
                on.output::<f32>(&mut self.block_sums),
                on.output::<u32>(&mut self.block_counts),
                dimensions,
                clusters,
                BLOCK,
            );
            let (cubes, cube) = on.in_cubes_of(64, clusters * dimensions);
            let (table, into) = (&self.block_sums, &mut self.sums);
            add_rows::launch(
                on.client(),
                cubes,
                cube,
                on.input::<f32>(table),
                on.output::<f32>(into),
            );
            let (cubes, cube) = on.in_cubes_of(64, clusters + 1);
            let (table, into) = (&self.block_counts, &mut self.counts);
            add_counts::launch(
                on.client(),
                cubes,
                cube,
                on.input::<u32>(table),
                on.output::<u32>(into),
            );
        })?;
        let mut sums = vec![0.0; clusters * dimensions];
        let mut counts = vec![0; clusters + 1];
        gpu.download_slice(&self.sums, &mut sums)?;
        gpu.download_slice(&self.counts, &mut counts)?;
        let moved = counts.pop().expect("one more than clusters");
        Ok(Step { sums, counts, moved })
    }

    /// The nearest centre of each point, as of the last step.
    pub(crate) fn nearest(&self, gpu: &mut GpuDevice) -> Result<Vec<u32>, DeviceError> {
        let mut nearest = vec![0; self.count];
        gpu.download_slice(&self.nearest, &mut nearest)?;
        Ok(nearest)
    }
}
