//! What the tests of collections share; each test crate uses a part of it.
#![allow(dead_code, unreachable_pub)]

use odeon_stm::staged::{Attempted, Finished, attempt};
use odeon_stm::{Abort, Mode, Rollback, Tx, collect};
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Random numbers that a seed repeats (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// How many [`Counted`] values are alive.
#[derive(Clone, Default)]
pub struct Alive(Arc<AtomicIsize>);

impl Alive {
    pub fn count(&self) -> isize {
        self.0.load(Ordering::SeqCst)
    }

    /// Frees what can be freed until at most `limit` values are alive: attempts and snapshots of
    /// tests beside this one may hold them for a while.
    #[track_caller]
    pub fn falls_to(&self, limit: isize) {
        for _ in 0..60_000 {
            collect();
            if self.count() <= limit {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("{} values are alive, not {limit}", self.count());
    }

    /// As [`falls_to`](Alive::falls_to), and not below.
    #[track_caller]
    pub fn settles_at(&self, count: isize) {
        self.falls_to(count);
        assert_eq!(self.count(), count);
    }

    pub fn value(&self, value: u64) -> Counted {
        self.0.fetch_add(1, Ordering::SeqCst);
        Counted { value, alive: self.clone() }
    }
}

/// A value whose life is counted; it compares by its number.
pub struct Counted {
    pub value: u64,
    alive: Alive,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Counted {}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value)
    }
}

impl std::hash::Hash for Counted {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl std::borrow::Borrow<u64> for Counted {
    fn borrow(&self) -> &u64 {
        &self.value
    }
}

/// Runs `act` in an attempt that is not committed yet; nobody is in its way.
pub fn run<S, R>(
    on: &Arc<S>,
    act: impl for<'t> FnOnce(&'t S, &mut Tx<'t>) -> Result<R, Rollback>,
) -> (Finished<S>, R) {
    match attempt(on.clone(), Mode::Logged, |on, tx| act(on, tx).map_err(Abort::<()>::from)) {
        Attempted::Finished(finished, value) => (finished, value),
        _ => panic!("nobody is in the way"),
    }
}

/// Whether the attempt of `first` still commits after `second` has run and committed in between.
pub fn commits_after<S, A, B>(
    on: &Arc<S>,
    first: impl for<'t> FnOnce(&'t S, &mut Tx<'t>) -> Result<A, Rollback>,
    second: impl for<'t> FnOnce(&'t S, &mut Tx<'t>) -> Result<B, Rollback>,
) -> bool {
    let (first, _) = run(on, first);
    let (second, _) = run(on, second);
    second.commit().expect("the first has not committed");
    first.commit().is_ok()
}

/// What a panic may carry: its drop panics as well.
pub struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("in the drop of what a panic carries");
    }
}
