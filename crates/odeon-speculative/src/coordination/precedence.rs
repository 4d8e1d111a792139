//! Who gives way: the rule by which coordinated transactions never wait for each other in a circle, and none starves.
//!
//! RULES
//! 1. A transaction that has to wait for another one's outcome, or may have to without knowing it, first rolls back wholly and
//!    holds nothing: no circle of waits can close. What it waits for with protected variables in its hands is under way in any case:
//!    a message in an inbox, or behind messages that run; a place on a board. If that comes to wait for an outcome meanwhile, the board tells
//!    it to let go (`board/visits.rs`, rule 5), except who has precedence and waits for a place.
//! 2. One that has been rolled back [`ROUNDS`] times asks for precedence, which one transaction of the process has at a time, in the
//!    order of asking. It waits for another one's outcome without letting go. The others do not wait so, so it is the only one
//!    that could close a circle, and does not: none of them keeps anything while it waits for this one.
//! 3. While one has precedence, the others do not wait with protected variables in their hands for anything, but roll back and wait
//!    for the end of that: what it needs becomes free.
//! 4. Also who has precedence rolls back when its message waits behind a message of the same sender that waits itself: that
//!    one may be waiting for this transaction.

use super::tour::Resuming;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU64, Ordering, fence};
use std::collections::{BTreeMap, VecDeque};

/// TUNE: rounds of a transaction that are rolled back before it asks for precedence.
pub(super) const ROUNDS: u32 = 4;

odeon_sync::static_lazy! {
    /// Those who have asked, the first of whom has it.
    static ASKED: Mutex<VecDeque<u64>> = Mutex::new(VecDeque::new());
}

odeon_sync::static_lazy! {
    /// The number of the first; 0: nobody.
    static FIRST: AtomicU64 = AtomicU64::new(0);
}

odeon_sync::static_lazy! {
    /// Those who wait for another one's precedence to end, by number.
    static WAITING: Mutex<BTreeMap<u64, Resuming>> = Mutex::new(BTreeMap::new());
}

fn change(act: impl FnOnce(&mut VecDeque<u64>)) {
    let mut asked = ASKED.lock().expect("no panic happens under this lock");
    act(&mut asked);
    // ORDERING: Relaxed, here and below: who sees a change too late gives way once more, or waits in vain and is resumed; `wait` has the
    // fence that this takes.
    FIRST.store(asked.front().copied().unwrap_or(0), Ordering::Relaxed);
}

/// Asks for precedence.
pub(super) fn ask(number: u64) {
    change(|asked| {
        if !asked.contains(&number) {
            asked.push_back(number);
        }
    });
}

/// Whether a transaction has precedence.
pub(super) fn is_with(number: u64) -> bool {
    FIRST.load(Ordering::Relaxed) == number
}

/// Whether another one has precedence.
pub(super) fn is_with_other(number: u64) -> bool {
    let first = FIRST.load(Ordering::Relaxed);
    first != 0 && first != number
}

/// Has a transaction go on when precedence has changed hands.
pub(super) fn wait(number: u64, resuming: Resuming) {
    WAITING.lock().expect("no panic happens under this lock").insert(number, resuming);
    // ORDERING: SeqCst, here and in `give_up`: either that one finds the entry, or this one sees who has precedence then.
    fence(Ordering::SeqCst);
    if !is_with_other(number) {
        resume_all();
    }
}

fn resume_all() {
    let waiting = std::mem::take(&mut *WAITING.lock().expect("no panic happens under this lock"));
    waiting.values().for_each(Resuming::now);
}

/// A transaction that has asked is over.
pub(super) fn give_up(number: u64) {
    change(|asked| asked.retain(|other| *other != number));
    // ORDERING: SeqCst: as in `wait`.
    fence(Ordering::SeqCst);
    resume_all();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_goes_round_in_the_order_of_asking() {
        let [first, second] = [u64::MAX - 1, u64::MAX];
        [first, second, first].into_iter().for_each(ask);
        assert!(is_with(first) && !is_with(second));
        give_up(first);
        assert!(is_with(second));
        give_up(second);
        assert!(!is_with(second));
    }
}
