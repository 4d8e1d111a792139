//! How a pool thread finds an actor and gives it one turn.
//!
//! One message in five files: `messaging/send.rs` → `mailbox/inbox.rs` → `scheduler/submit.rs` →
//! **`scheduler/worker.rs`** → `turn/sequential.rs`.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_deque::Worker as Queue;
use odeon_sync::atomic::Ordering;

use super::find_work;
use super::idle::Duty;
use super::lifo_turns::LifoTurns;
use super::monitor::Monitor;
use super::pool::{PoolShared, Progress};
use super::probe;
use crate::process::config::QueueOrder;
use crate::process::current;
use crate::process::home::Home;
use crate::process::submit::Origin;
use crate::process::task::Task;
use crate::process::turn_limits::TurnLimits;
use crate::telemetry::StageTally;
use crate::vocabulary::random::Random;

/// What only the worker's own thread touches.
pub(crate) struct WorkerLocal {
    pub(super) index: usize,
    pub(super) queue: Queue<Task>,
    /// The actor woken last: runs next, without passing through the queue. Nobody can steal it, so
    /// it waits at most for the end of the message being handled.
    pub(super) lifo: Cell<Option<Task>>,
    lifo_in_use: bool,
    /// Turns until the worker looks beyond its LIFO slot.
    pub(super) until_look: Cell<u32>,
    pub(super) lifo_turns: Cell<LifoTurns>,
    pub(super) looks: Cell<u32>,
    /// When this worker last looked after probes, and after how many of its looks it does so again.
    probed: Cell<(Duration, u32)>,
    pub(super) until_probe: Cell<u32>,
    pub(super) random: RefCell<Random>,
    /// When this worker last found work after having had none, and its turns until then.
    busy_since: Cell<(Duration, u64)>,
    /// What the other workers had handled when this one last looked after probes, if it was to give
    /// way to them.
    pub(super) others_handled: Cell<Option<u64>>,
    /// Whether this worker is to hand its tasks over and sleep.
    pub(super) steps_aside: Cell<bool>,
    /// What is counted of this worker for `Theater::stats`.
    pub(crate) tally: Arc<StageTally>,
    /// When the last turn ended, if it was timed and this worker has had work ever since.
    pub(crate) turn_ended_at: Cell<Option<Duration>>,
}

/// TUNE: rounds of looking everywhere before a worker sleeps, each with twice the pause of the one
/// before up to 2^7: about 10 us in all on the machines tried.
const SEARCH_ROUNDS: u32 = if cfg!(any(odeon_loom, odeon_shuttle)) { 1 } else { 12 };

/// TUNE: the same while turns are coarse: about 50 us, what waking a halted core takes. The next
/// actor will be worth this core.
const COARSE_SEARCH_ROUNDS: u32 = if cfg!(any(odeon_loom, odeon_shuttle)) { 1 } else { 36 };

/// TUNE: from this round on, after some 3 us, a worker that searches lets other threads have its
/// core if they wait for one: where several processes share the cores, what it looks for may be
/// theirs to bring about.
const YIELDING_ROUND: u32 = 8;

/// TUNE: looks around between two at the clock for probes, at most: 256 turns, so that reading the
/// clock costs nothing against them. Fewer where turns are long ([`probe::LOOK_EVERY`]).
const LOOKS_PER_PROBE: u32 = 16;

impl WorkerLocal {
    pub(super) fn new(pool: &PoolShared, index: usize, queue: Queue<Task>, random: Random) -> Self {
        Self {
            index,
            queue,
            lifo: Cell::new(None),
            lifo_in_use: pool.lifo_slot && pool.order != QueueOrder::Central,
            until_look: Cell::new(0),
            lifo_turns: Cell::new(LifoTurns::new()),
            looks: Cell::new(0),
            probed: Cell::new((Duration::ZERO, LOOKS_PER_PROBE)),
            until_probe: Cell::new(LOOKS_PER_PROBE),
            random: RefCell::new(random),
            busy_since: Cell::new((Duration::ZERO, 0)),
            others_handled: Cell::new(None),
            steps_aside: Cell::new(false),
            tally: pool.workers[index].tally.clone(),
            turn_ended_at: Cell::new(None),
        }
    }

    /// It has had no work until `now`.
    pub(super) fn has_work_from(&self, now: Duration) {
        self.lifo_turns.set(self.lifo_turns.get().begin_at(now));
        self.tally.busy.begin(now);
    }

    /// It looks after probes at `now`: says after how many looks around it does so again.
    pub(super) fn probed_at(&self, now: Duration) {
        let (before, looks) = self.probed.get();
        let elapsed = now.saturating_sub(before);
        let looks = if elapsed > probe::LOOK_EVERY {
            (looks / 2).max(1)
        } else if elapsed < probe::LOOK_EVERY / 2 {
            (2 * looks).min(LOOKS_PER_PROBE)
        } else {
            looks
        };
        self.probed.set((now, looks));
        self.until_probe.set(looks);
    }

    /// Whether a woken actor can be put into the LIFO slot.
    #[inline(always)]
    pub(super) fn lifo_slot_is_free(&self) -> bool {
        self.lifo_in_use && self.lifo_slot_is_empty()
    }

    #[inline(always)]
    fn lifo_slot_is_empty(&self) -> bool {
        // SAFETY: only this thread touches the cell, and the borrow ends here.
        unsafe { (*self.lifo.as_ptr()).is_none() }
    }

    /// Whether somebody waits for a turn of this worker.
    pub(super) fn has_waiting(&self) -> bool {
        !self.lifo_slot_is_empty() || !self.queue.is_empty()
    }

    /// Queues a task submitted by the actor that this worker is running.
    pub(super) fn submit(&self, pool: &PoolShared, task: Task, origin: Origin) {
        let shared = match origin {
            Origin::Message if self.lifo_in_use => match self.lifo.replace(Some(task)) {
                None => return,
                Some(displaced) => displaced,
            },
            Origin::Behind if self.queue.is_empty() && self.lifo_slot_is_free() => {
                return self.lifo.set(Some(task));
            }
            Origin::Message | Origin::Spawn | Origin::Shared | Origin::Behind | Origin::Beside => {
                task
            }
        };
        self.queue.push(shared);
        pool.work_queued();
    }
}

/// The life of a worker thread.
pub(super) fn run(pool: &PoolShared, me: &WorkerLocal) {
    let here = current::here();
    here.home.set(Home::submitting(pool));
    here.worker.set(ptr::from_ref(me).cast());
    here.shard.set(me.index + 1);
    // A turn catches the panics of handlers; whatever else unwinds is a defect of the runtime and
    // must not leave a pool with a thread less.
    let guard = odeon_sync::AbortGuard::new("pool worker");
    let limits = pool.theater.limits();
    let progress = &*pool.workers[me.index].progress;
    let now = pool.theater.now();
    me.busy_since.set((now, 0));
    me.has_work_from(now);
    while let Some(task) = next_task(pool, me) {
        give_turn(pool, me, progress, task, &limits);
    }
    give_last_turns(pool, me, &limits);
    guard.disarm();
    me.tally.busy.end(pool.theater.now());
    here.home.set(Home::NOWHERE);
    here.worker.set(ptr::null());
}

/// One turn of an actor, which is queued again if there is more to do.
#[inline(always)]
pub(super) fn give_turn(
    pool: &PoolShared,
    me: &WorkerLocal,
    progress: &Progress,
    task: Task,
    limits: &TurnLimits<'_>,
) {
    let (report, again) = task.run(limits);
    // ORDERING: Relaxed: written by this worker alone, read by the monitor and in probes for an
    // estimate.
    progress.turns.store(progress.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    let messages = progress.messages.load(Ordering::Relaxed) + u64::from(report.messages);
    progress.messages.store(messages, Ordering::Relaxed);
    if let Some(task) = again {
        requeue(pool, me, task);
    }
}

/// All actors have been told to end. Those that wait for a turn must not wait for a worker that may
/// never come back.
pub(super) fn give_last_turns(pool: &PoolShared, me: &WorkerLocal, limits: &TurnLimits<'_>) {
    while let Some(task) = find_work::left(pool, me) {
        if let (_, Some(task)) = task.run(limits) {
            // The shutdown ends it itself, if all workers come back.
            task.forget();
        }
    }
}

/// An actor whose budget ran out goes behind everything that waits. If nothing does, it stays where
/// nobody steals it: its state is warm in this core's cache.
fn requeue(pool: &PoolShared, me: &WorkerLocal, task: Task) {
    if pool.order == QueueOrder::Central {
        pool.injector.push(task);
    } else if me.queue.is_empty() && me.lifo_slot_is_free() {
        me.lifo.set(Some(task));
        return;
    } else {
        me.queue.push(task);
    }
    // What runs next may be the actor in the LIFO slot, and take long: somebody has to be the
    // monitor.
    pool.work_queued();
}

/// The next task, however long it takes; `None` when the pool ends.
#[inline]
fn next_task(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    // ORDERING: Relaxed: a worker that finds work may notice the end one turn later.
    if pool.ending.load(Ordering::Relaxed) {
        return None;
    }
    match find_work::local(pool, me) {
        Some(task) => Some(task),
        None => wait_for_task(pool, me),
    }
}

#[cold]
fn wait_for_task(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    me.turn_ended_at.set(None);
    let sleeps = if me.steps_aside.take() {
        me.tally.busy.end(pool.theater.now());
        probe::step_aside(pool, me)
    } else {
        ran_dry(pool, me);
        false
    };
    let found = find_or_sleep(pool, me, sleeps);
    // ORDERING: Relaxed: our own counter.
    let turns = pool.workers[me.index].progress.turns.load(Ordering::Relaxed);
    let now = pool.theater.now();
    me.busy_since.set((now, turns));
    me.has_work_from(now);
    found
}

fn ran_dry(pool: &PoolShared, me: &WorkerLocal) {
    let (since, turns_before) = me.busy_since.get();
    // ORDERING: Relaxed: our own counter.
    let turns = pool.workers[me.index].progress.turns.load(Ordering::Relaxed) - turns_before;
    let now = pool.theater.now();
    me.tally.busy.end(now);
    pool.effort.ran_dry(now.saturating_sub(since), turns);
}

/// `sleeps`: the worker has been entered as sleeping.
fn find_or_sleep(pool: &PoolShared, me: &WorkerLocal, sleeps: bool) -> Option<Task> {
    let mut searching = if sleeps {
        sleep(pool, me);
        true
    } else {
        pool.idle.begin_search()
    };
    loop {
        // ORDERING: SeqCst: pairs with the store in `PoolShared::end`.
        if pool.ending.load(Ordering::SeqCst) {
            return None;
        }
        if searching {
            if let Some(task) = search(pool, me) {
                pool.found_work();
                return Some(task);
            }
        }
        pool.idle.enter_sleep(me.index, searching);
        pool.theater.fell_asleep();
        // A worker that did not search has not looked everywhere yet; for one that did, this is the
        // second look.
        if !pool.has_work() || !pool.idle.leave_sleep(me.index) {
            sleep(pool, me);
        }
        // Leaving the list of sleepers counts as searching.
        searching = true;
    }
}

/// Parks until there is something to search for, looking after the others meanwhile if asked to.
fn sleep(pool: &PoolShared, me: &WorkerLocal) {
    let parker = pool.workers[me.index].alarm.parker();
    // ORDERING: SeqCst: as in `wait_for_task`.
    while !pool.ending.load(Ordering::SeqCst) {
        match pool.idle.duty(me.index) {
            Some(Duty::Search) => return,
            Some(Duty::Monitor) => {
                if keep_monitor(pool, me) {
                    return;
                }
            }
            None => {
                me.tally.parks.add(1);
                parker.park();
            }
        }
    }
}

/// Looks after the awake workers until nobody is awake, or until this worker is needed itself
/// (`true`).
fn keep_monitor(pool: &PoolShared, me: &WorkerLocal) -> bool {
    let mut monitor = Monitor::begin(pool);
    loop {
        pool.workers[me.index].alarm.parker().park_timeout(monitor.interval);
        // ORDERING: SeqCst: as in `wait_for_task`.
        if pool.ending.load(Ordering::SeqCst) || pool.idle.duty(me.index) != Some(Duty::Monitor) {
            return pool.idle.duty(me.index) == Some(Duty::Search);
        }
        if pool.idle.leave_monitor(me.index) {
            return pool.has_work() && pool.idle.leave_sleep(me.index);
        }
        let wanted = monitor.helpers_wanted(pool);
        if wanted > 0 && pool.idle.leave_sleep(me.index) {
            for _ in 1..wanted {
                let Some(helper) = pool.idle.call_help() else { break };
                pool.wake(helper);
            }
            return true;
        }
    }
}

fn search(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    let rounds = if pool.effort.is_coarse() { COARSE_SEARCH_ROUNDS } else { SEARCH_ROUNDS };
    for round in 0..rounds {
        if let Some(task) = find_work::elsewhere(pool, me) {
            return Some(task);
        }
        for _ in 0..1u32 << round.min(7) {
            odeon_sync::spin_loop();
        }
        if round >= YIELDING_ROUND {
            odeon_sync::thread::yield_now();
        }
    }
    None
}
