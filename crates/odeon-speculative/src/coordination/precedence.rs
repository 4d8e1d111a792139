//! Who gives way: the rule by which coordinated transactions never wait for each other in a circle, and none starves.
//!
//! RULES
//! 1. A transaction that has to wait for another one's outcome, or may have to without knowing it, first rolls back wholly and
//!    holds nothing: no circle of waits can close. What it waits for with protected variables in its hands is under way in any case:
//!    a message in an inbox, or behind messages that run; a place on a board. If that comes to wait for an outcome meanwhile, the board tells
//!    it to let go (`board/visits.rs`, rule 5), except who has precedence and waits for a place.
//! 2. One that has been rolled back [`ROUNDS`] times asks for precedence, which one transaction of a theater has at a time, in the
//!    order of asking. It waits for another one's outcome without letting go. The others do not wait so, so it is the only one
//!    that could close a circle, and does not: none of them keeps anything while it waits for this one.
//! 3. While one has precedence, the others do not wait with protected variables in their hands for anything, but roll back and wait
//!    for the end of that: what it needs becomes free.
//! 4. Also who has precedence rolls back when its message waits behind a message of the same sender that waits itself: that
//!    one may be waiting for this transaction.
//! 5. A transaction that has met actors of several theaters has precedence in none, and gives way to who has it in any of them. So at the
//!    boards of one theater there is nobody who has the precedence of another one.
//! 6. Variables may be shared by actors of several theaters. So, of those who have precedence anywhere, one at a time waits for a variable
//!    without letting go.

use super::tour::Resuming;
use odeon_sync::atomic::{AtomicU64, Ordering};
use odeon_sync::{Mutex, MutexGuard};
use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::sync::atomic::AtomicBool;

/// TUNE: rounds of a transaction that are rolled back before it asks for precedence.
pub(super) const ROUNDS: u32 = 4;

/// The precedence of one theater.
#[derive(Default)]
pub(crate) struct Precedence {
    shared: Mutex<Shared>,
    /// A copy of the number of who has it, for looks without the lock; 0: nobody.
    first: AtomicU64,
}

/// Transactions by their numbers.
#[derive(Default)]
struct Shared {
    /// Those who have asked, the first of whom has it.
    asked: VecDeque<u64>,
    /// Those who wait for another one's precedence to end.
    waiting: BTreeMap<u64, Resuming>,
}

impl Shared {
    fn is_with_other(&self, number: u64) -> bool {
        self.asked.front().is_some_and(|first| *first != number)
    }
}

impl Precedence {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no panic happens under this lock")
    }

    /// Gives the lock back, and tells the copy.
    fn unlock(&self, shared: MutexGuard<'_, Shared>) {
        // ORDERING: Relaxed, here and below: a transaction's own number comes and goes by its own doing; who sees another one's too
        // late gives way once more, or finds under the lock that there is nothing to wait for.
        self.first.store(shared.asked.front().copied().unwrap_or(0), Ordering::Relaxed);
    }

    /// Asks for precedence.
    pub(super) fn ask(&self, number: u64) {
        let mut shared = self.lock();
        if !shared.asked.contains(&number) {
            shared.asked.push_back(number);
        }
        self.unlock(shared);
    }

    /// Whether a transaction has precedence.
    pub(super) fn is_with(&self, number: u64) -> bool {
        self.first.load(Ordering::Relaxed) == number
    }

    /// Whether another one has precedence.
    pub(super) fn is_with_other(&self, number: u64) -> bool {
        let first = self.first.load(Ordering::Relaxed);
        first != 0 && first != number
    }

    /// Has a transaction go on when precedence has changed hands.
    pub(super) fn wait(&self, number: u64, resuming: Resuming) {
        let mut shared = self.lock();
        if shared.is_with_other(number) {
            shared.waiting.insert(number, resuming);
            return;
        }
        drop(shared);
        resuming.now();
    }

    /// A transaction that has asked is over, or must not have precedence.
    pub(super) fn give_up(&self, number: u64) {
        let mut shared = self.lock();
        shared.asked.retain(|other| *other != number);
        let waiting = mem::take(&mut shared.waiting);
        self.unlock(shared);
        waiting.values().for_each(Resuming::now);
    }
}

/// Of `std` also in models: nobody waits for it.
static SOMEBODY_WAITS: AtomicBool = AtomicBool::new(false);

/// The right to wait for a variable without letting go (rule 6); dropped, it is given back.
pub(super) struct WaitsForVariable(());

impl WaitsForVariable {
    /// `None`: somebody else has it.
    pub(super) fn begin() -> Option<Self> {
        // ORDERING: Relaxed, here and below: the flag is all that is at stake.
        let had = SOMEBODY_WAITS.swap(true, Ordering::Relaxed);
        (!had).then_some(Self(()))
    }
}

impl Drop for WaitsForVariable {
    fn drop(&mut self) {
        SOMEBODY_WAITS.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_goes_round_in_the_order_of_asking() {
        let precedence = Precedence::default();
        [1, 2, 1].into_iter().for_each(|number| precedence.ask(number));
        assert!(precedence.is_with(1) && !precedence.is_with(2) && precedence.is_with_other(2));
        precedence.give_up(1);
        assert!(precedence.is_with(2));
        precedence.give_up(2);
        assert!(!precedence.is_with(2) && !precedence.is_with_other(1));
    }

    #[test]
    fn one_at_a_time_waits_for_a_variable_without_letting_go() {
        let first = WaitsForVariable::begin();
        assert!(first.is_some() && WaitsForVariable::begin().is_none());
        drop(first);
        assert!(WaitsForVariable::begin().is_some());
    }
}
