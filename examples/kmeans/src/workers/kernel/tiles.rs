//! Pieces whose centres have room in what the units of a cube share, beside a tile of points: so
//! that each point is read once.

use crate::kernels::tiled::assign;
use crate::{Partial, PointsPiece};
use odeon_device::DeviceError;
use odeon_example_iterative::sums::{SLICES, WORDS, add_parts};
use odeon_gpu::{GpuBuffer, GpuDevice, Launch, Workbench};

/// Points of a tile, and units of a cube: as many of these as there is room for.
const SIZES: [usize; 3] = [128, 64, 32];

/// TUNE: units of a tile that add up side by side, for each dimension; guessed 2026-11: more need
/// more room.
const MOST_GROUPS: usize = 4;

/// TUNE: cubes of a piece at most; guessed 2026-11: fewer may not keep all of a device busy, more
/// leave more to add up.
const MOST_CUBES: usize = 512;

/// Points that an `f32` counts.
const MOST_ROWS: usize = 1 << 24;

/// What a piece's sums are found by, and where.
pub(super) struct Tiles {
    shape: Shape,
    /// Of cubes.
    parts: GpuBuffer,
    /// Of the piece.
    found: GpuBuffer,
}

/// How a piece is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    dims: usize,
    count: usize,
    units: usize,
    groups: usize,
    /// Of a cube.
    tiles: usize,
    cubes: usize,
}

impl Shape {
    /// `None`: there is no room for it.
    fn of(piece: &PointsPiece, shared_bytes: usize, most_units: usize) -> Option<Self> {
        let (dims, count, rows) = (piece.points.dims(), piece.centres.count(), piece.rows.len());
        let fits = |&units: &usize| {
            let groups = (units / (dims + 1)).clamp(1, MOST_GROUPS);
            let words =
                units * ((dims + 1) | 1) + count * dims + groups * count * (dims + 1) + 2 * units;
            units <= most_units && words * size_of::<f32>() <= shared_bytes
        };
        let is_possible = rows <= MOST_ROWS && most_units >= WORDS * SLICES;
        let units = SIZES.into_iter().filter(|_| is_possible).find(fits)?;
        // A power of two, so that each has as many points.
        let groups = (units / (dims + 1)).clamp(1, MOST_GROUPS);
        let groups = 1 << groups.ilog2();
        let all = rows.div_ceil(units);
        let tiles = all.div_ceil(MOST_CUBES);
        Some(Self { dims, count, units, groups, tiles, cubes: all.div_ceil(tiles) })
    }

    /// Of a part: sums with counts, and how many points had another centre before.
    fn words(self) -> usize {
        self.count * (self.dims + 1) + 1
    }
}

impl Tiles {
    /// `None`: there is no room for it in a cube of this device.
    pub(super) fn new(
        bench: &mut Workbench,
        piece: &PointsPiece,
    ) -> Result<Option<Self>, DeviceError> {
        let gpu: &GpuDevice = bench.gpu();
        let Some(shape) = Shape::of(piece, gpu.shared_memory(), gpu.most_units() as usize) else {
            return Ok(None);
        };
        let parts = bench.allocate::<f32>(shape.cubes * shape.words())?;
        Ok(Some(Self { shape, parts, found: bench.allocate::<f32>(shape.words())? }))
    }

    /// What is found of the piece.
    pub(super) fn found(&self) -> &GpuBuffer {
        &self.found
    }

    /// Finds the closest centres of all points, and what each cube makes of that.
    pub(super) fn find(
        &mut self,
        on: &Launch<'_>,
        first: usize,
        [points, centres, previous]: [&GpuBuffer; 3],
        members: &mut GpuBuffer,
    ) {
        let Shape { dims, count, units, groups, tiles, cubes } = self.shape;
        let (cubes, cube) = on.in_cubes_of(units as u32, cubes * units);
        let (points, centres) = (on.input::<f32>(points), on.input::<f32>(centres));
        let (previous, members) = (on.input::<u32>(previous), on.output::<u32>(members));
        let (client, first, parts) = (on.client(), first as u32, on.output::<f32>(&mut self.parts));
        assign::launch(
            client, cubes, cube, points, first, centres, previous, members, parts, dims, count,
            units, groups, tiles,
        );
    }

    /// Adds up what the cubes have made of the last [`find`](Self::find).
    pub(super) fn add(&mut self, on: &Launch<'_>) {
        let words = self.shape.words();
        let cubes = words.div_ceil(WORDS);
        let (cubes, cube) = on.in_cubes_of((WORDS * SLICES) as u32, cubes * WORDS * SLICES);
        let (parts, found) = (on.input::<f32>(&self.parts), on.output::<f32>(&mut self.found));
        add_parts::launch(on.client(), cubes, cube, parts, found, words);
    }
}

/// Takes over what was found.
pub(super) fn accept(partial: &mut Partial, found: &[f32]) {
    let (changed, found) = found.split_last().expect("it is behind the sums");
    let dims = partial.sums.len() / partial.counts.len();
    let centres = found.chunks_exact(dims + 1).zip(partial.sums.chunks_exact_mut(dims));
    for ((found, sums), count) in centres.zip(&mut partial.counts) {
        sums.iter_mut().zip(found).for_each(|(sum, found)| *sum = f64::from(*found));
        *count = found[dims] as u64;
    }
    partial.changed = *changed as u64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Centres, Clustering, Points, Stop};
    use odeon_example_iterative::Rounds;
    use std::sync::Arc;

    fn shape(rows: usize, dims: usize, count: usize, shared_bytes: usize) -> Option<Shape> {
        let points = Arc::new(Points::new(dims, vec![0.0; rows * dims]));
        let centres = Centres::new(dims, vec![0.0; count * dims]);
        let piece = Clustering::new(points, centres, 1, Stop::After(1)).first().remove(0);
        Shape::of(&piece, shared_bytes, 256)
    }

    #[test]
    fn a_tile_has_as_many_points_as_there_is_room_for() {
        let units = |shared_kib: usize| Some(shape(100, 32, 16, shared_kib << 10)?.units);
        assert_eq!(
            [48, 32, 16, 12, 4].map(units),
            [Some(128), Some(128), Some(64), Some(32), None]
        );
        assert_eq!(shape(100, 3000, 16, 48 << 10), None);
    }

    #[test]
    fn each_point_is_in_a_tile_and_in_a_group() {
        for (rows, dims, count) in [(131_072, 32, 16), (4096, 32, 16), (1, 1, 1), (70_001, 5, 7)] {
            let shape = shape(rows, dims, count, 32 << 10).expect("there is room");
            let of_cube = shape.tiles * shape.units;
            assert!(shape.cubes * of_cube >= rows && (shape.cubes - 1) * of_cube < rows);
            assert!(shape.cubes <= MOST_CUBES && shape.units % shape.groups == 0, "{shape:?}");
        }
    }
}
