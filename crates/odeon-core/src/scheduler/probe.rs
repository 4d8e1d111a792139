//! Probes: do several workers get more done than one?
//!
//! Whether a second core helps cannot be told from how long turns take: where two workers pass each
//! other actors, moving cache lines makes turns long, and long turns look like work for more cores.
//! So it is tried. When two workers are awake, the pool counts the messages it handles for some
//! time, sends one of them to sleep, and counts again. If both got clearly more done ([`PAYS`]),
//! sleepers are woken for each queued actor from then on; otherwise one worker stays alone until
//! the next probe, unless it gets stuck in a long handler. Verdicts that repeat are tested ever
//! more rarely.
//!
//! Only the step from one worker to two is tried: what one of many workers adds is within the noise
//! of so short a measurement. The idea of tuning the number of threads by trying is that of .NET's
//! thread pool (Hellerstein, Morrison, Eilebrecht: "Applying control theory in the real
//! world", 2009).

use std::time::Duration;

use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU64, Ordering};

use super::pool::PoolShared;
use super::worker::WorkerLocal;

/// TUNE: one window of a measurement; a few thousand small messages.
const WINDOW: Duration = Duration::from_micros(200);

/// TUNE: windows of a measurement, of which the best counts: an interruption by the operating
/// system or hypervisor spoils one or two of them.
const WINDOWS: u32 = 3;

/// TUNE: how many times the messages of one worker two must handle. Less does not pay for the core.
const PAYS: f64 = 1.1;

/// TUNE: where messages take this long on average, two workers pay without a probe: moving an actor
/// to another core costs some cache misses, a few hundred nanoseconds in all.
const SURELY_PAYS: Duration = Duration::from_micros(2);

/// TUNE: time between probes at first, and after a verdict that differs from the one before: a
/// probe takes some 0.7 ms of one worker's time.
const SHORTEST_GAP: Duration = Duration::from_millis(20);

/// TUNE: gaps double up to this while verdicts repeat.
const LONGEST_GAP: Duration = Duration::from_millis(640);

/// The probes of one pool.
#[derive(Debug)]
pub(super) struct Probes {
    /// When the next one may begin, in nanoseconds; [`RUNNING`] during one.
    next: AtomicU64,
    /// Until when one worker is to be alone, in nanoseconds.
    alone_until: AtomicU64,
    running: Mutex<ProbeState>,
}

const RUNNING: u64 = u64::MAX;

#[derive(Debug)]
struct ProbeState {
    phase: ProbePhase,
    /// Whether two workers paid in the last probe, and the gap after it.
    last: Option<(bool, Duration)>,
}

#[derive(Debug)]
enum ProbePhase {
    None,
    /// Both workers are counted.
    Both(Measurement),
    /// One is counted; both handled so many messages per nanosecond.
    Alone(Measurement, f64),
}

impl Probes {
    pub(super) fn new() -> Self {
        Self {
            next: AtomicU64::new(0),
            alone_until: AtomicU64::new(0),
            running: Mutex::new(ProbeState { phase: ProbePhase::None, last: None }),
        }
    }

    /// Whether one worker is to be alone: during the second half of a probe, and after one that
    /// found this better.
    pub(super) fn alone_is_better(&self, now: Duration) -> bool {
        // ORDERING: Relaxed, here and below: estimates and times; phases change under the lock.
        nanoseconds(now) < self.alone_until.load(Ordering::Relaxed)
    }

    fn set_alone(&self, until: Duration) {
        self.alone_until.store(nanoseconds(until), Ordering::Relaxed);
    }

    fn set_next(&self, time: Duration) {
        self.next.store(nanoseconds(time), Ordering::Relaxed);
    }
}

/// Called from time to time by each awake worker: begins probes and drives them. `true`: the worker
/// should take no more tasks and [`step_aside`].
#[cold]
pub(super) fn look(pool: &PoolShared, me: &WorkerLocal) -> bool {
    let now = pool.theater.now();
    let probes = &pool.probes;
    let next = probes.next.load(Ordering::Relaxed);
    if nanoseconds(now) >= next || next == RUNNING {
        if let Ok(mut running) = probes.running.try_lock() {
            drive(pool, &mut running, now);
        }
    }
    let others = handled(pool) - handled_by(pool, me.index);
    let others_get_on = me.others_handled.replace(others) != others;
    others_get_on && pool.idle.awake() > 1 && probes.alone_is_better(now)
}

fn drive(pool: &PoolShared, running: &mut ProbeState, now: Duration) {
    let probes = &pool.probes;
    match &mut running.phase {
        ProbePhase::None => {
            if pool.idle.awake() == 2 {
                probes.next.store(RUNNING, Ordering::Relaxed);
                running.phase = ProbePhase::Both(Measurement::begin(pool, now));
            }
        }
        ProbePhase::Both(both) => {
            both.look(pool, now);
            if both.was_disturbed(pool) {
                running.give_up(probes, now);
            } else if both.windows == WINDOWS {
                let both = both.best;
                if 2.0 / both >= nanoseconds(SURELY_PAYS) as f64 {
                    running.end(pool, now, true);
                } else {
                    // Should nobody drive the probe to its end, then this ends.
                    probes.set_alone(now + 10 * WINDOWS * WINDOW);
                    pool.effort.found_fine();
                    running.phase = ProbePhase::Alone(Measurement::begin(pool, now), both);
                }
            }
        }
        ProbePhase::Alone(alone, both) => {
            if !probes.alone_is_better(now) || alone.was_disturbed(pool) {
                running.give_up(probes, now);
            } else if pool.idle.awake() > 1 {
                *alone = Measurement::begin(pool, now);
            } else {
                alone.look(pool, now);
                if alone.windows == WINDOWS {
                    let pays = *both >= PAYS * alone.best;
                    running.end(pool, now, pays);
                }
            }
        }
    }
}

impl ProbeState {
    fn give_up(&mut self, probes: &Probes, now: Duration) {
        self.phase = ProbePhase::None;
        probes.set_alone(Duration::ZERO);
        probes.set_next(now + SHORTEST_GAP);
    }

    fn end(&mut self, pool: &PoolShared, now: Duration, pays: bool) {
        self.phase = ProbePhase::None;
        let gap = match self.last {
            Some((same, gap)) if same == pays => (2 * gap).min(LONGEST_GAP),
            _ => SHORTEST_GAP,
        };
        self.last = Some((pays, gap));
        pool.probes.set_next(now + gap);
        if pays {
            pool.probes.set_alone(Duration::ZERO);
            pool.effort.found_coarse();
        } else {
            pool.probes.set_alone(now + gap);
        }
    }
}

/// Hands over this worker's tasks and enters it as sleeping; `false` if nobody else is awake. The
/// tasks are to be looked for then.
pub(super) fn step_aside(pool: &PoolShared, me: &WorkerLocal) -> bool {
    while let Some(task) = me.lifo.take().or_else(|| me.queue.pop()) {
        pool.injector.push(task);
    }
    pool.idle.step_aside(me.index)
}

/// Messages handled by a whole pool, window by window.
#[derive(Debug)]
struct Measurement {
    handled: u64,
    at: Duration,
    quiet_times: u64,
    windows: u32,
    /// Messages per nanosecond in the best window so far.
    best: f64,
}

impl Measurement {
    fn begin(pool: &PoolShared, now: Duration) -> Self {
        let quiet_times = pool.idle.quiet_times();
        Self { handled: handled(pool), at: now, quiet_times, windows: 0, best: 0.0 }
    }

    /// Ends a window if its time is over.
    fn look(&mut self, pool: &PoolShared, now: Duration) {
        let elapsed = now.saturating_sub(self.at);
        if elapsed < WINDOW {
            return;
        }
        let before = std::mem::replace(&mut self.handled, handled(pool));
        let rate = (self.handled - before) as f64 / nanoseconds(elapsed) as f64;
        self.best = self.best.max(rate);
        self.windows += 1;
        self.at = now;
    }

    /// Whether there was nothing to do at times, so that the count tells nothing.
    fn was_disturbed(&self, pool: &PoolShared) -> bool {
        pool.idle.quiet_times() != self.quiet_times
    }
}

fn handled(pool: &PoolShared) -> u64 {
    (0..pool.workers.len()).map(|worker| handled_by(pool, worker)).sum()
}

fn handled_by(pool: &PoolShared, worker: usize) -> u64 {
    // ORDERING: Relaxed: an estimate.
    pool.workers[worker].messages.load(Ordering::Relaxed)
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}
