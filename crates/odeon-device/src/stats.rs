//! What is counted of a device actor, for people.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::memory::Memory;

/// What a device actor has done so far. Shown, it is a line:
///
/// ```text
/// 12 batches, 4096 messages (341.3 a batch, 1024 at most), 18.204 ms in handlers (3.911 ms at most), 1 session, 0 failures, 0 messages redone, 800 of 1048576 bytes
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DeviceStats {
    /// Calls of the handler.
    pub batches: u64,
    /// Messages that the handler has taken.
    pub messages: u64,
    /// Messages that were in a batch that failed, and then in another one.
    pub redone: u64,
    /// Batches that failed, by an error or a panic.
    pub failures: u64,
    /// Sessions that were opened.
    pub sessions: u64,
    /// Sessions that could not be opened or started on.
    pub refused: u64,
    /// The time in the handler: launches, and waiting for them.
    pub in_handler: Duration,
    /// The longest call of the handler.
    pub longest: Duration,
    /// The largest batch.
    pub largest: u64,
    /// How many batches had which size: of 1, of 2 and 3, of 4 to 7 and so on, up to the largest.
    pub sizes: Vec<u64>,
    /// Bytes of device memory in use by its session, and how many may be: of the latest one, if a
    /// plan has several actors. `None` before the first one.
    pub memory: Option<(u64, u64)>,
}

impl DeviceStats {
    /// Messages for each call of the handler; 0 before the first one.
    pub fn messages_a_batch(&self) -> f64 {
        if self.batches == 0 { 0.0 } else { self.messages as f64 / self.batches as f64 }
    }
}

impl fmt::Display for DeviceStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { batches, messages, redone, failures, sessions, largest, .. } = self;
        let (mean, ms) = (self.messages_a_batch(), |time: Duration| time.as_secs_f64() * 1e3);
        let (in_handler, longest) = (ms(self.in_handler), ms(self.longest));
        write!(
            f,
            "{batches} batches, {messages} messages ({mean:.1} a batch, {largest} at most), \
             {in_handler:.3} ms in handlers ({longest:.3} ms at most), {sessions} sessions, \
             {failures} failures, {redone} messages redone"
        )?;
        match self.memory {
            Some((used, limit)) => write!(f, ", {used} of {limit} bytes"),
            None => Ok(()),
        }
    }
}

/// Sizes are counted by powers of two.
const SIZES: usize = 32;

/// The counters of one actor, over all its sessions. Written by the thread that has the actor.
#[derive(Debug, Default)]
pub(crate) struct DeviceTally {
    batches: SharedCounter,
    messages: SharedCounter,
    redone: SharedCounter,
    failures: SharedCounter,
    sessions: SharedCounter,
    refused: SharedCounter,
    nanoseconds: SharedCounter,
    longest: SharedCounter,
    largest: SharedCounter,
    sizes: [SharedCounter; SIZES],
    memory: Mutex<Option<Memory>>,
}

#[derive(Debug, Default)]
struct SharedCounter(AtomicU64);

impl SharedCounter {
    fn add(&self, n: u64) {
        // ORDERING: as in `get`.
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    fn raise(&self, n: u64) {
        // ORDERING: as in `get`.
        self.0.fetch_max(n, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        // ORDERING: Relaxed: numbers for people, each for itself; actors of one plan may count at
        // once.
        self.0.load(Ordering::Relaxed)
    }
}

/// What a call of the handler has come to.
pub(crate) struct Called {
    pub(crate) size: usize,
    pub(crate) taken: usize,
    pub(crate) redone: usize,
    pub(crate) time: Duration,
    pub(crate) failed: bool,
}

impl DeviceTally {
    pub(crate) fn opened(&self, memory: &Memory) {
        self.sessions.add(1);
        *self.memory.lock().expect("no panic happens under this lock") = Some(memory.clone());
    }

    pub(crate) fn refused(&self) {
        self.refused.add(1);
    }

    pub(crate) fn called(&self, called: &Called) {
        let nanoseconds = u64::try_from(called.time.as_nanos()).unwrap_or(u64::MAX);
        self.batches.add(1);
        self.messages.add(called.taken as u64);
        self.redone.add(called.redone as u64);
        self.failures.add(called.failed.into());
        self.nanoseconds.add(nanoseconds);
        self.longest.raise(nanoseconds);
        self.largest.raise(called.size as u64);
        let class = called.size.max(1).ilog2() as usize;
        self.sizes[class.min(SIZES - 1)].add(1);
    }

    pub(crate) fn stats(&self) -> DeviceStats {
        let mut sizes: Vec<u64> = self.sizes.iter().map(SharedCounter::get).collect();
        let used = sizes.iter().rposition(|&batches| batches > 0).map_or(0, |last| last + 1);
        sizes.truncate(used);
        let memory = self.memory.lock().expect("no panic happens under this lock");
        DeviceStats {
            batches: self.batches.get(),
            messages: self.messages.get(),
            redone: self.redone.get(),
            failures: self.failures.get(),
            sessions: self.sessions.get(),
            refused: self.refused.get(),
            in_handler: Duration::from_nanos(self.nanoseconds.get()),
            longest: Duration::from_nanos(self.longest.get()),
            largest: self.largest.get(),
            sizes,
            memory: memory.as_ref().map(|memory| (memory.used(), memory.limit())),
        }
    }
}
