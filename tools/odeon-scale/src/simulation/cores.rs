//! Cores with a worker each, and what waits for a turn: the rules of `scheduler/worker.rs` and
//! `scheduler/find_work.rs` in `odeon-core`.

use super::rules::LOOK_AROUND;
use super::world::Picoseconds;
use std::collections::VecDeque;

/// What takes turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Sender(usize),
    Shard(usize),
}

/// TUNE: a worker that has found nothing looks for so long before it sleeps. Guessed 2026-11.
const SEARCHES_FOR: Picoseconds = 10_000_000;

/// One worker.
#[derive(Debug, Default)]
struct SimulatedWorker {
    /// Who was woken last: it has the next turn, and nobody steals it.
    lifo: Option<Unit>,
    queue: VecDeque<Unit>,
    /// Turns for which the LIFO slot goes first.
    until_look: usize,
    /// Since when it has nothing to do.
    idle: Option<Picoseconds>,
}

#[derive(Debug)]
pub(super) struct Cores(Vec<SimulatedWorker>);

/// Who is to begin, and whether it has to be woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) core: usize,
    pub(super) sleeps: bool,
}

impl Cores {
    /// None of them is idle.
    pub(super) fn new(cores: usize) -> Self {
        Self((0..cores).map(|_| SimulatedWorker::default()).collect())
    }

    /// Behind what waits for this core, where others may take it.
    pub(super) fn queue(&mut self, unit: Unit, core: usize) {
        self.0[core].queue.push_back(unit);
    }

    /// A core wakes a unit. Answers whether something is queued.
    pub(super) fn wake(&mut self, unit: Unit, core: usize) -> bool {
        let displaced = self.0[core].lifo.replace(unit);
        displaced.into_iter().for_each(|displaced| self.queue(displaced, core));
        displaced.is_some()
    }

    /// A turn on this core is over, and its unit has more to do. Answers whether it is queued.
    pub(super) fn requeue(&mut self, unit: Unit, core: usize) -> bool {
        let worker = &mut self.0[core];
        if worker.queue.is_empty() && worker.lifo.is_none() {
            worker.lifo = Some(unit);
            return false;
        }
        self.queue(unit, core);
        true
    }

    /// The core that has been idle shortest, if one is, to look for what is queued.
    pub(super) fn rouse(&mut self, now: Picoseconds) -> Option<Start> {
        let idle = self.0.iter().enumerate();
        let idle = idle.filter_map(|(core, worker)| Some((core, worker.idle?)));
        let (core, since) = idle.max_by_key(|(_, since)| *since)?;
        self.0[core].idle = None;
        Some(Start { core, sleeps: now.saturating_sub(since) > SEARCHES_FOR })
    }

    /// What a core does next, and whether others could do more; nothing: it is idle from this
    /// moment on.
    pub(super) fn next(&mut self, core: usize, now: Picoseconds) -> (Option<Unit>, bool) {
        let worker = &mut self.0[core];
        let looks_around = worker.until_look == 0;
        worker.until_look = if looks_around { LOOK_AROUND - 1 } else { worker.until_look - 1 };
        if !looks_around {
            if let Some(unit) = worker.lifo.take() {
                return (Some(unit), false);
            }
        }
        if let Some(unit) = worker.queue.pop_front() {
            // Others are to be able to take who waits behind it.
            let shared = worker.lifo.take();
            worker.queue.extend(shared);
            return (Some(unit), shared.is_some());
        }
        let unit = worker.lifo.take().or_else(|| self.steal(core));
        self.0[core].idle = if unit.is_none() { Some(now) } else { None };
        (unit, false)
    }

    fn steal(&mut self, core: usize) -> Option<Unit> {
        let cores = self.0.len();
        (1..cores).find_map(|offset| self.0[(core + offset) % cores].queue.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Unit = Unit::Sender(1);
    const TWO: Unit = Unit::Shard(2);
    const THREE: Unit = Unit::Shard(3);

    #[test]
    fn who_was_woken_last_has_the_next_turn_and_is_not_stolen() {
        let mut cores = Cores::new(2);
        assert!(!cores.wake(ONE, 0));
        // A worker begins with a look around, at nothing here.
        assert_eq!(cores.next(1, 5), (None, false));
        assert_eq!(cores.rouse(5), Some(Start { core: 1, sleeps: false }));
        assert!(cores.wake(TWO, 0), "the one before is queued");
        assert_eq!(cores.next(1, 6), (Some(ONE), false), "and stolen");
        assert_eq!(cores.next(0, 6), (Some(TWO), false));
        assert_eq!(cores.rouse(7), None);
    }

    #[test]
    fn who_has_more_to_do_goes_behind_those_that_wait() {
        let mut cores = Cores::new(1);
        assert!(!cores.requeue(ONE, 0), "nobody waits");
        assert!(cores.requeue(TWO, 0));
        // It looks around: who was woken last is shared then.
        assert_eq!(cores.next(0, 0), (Some(TWO), true));
        assert_eq!(cores.next(0, 0), (Some(ONE), false));
        assert_eq!(cores.next(0, 0), (None, false));
    }

    #[test]
    fn a_look_around_lets_the_queue_go_first_from_time_to_time() {
        let mut cores = Cores::new(1);
        cores.next(0, 0);
        cores.queue(ONE, 0);
        let before = (1..).find(|_| {
            cores.wake(THREE, 0);
            cores.next(0, 0).0 == Some(ONE)
        });
        assert_eq!(before, Some(LOOK_AROUND));
    }

    #[test]
    fn who_has_been_idle_for_long_sleeps() {
        let mut cores = Cores::new(1);
        assert_eq!(cores.next(0, 0), (None, false));
        assert_eq!(cores.rouse(SEARCHES_FOR + 1), Some(Start { core: 0, sleeps: true }));
    }
}
