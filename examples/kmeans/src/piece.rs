//! A piece of a round, the same for every way to do it.

use super::{Centres, Partial, Points, assign};
use std::mem::{replace, swap};
use std::ops::Range;
use std::sync::Arc;

/// Some points of one round. It brings all that a worker needs, and has room for what comes out.
#[derive(Debug)]
pub struct PointsPiece {
    /// Which of the round's pieces it is.
    pub number: usize,
    /// The same in all rounds of a run, so that a device may keep its rows.
    pub points: Arc<Points>,
    /// Those of this piece.
    pub rows: Range<usize>,
    /// Of this round.
    pub centres: Arc<Centres>,
    /// Of the round before; nothing in the first.
    pub before: Option<Arc<Centres>>,
    /// For each row, its centre in the round before, in the first one a number that is none. Empty
    /// if the worker of that round has left it out; then [`find_previous`](Self::find_previous)
    /// finds it again.
    pub previous: Vec<u32>,
    /// For each row, its closest centre: a worker writes all of it, or leaves it empty if it may.
    pub members: Vec<u32>,
    /// Whether the worker may do so: a device has them in its own memory for the next round, and
    /// bringing them here takes longer than finding them.
    pub may_leave_members: bool,
    /// A worker writes all of it.
    pub partial: Partial,
}

/// The centre of points in the round before the first.
pub(crate) const NONE: u32 = u32::MAX;

impl PointsPiece {
    /// Goes on to the next round. WHY not one buffer for both rounds: a piece that comes back
    /// undone is done again, and must still know the round before.
    pub(super) fn next(&mut self, centres: Arc<Centres>, may_leave_members: bool) {
        self.before = Some(replace(&mut self.centres, centres));
        swap(&mut self.previous, &mut self.members);
        self.may_leave_members = may_leave_members;
    }

    /// Finds the centres of the round before on this core, if the worker of that round has left
    /// them out.
    pub fn find_previous(&mut self) {
        let Some(before) = self.before.as_ref().filter(|_| self.previous.is_empty()) else {
            return;
        };
        self.previous.resize(self.rows.len(), NONE);
        let points = self.points.values(self.rows.clone());
        // What else comes out is known already.
        let mut partial = Partial::new(before.count(), self.points.dims());
        // There is no round before that one to compare with.
        let none = vec![NONE; self.rows.len()];
        assign(points, before, &none, &mut self.previous, &mut partial);
    }
}

impl odeon_example_iterative::RoundPiece for PointsPiece {
    fn number(&self) -> usize {
        self.number
    }
}
