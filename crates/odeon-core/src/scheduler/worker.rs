//! How a pool thread finds an actor and gives it one turn.
//!
//! One message in five files: `send.rs` → `mailbox/inbox.rs` → `scheduler/submit.rs` →
//! **`scheduler/worker.rs`** → `turn/sequential.rs`.

use std::cell::{Cell, RefCell};

use crossbeam_deque::Worker as Queue;
use odeon_sync::atomic::Ordering;

use super::find_work;
use super::pool::{PoolShared, QueueOrder};
use super::submit::Origin;
use crate::current;
use crate::random::Random;
use crate::turn::Task;

/// What only the worker's own thread touches.
pub(crate) struct WorkerLocal {
    /// The pool, to recognise it; never dereferenced through this pointer.
    pub(super) pool: *const PoolShared,
    pub(super) index: usize,
    pub(super) queue: Queue<Task>,
    /// The actor woken last: runs next, without passing through the queue. Nobody can steal it, so
    /// it waits at most for the end of the message being handled.
    pub(super) lifo: Cell<Option<Task>>,
    pub(super) lifo_streak: Cell<u32>,
    pub(super) tick: Cell<u32>,
    pub(super) random: RefCell<Random>,
}

/// TUNE: rounds of looking everywhere before a worker sleeps, each with twice the pause of the one
/// before up to 2^7: about 10 us in all on the machines tried. Waking a sleeping thread costs more.
const SEARCH_ROUNDS: u32 = if cfg!(any(odeon_loom, odeon_shuttle)) { 1 } else { 12 };

impl WorkerLocal {
    pub(super) fn new(pool: &PoolShared, index: usize, queue: Queue<Task>, random: Random) -> Self {
        Self {
            pool,
            index,
            queue,
            lifo: Cell::new(None),
            lifo_streak: Cell::new(0),
            tick: Cell::new(0),
            random: RefCell::new(random),
        }
    }

    /// Queues a task submitted by the actor that this worker is running.
    #[inline]
    pub(super) fn submit(&self, pool: &PoolShared, task: Task, origin: Origin) {
        let shared = if origin == Origin::Message && pool.lifo_slot {
            match self.lifo.replace(Some(task)) {
                None => return,
                Some(displaced) => displaced,
            }
        } else {
            task
        };
        self.queue.push(shared);
        pool.wake_one();
    }
}

/// The life of a worker thread.
pub(super) fn run(pool: &PoolShared, me: &WorkerLocal) {
    current::with(|current| {
        current.worker.set(me);
        current.shard.set(me.index + 1);
    });
    // A turn catches the panics of handlers; whatever else unwinds is a defect of the runtime and
    // must not leave a pool with a thread less.
    let guard = odeon_sync::AbortGuard::new("pool worker");
    while let Some(task) = next_task(pool, me) {
        let limits = pool.theater.limits();
        let (_, again) = task.run(&limits);
        if let Some(task) = again {
            requeue(pool, me, task);
        }
    }
    guard.disarm();
    current::with(|current| current.worker.set(std::ptr::null()));
    // What is left belongs to actors that the shutdown ends itself.
    while let Some(task) = me.lifo.take().or_else(|| me.queue.pop()) {
        task.forget();
    }
}

/// An actor whose budget ran out goes behind everything that waits.
fn requeue(pool: &PoolShared, me: &WorkerLocal, task: Task) {
    if pool.order == QueueOrder::Central {
        pool.injector.push(task);
    } else {
        me.queue.push(task);
    }
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
    let mut searching = pool.idle.begin_search();
    loop {
        if searching {
            if let Some(task) = search(pool, me) {
                if pool.idle.found_work() && pool.has_work() {
                    pool.wake_one();
                }
                return Some(task);
            }
        }
        pool.idle.enter_sleep(me.index, searching);
        pool.theater.fell_asleep();
        // Not searching workers have not looked everywhere yet: `has_work` is that look.
        if pool.has_work() && pool.idle.leave_sleep(me.index) {
            searching = true;
            continue;
        }
        pool.workers[me.index].parker.park();
        // ORDERING: SeqCst: pairs with the store in `PoolShared::end`.
        if pool.ending.load(Ordering::SeqCst) {
            return None;
        }
        // Whoever left the token counted us as searching.
        searching = true;
    }
}

fn search(pool: &PoolShared, me: &WorkerLocal) -> Option<Task> {
    for round in 0..SEARCH_ROUNDS {
        if let Some(task) = find_work::elsewhere(pool, me) {
            return Some(task);
        }
        for _ in 0..1u32 << round.min(7) {
            odeon_sync::spin_loop();
        }
    }
    None
}
