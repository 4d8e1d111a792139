//! The rounds of k-means: merging pieces, and when to stop.

use super::piece::NONE;
use super::{Centres, Partial, Points, PointsPiece};
use odeon_example_iterative::{Rounds, shares};
use std::mem::replace;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// When the rounds end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// After so many.
    After(u64),
    /// After the first in which at most this share of all points, in millionths, has got another
    /// centre, as in STAMP; at the latest after [`MOST_ROUNDS`](Self::MOST_ROUNDS).
    Changes(u64),
    /// After the first at whose end so much time has passed.
    Lasting(Duration),
    /// After the first that ends then or later.
    At(Instant),
}

impl Stop {
    /// As in STAMP.
    pub const MOST_ROUNDS: u64 = 500;

    /// What it means for rounds that begin now.
    #[must_use]
    pub fn begun(self) -> Self {
        match self {
            Self::Lasting(time) => Self::At(Instant::now() + time),
            other => other,
        }
    }

    /// Whether that was the last round.
    ///
    /// # Panics
    /// If that depends on when they have [`begun`](Self::begun), and nobody has said so.
    pub fn is_reached(self, rounds: u64, changed: u64, rows: usize) -> bool {
        match self {
            Self::After(last) => rounds >= last,
            Self::Changes(millionths) => {
                let few = u128::from(changed) * 1_000_000 <= u128::from(millionths) * rows as u128;
                few || rounds >= Self::MOST_ROUNDS
            }
            Self::Lasting(time) => panic!("when have rounds begun that last {time:?}?"),
            Self::At(end) => Instant::now() >= end,
        }
    }

    /// Whether the round with this number, from 1, can be the last.
    fn may_end_with(self, round: u64) -> bool {
        match self {
            Self::After(last) => round >= last,
            // It is known only when it is over, and nearly always there is another.
            Self::Changes(_) => round >= Self::MOST_ROUNDS,
            Self::Lasting(_) | Self::At(_) => false,
        }
    }
}

/// What k-means comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// For each point its centre, as it was found in the last round.
    pub members: Vec<u32>,
    /// The centres among which these are the closest: those with which the last round began.
    pub by: Centres,
    /// The means of their points.
    pub centres: Centres,
    /// How many there were.
    pub rounds: u64,
}

/// The iteration actor's part.
pub struct Clustering {
    points: Arc<Points>,
    /// Of the round before.
    by: Arc<Centres>,
    centres: Arc<Centres>,
    pieces: usize,
    stop: Stop,
    rounds: u64,
    /// All pieces together, of the last round.
    merged: Partial,
    members: Vec<u32>,
    /// The last round is over, and is done once more for the members, which some worker has left
    /// out.
    is_over: bool,
}

impl Clustering {
    /// Each round in so many pieces; one for each row if there are fewer of those.
    pub fn new(points: Arc<Points>, centres: Centres, pieces: usize, stop: Stop) -> Self {
        let merged = Partial::new(centres.count(), points.dims());
        let centres = Arc::new(centres);
        let (rounds, members, is_over, by) = (0, Vec::new(), false, centres.clone());
        Self { points, by, centres, pieces, stop, rounds, merged, members, is_over }
    }

    /// The outcome, when the last round has been merged.
    pub fn into_clusters(self) -> Clusters {
        let [by, centres] = [self.by, self.centres].map(Arc::unwrap_or_clone);
        Clusters { members: self.members, by, centres, rounds: self.rounds }
    }
}

impl Rounds for Clustering {
    type Piece = PointsPiece;

    fn first(&mut self) -> Vec<PointsPiece> {
        self.stop = self.stop.begun();
        let parts = shares(self.points.rows(), self.pieces);
        let piece = |(number, rows): (usize, std::ops::Range<usize>)| PointsPiece {
            number,
            points: self.points.clone(),
            centres: self.centres.clone(),
            before: None,
            previous: vec![NONE; rows.len()],
            members: vec![NONE; rows.len()],
            may_leave_members: !self.stop.may_end_with(1),
            partial: self.merged.clone(),
            rows,
        };
        parts.enumerate().map(piece).collect()
    }

    fn next(&mut self, mut done: Vec<PointsPiece>) -> Option<Vec<PointsPiece>> {
        if !self.is_over {
            self.merged.clear();
            done.iter().for_each(|piece| self.merged.merge(&piece.partial));
            let centres = Arc::new(self.merged.centres(&self.centres));
            self.by = replace(&mut self.centres, centres);
            self.rounds += 1;
            self.is_over =
                self.stop.is_reached(self.rounds, self.merged.changed, self.points.rows());
        }
        if !self.is_over {
            let may_leave_members = !self.stop.may_end_with(self.rounds + 1);
            for piece in &mut done {
                piece.next(self.centres.clone(), may_leave_members);
            }
            return Some(done);
        }
        if done.iter().any(|piece| piece.members.is_empty()) {
            for piece in &mut done {
                piece.next(piece.centres.clone(), false);
            }
            return Some(done);
        }
        self.members = done.into_iter().flat_map(|piece| piece.members).collect();
        None
    }
}
