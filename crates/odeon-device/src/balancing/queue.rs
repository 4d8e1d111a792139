//! The pieces that wait for a worker, and how many of them one takes at once.

use std::collections::VecDeque;

use odeon_core::Reply;
use odeon_core::extend::is_awaited;
use smallvec::SmallVec;

use super::piece::{Home, QueuedPiece};
use super::worker_table::WorkerTable;

/// The shared queue. Pieces of which a batch has failed stand before all others, and are taken one
/// by one: so that it shows which of them it was.
pub(super) struct WorkQueue<W> {
    fresh: VecDeque<QueuedPiece<W>>,
    suspects: VecDeque<QueuedPiece<W>>,
    most: usize,
    /// Who waits until there is room.
    waiting: VecDeque<Reply<()>>,
    /// With how many those that have given up are looked for: twice as many as the last time, so
    /// that it costs little for each.
    full_at: usize,
}

/// TUNE: so many that their memory is of no account.
const FULL_AT_FIRST: usize = 64;

impl<W> WorkQueue<W> {
    pub(super) fn new(most: usize) -> Self {
        let (fresh, suspects, waiting) = Default::default();
        Self { fresh, suspects, most, waiting, full_at: FULL_AT_FIRST }
    }

    pub(super) fn len(&self) -> usize {
        self.fresh.len() + self.suspects.len()
    }

    pub(super) fn fresh(&self) -> usize {
        self.fresh.len()
    }

    pub(super) fn suspects(&self) -> impl Iterator<Item = &QueuedPiece<W>> {
        self.suspects.iter()
    }

    /// Puts a piece behind all others; gives it back if there is no room.
    pub(super) fn push(&mut self, piece: QueuedPiece<W>) -> Result<(), QueuedPiece<W>> {
        if self.len() >= self.most {
            return Err(piece);
        }
        self.fresh.push_back(piece);
        Ok(())
    }

    /// Puts a piece of a batch that has failed before all that have not been tried. There is always
    /// room: it has been here before.
    pub(super) fn put_back(&mut self, piece: QueuedPiece<W>) {
        self.suspects.push_back(piece);
    }

    /// What `member` takes at this moment: nothing, if there is nothing for it.
    pub(super) fn take(
        &mut self,
        workers: &WorkerTable,
        counts: Option<&[usize]>,
        member: usize,
    ) -> SmallVec<[QueuedPiece<W>; 1]> {
        let may = |piece: &QueuedPiece<W>| workers.may_try(counts, member, piece.ticket.failed_at);
        if let Some(place) = self.suspects.iter().position(may) {
            return self.suspects.remove(place).into_iter().collect();
        }
        if !workers.is_active(counts, member) {
            return SmallVec::new();
        }
        match workers.share(counts, member, self.fresh.len()) {
            // WHY: what most workers take; a `drain` of one costs several times as much.
            1 => self.fresh.pop_front().into_iter().collect(),
            share => self.fresh.drain(..share).collect(),
        }
    }

    /// Whether there is something for `member`.
    pub(super) fn has_for(
        &self,
        workers: &WorkerTable,
        counts: Option<&[usize]>,
        member: usize,
    ) -> bool {
        !self.fresh.is_empty() && workers.is_active(counts, member)
            || self
                .suspects
                .iter()
                .any(|piece| workers.may_try(counts, member, piece.ticket.failed_at))
    }

    /// Whether the next piece goes back together with one of this home, and no other piece stands
    /// before those that have not been tried.
    pub(super) fn goes_on(&self, home: &Home<W>) -> bool {
        let is_same = |piece: &QueuedPiece<W>| piece.ticket.home.is_with(home);
        self.suspects.is_empty() && self.fresh.front().is_some_and(is_same)
    }

    /// All of it, in order.
    pub(super) fn take_all(&mut self) -> Vec<QueuedPiece<W>> {
        self.suspects.drain(..).chain(self.fresh.drain(..)).collect()
    }

    /// Has `waiter` told when there is room.
    pub(super) fn wait_for_room(&mut self, waiter: Reply<()>) {
        if self.waiting.len() >= self.full_at {
            // Dropped under the lock: nobody waits for them, so nobody is told.
            self.waiting.retain_mut(is_awaited);
            self.full_at = FULL_AT_FIRST.max(2 * self.waiting.len());
        }
        self.waiting.push_back(waiter);
    }

    /// Who is told that there is room: as many as there are places, and those before them that have
    /// given up.
    pub(super) fn relieved(&mut self) -> Vec<Reply<()>> {
        let mut room = self.most.saturating_sub(self.len());
        let mut told = Vec::new();
        while room > 0 {
            let Some(mut waiter) = self.waiting.pop_front() else { break };
            room -= usize::from(is_awaited(&mut waiter));
            told.push(waiter);
        }
        told
    }

    /// Everybody who waits for room.
    pub(super) fn let_all_go(&mut self) -> Vec<Reply<()>> {
        self.waiting.drain(..).collect()
    }
}
