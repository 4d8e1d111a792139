//! What several threads find out, told in the order in which it was so.
//!
//! A thread takes a [`Ticket`] under the lock under which something has happened, and hands in what
//! that is when it is done with all that comes before. One thread at a time tells; whoever finds
//! another one telling leaves its own to that.
//!
//! Covered by a loom model of two threads, `in_order/loom.rs`, and by the tests below.

use std::collections::BTreeMap;

use odeon_sync::{Mutex, MutexGuard};

/// See the module.
pub(crate) struct InOrder<T> {
    known: Mutex<Tickets<T>>,
}

struct Tickets<T> {
    /// The next ticket.
    next: u64,
    /// The one whose turn it is to be told.
    first: u64,
    handed_in: BTreeMap<u64, T>,
    /// A thread tells.
    is_told: bool,
}

/// A place in the order. It must be [handed in](InOrder::hand_in), since all behind it waits.
#[must_use]
pub(crate) struct Ticket(u64);

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        let known = Tickets { next: 0, first: 0, handed_in: BTreeMap::new(), is_told: false };
        Self { known: Mutex::new(known) }
    }
}

impl<T> InOrder<T> {
    /// The next place in the order.
    pub(crate) fn ticket(&self) -> Ticket {
        let mut known = self.lock();
        let ticket = Ticket(known.next);
        known.next += 1;
        ticket
    }

    /// What has happened; [`tell`](Self::tell) is owed.
    pub(crate) fn hand_in(&self, Ticket(number): Ticket, what: T) {
        self.lock().handed_in.insert(number, what);
    }

    /// Tells what can be told, unless another thread does. `tell` may hand in more, and come back
    /// here.
    pub(crate) fn tell(&self, mut tell: impl FnMut(T)) {
        while let Some((what, telling)) = self.first() {
            tell(what);
            // Looks again behind that: others may have left theirs to this one.
            drop(telling);
        }
    }

    fn first(&self) -> Option<(T, Telling<'_, T>)> {
        let mut known = self.lock();
        if known.is_told {
            return None;
        }
        let first = known.first;
        let what = known.handed_in.remove(&first)?;
        known.first += 1;
        known.is_told = true;
        Some((what, Telling(self)))
    }

    fn lock(&self) -> MutexGuard<'_, Tickets<T>> {
        self.known.lock().expect("nothing panics under this lock")
    }
}

/// This thread tells, until this is dropped: also if whoever is told panics.
struct Telling<'a, T>(&'a InOrder<T>);

impl<T> Drop for Telling<'_, T> {
    fn drop(&mut self) {
        self.0.lock().is_told = false;
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    #[test]
    fn what_is_handed_in_early_waits_for_what_was_before() {
        let (order, mut told) = (InOrder::default(), Vec::new());
        let [first, second, third] = [(); 3].map(|()| order.ticket());
        let mut hand_in = |ticket, what| {
            order.hand_in(ticket, what);
            order.tell(|what| told.push(what));
            told.clone()
        };
        assert_eq!(hand_in(third, 'c'), []);
        assert_eq!(hand_in(first, 'a'), ['a']);
        assert_eq!(hand_in(second, 'b'), ['a', 'b', 'c']);
    }

    #[test]
    fn whoever_is_told_may_hand_in_more() {
        let (order, mut told) = (InOrder::default(), Vec::new());
        order.hand_in(order.ticket(), 0);
        order.tell(|what| {
            if what == 0 {
                order.hand_in(order.ticket(), 1);
                order.tell(|_| unreachable!("another one tells"));
            }
            told.push(what);
        });
        assert_eq!(told, [0, 1]);
    }

    #[test]
    fn others_tell_when_whoever_told_has_panicked() {
        let (order, mut told) = (InOrder::default(), Vec::new());
        (0..2).for_each(|number| order.hand_in(order.ticket(), number));
        let panics = std::panic::AssertUnwindSafe(|| {
            order.tell(|_| std::panic::resume_unwind(Box::new("on purpose")));
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        order.tell(|what| told.push(what));
        assert_eq!(told, [1]);
    }

    #[test]
    fn threads_tell_all_in_one_order() {
        const THREADS: u64 = 4;
        const EACH: u64 = 5_000;
        let (order, told) = (InOrder::default(), AtomicU64::new(0));
        let happened = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for _ in 0..EACH {
                        let mut happened = happened.lock().unwrap();
                        let (ticket, number) = (order.ticket(), *happened);
                        *happened += 1;
                        drop(happened);
                        order.hand_in(ticket, number);
                        order.tell(|number| assert_eq!(told.swap(number + 1, SeqCst), number));
                    }
                });
            }
        });
        assert_eq!(told.into_inner(), THREADS * EACH);
    }
}
