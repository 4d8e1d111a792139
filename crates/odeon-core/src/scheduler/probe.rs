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
//! A verdict is about the work that it was tried with. If much more is queued ([`MUCH_MORE`]), the
//! monitor lifts it, and there is another probe. A probe that comes to no verdict leaves everything
//! as it was.
//!
//! Windows end when a worker looks. So workers look by time ([`LOOK_EVERY`]): where turns are long,
//! a fixed number of them would make windows so long that no probe came to its end.
//!
//! Only the step from one worker to two is tried: what one of many workers adds is within the noise
//! of so short a measurement. The idea of tuning the number of threads by trying is that of .NET's
//! thread pool (Hellerstein, Morrison, Eilebrecht: "Applying control theory in the real
//! world", 2009).

use std::time::Duration;

use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::pool::PoolShared;
use super::worker::WorkerLocal;

/// TUNE: one window of a measurement; a few thousand small messages.
const WINDOW: Duration = Duration::from_micros(200);

/// How often a worker looks, if its turns are not longer than that.
pub(super) const LOOK_EVERY: Duration = Duration::from_micros(WINDOW.as_micros() as u64 / 2);

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

/// TUNE: how long at most one worker stays alone where more than one other could work: the others
/// lose more by a verdict that is out of date. A probe takes 1 % of that.
const LONGEST_ALONE_OF_MANY: Duration = Duration::from_millis(80);

/// TUNE: a verdict is lifted where more tasks are queued than twice as many as in its probe and
/// these. Guessed: a queue whose length only fluctuates is not to lift it.
const MUCH_MORE: usize = 16;

/// The probes of one pool.
#[derive(Debug)]
pub(super) struct Probes {
    /// When the next one may begin, in nanoseconds; [`RUNNING`] during one, or [`NEVER`].
    next: AtomicU64,
    /// Until when one worker is to be alone, in nanoseconds.
    alone_until: AtomicU64,
    /// How many tasks were queued at most in the last probe.
    queued: AtomicUsize,
    running: Mutex<ProbeState>,
}

const RUNNING: u64 = u64::MAX;
const NEVER: u64 = u64::MAX - 1;

#[derive(Debug)]
struct ProbeState {
    phase: ProbePhase,
    /// What came of the last probe that sent a worker to sleep, and the gap after it.
    last: Option<(Verdict, Duration)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Two workers get more done than one.
    Pays,
    Alone,
    /// There was nothing to do at times, or the other worker did not come to its end.
    None,
}

#[derive(Debug)]
enum ProbePhase {
    None,
    /// Both workers are counted.
    Both(Measurement),
    /// One is counted, after both.
    Alone(Measurement, Before),
}

/// What was so when both workers had been counted.
#[derive(Debug, Clone, Copy)]
struct Before {
    /// Messages per nanosecond.
    rate: f64,
    queued: usize,
    was_coarse: bool,
}

impl Probes {
    /// None is ever made.
    pub(super) fn never() -> Self {
        Self { next: AtomicU64::new(NEVER), ..Self::new() }
    }

    pub(super) fn new() -> Self {
        Self {
            next: AtomicU64::new(0),
            alone_until: AtomicU64::new(0),
            queued: AtomicUsize::new(0),
            running: Mutex::new(ProbeState { phase: ProbePhase::None, last: None }),
        }
    }

    /// Whether one worker is to be alone: during the second half of a probe, and after one that
    /// found this better.
    pub(super) fn alone_is_better(&self, now: Duration) -> bool {
        // ORDERING: Relaxed, here and below: estimates and times; phases change under the lock.
        nanoseconds(now) < self.alone_until.load(Ordering::Relaxed)
    }

    /// Whether so much is `queued` that a verdict for one worker is out of date. If so, it is over.
    pub(super) fn lift_if_outgrown(&self, queued: usize, now: Duration) -> bool {
        let is_outgrown = queued > 2 * self.queued.load(Ordering::Relaxed) + MUCH_MORE;
        // Not during a probe, which has its own end.
        let is_running = self.next.load(Ordering::Relaxed) == RUNNING;
        if !is_outgrown || is_running {
            return false;
        }
        self.set_alone(Duration::ZERO);
        self.set_next(now);
        true
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
    me.probed_at(now);
    let probes = &pool.probes;
    let next = probes.next.load(Ordering::Relaxed);
    // The lock is shared by all workers: only those of a probe touch it.
    let may_begin = nanoseconds(now) >= next && pool.idle.awake() == 2;
    if may_begin || next == RUNNING {
        if let Ok(mut running) = probes.running.try_lock() {
            drive(pool, &mut running, now);
        }
    }
    if !probes.alone_is_better(now) || pool.idle.awake() < 2 {
        me.others_handled.set(None);
        return false;
    }
    let others = handled(pool) - handled_by(pool, me.index);
    let before = me.others_handled.replace(Some(others));
    before.is_some_and(|before| before != others)
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
                // It has cost nothing, and says nothing about the next one.
                running.phase = ProbePhase::None;
                probes.set_next(now + SHORTEST_GAP);
            } else if both.windows == WINDOWS {
                if 2.0 / both.best >= nanoseconds(SURELY_PAYS) as f64 {
                    running.end(pool, now, Verdict::Pays);
                } else {
                    let was_coarse = pool.effort.is_coarse();
                    let before = Before { rate: both.best, queued: both.queued, was_coarse };
                    // Should nobody drive the probe to its end, then this ends.
                    probes.set_alone(now + 10 * WINDOWS * WINDOW);
                    pool.effort.found_fine();
                    running.phase = ProbePhase::Alone(Measurement::begin(pool, now), before);
                }
            }
        }
        ProbePhase::Alone(alone, before) => {
            if !probes.alone_is_better(now) || alone.was_disturbed(pool) {
                if before.was_coarse {
                    pool.effort.found_coarse();
                }
                running.end(pool, now, Verdict::None);
            } else if pool.idle.awake() > 1 {
                *alone = Measurement::begin(pool, now);
            } else {
                alone.look(pool, now);
                if alone.windows == WINDOWS {
                    let pays = before.rate >= PAYS * alone.best;
                    let queued = before.queued.max(alone.queued);
                    probes.queued.store(queued, Ordering::Relaxed);
                    running.end(pool, now, if pays { Verdict::Pays } else { Verdict::Alone });
                }
            }
        }
    }
}

impl ProbeState {
    fn end(&mut self, pool: &PoolShared, now: Duration, verdict: Verdict) {
        self.phase = ProbePhase::None;
        let gap = next_gap(self.last, verdict, pool.workers.len());
        self.last = Some((verdict, gap));
        pool.probes.set_next(now + gap);
        match verdict {
            Verdict::Alone => return pool.probes.set_alone(now + gap),
            Verdict::Pays => pool.effort.found_coarse(),
            Verdict::None => {}
        }
        pool.probes.set_alone(Duration::ZERO);
    }
}

/// The time until the next probe.
fn next_gap(last: Option<(Verdict, Duration)>, verdict: Verdict, workers: usize) -> Duration {
    let longest = match verdict {
        Verdict::Alone if workers > 2 => LONGEST_ALONE_OF_MANY,
        _ => LONGEST_GAP,
    };
    match last {
        Some((same, gap)) if same == verdict => (2 * gap).min(longest),
        _ => SHORTEST_GAP,
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
    /// Tasks queued at the end of a window, at most.
    queued: usize,
    /// Messages per nanosecond in the best window so far.
    best: f64,
}

impl Measurement {
    fn begin(pool: &PoolShared, now: Duration) -> Self {
        let quiet_times = pool.idle.quiet_times();
        Self { handled: handled(pool), at: now, quiet_times, windows: 0, queued: 0, best: 0.0 }
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
        self.queued = self.queued.max(pool.queued());
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
    pool.workers[worker].progress.messages.load(Ordering::Relaxed)
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn verdicts_that_repeat_are_tested_ever_more_rarely() {
        let first = next_gap(None, Verdict::Alone, 2);
        assert_eq!(first, SHORTEST_GAP);
        assert_eq!(next_gap(Some((Verdict::Alone, MS(40))), Verdict::Alone, 2), MS(80));
        assert_eq!(next_gap(Some((Verdict::Alone, MS(640))), Verdict::Alone, 2), LONGEST_GAP);
        assert_eq!(next_gap(Some((Verdict::None, MS(40))), Verdict::None, 2), MS(80));
        assert_eq!(next_gap(Some((Verdict::Pays, MS(640))), Verdict::Alone, 2), SHORTEST_GAP);
    }

    #[test]
    fn many_workers_are_held_back_for_less_time() {
        let last = Some((Verdict::Alone, MS(80)));
        assert_eq!(next_gap(last, Verdict::Alone, 64), LONGEST_ALONE_OF_MANY);
        assert_eq!(next_gap(Some((Verdict::Pays, MS(80))), Verdict::Pays, 64), MS(160));
    }

    #[test]
    fn a_verdict_is_over_where_much_more_is_queued_than_in_its_probe() {
        let probes = Probes::new();
        probes.queued.store(100, Ordering::Relaxed);
        probes.set_alone(MS(640));
        probes.set_next(MS(640));
        assert!(!probes.lift_if_outgrown(200 + MUCH_MORE, MS(1)));
        assert!(probes.alone_is_better(MS(1)));
        assert!(probes.lift_if_outgrown(201 + MUCH_MORE, MS(1)));
        assert!(!probes.alone_is_better(MS(1)));
        assert_eq!(probes.next.load(Ordering::Relaxed), nanoseconds(MS(1)));
    }

    #[test]
    fn a_probe_is_not_ended_by_what_is_queued() {
        let probes = Probes::new();
        probes.set_alone(MS(6));
        probes.next.store(RUNNING, Ordering::Relaxed);
        assert!(!probes.lift_if_outgrown(1_000, MS(1)));
        assert!(probes.alone_is_better(MS(1)));
    }
}
