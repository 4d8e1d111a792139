//! Workers of the pool that are tasks of another runtime: what the program has threads for already
//! (`TheaterBuilderExt::on_tokio` of `odeon-tokio`).
//!
//! PROTOCOL
//! 1. A worker lies in its place in [`TaskWorkers`]. Whoever polls its task holds the lock of the
//!    place meanwhile, so one thread at a time is the worker.
//! 2. A poll gives turns for a slice of time, then has itself polled again, behind what else waits
//!    there. A worker that finds nothing enters itself as sleeping (`idle.rs`, rule 3); before that
//!    it leaves its waker with its [`Alarm`](super::alarm::Alarm), and a poll that finds it asleep
//!    leaves its own before it looks what it has been woken for. So who has taken it off the list
//!    of sleepers wakes the task that was polled last, or that poll sees that it is awake.
//! 3. Nobody can make the other runtime poll: it may have been shut down, or its only thread may be
//!    the one that waits for the theater's end. So when the theater is about to end, and when a
//!    task is dropped that has not returned, threads *take over* ([`TaskWorkers::take_over`]): each
//!    takes a worker out of its place and polls it until it returns. The task finds an empty place
//!    and is over. A worker that returns to its task leaves an empty place to the thread. Who has
//!    left a waker looks once more whether the pool ends: the ring may have come before.
//! 4. The shutdown waits for each worker as for a thread, whoever polls it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use odeon_sync::atomic::Ordering;
use odeon_sync::thread::JoinHandle;
use odeon_sync::{AbortGuard, Mutex, MutexGuard};

use super::find_work;
use super::idle::Duty;
use super::pool::PoolShared;
use super::worker::{self, WorkerLocal};
use crate::process::current;
use crate::process::home::Home;
use crate::process::task::Task;
use crate::vocabulary::blocked_thread::BlockedThread;

/// TUNE: how long a poll goes on giving turns. A task of tokio lets others go first after some tens
/// of microseconds; a turn has up to 100.
const SLICE: Duration = Duration::from_micros(50);

/// TUNE: turns between two looks at the clock, at most: looks that cost nothing beside them, and
/// few enough that a slice is not missed by much where turns become long.
const TURNS_PER_LOOK: u32 = 16;

/// Has a worker polled by another runtime.
pub(crate) type SpawnWorker = Box<dyn Fn(WorkerTask) + Send>;

/// A worker of a theater's pool, to be polled until it is over by a runtime that has threads. Polls
/// take some 50 us, or as long as one message does. Dropped earlier, a thread does its work.
#[must_use = "a worker does nothing unless it is polled"]
pub struct WorkerTask {
    pool: Arc<PoolShared>,
    index: usize,
    is_over: bool,
}

impl Future for WorkerTask {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut place = self.pool.tasks.place(self.index);
        let polled = match &mut *place {
            Some(worker) => worker.poll(&self.pool, cx.waker()),
            None => Poll::Ready(()),
        };
        if polled.is_ready() {
            // A thread that takes over late finds nobody.
            *place = None;
        }
        drop(place);
        self.is_over = polled.is_ready();
        polled
    }
}

impl Drop for WorkerTask {
    fn drop(&mut self) {
        if !self.is_over {
            TaskWorkers::take_over(&self.pool);
        }
    }
}

impl std::fmt::Debug for WorkerTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerTask").field("index", &self.index).finish_non_exhaustive()
    }
}

/// The workers of a pool that are tasks: all, or none.
pub(super) struct TaskWorkers {
    places: Box<[Mutex<Option<TaskWorker>>]>,
    /// Those that do the work of the tasks, once they do.
    threads: Mutex<Option<Vec<JoinHandle<()>>>>,
}

impl TaskWorkers {
    pub(super) fn new(workers: usize) -> Self {
        let places = (0..workers).map(|_| Mutex::new(None)).collect();
        Self { places, threads: Mutex::new(None) }
    }

    /// Puts the workers into their places and has them polled.
    pub(super) fn start(pool: &Arc<PoolShared>, workers: Vec<WorkerLocal>, spawn: SpawnWorker) {
        for local in workers {
            pool.theater.count_thread();
            let index = local.index;
            *pool.tasks.place(index) = Some(TaskWorker { local, state: State::Awake });
        }
        for index in 0..pool.tasks.places.len() {
            spawn(WorkerTask { pool: pool.clone(), index, is_over: false });
        }
    }

    /// Has threads go on in the place of the tasks, once. Without a thread a worker stays with its
    /// task.
    pub(super) fn take_over(pool: &Arc<PoolShared>) {
        let mut threads = lock(&pool.tasks.threads);
        if threads.is_some() {
            return;
        }
        let start = |index| {
            let shared = pool.clone();
            let work = pool.theater.counted_thread(move || go_on(&shared, index));
            let started = pool.theater.new_thread(&format!("worker-{index}")).spawn(work);
            started.inspect_err(|_| pool.theater.uncount_thread()).ok()
        };
        *threads = Some((0..pool.tasks.places.len()).filter_map(start).collect());
    }

    /// The threads that have taken over.
    pub(super) fn take_threads(&self) -> Vec<JoinHandle<()>> {
        lock(&self.threads).as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn place(&self, index: usize) -> MutexGuard<'_, Option<TaskWorker>> {
        lock(&self.places[index])
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("what unwinds under these locks ends the process")
}

/// A thread that has taken over a worker.
fn go_on(pool: &Arc<PoolShared>, index: usize) {
    let Some(mut worker) = pool.tasks.place(index).take() else { return };
    // The task finds its place empty and is over.
    pool.wake(index);
    let thread = Arc::new(BlockedThread::default());
    let waker = Waker::from(thread.clone());
    while worker.poll(pool, &waker).is_pending() {
        thread.0.park();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Awake,
    /// It has no work, and looks for some; counted as searching.
    Searching,
    /// It has entered itself as sleeping.
    Asleep,
}

/// A worker that is polled.
struct TaskWorker {
    local: WorkerLocal,
    state: State,
}

impl TaskWorker {
    /// Is the worker for a slice of time.
    fn poll(&mut self, pool: &PoolShared, waker: &Waker) -> Poll<()> {
        // As in `worker::run`; and the lock of the place would be poisoned.
        let guard = AbortGuard::new("pool worker");
        // A handler of another theater may be what drives the runtime.
        let polled = current::at_nowhere(|| {
            let here = current::here();
            here.home.set(Home::submitting(pool));
            here.worker.set(std::ptr::from_ref(&self.local).cast());
            here.shard.set(self.local.index + 1);
            let Some(around) = &pool.theater.hooks().thread_context else {
                return self.work(pool, waker);
            };
            let mut polled = None;
            around(&mut || polled = Some(self.work(pool, waker)));
            polled.expect("a context must call what it is given")
        });
        guard.disarm();
        polled
    }

    fn work(&mut self, pool: &PoolShared, waker: &Waker) -> Poll<()> {
        let limits = pool.theater.limits();
        let mut now = pool.theater.now();
        self.local.has_work_from(now);
        let (end, mut turns, mut until_look) = (now + SLICE, 1, 1);
        let progress = &*pool.workers[self.local.index].progress;
        let polled = loop {
            // ORDERING: SeqCst: pairs with the store in `PoolShared::end`, behind which the worker
            // is woken.
            if pool.ending.load(Ordering::SeqCst) {
                worker::give_last_turns(pool, &self.local, &limits);
                break Poll::Ready(());
            }
            if until_look == 0 {
                now = pool.theater.now();
                if now >= end {
                    // Others can take who would have been next here.
                    find_work::share_lifo_slot(pool, &self.local);
                    waker.wake_by_ref();
                    break Poll::Pending;
                }
                turns = TURNS_PER_LOOK.min(2 * turns);
                until_look = turns;
            }
            until_look -= 1;
            match self.next_task(pool, waker) {
                Some(task) => worker::give_turn(pool, &self.local, progress, task, &limits),
                // ORDERING: SeqCst: as above, and behind the waker, which is left under the alarm's
                // lock: who ends the pool before it is there rings for nobody, and is seen here.
                None if self.state == State::Asleep && !pool.ending.load(Ordering::SeqCst) => {
                    break Poll::Pending;
                }
                None => {}
            }
        };
        self.local.turn_ended_at.set(None);
        self.local.tally.busy.end(pool.theater.now());
        if polled.is_ready() {
            pool.workers[self.local.index].alarm.forget_waker();
            pool.theater.uncount_thread();
            pool.theater.tell_shutdown();
        }
        polled
    }

    /// The next task; `None` if there is none and the worker sleeps, or if it is to look whether
    /// the pool ends.
    #[inline]
    fn next_task(&mut self, pool: &PoolShared, waker: &Waker) -> Option<Task> {
        if self.state == State::Awake {
            if let Some(task) = find_work::local(pool, &self.local) {
                return Some(task);
            }
        }
        self.find_or_sleep(pool, waker)
    }

    #[cold]
    fn find_or_sleep(&mut self, pool: &PoolShared, waker: &Waker) -> Option<Task> {
        let me = &self.local;
        let alarm = &pool.workers[me.index].alarm;
        match self.state {
            State::Asleep => {
                alarm.set_waker(waker);
                match pool.idle.duty(me.index) {
                    Some(Duty::Search) => self.state = State::Searching,
                    // Woken for the end, or for nothing. (Nobody appoints a monitor where workers
                    // are woken at once.)
                    Some(Duty::Monitor) | None => return None,
                }
            }
            State::Awake if pool.idle.begin_search() => self.state = State::Searching,
            State::Awake | State::Searching => {}
        }
        if self.state == State::Searching {
            if let Some(task) = find_work::elsewhere(pool, me) {
                self.state = State::Awake;
                pool.found_work();
                return Some(task);
            }
        }
        alarm.set_waker(waker);
        pool.idle.enter_sleep(me.index, self.state == State::Searching);
        pool.theater.fell_asleep();
        // The second look, as in `worker::find_or_sleep`.
        self.state = if pool.has_work() && pool.idle.leave_sleep(me.index) {
            State::Searching
        } else {
            me.tally.parks.add(1);
            State::Asleep
        };
        None
    }
}
