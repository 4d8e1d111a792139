//! Pieces of any size: all that units read comes from the memory of the device, again and again.

use super::sizes;
use crate::kernels::{add_up, closest, sums_of_blocks};
use crate::{Centres, Partial, PointsPiece};
use odeon_device::DeviceError;
use odeon_gpu::{GpuBuffer, Launch, Workbench};

/// TUNE: points whose sum is taken by one unit for each dimension; guessed 2026-11: fewer keep more
/// units busy, and leave more sums to add up.
const BLOCK: usize = 64;

/// TUNE: guessed 2026-11: points of a block for each centre, so that the sums of all blocks have
/// less room than the points.
const BLOCK_PER_CENTRE: usize = 4;

/// TUNE: guessed 2026-11: sums that one unit adds up.
const FAN: usize = 64;

/// Sums and counts: of blocks, of some blocks each, and so on up to those of the piece.
pub(super) struct Blocks(Vec<(GpuBuffer, GpuBuffer)>);

fn block(centres: &Centres) -> usize {
    BLOCK.max(BLOCK_PER_CENTRE * centres.count())
}

impl Blocks {
    pub(super) fn new(bench: &mut Workbench, piece: &PointsPiece) -> Result<Self, DeviceError> {
        let (values, numbers) = sizes(&piece.centres);
        let mut groups = piece.rows.len().div_ceil(block(&piece.centres));
        let mut sums = Vec::new();
        loop {
            let both = bench.allocate::<f32>(groups * values)?;
            sums.push((both, bench.allocate::<u32>(groups * numbers)?));
            if groups <= 1 {
                return Ok(Self(sums));
            }
            groups = groups.div_ceil(FAN);
        }
    }

    /// Of the piece.
    pub(super) fn found(&self) -> &(GpuBuffer, GpuBuffer) {
        self.0.last().expect("each piece has a block")
    }

    /// Finds the closest centres of all points.
    pub(super) fn find(
        on: &Launch<'_>,
        piece: &PointsPiece,
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

    /// Adds them up.
    pub(super) fn add(
        &mut self,
        on: &Launch<'_>,
        piece: &PointsPiece,
        points: &GpuBuffer,
        [members, previous]: [&GpuBuffer; 2],
    ) {
        let sums = &mut self.0;
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
}

/// Takes over what was found.
pub(super) fn accept(partial: &mut Partial, sums: &[f32], counts: &[u32]) {
    let (changed, counts) = counts.split_last().expect("it is behind the counts");
    partial.changed = u64::from(*changed);
    partial.sums = sums.iter().copied().map(f64::from).collect();
    partial.counts = counts.iter().copied().map(u64::from).collect();
}
