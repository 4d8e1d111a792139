//! The monitor: when does waiting work justify another core?
//!
//! While a worker is awake and others sleep, one of the sleeping ones wakes up from time to time
//! and looks how the awake ones get on. It calls for help where
//! * a worker has queued actors and has not finished a turn since the last look: it is inside a
//!   long handler; or
//! * turns take long enough ([`WORTH_A_CORE`]) that handing over an actor costs little against
//!   them; or
//! * what is queued would take longer than [`LONG_QUEUE`].
//!
//! Once turns have been found that long, sleeping workers are woken for each queued actor at once
//! ([`Effort`]), until a worker runs dry after short turns.
//!
//! A probe (`probe.rs`) that has shown otherwise overrules all but the first of these, until much
//! more is queued than when it was made.
//!
//! This is not a cure for lost wake-ups (`idle.rs` has none): it bounds how long queued actors wait
//! behind a worker that is awake, without disturbing workers that get on well alone.

use std::time::Duration;

use super::pool::PoolShared;
use odeon_sync::atomic::{AtomicBool, Ordering};

/// TUNE: the first look comes this long after a monitor was appointed; about what waking a halted
/// core takes, so that an early helper is not much later than an eager wake-up.
pub(super) const FIRST_LOOK: Duration = Duration::from_micros(60);

/// TUNE: looks become rarer up to this while no help is needed: 2 ms bound the wait behind a long
/// handler, at under 1 % of one core.
pub(super) const RAREST_LOOK: Duration = Duration::from_millis(2);

/// TUNE: mean time of a turn from which another core pays. Passing an actor to another core costs
/// some cache misses, a few hundred nanoseconds in all.
const WORTH_A_CORE: Duration = Duration::from_nanos(120);

/// TUNE: queued work (turns times mean time of a turn) from which another core is called although
/// turns are short: keeps waits bounded when very many actors are queued.
const LONG_QUEUE: Duration = Duration::from_micros(300);

/// Whether turns have been long enough lately that sleeping workers are woken for each queued
/// actor, without the monitor's detour.
#[derive(Debug, Default)]
pub(super) struct Effort {
    coarse: AtomicBool,
}

impl Effort {
    /// Of a pool whose sleeping workers watch nobody ([`Alarm::Task`](super::alarm::Alarm)): there
    /// is nobody who would call for help later.
    pub(super) fn at_once() -> Self {
        Self { coarse: AtomicBool::new(true) }
    }

    /// Whether a queued actor is worth waking a worker at once.
    #[inline(always)]
    pub(super) fn is_coarse(&self) -> bool {
        // ORDERING: Relaxed, here and below: an estimate.
        self.coarse.load(Ordering::Relaxed)
    }

    /// A worker has nothing to do any more, after `turns` turns in `busy`.
    pub(super) fn ran_dry(&self, busy: Duration, turns: u64) {
        if self.is_coarse() && turns > 0 && mean(busy, turns) < WORTH_A_CORE / 2 {
            self.coarse.store(false, Ordering::Relaxed);
        }
    }

    /// Turns are long, or a probe has shown that another worker pays.
    pub(super) fn found_coarse(&self) {
        self.coarse.store(true, Ordering::Relaxed);
    }

    /// A probe has shown that another worker does not pay.
    pub(super) fn found_fine(&self) {
        self.coarse.store(false, Ordering::Relaxed);
    }
}

fn mean(time: Duration, turns: u64) -> Duration {
    Duration::from_nanos(time.as_nanos() as u64 / turns)
}

/// What the monitor saw at its last look.
pub(super) struct Monitor {
    turns: Vec<u64>,
    at: Duration,
    pub(super) interval: Duration,
}

impl Monitor {
    pub(super) fn begin(pool: &PoolShared) -> Self {
        Self { turns: turns(pool).collect(), at: pool.theater.now(), interval: FIRST_LOOK }
    }

    /// Looks again: how many more workers would help. The next look comes later if none would.
    pub(super) fn helpers_wanted(&mut self, pool: &PoolShared) -> usize {
        let now = pool.theater.now();
        let elapsed = now.saturating_sub(self.at);
        self.at = now;
        let outside = pool.injector.len();
        let mut wanted = 0;
        let mut all_turns = 0;
        let probes = &pool.probes;
        let alone = probes.alone_is_better(now) && !probes.lift_if_outgrown(pool.queued(), now);
        for ((before, after), worker) in self.turns.iter_mut().zip(turns(pool)).zip(&pool.workers) {
            let done = after - std::mem::replace(before, after);
            all_turns += done;
            if alone && done > 0 {
                continue;
            }
            if done > 0 && mean(elapsed, done) >= WORTH_A_CORE && !worker.stealer.is_empty() {
                pool.effort.found_coarse();
            }
            wanted += helpers_for(worker.stealer.len(), done, elapsed);
        }
        if !alone || all_turns == 0 {
            wanted += helpers_for(outside, all_turns, elapsed);
        }
        self.interval = if wanted > 0 { FIRST_LOOK } else { (self.interval * 2).min(RAREST_LOOK) };
        wanted
    }
}

/// How many workers should join one that did `done` turns in `elapsed` and has `queued` waiting.
fn helpers_for(queued: usize, done: u64, elapsed: Duration) -> usize {
    if queued == 0 {
        return 0;
    }
    if done == 0 {
        return queued;
    }
    let turn = mean(elapsed, done);
    let waiting = turn.saturating_mul(queued as u32);
    if turn >= WORTH_A_CORE {
        queued
    } else {
        (waiting.as_nanos() / LONG_QUEUE.as_nanos()) as usize
    }
}

fn turns(pool: &PoolShared) -> impl Iterator<Item = u64> {
    // ORDERING: Relaxed: an estimate.
    pool.workers.iter().map(|worker| worker.progress.turns.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn nobody_is_called_for_nothing_or_for_short_queues_of_short_turns() {
        assert_eq!(helpers_for(0, 0, MS), 0);
        assert_eq!(helpers_for(100, 50_000, MS), 0);
    }

    #[test]
    fn a_stuck_worker_long_turns_and_long_queues_call_for_help() {
        assert_eq!(helpers_for(3, 0, MS), 3);
        assert_eq!(helpers_for(2, 100, MS), 2);
        assert_eq!(helpers_for(100_000, 10_000, MS), 33);
    }
}
