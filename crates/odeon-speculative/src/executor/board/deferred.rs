//! Transactions of several actors that wait for a place on one board, so that none waits for ever,
//! whatever else comes.
//!
//! RULES
//! 1. Each stands in the queue once, in the order in which they began to wait.
//! 2. The first one that may go on is taken up after one arrival at most (`board/visits.rs`,
//!    rule 1).
//! 3. Who is taken up for a place has one *kept*, until it has entered or whoever had it go on is
//!    back.
//! 4. When [`PASSES`] batches and newcomers have taken places beside the first one in the queue, no
//!    more of them do, except guests, for whom others may be waiting, and exclusive messages. Not
//!    on a stalled board: there the queue waits for outcomes, and these for what goes on.

use crate::executor::number_map::NumberMap;
use crate::executor::participant::Awaits;
use crate::executor::transaction::Transaction;
use std::collections::VecDeque;
use std::sync::Arc;

/// TUNE: batches and newcomers that are let in before somebody who waits, once there would have
/// been a place.
const PASSES: usize = 8;

/// See the module.
#[derive(Default)]
pub(super) struct Deferred {
    queue: VecDeque<Arc<dyn Transaction>>,
    /// Of those in the queue, by number.
    awaits: NumberMap<u64, Awaits>,
    /// For whom places are kept.
    kept: Vec<u64>,
    passes: usize,
    /// Whether an arrival was the last thing to be taken.
    arrival_was_last: bool,
}

impl Deferred {
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, Awaits)> {
        self.queue.iter().map(|who| {
            let number = who.number();
            (number, self.awaits.get(&number).copied().unwrap_or_default())
        })
    }

    /// Rule 1.
    pub(super) fn add(&mut self, who: Arc<dyn Transaction>, awaits: Awaits) {
        let Awaits { place, holds } = awaits;
        let before = self.awaits.get(&who.number()).copied();
        let Awaits { place: placed, holds: held } = before.unwrap_or_default();
        let both = Awaits { place: place || placed, holds: holds || held };
        self.awaits.insert(who.number(), both);
        if before.is_none() {
            self.queue.push_back(who);
        }
    }

    /// Takes up the one at this place of the queue (rule 3).
    pub(super) fn take(&mut self, at: usize) -> Option<Arc<dyn Transaction>> {
        let who = self.queue.remove(at)?;
        let awaits = self.awaits.remove(&who.number()).unwrap_or_default();
        if awaits.place {
            self.kept.push(who.number());
        }
        if at == 0 {
            self.passes = 0;
        }
        self.arrival_was_last = false;
        Some(who)
    }

    /// Rule 2: an arrival is taken.
    pub(super) fn note_arrival(&mut self) {
        self.arrival_was_last = true;
    }

    /// Rule 2.
    pub(super) fn goes_before_arrivals(&self) -> bool {
        self.arrival_was_last && !self.is_empty()
    }

    /// Rule 3: places that nobody else may take.
    pub(super) fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Rule 3: answers whether a place was kept.
    pub(super) fn keep_no_more(&mut self, who: u64) -> bool {
        let at = self.kept.iter().position(|kept| *kept == who);
        at.map(|at| self.kept.swap_remove(at)).is_some()
    }

    /// Rule 4: a batch, or somebody for whom no place was kept, has taken one.
    pub(super) fn note_pass(&mut self) {
        if !self.is_empty() {
            self.passes += 1;
        }
    }

    /// Rule 4.
    pub(super) fn is_overdue(&self) -> bool {
        !self.is_empty() && self.passes >= PASSES
    }

    /// The board closes: all who are in the queue.
    pub(super) fn close(&mut self) -> Vec<Arc<dyn Transaction>> {
        self.awaits.clear();
        self.kept.clear();
        std::mem::take(&mut self.queue).into()
    }
}

#[cfg(test)]
mod tests;
