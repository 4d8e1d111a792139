//! The rounds of k-means: merging pieces, and when to stop.

use super::piece::NONE;
use super::{Centres, Partial, Piece, Points};
use crate::iterative::{Rounds, shares};
use std::mem::swap;
use std::sync::Arc;

/// When the rounds end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// After so many.
    After(u64),
    /// After the first in which at most this share of all points, in millionths, has got another centre, as in STAMP; at the latest after
    /// [`MOST_ROUNDS`](Self::MOST_ROUNDS).
    Changes(u64),
}

impl Stop {
    /// As in STAMP.
    pub const MOST_ROUNDS: u64 = 500;

    /// Whether that was the last round.
    pub fn is_reached(self, rounds: u64, changed: u64, rows: usize) -> bool {
        match self {
            Self::After(last) => rounds >= last,
            Self::Changes(millionths) => {
                let few = u128::from(changed) * 1_000_000 <= u128::from(millionths) * rows as u128;
                few || rounds >= Self::MOST_ROUNDS
            }
        }
    }
}

/// What k-means comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// For each point its centre, as it was found in the last round.
    pub members: Vec<u32>,
    /// The means of their points.
    pub centres: Centres,
    /// How many there were.
    pub rounds: u64,
}

/// The iteration actor's part.
pub(crate) struct Clustering {
    points: Arc<Points>,
    centres: Arc<Centres>,
    pieces: usize,
    stop: Stop,
    rounds: u64,
    /// All pieces together, of the last round.
    merged: Partial,
    members: Vec<u32>,
}

impl Clustering {
    /// Each round in so many pieces; one for each row if there are fewer of those.
    pub(crate) fn new(points: Arc<Points>, centres: Centres, pieces: usize, stop: Stop) -> Self {
        let merged = Partial::new(centres.count(), points.dims());
        let centres = Arc::new(centres);
        Self { points, centres, pieces, stop, rounds: 0, merged, members: Vec::new() }
    }

    /// The outcome, when the last round has been merged.
    pub(crate) fn into_clusters(self) -> Clusters {
        let centres = Arc::unwrap_or_clone(self.centres);
        Clusters { members: self.members, centres, rounds: self.rounds }
    }
}

impl Rounds for Clustering {
    type Piece = Piece;

    fn first(&mut self) -> Vec<Piece> {
        let parts = shares(self.points.rows(), self.pieces);
        let piece = |(number, rows): (usize, std::ops::Range<usize>)| Piece {
            number,
            points: self.points.clone(),
            centres: self.centres.clone(),
            previous: vec![NONE; rows.len()],
            members: vec![NONE; rows.len()],
            partial: self.merged.clone(),
            rows,
        };
        parts.enumerate().map(piece).collect()
    }

    fn next(&mut self, mut done: Vec<Piece>) -> Option<Vec<Piece>> {
        self.merged.clear();
        done.iter().for_each(|piece| self.merged.merge(&piece.partial));
        self.centres = Arc::new(self.merged.centres(&self.centres));
        self.rounds += 1;
        if self.stop.is_reached(self.rounds, self.merged.changed, self.points.rows()) {
            self.members = done.into_iter().flat_map(|piece| piece.members).collect();
            return None;
        }
        for piece in &mut done {
            piece.centres = self.centres.clone();
            // WHY not one buffer: a piece that comes back undone is done again, and must still know the round before.
            swap(&mut piece.previous, &mut piece.members);
        }
        Some(done)
    }
}
