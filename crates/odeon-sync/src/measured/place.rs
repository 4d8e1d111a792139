//! The lines that make locks, and what is counted for each.

use super::delay;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// A line that makes locks.
pub(crate) struct LockPlace {
    name: String,
    /// How much longer each of its sections is.
    delay: Duration,
    acquisitions: AtomicU64,
    contended: AtomicU64,
    waited_ns: AtomicU64,
    held_ns: AtomicU64,
}

/// What a guard tells of its lock.
pub(super) struct Passed {
    /// How often it was taken: more than once if a condition was waited for.
    pub(super) ways: u64,
    /// Until it was free, if another thread had it.
    pub(super) waited: Option<Duration>,
    /// Without waits for conditions.
    pub(super) held: Duration,
}

/// All that have made one so far.
static PLACES: LazyLock<Mutex<HashMap<(&'static str, u32), &'static LockPlace>>> =
    LazyLock::new(Mutex::default);

/// That of a line. It stays for the whole process, as the line does.
pub(super) fn of(line: &'static Location<'static>) -> &'static LockPlace {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    places.entry((line.file(), line.line())).or_insert_with(|| {
        let name = format!("{}:{}", line.file(), line.line());
        Box::leak(Box::new(LockPlace {
            delay: delay::of(&name),
            name,
            acquisitions: AtomicU64::new(0),
            contended: AtomicU64::new(0),
            waited_ns: AtomicU64::new(0),
            held_ns: AtomicU64::new(0),
        }))
    })
}

/// All that have made a lock so far, in no order.
pub(crate) fn places() -> Vec<&'static LockPlace> {
    PLACES.lock().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
}

fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

// ORDERING: Relaxed in all of this: counts that nothing hangs on.
impl LockPlace {
    pub(super) fn add(&self, passed: &Passed) {
        self.acquisitions.fetch_add(passed.ways, Ordering::Relaxed);
        if let Some(waited) = passed.waited {
            self.contended.fetch_add(1, Ordering::Relaxed);
            self.waited_ns.fetch_add(ns(waited), Ordering::Relaxed);
        }
        self.held_ns.fetch_add(ns(passed.held), Ordering::Relaxed);
    }

    pub(super) fn delay(&self) {
        if !self.delay.is_zero() {
            delay::spin(self.delay);
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn acquisitions(&self) -> u64 {
        self.acquisitions.load(Ordering::Relaxed)
    }

    pub(crate) fn contended(&self) -> u64 {
        self.contended.load(Ordering::Relaxed)
    }

    pub(crate) fn waited_ns(&self) -> u64 {
        self.waited_ns.load(Ordering::Relaxed)
    }

    pub(crate) fn held_ns(&self) -> u64 {
        self.held_ns.load(Ordering::Relaxed)
    }
}
