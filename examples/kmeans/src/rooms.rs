//! What a worker with a device has there of its pieces between rounds: room to work in, and the
//! members that it has found.

use super::{Centres, Points, PointsPiece};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// TUNE: rounds, guessed 2026-11: pieces that a worker has had so often one after the other come to
/// it again, most likely.
const A_FEW: u64 = 4;

/// The rooms of a worker, by the numbers of pieces.
#[derive(Debug)]
pub(super) struct Rooms<T>(HashMap<usize, PieceRoom<T>>);

/// That of a piece.
#[derive(Debug)]
pub(super) struct PieceRoom<T> {
    /// WHY weak: it keeps their address from being used again, and no more.
    points: Weak<Points>,
    rows: Range<usize>,
    centres: usize,
    /// To which of them the members are the closest that were found last; nothing if they are not
    /// known.
    found: Option<Arc<Centres>>,
    /// How many rounds in a row this worker has had the piece.
    rounds: u64,
    /// What is in the device's memory.
    pub(super) memory: T,
}

impl<T> Default for Rooms<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> Rooms<T> {
    /// That of this piece, if it is there, for as long as somebody works in it.
    pub(super) fn take(&mut self, piece: &PointsPiece) -> Option<PieceRoom<T>> {
        self.0.remove(&piece.number).filter(|room| room.is_of(piece))
    }

    /// Gives it back, with what was found for this piece.
    pub(super) fn put(&mut self, piece: &PointsPiece, mut room: PieceRoom<T>) {
        let is_next = room.has_round_before(piece);
        room.rounds = if is_next { room.rounds + 1 } else { 1 };
        room.found = Some(piece.centres.clone());
        self.0.insert(piece.number, room);
    }

    /// Forgets all: what is there is not known, or the memory is needed.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T> PieceRoom<T> {
    /// For this piece, with nothing found yet.
    pub(super) fn new(piece: &PointsPiece, memory: T) -> Self {
        let (points, rows) = (Arc::downgrade(&piece.points), piece.rows.clone());
        Self { points, rows, centres: piece.centres.count(), found: None, rounds: 0, memory }
    }

    fn is_of(&self, piece: &PointsPiece) -> bool {
        let is_same = Weak::as_ptr(&self.points) == Arc::as_ptr(&piece.points);
        is_same && self.rows == piece.rows && self.centres == piece.centres.count()
    }

    /// Whether the members that were found last are those of the round before.
    pub(super) fn has_round_before(&self, piece: &PointsPiece) -> bool {
        let both = self.found.as_ref().zip(piece.before.as_ref());
        both.is_some_and(|(found, before)| Arc::ptr_eq(found, before))
    }

    /// Whether the members of this round may stay there alone: some worker finds them again if the
    /// piece goes to another one after all.
    pub(super) fn may_keep_members(&self, piece: &PointsPiece) -> bool {
        piece.may_leave_members && self.has_round_before(piece) && self.rounds >= A_FEW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clustering, Stop, generate};
    use odeon_example_iterative::Rounds;

    fn pieces(points: &Arc<Points>, pieces: usize) -> Vec<PointsPiece> {
        let centres = Centres::drawn(points, 3, 7);
        Clustering::new(points.clone(), centres, pieces, Stop::After(100)).first()
    }

    fn next(piece: &mut PointsPiece) {
        piece.next(Arc::new((*piece.centres).clone()), true);
    }

    #[test]
    fn members_may_stay_where_the_piece_always_comes() {
        let points = Arc::new(generate(100, 2, 2, 3));
        let mut piece = pieces(&points, 2).remove(1);
        let mut rooms = Rooms::default();
        let mut room = PieceRoom::new(&piece, "its memory");
        for round in 0..10 {
            assert_eq!(room.has_round_before(&piece), round > 0);
            assert_eq!(room.may_keep_members(&piece), round >= A_FEW);
            rooms.put(&piece, room);
            next(&mut piece);
            room = rooms.take(&piece).expect("it is there");
        }
        // Once it was elsewhere, and from there on it comes again.
        rooms.put(&piece, room);
        next(&mut piece);
        next(&mut piece);
        let room = rooms.take(&piece).expect("it is there");
        assert!(!room.has_round_before(&piece) && !room.may_keep_members(&piece));
        rooms.put(&piece, room);
        next(&mut piece);
        let mut room = rooms.take(&piece).expect("it is there");
        assert!(room.has_round_before(&piece) && !room.may_keep_members(&piece));
        room.rounds = A_FEW;
        assert!(room.may_keep_members(&piece));
        piece.may_leave_members = false;
        assert!(!room.may_keep_members(&piece));
    }

    #[test]
    fn a_room_is_of_one_piece_of_one_run() {
        let points = Arc::new(generate(100, 2, 2, 3));
        let mut rooms = Rooms::default();
        let piece = &pieces(&points, 2)[0];
        let again = |rooms: &mut Rooms<()>, other: &PointsPiece| {
            rooms.put(piece, PieceRoom::new(piece, ()));
            rooms.take(other).is_some()
        };
        assert!(again(&mut rooms, piece) && again(&mut rooms, &pieces(&points, 2)[0]));
        let others = Arc::new((*points).clone());
        for other in [&pieces(&points, 2)[1], &pieces(&points, 3)[0], &pieces(&others, 2)[0]] {
            assert!(!again(&mut rooms, other), "{:?}", other.rows);
        }
        rooms.put(piece, PieceRoom::new(piece, ()));
        rooms.clear();
        assert!(rooms.take(piece).is_none());
    }
}
