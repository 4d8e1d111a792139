//! Values that report their birth and their death.

use std::collections::HashSet;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard};

/// Counts values made and dropped, and finds those that were dropped twice or never.
#[derive(Clone, Default)]
pub struct DropTracker {
    book: Arc<Mutex<DropLedger>>,
}

#[derive(Default)]
struct DropLedger {
    made: u64,
    alive: HashSet<u64>,
    dropped_twice: Vec<u64>,
}

impl DropTracker {
    /// A tracker of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Wraps `value` so that its drop is noticed.
    pub fn track<T>(&self, value: T) -> Tracked<T> {
        let mut book = self.book();
        let serial = book.made;
        book.made += 1;
        book.alive.insert(serial);
        drop(book);
        Tracked { value, serial, tracker: self.clone() }
    }

    /// How many values were made.
    pub fn made(&self) -> u64 {
        self.book().made
    }

    /// How many values live.
    pub fn alive(&self) -> usize {
        self.book().alive.len()
    }

    /// # Panics
    /// If a value lives still, or was dropped twice.
    #[track_caller]
    pub fn check(&self) {
        let book = self.book();
        assert!(book.dropped_twice.is_empty(), "dropped twice: {:?}", book.dropped_twice);
        let alive = book.alive.len();
        assert_eq!(alive, 0, "{alive} of {} values were never dropped", book.made);
    }

    fn book(&self) -> MutexGuard<'_, DropLedger> {
        self.book.lock().expect("no panic happens under the tracker's lock")
    }
}

impl fmt::Debug for DropTracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DropTracker({} made, {} alive)", self.made(), self.alive())
    }
}

/// A value under watch.
pub struct Tracked<T> {
    value: T,
    serial: u64,
    tracker: DropTracker,
}

impl<T> Deref for Tracked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Tracked<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Tracked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T> Drop for Tracked<T> {
    fn drop(&mut self) {
        let mut book = self.tracker.book();
        if !book.alive.remove(&self.serial) {
            let serial = self.serial;
            book.dropped_twice.push(serial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_lives() {
        let tracker = DropTracker::new();
        let (one, two) = (tracker.track(1), tracker.track(2));
        assert_eq!((tracker.made(), tracker.alive(), *one + *two), (2, 2, 3));
        drop(one);
        assert_eq!(tracker.alive(), 1);
        drop(two);
        tracker.check();
    }

    #[test]
    #[should_panic(expected = "1 of 1 values were never dropped")]
    fn a_leak_is_found() {
        let tracker = DropTracker::new();
        std::mem::forget(tracker.track(()));
        tracker.check();
    }

    #[test]
    #[should_panic(expected = "dropped twice: [0]")]
    fn a_second_drop_is_found() {
        let tracker = DropTracker::new();
        let value = tracker.track(());
        drop(Tracked { value: (), serial: 0, tracker: tracker.clone() });
        drop(value);
        tracker.check();
    }
}
