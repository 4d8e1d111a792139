//! Where a worker looks for its next task, and in which order.
//!
//! 1. Every [`INJECTOR_TICK`] turns the injector first: outside submissions never starve.
//! 2. The LIFO slot: the actor woken last, whose message is still warm in the cache; at most
//!    [`LIFO_STREAK`] times in a row while others wait.
//! 3. The own queue.
//! 4. The injector.
//! 5. The other workers' queues, starting at a random one.

use crossbeam_deque::Steal;

use super::pool::{PoolShared, QueueOrder};
use super::worker::WorkerLocal;
use crate::turn::Task;

/// TUNE: turns between two looks at the injector before own work. The longest wait of an outside
/// submission is this many turns per earlier submission; 61 is the order of magnitude that tokio
/// and Go use, guessed there and here, prime so that it does not resonate with patterns of actors.
const INJECTOR_TICK: u32 = 61;

/// TUNE: turns in a row from the LIFO slot while the own queue waits. 16 keeps chains of messages
/// warm; the wait it adds for the queue is 16 turns.
const LIFO_STREAK: u32 = 16;

/// The worker's own sources and the injector (steps 1 to 4).
#[inline]
pub(super) fn local(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    if pool.order == QueueOrder::Central {
        return from_injector(pool, me);
    }
    let tick = me.tick.get().wrapping_add(1);
    me.tick.set(tick);
    if tick % INJECTOR_TICK == 0 {
        if let Some(task) = one_from_injector(pool) {
            return Some(task);
        }
    }
    if me.lifo_streak.get() < LIFO_STREAK || me.queue.is_empty() {
        if let Some(task) = me.lifo.take() {
            me.lifo_streak.set(me.lifo_streak.get() + 1);
            return Some(task);
        }
    }
    me.lifo_streak.set(0);
    if let Some(task) = me.queue.pop() {
        return Some(task);
    }
    from_injector(pool, me)
}

/// Everybody else's work (step 5), for a worker that has none.
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
            return Some(task);
        }
    }
    None
}

fn from_injector(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    if pool.injector.is_empty() {
        return None;
    }
    if pool.order == QueueOrder::Central {
        return one_from_injector(pool);
    }
    until_decided(|| pool.injector.steal_batch_and_pop(&me.queue))
}

fn one_from_injector(pool: &PoolShared) -> Option<Task> {
    until_decided(|| pool.injector.steal())
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
