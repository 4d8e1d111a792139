//! Which workers are awake; who is woken when there is more to do, and who is the monitor.
//!
//! Small messages are handled faster by one core than by two that pass them back and forth, so a
//! second worker is not woken for every queued actor. A pool with nobody awake wakes a worker for
//! the first task at once; while some worker is awake, one of the sleeping ones is its *monitor*:
//! it looks at the queues from time to time and calls for help only where work waits longer than
//! moving it costs (`monitor.rs`).
//!
//! PROTOCOL
//! 1. `word` holds three counts: workers searching, workers sleeping, and whether one of the
//!    sleeping ones is the monitor. The list of sleepers and the monitor change only under the
//!    lock, with the word.
//! 2. Whoever makes work visible to others (a queue push) then calls `work_added` (an awake worker
//!    that pushes to its own queue: `work_queued`, see there): a full fence, then
//!    a look at `word`. If a worker is searching, or one is awake and has a monitor, that is
//!    enough; otherwise a sleeper is woken to search (nobody is awake) or to be the monitor.
//! 3. A worker that finds nothing enters itself as sleeping, then a full fence, then looks at all
//!    queues once more; only if they are empty does it park without limit. The same holds for a
//!    monitor that gives up its post because nobody is awake.
//! 4. No work is slept over: of the fences in 2 and 3, one comes first. If the pusher's does, the
//!    worker's second look sees the push. Otherwise the pusher sees the worker sleeping, or sees
//!    another one searching, awake, or the monitor, each of whom looks at the queues before it is
//!    bound by 3.
//! 5. A searcher that found work and was the last one searching calls `work_added` if more is
//!    there, so that one wake-up is enough for any number of tasks. Where sleepers are woken at
//!    once, each searcher that found work has two more search if there is work for them: all
//!    workers are awake after as many steps as their number has binary digits.
//! 6. A woken worker counts as searching at once, so that a burst of pushes wakes one and not all.
//!
//! Covered by `idle/loom.rs`, and with real queues by the shuttle tests of the scheduler.

use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU64, Ordering, fence};

const SEARCHING: u64 = 1;
const SLEEPING: u64 = 1 << 24;
const MONITOR: u64 = 1 << 48;

fn searching(word: u64) -> u64 {
    word & (SLEEPING - 1)
}

fn sleeping(word: u64) -> u64 {
    (word / SLEEPING) & (SLEEPING - 1)
}

fn has_monitor(word: u64) -> bool {
    word >= MONITOR
}

/// What a worker is woken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Duty {
    Search,
    Monitor,
}

/// The workers of one pool that have nothing to do.
#[derive(Debug)]
pub(super) struct Idle {
    word: AtomicU64,
    state: Mutex<IdleState>,
    /// How often any worker went to sleep: tells two looks at a sleeping pool apart.
    sleeps: AtomicU64,
    /// How often the last awake worker did.
    quiet_times: AtomicU64,
    workers: u64,
}

#[derive(Debug)]
struct IdleState {
    sleepers: Vec<usize>,
    monitor: Option<usize>,
}

impl Idle {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            word: AtomicU64::new(0),
            state: Mutex::new(IdleState { sleepers: Vec::with_capacity(workers), monitor: None }),
            sleeps: AtomicU64::new(0),
            quiet_times: AtomicU64::new(0),
            workers: workers as u64,
        }
    }

    /// After work was made visible: the worker to unpark, if any (rules 2, 4, 6). `at_once`: a
    /// sleeper is woken to search even if somebody is awake.
    #[inline]
    pub(super) fn work_added(&self, at_once: bool) -> Option<usize> {
        // ORDERING: SeqCst fence between the caller's queue push and the look at `word`; partner:
        // the fence in `enter_sleep` and `leave_monitor`. Anything weaker lets both sides miss each
        // other.
        fence(Ordering::SeqCst);
        let word = self.word.load(Ordering::Relaxed);
        let asleep = sleeping(word);
        let attended = asleep < self.workers && has_monitor(word) && !at_once;
        if asleep == 0 || searching(word) > 0 || attended {
            return None;
        }
        self.wake_or_appoint(at_once)
    }

    /// As [`work_added`](Self::work_added), for an awake worker that queued an actor for itself.
    ///
    /// No fence: this worker looks at its own queue before it sleeps, so nothing can be slept over;
    /// at stake is only that a monitor is appointed. If a worker falls asleep at this very moment
    /// and neither sees the other, the next push appoints it.
    #[inline]
    pub(super) fn work_queued(&self, at_once: bool) -> Option<usize> {
        // ORDERING: Relaxed: by the argument above.
        let word = self.word.load(Ordering::Relaxed);
        if sleeping(word) == 0 || searching(word) > 0 || (has_monitor(word) && !at_once) {
            return None;
        }
        self.wake_or_appoint(at_once)
    }

    /// Somebody sleeps and nobody searches: wakes a worker if none is awake, else appoints a
    /// monitor.
    #[cold]
    fn wake_or_appoint(&self, at_once: bool) -> Option<usize> {
        let mut state = self.lock();
        // ORDERING: Relaxed: the word changes only under this lock, except for `searching`.
        let word = self.word.load(Ordering::Relaxed);
        if sleeping(word) == self.workers || (at_once && searching(word) == 0) {
            return self.take_sleeper(&mut state);
        }
        if searching(word) > 0 || state.monitor.is_some() {
            return None;
        }
        let monitor = *state.sleepers.last()?;
        state.monitor = Some(monitor);
        // ORDERING: SeqCst, here and on `word` below: the counts change in the single order that
        // rule 4 argues about.
        self.word.fetch_add(MONITOR, Ordering::SeqCst);
        Some(monitor)
    }

    fn take_sleeper(&self, state: &mut IdleState) -> Option<usize> {
        let worker = state.sleepers.pop()?;
        let mut change = SEARCHING.wrapping_sub(SLEEPING);
        if state.monitor == Some(worker) {
            state.monitor = None;
            change = change.wrapping_sub(MONITOR);
        }
        // ORDERING: SeqCst: the single order of the counts, as above.
        self.word.fetch_add(change, Ordering::SeqCst);
        Some(worker)
    }

    /// Wakes one more sleeper to search: the monitor asks for help. `None` if nobody sleeps.
    pub(super) fn call_help(&self) -> Option<usize> {
        self.take_sleeper(&mut self.lock())
    }

    /// A worker out of work begins to search; `false` if enough others do already.
    pub(super) fn begin_search(&self) -> bool {
        // ORDERING: Relaxed look: a limit on effort, not on correctness.
        if 2 * searching(self.word.load(Ordering::Relaxed)) >= self.workers {
            return false;
        }
        self.word.fetch_add(SEARCHING, Ordering::SeqCst);
        true
    }

    /// A searching worker found work; how many still search (rule 5).
    #[must_use]
    pub(super) fn found_work(&self) -> usize {
        // ORDERING: SeqCst: the single order of the counts.
        (searching(self.word.fetch_sub(SEARCHING, Ordering::SeqCst)) - 1) as usize
    }

    /// Enters `worker` as sleeping. Afterwards it must look at all queues again (rule 3), and then
    /// either park or call [`leave_sleep`](Self::leave_sleep).
    pub(super) fn enter_sleep(&self, worker: usize, was_searching: bool) {
        let mut state = self.lock();
        state.sleepers.push(worker);
        let change = if was_searching { SLEEPING.wrapping_sub(SEARCHING) } else { SLEEPING };
        // ORDERING: SeqCst: the single order of the counts; `sleeps` before the word: `all_sleep`
        // must not see a worker asleep again and not that it was awake.
        self.sleeps.fetch_add(1, Ordering::SeqCst);
        let before = self.word.fetch_add(change, Ordering::SeqCst);
        if sleeping(before) + 1 == self.workers {
            // ORDERING: Relaxed: an estimate, read by probes.
            self.quiet_times.fetch_add(1, Ordering::Relaxed);
        }
        drop(state);
        // ORDERING: SeqCst fence between entering and the second look at the queues; partner: the
        // fence in `work_added`.
        fence(Ordering::SeqCst);
    }

    /// A sleeping worker or monitor that saw work to do takes itself off the list and searches.
    /// `false` if somebody has woken it meanwhile: its token is on the way, it searches already.
    #[must_use]
    pub(super) fn leave_sleep(&self, worker: usize) -> bool {
        let mut state = self.lock();
        let Some(place) = state.sleepers.iter().position(|&sleeper| sleeper == worker) else {
            return false;
        };
        let last = state.sleepers.len() - 1;
        state.sleepers.swap(place, last);
        self.take_sleeper(&mut state).is_some()
    }

    /// An awake worker enters itself as sleeping although there is work, as the monitor. `false` if
    /// nobody else is awake: then it is needed.
    ///
    /// Rule 3 does not bind it: somebody stays awake, and will look at all queues after this one
    /// has entered.
    #[must_use]
    pub(super) fn step_aside(&self, worker: usize) -> bool {
        let mut state = self.lock();
        // ORDERING: Relaxed: sleeping changes only under this lock.
        let word = self.word.load(Ordering::Relaxed);
        if sleeping(word) + 1 == self.workers {
            return false;
        }
        state.sleepers.push(worker);
        let change = if state.monitor.is_none() { SLEEPING + MONITOR } else { SLEEPING };
        state.monitor = Some(worker);
        // ORDERING: SeqCst: as in `enter_sleep`.
        self.sleeps.fetch_add(1, Ordering::SeqCst);
        self.word.fetch_add(change, Ordering::SeqCst);
        true
    }

    /// How many workers are not entered as sleeping.
    pub(super) fn awake(&self) -> u64 {
        // ORDERING: Relaxed: an estimate.
        self.workers - sleeping(self.word.load(Ordering::Relaxed))
    }

    /// How often the last awake worker fell asleep.
    pub(super) fn quiet_times(&self) -> u64 {
        // ORDERING: Relaxed: an estimate.
        self.quiet_times.load(Ordering::Relaxed)
    }

    /// What the worker has been woken for. A sleeping worker that wakes without a duty sleeps on.
    pub(super) fn duty(&self, worker: usize) -> Option<Duty> {
        let state = self.lock();
        if state.monitor == Some(worker) {
            Some(Duty::Monitor)
        } else if state.sleepers.contains(&worker) {
            None
        } else {
            Some(Duty::Search)
        }
    }

    /// The monitor gives up its post if nobody is awake. Afterwards it must look at all queues
    /// again (rule 3), as after `enter_sleep`. `false` if it must stay, or has been woken to
    /// search.
    #[must_use]
    pub(super) fn leave_monitor(&self, worker: usize) -> bool {
        let mut state = self.lock();
        // ORDERING: Relaxed: sleeping changes only under this lock.
        let all_asleep = sleeping(self.word.load(Ordering::Relaxed)) == self.workers;
        if state.monitor != Some(worker) || !all_asleep {
            return false;
        }
        state.monitor = None;
        self.word.fetch_sub(MONITOR, Ordering::SeqCst);
        drop(state);
        // ORDERING: SeqCst: as in `enter_sleep`.
        fence(Ordering::SeqCst);
        true
    }

    /// Whether every worker sleeps, and a number that changes whenever one has gone to sleep since.
    pub(super) fn all_sleep(&self) -> (bool, u64) {
        // ORDERING: SeqCst: the shutdown's two looks must not be reordered.
        let word = self.word.load(Ordering::SeqCst);
        (sleeping(word) == self.workers, self.sleeps.load(Ordering::SeqCst))
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, IdleState> {
        self.state.lock().expect("no panic happens under the idle lock")
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;
