//! Pieces of k-means by CUDA C, which is compiled when the worker is made.

use crate::piece::NONE;
use crate::rooms::{PieceRoom, Rooms};
use crate::{Centres, Partial, PointsPiece};
use bytemuck::{cast_slice, cast_slice_mut};
use odeon_cuda::{Argument, CudaBuffer, CudaDevice, Function, Grid, Parameter};
use odeon_device::{Device, DeviceError, Place, Worker};
use odeon_gpu::Kept;
use std::mem::swap;
use std::sync::Arc;

const SOURCE: &str = include_str!("../kmeans.cu");

/// Of `assign`.
const ASSIGN: [Parameter; 9] = {
    use Parameter::{Read, U32, Write};
    [Read, Read, Read, Write, Write, U32, U32, U32, U32]
};

/// Of `add_up`.
const ADD_UP: [Parameter; 7] = {
    use Parameter::{Read, U32, Write};
    [Read, Write, U32, U32, U32, U32, U32]
};

/// What threads of a block share on every GPU, in sums and counts.
const MOST_WORDS: usize = 48 * 1024 / 4;

/// Threads of a block: the thesis's (6.5.2).
const THREADS: u32 = 128;

/// TUNE: points of a block, guessed 2026-11: fewer keep more of a device busy, and leave more sums
/// to add up.
const POINTS: u32 = 128;

/// TUNE: guessed 2026-11: points of a block for each centre, so that the sums of all blocks have
/// less room than the points.
const POINTS_PER_CENTRE: u32 = 4;

/// TUNE: guessed 2026-11: sums that one thread adds up.
const FAN: u32 = 64;

/// TUNE: guessed 2026-11: pieces that are launched before the first result is waited for.
const AT_ONCE: usize = 16;

/// Has a GPU do pieces. Points and members stay there between rounds.
pub struct ByCuda {
    // Dropped before the session: that gives back what they had.
    kept: Kept<CudaDevice>,
    rooms: Rooms<CudaMemory>,
    assign: Function,
    add_up: Function,
    device: CudaDevice,
}

/// What a piece has on the device.
struct CudaMemory {
    members: CudaBuffer,
    /// Of the round before.
    previous: CudaBuffer,
    /// What blocks have found, then what some of them have found together, and so on. What all have
    /// found stands with that of other pieces.
    parts: Vec<CudaBuffer>,
}

impl ByCuda {
    /// A worker with the first GPU.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is none, no driver for it, or no compiler.
    pub fn open() -> Result<Self, DeviceError> {
        let mut device = CudaDevice::open(0, None)?;
        let module = device.compile("kmeans.cu", SOURCE, &[])?;
        // SAFETY: these are their parameters; they compare what they touch with the sizes that are
        // passed, and what threads share with what the launch gives them; they write only to what
        // is `Write`, and keep no pointer.
        #[allow(unsafe_code)]
        let [assign, add_up] =
            unsafe { [module.function("assign", &ASSIGN)?, module.function("add_up", &ADD_UP)?] };
        Ok(Self { kept: Kept::new(), rooms: Rooms::default(), assign, add_up, device })
    }

    /// What is too much for a block's memory, in words.
    pub fn is_too_large(centres: usize, dims: usize) -> Option<String> {
        (words_of(centres, dims) > MOST_WORDS).then(|| {
            format!("CUDA C has room for {MOST_WORDS} sums and counts, not for {centres} centres of {dims} values")
        })
    }

    /// Pieces that have as many sums and counts.
    fn attempt(&mut self, batch: &mut [PointsPiece]) -> Result<(), DeviceError> {
        let words = words(&batch[0]);
        let (kept, device) = (&mut self.kept, &mut self.device);
        let mut found = kept.or_let_go(|| device.allocate(4 * words * batch.len()))?;
        let launched =
            (0..).zip(&*batch).map(|(place, piece)| self.launch(piece, &mut found, place));
        let rooms: Vec<_> = launched.collect::<Result<_, _>>()?;
        let mut all = vec![0_u32; words * batch.len()];
        self.device.download(&found, cast_slice_mut(&mut all))?;
        for ((piece, room), found) in batch.iter_mut().zip(rooms).zip(all.chunks_exact(words)) {
            if room.may_keep_members(piece) {
                piece.members.clear();
            } else {
                piece.members.resize(piece.rows.len(), NONE);
                self.device.download(&room.memory.members, cast_slice_mut(&mut piece.members))?;
            }
            accept(&mut piece.partial, found);
            self.rooms.put(piece, room);
        }
        Ok(())
    }

    /// Has all that comes out for a piece written into its room and, at this place, into `found`.
    fn launch(
        &mut self,
        piece: &PointsPiece,
        found: &mut CudaBuffer,
        place: u32,
    ) -> Result<PieceRoom<CudaMemory>, DeviceError> {
        let Self { kept, rooms, assign, add_up, device } = self;
        let (dims, count, rows) = (piece.points.dims(), piece.centres.count(), piece.rows.len());
        if let Some(why) = Self::is_too_large(count, dims) {
            return Err(DeviceError::Invalid(why));
        }
        let points = kept.copy_of(device, piece.points.shared(), |points| cast_slice(points))?;
        let mut room = match rooms.take(piece) {
            Some(room) => room,
            None => PieceRoom::new(piece, CudaMemory::new(kept, device, piece)?),
        };
        let has_round_before = room.has_round_before(piece);
        let CudaMemory { members, previous, parts } = &mut room.memory;
        swap(previous, members);
        let mut find = |device: &mut CudaDevice,
                        of: &Arc<Centres>,
                        previous: &CudaBuffer,
                        members: &mut CudaBuffer| {
            let centres = kept.copy_of(device, of, |centres| cast_slice(centres.values()))?;
            let mut arguments = [
                Argument::Read(&points),
                Argument::Read(&centres),
                Argument::Read(previous),
                Argument::Write(members),
                Argument::Write(&mut parts[0]),
                Argument::U32(piece.rows.start as u32),
                Argument::U32(rows as u32),
                Argument::U32(dims as u32),
                Argument::U32(count as u32),
            ];
            device.launch(assign, grid(piece), &mut arguments)
        };
        match (has_round_before, &piece.before) {
            (true, _) => {}
            (false, Some(before)) if piece.previous.is_empty() => {
                find(device, before, members, previous)?;
            }
            _ => device.write(previous, cast_slice(&piece.previous))?,
        }
        find(device, &piece.centres, previous, members)?;
        let mut of = grid(piece).blocks;
        for level in 0..parts.len() {
            let (from, to) = parts.split_at_mut(level + 1);
            let (into, fan, at) = match to {
                [] => (&mut *found, of, place),
                [next, ..] => (next, FAN, 0),
            };
            let groups = of.div_ceil(fan);
            let threads = groups.saturating_mul(words(piece) as u32);
            let mut arguments = [
                Argument::Read(&from[level]),
                Argument::Write(into),
                Argument::U32(of),
                Argument::U32(fan),
                Argument::U32(at),
                Argument::U32(dims as u32),
                Argument::U32(count as u32),
            ];
            device.launch(add_up, Grid::of(threads, THREADS), &mut arguments)?;
            of = groups;
        }
        Ok(room)
    }
}

impl Worker for ByCuda {
    type Work = PointsPiece;

    fn place(&self) -> Place {
        Place::Device
    }

    fn device(&self) -> Option<String> {
        Some(self.device.name().to_owned())
    }

    fn most_at_once(&self) -> usize {
        AT_ONCE
    }

    fn work(&mut self, batch: &mut [PointsPiece]) -> Result<(), DeviceError> {
        for pieces in batch.chunk_by_mut(|one, next| words(one) == words(next)) {
            let mut done = self.attempt(pieces);
            if matches!(done, Err(DeviceError::OutOfMemory { .. })) {
                // Other pieces may have what these need.
                self.rooms.clear();
                done = self.attempt(pieces);
            }
            done.inspect_err(|_| self.rooms.clear())?;
        }
        Ok(())
    }
}

impl CudaMemory {
    fn new(
        kept: &mut Kept<CudaDevice>,
        device: &mut CudaDevice,
        piece: &PointsPiece,
    ) -> Result<Self, DeviceError> {
        let mut allocate =
            |words: usize| kept.or_let_go(|| device.allocate(words.saturating_mul(4)));
        let mut groups = grid(piece).blocks;
        let mut parts = vec![allocate(groups as usize * words(piece))?];
        while groups > FAN {
            groups = groups.div_ceil(FAN);
            parts.push(allocate(groups as usize * words(piece))?);
        }
        let rows = piece.rows.len();
        Ok(Self { members: allocate(rows)?, previous: allocate(rows)?, parts })
    }
}

/// Sums and counts of a piece.
fn words(piece: &PointsPiece) -> usize {
    words_of(piece.centres.count(), piece.points.dims())
}

fn words_of(centres: usize, dims: usize) -> usize {
    centres.saturating_mul(dims).saturating_add(centres + 1)
}

fn grid(piece: &PointsPiece) -> Grid {
    let points = POINTS.max(POINTS_PER_CENTRE.saturating_mul(piece.centres.count() as u32));
    let blocks = Grid::of(piece.rows.len() as u32, points);
    Grid { threads: THREADS, shared_bytes: 4 * words(piece) as u32, ..blocks }
}

/// Takes over what was found of a piece: sums, counts, and how many points had another centre.
fn accept(partial: &mut Partial, found: &[u32]) {
    let (sums, counts) = found.split_at(partial.sums.len());
    let (changed, counts) = counts.split_last().expect("it is behind the counts");
    partial.sums = sums.iter().map(|bits| f64::from(f32::from_bits(*bits))).collect();
    partial.counts = counts.iter().map(|count| u64::from(*count)).collect();
    partial.changed = u64::from(*changed);
}

#[cfg(test)]
mod tests;
