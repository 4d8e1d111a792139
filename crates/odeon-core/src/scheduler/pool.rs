//! The pool: worker threads that steal from each other.

use std::sync::Arc;

use crossbeam_deque::{Injector, Stealer, Worker as Queue};
use crossbeam_utils::CachePadded;
use odeon_sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use odeon_sync::thread::JoinHandle;

use super::alarm::Alarm;
use super::callers::{self, Callers};
use super::idle::Idle;
use super::monitor::Effort;
use super::placement;
use super::probe::Probes;
use super::worker::{self, WorkerLocal};
use super::worker_task::{SpawnWorker, TaskWorkers};
use crate::process::config::QueueOrder;
use crate::process::current;
use crate::process::home::Home;
use crate::process::submit::{CallersWork, Origin, Submit};
use crate::process::task::Task;
use crate::process::theater_shared::TheaterShared;
use crate::telemetry::StageTally;
use crate::vocabulary::random::Random;

/// One worker as the others see it.
pub(super) struct WorkerShared {
    pub(super) stealer: Stealer<Task>,
    pub(super) alarm: Alarm,
    /// On a line of its own: it is written with every turn, and thieves read what is beside it.
    pub(super) progress: CachePadded<Progress>,
    /// What is counted for `Theater::stats`; written by the worker.
    pub(super) tally: Arc<StageTally>,
}

/// What a worker has done so far; written by the worker.
#[derive(Default)]
pub(super) struct Progress {
    /// Turns given, for the monitor.
    pub(super) turns: AtomicU64,
    /// Messages handled, for probes.
    pub(super) messages: AtomicU64,
}

/// The pool of one theater.
pub(crate) struct PoolShared {
    pub(super) workers: Box<[CachePadded<WorkerShared>]>,
    pub(super) injector: Injector<Task>,
    pub(super) order: QueueOrder,
    pub(super) lifo_slot: bool,
    /// On lines of its own: it changes with every falling asleep, and the fields beside it are read
    /// with every turn.
    pub(super) idle: CachePadded<Idle>,
    pub(super) effort: Effort,
    pub(super) probes: Probes,
    pub(super) callers: Callers,
    pub(super) ending: AtomicBool,
    /// The workers, if they are no threads.
    pub(super) tasks: TaskWorkers,
    pub(super) theater: Arc<TheaterShared>,
}

impl PoolShared {
    /// Starts the pool: on threads, or as `tasks` of another runtime.
    pub(crate) fn start(
        theater: Arc<TheaterShared>,
        tasks: Option<SpawnWorker>,
    ) -> std::io::Result<(Arc<Self>, Vec<JoinHandle<()>>)> {
        let config = theater.config.clone();
        let queues: Vec<Queue<Task>> = (0..config.workers)
            .map(|_| match config.order {
                QueueOrder::Lifo => Queue::new_lifo(),
                QueueOrder::Fifo | QueueOrder::Central => Queue::new_fifo(),
            })
            .collect();
        let pool = Arc::new(Self {
            workers: queues
                .iter()
                .map(|queue| {
                    CachePadded::new(WorkerShared {
                        stealer: queue.stealer(),
                        alarm: tasks.as_ref().map_or_else(Alarm::of_thread, |_| Alarm::of_task()),
                        progress: CachePadded::default(),
                        tally: Arc::default(),
                    })
                })
                .collect(),
            injector: Injector::new(),
            order: config.order,
            lifo_slot: config.lifo_slot,
            idle: CachePadded::new(Idle::new(config.workers)),
            effort: tasks.as_ref().map_or_else(Effort::default, |_| Effort::at_once()),
            probes: tasks.as_ref().map_or_else(Probes::new, |_| Probes::never()),
            callers: Callers::new(&config, theater.hooks()),
            ending: AtomicBool::new(false),
            tasks: TaskWorkers::new(if tasks.is_some() { config.workers } else { 0 }),
            theater,
        });
        let mut seeds = Random::from_seed(config.random_seed);
        let locals: Vec<_> = queues
            .into_iter()
            .enumerate()
            .map(|(index, queue)| {
                WorkerLocal::new(&pool, index, queue, Random::from_seed(seeds.next_u64()))
            })
            .collect();
        match tasks {
            None => pool.start_threads(locals),
            Some(spawn) => {
                TaskWorkers::start(&pool, locals, spawn);
                Ok((pool, Vec::new()))
            }
        }
    }

    fn start_threads(
        self: Arc<Self>,
        locals: Vec<WorkerLocal>,
    ) -> std::io::Result<(Arc<Self>, Vec<JoinHandle<()>>)> {
        let mut threads = Vec::with_capacity(locals.len());
        for local in locals {
            let index = local.index;
            let shared = self.clone();
            let pin = self.theater.config.pin_workers;
            let work = self.theater.counted_thread(move || {
                if pin {
                    placement::pin_to_nth_core(index);
                }
                worker::run(&shared, &local);
            });
            match self.theater.new_thread(&format!("worker-{index}")).spawn(work) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    self.theater.uncount_thread();
                    self.end();
                    for thread in threads {
                        let _ = thread.join();
                    }
                    return Err(error);
                }
            }
        }
        Ok((self, threads))
    }

    /// A searching worker has found work: others search for what is left (`idle.rs`, rule 5).
    pub(super) fn found_work(&self) {
        let searching = self.idle.found_work();
        if searching == 0 && self.has_work() {
            self.work_added();
        }
        if self.workers.len() <= 2 || !self.effort.is_coarse() {
            return;
        }
        // One has just been woken if nobody searched.
        let searching = searching.max(1);
        for _ in 0..self.queued().saturating_sub(searching).min(2) {
            let Some(worker) = self.idle.call_help() else { return };
            self.wake(worker);
        }
    }

    /// Wakes a worker that `idle` has chosen.
    pub(super) fn wake(&self, worker: usize) {
        self.workers[worker].alarm.ring();
    }

    /// After a queue push that others can see: wakes a worker if that helps.
    #[inline]
    pub(super) fn work_added(&self) {
        if let Some(worker) = self.idle.work_added(self.effort.is_coarse()) {
            self.wake(worker);
        }
    }

    /// After a worker's push to its own queue: appoints a monitor if there is none.
    #[inline]
    pub(super) fn work_queued(&self) {
        if let Some(worker) = self.idle.work_queued(self.effort.is_coarse()) {
            self.wake(worker);
        }
    }

    /// Tells all workers to return; each gives the tasks that it still finds one turn.
    pub(crate) fn end(&self) {
        // ORDERING: SeqCst: stored before the tokens are left; workers look after taking theirs.
        self.ending.store(true, Ordering::SeqCst);
        // ORDERING: before anybody looks whether callers are within; partner: the fence in
        // `Callers::enter`.
        fence(Ordering::SeqCst);
        for worker in &self.workers {
            worker.alarm.ring();
        }
    }

    /// Has threads go on in the place of workers that are tasks: whoever polls these may be waiting
    /// for what they do.
    pub(crate) fn take_over(self: &Arc<Self>) {
        TaskWorkers::take_over(self);
    }

    /// The threads that have taken over.
    pub(crate) fn take_threads(&self) -> Vec<JoinHandle<()>> {
        self.tasks.take_threads()
    }

    /// Whether all workers sleep, nobody else gives turns and no queue holds a task, and a number
    /// that changes with every falling asleep and every caller. A worker that has just entered
    /// itself as sleeping has its second look at the queues still before it (`idle.rs`, protocol
    /// 3), so the queues are looked at here as well.
    pub(crate) fn all_sleep(&self) -> (bool, u64) {
        let (asleep, sleeps) = self.idle.all_sleep();
        let callers = self.callers.all_gone();
        // Last: what a caller has not finished it has queued.
        let is_quiet = asleep && callers.is_some() && !self.has_work();
        (is_quiet, sleeps.wrapping_add(callers.unwrap_or_default()))
    }

    /// Whether nobody gives turns beside the workers; once the pool [ends](Self::end), nobody will.
    pub(crate) fn has_no_callers(&self) -> bool {
        self.callers.all_gone().is_some()
    }

    /// What is counted of each worker, and its turns.
    pub(crate) fn tallies(&self) -> impl Iterator<Item = (&StageTally, u64)> {
        // ORDERING: Relaxed: a number for people.
        self.workers
            .iter()
            .map(|worker| (&*worker.tally, worker.progress.turns.load(Ordering::Relaxed)))
    }

    /// How many tasks the queues hold; an estimate.
    pub(super) fn queued(&self) -> usize {
        let own: usize = self.workers.iter().map(|worker| worker.stealer.len()).sum();
        self.injector.len() + own
    }

    /// Whether any queue holds a task.
    pub(super) fn has_work(&self) -> bool {
        !self.injector.is_empty() || self.workers.iter().any(|worker| !worker.stealer.is_empty())
    }
}

impl Submit for PoolShared {
    fn submit(&self, task: Task, origin: Origin) {
        if origin == Origin::Beside {
            self.injector.push(task);
            if let Some(worker) = self.idle.work_added(true) {
                self.wake(worker);
            }
            return;
        }
        let here = current::here();
        if here.home.get() == Home::submitting(self) && self.order != QueueOrder::Central {
            // SAFETY: this thread is a worker of this pool, and sets the pointer for as long as its
            // `WorkerLocal` lives.
            unsafe { &*here.worker.get().cast::<WorkerLocal>() }.submit(self, task, origin);
        } else {
            self.injector.push(task);
            self.work_added();
        }
    }

    fn for_caller(&self, work: &mut CallersWork<'_>) -> bool {
        callers::work(self, work)
    }

    fn theater(&self) -> &Arc<TheaterShared> {
        &self.theater
    }

    fn has_waiting(&self) -> bool {
        let here = current::here();
        if here.home.get() != Home::submitting(self) || !self.injector.is_empty() {
            return true;
        }
        // SAFETY: as in `submit`.
        unsafe { &*here.worker.get().cast::<WorkerLocal>() }.has_waiting()
    }
}
