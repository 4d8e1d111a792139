//! Where a test may interrupt a thread, to have another one go on in its place.
//!
//! Threads that run at once interleave anywhere. A test that is to be repeated has one of its
//! threads run at a time, and changes over at *points*: places where the code says that nothing is
//! half done and no lock is held. Only threads that a test [watches](watch) have points; for all
//! others a point is a look at one thread-local word, and none stands where a transaction is fast.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a watched thread calls.
#[derive(Debug)]
pub struct Watch {
    /// It may be interrupted here.
    pub point: fn(),
    /// It cannot go on here before others have done something; `true` if it waits for the first
    /// time for this.
    pub wait: fn(bool),
    /// Answers a number from 1 to this one.
    pub choose: fn(usize) -> usize,
}

/// What is drawn at random where any number does, on a thread that runs a test that is to be
/// repeated.
#[derive(Debug, Clone, Copy, Default)]
struct Repeated {
    /// Of the test; 0: there is none.
    test: u64,
    drawn: u64,
}

thread_local! {
    static REPEATED: Cell<Repeated> = const { Cell::new(Repeated { test: 0, drawn: 0 }) };
    static WATCH: Cell<Option<&'static Watch>> = const { Cell::new(None) };
    /// How many regions that must be whole this thread is in.
    static WHOLE: Cell<u32> = const { Cell::new(0) };
    static ANNOUNCED: Cell<u64> = const { Cell::new(0) };
}

/// Has what this thread does from here on follow from `seed`, as far as it would be random
/// otherwise. Answers the number of the test: one for all that one thread repeats.
pub fn repeat(seed: u64) -> u64 {
    static TESTS: AtomicU64 = AtomicU64::new(1);
    let test = match REPEATED.get().test {
        // ORDERING: Relaxed: the number is all that is at stake.
        0 => TESTS.fetch_add(1, Ordering::Relaxed),
        known => known,
    };
    REPEATED.set(Repeated { test, drawn: seed });
    test
}

/// As [`repeat`], for a thread of a test that has its number already.
pub fn repeat_for(test: u64, seed: u64) {
    REPEATED.set(Repeated { test, drawn: seed });
}

/// The number of the test that this thread is to repeat.
pub fn test() -> Option<u64> {
    Some(REPEATED.get().test).filter(|test| *test != 0)
}

/// What stands for a random number on a thread that is to [repeat] what it does.
#[cold]
pub fn draw() -> Option<u64> {
    let Repeated { test, drawn } = REPEATED.get();
    if test == 0 {
        return None;
    }
    if let Some(watch) = WATCH.get() {
        return Some((watch.choose)(usize::MAX) as u64);
    }
    // A step of splitmix64 (Vigna).
    let drawn = drawn.wrapping_add(0x9E37_79B9_7F4A_7C15);
    REPEATED.set(Repeated { test, drawn });
    let mut number = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    Some(number ^ (number >> 31))
}

/// Has `watch` asked at the points of this thread from here on; with `None` it has none any more.
pub fn watch(watch: Option<&'static Watch>) {
    WATCH.set(watch);
}

/// Whether this thread has points.
#[inline(always)]
pub fn is_watched() -> bool {
    WATCH.get().is_some()
}

/// A point: the caller holds no lock that others wait for, and nothing is half done.
#[inline(always)]
pub fn point() {
    if is_watched() {
        watched_point();
    }
}

#[cold]
#[inline(never)]
fn watched_point() {
    if let Some(watch) = WATCH.get().filter(|_| WHOLE.get() == 0) {
        (watch.point)();
    }
}

/// Has other threads run until `is_over`, if this one is watched. `false`: it is not, and waits by
/// itself.
pub fn wait_until(is_over: impl Fn() -> bool) -> bool {
    let Some(watch) = WATCH.get() else { return false };
    let mut is_first = true;
    while !is_over() {
        (watch.wait)(is_first);
        is_first = false;
    }
    true
}

/// A number from 1 to `most` where all do, and only time says which is the best: `most`, but for
/// watched threads any.
#[inline]
pub fn choose(most: usize) -> usize {
    WATCH.get().map_or(most, |watch| (watch.choose)(most))
}

/// While it lives its thread has no points: it holds a lock.
#[derive(Debug)]
#[must_use = "the region is whole only while it lives"]
pub struct Whole(PhantomData<*const ()>);

impl Whole {
    /// The region begins.
    #[inline]
    #[expect(clippy::new_without_default, reason = "it does something")]
    pub fn new() -> Self {
        WHOLE.set(WHOLE.get() + 1);
        Self(PhantomData)
    }
}

impl Drop for Whole {
    #[inline]
    fn drop(&mut self) {
        WHOLE.set(WHOLE.get() - 1);
    }
}

/// Tells a test that watches threads that this one has made something whose turns have points.
pub fn announce() {
    ANNOUNCED.set(ANNOUNCED.get() + 1);
}

/// How often this thread has [announced](announce) something.
pub fn announced() -> u64 {
    ANNOUNCED.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local!(static SEEN: Cell<(u32, u32)> = const { Cell::new((0, 0)) });

    static COUNTING: Watch = Watch {
        point: || SEEN.set((SEEN.get().0 + 1, SEEN.get().1)),
        wait: |is_first| SEEN.set((SEEN.get().0, SEEN.get().1 * 10 + 1 + u32::from(is_first))),
        choose: |most| most - 1,
    };

    #[test]
    fn only_watched_threads_have_points_and_none_where_they_are_whole() {
        point();
        assert!(!is_watched() && choose(7) == 7 && !wait_until(|| false));
        std::thread::spawn(|| {
            watch(Some(&COUNTING));
            point();
            let whole = Whole::new();
            point();
            drop(whole);
            point();
            assert!(is_watched() && choose(7) == 6);
            assert!(wait_until(|| SEEN.get().1 >= 21));
            watch(None);
            point();
            assert_eq!(SEEN.get(), (2, 21), "two points, and two waits of which one is the first");
        })
        .join()
        .unwrap();
        assert!(!is_watched());
    }

    #[test]
    fn a_thread_that_repeats_draws_the_same_numbers() {
        std::thread::spawn(|| {
            assert!(draw().is_none() && test().is_none());
            let number = repeat(7);
            let first = [draw(), draw()];
            assert_eq!((repeat(7), [draw(), draw()]), (number, first));
            assert!(first[0].is_some() && first[0] != first[1] && test() == Some(number));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn what_is_announced_is_counted_by_thread() {
        let before = announced();
        announce();
        std::thread::spawn(|| assert_eq!(announced(), 0)).join().unwrap();
        assert_eq!(announced(), before + 1);
    }
}
