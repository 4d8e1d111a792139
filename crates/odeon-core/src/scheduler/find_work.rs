//! Where a worker looks for its next task, and in which order.
//!
//! 1. The LIFO slot: the actor woken last, whose message is still warm in the cache.
//! 2. The own queue.
//! 3. The injector.
//! 4. The other workers' queues, starting at a random one.
//!
//! After some turns (`lifo_turns.rs`) the own queue goes before the LIFO slot, and every fourth
//! time the injector before both: chains of messages do not hold up the queue, nor inside traffic
//! submissions from outside. Who is in the LIFO slot then goes into the queue, where others can
//! take it.

use crossbeam_deque::Steal;

use super::pool::PoolShared;
use super::probe;
use super::worker::WorkerLocal;
use crate::process::config::QueueOrder;
use crate::process::task::Task;

/// TUNE: looks around between two at the injector: 64 short turns, the order of magnitude that
/// tokio and Go use, guessed there and here.
const LOOKS_PER_INJECTOR: u32 = 4;

/// The worker's own sources and the injector (steps 1 to 3).
#[inline(always)]
pub(super) fn local(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    let turns = me.until_look.get();
    if turns != 0 {
        me.until_look.set(turns - 1);
        if let Some(task) = me.lifo.take() {
            return Some(task);
        }
    }
    beyond_lifo(pool, me, turns == 0)
}

#[inline(never)]
fn beyond_lifo(pool: &PoolShared, me: &WorkerLocal, look_around: bool) -> Option<Task> {
    if look_around {
        let theater = &pool.theater;
        let lifo_turns =
            me.lifo_turns.get().after_turns(theater.config.turn_time, || theater.now());
        me.lifo_turns.set(lifo_turns);
        me.until_look.set(lifo_turns.in_a_row() - 1);
        me.looks.set(me.looks.get().wrapping_add(1));
        me.until_probe.set(me.until_probe.get() - 1);
        if me.until_probe.get() == 0 && probe::look(pool, me) {
            me.steps_aside.set(true);
            return None;
        }
        if me.looks.get() % LOOKS_PER_INJECTOR == 0 {
            if let Some(task) = batch_from_injector(pool, me) {
                share_lifo_slot(pool, me);
                return Some(task);
            }
        }
    }
    if let Some(task) = me.queue.pop() {
        share_lifo_slot(pool, me);
        return Some(task);
    }
    me.lifo.take().or_else(|| batch_from_injector(pool, me))
}

/// As [`from_injector`], for a worker that is awake. What it moves into its own queue is in neither
/// for a moment: a worker that searches may have looked just then, in vain, and sleep. So it is
/// said again that there is work. (Who searches says so in any case.)
fn batch_from_injector(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    let found = from_injector(pool, me);
    if found.is_some() && !me.queue.is_empty() {
        pool.work_added();
    }
    found
}

/// What goes before the actor in the LIFO slot is not the one that woke it, and may take long:
/// others must be able to take it.
pub(super) fn share_lifo_slot(pool: &PoolShared, me: &WorkerLocal) {
    if let Some(task) = me.lifo.take() {
        me.queue.push(task);
        pool.work_queued();
    }
}

/// What waits in the worker's own sources and the injector, for a worker that ends.
pub(super) fn left(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    me.lifo.take().or_else(|| me.queue.pop()).or_else(|| from_injector(pool, me))
}

/// Everybody else's work (step 4), for a worker that has none.
pub(super) fn elsewhere(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    if let Some(task) = from_injector(pool, me) {
        return Some(task);
    }
    let others = pool.workers.len();
    let start = me.random.borrow_mut().below(others);
    for offset in 0..others {
        let victim = (start + offset) % others;
        if victim == me.index {
            continue;
        }
        if let Some(task) =
            until_decided(|| pool.workers[victim].stealer.steal_batch_and_pop(&me.queue))
        {
            me.tally.steals.add(1);
            return Some(task);
        }
    }
    None
}

fn from_injector(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    if pool.injector.is_empty() {
        return None;
    }
    match pool.order {
        QueueOrder::Central => until_decided(|| pool.injector.steal()),
        _ => until_decided(|| pool.injector.steal_batch_and_pop(&me.queue)),
    }
}

fn until_decided(mut attempt: impl FnMut() -> Steal<Task>) -> Option<Task> {
    loop {
        match attempt() {
            Steal::Success(task) => return Some(task),
            Steal::Empty => return None,
            Steal::Retry => odeon_sync::spin_loop(),
        }
    }
}
