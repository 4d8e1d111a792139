//! Exhaustive models of the idle protocol with a counter in the place of the queues.

use odeon_sync::atomic::{AtomicU32, Ordering};
use odeon_sync::{Arc, Parker, thread};

use super::{Duty, Idle};

struct Pool {
    idle: Idle,
    queue: AtomicU32,
    parkers: Vec<Parker>,
    target: u32,
    done: AtomicU32,
    at_once: bool,
    /// The worker that steps aside instead of handling its first task.
    aside: Option<usize>,
}

impl Pool {
    fn new(workers: usize, target: u32, at_once: bool, aside: Option<usize>) -> Arc<Self> {
        Arc::new(Self {
            idle: Idle::new(workers),
            queue: AtomicU32::new(0),
            parkers: (0..workers).map(|_| Parker::new()).collect(),
            target,
            done: AtomicU32::new(0),
            at_once,
            aside,
        })
    }

    fn push(&self) {
        // ORDERING: Relaxed: the idle protocol's fences must be enough.
        self.queue.fetch_add(1, Ordering::Relaxed);
        self.work_added();
    }

    fn work_added(&self) {
        if let Some(worker) = self.idle.work_added(self.at_once) {
            self.parkers[worker].unpark();
        }
    }

    /// As the pool does it, with as much help as it may call.
    fn found_work(&self) {
        if self.idle.found_work() == 0 && self.has_work() {
            self.work_added();
        }
        while self.at_once && self.has_work() {
            let Some(worker) = self.idle.call_help() else { return };
            self.parkers[worker].unpark();
        }
    }

    fn has_work(&self) -> bool {
        self.queue.load(Ordering::Relaxed) > 0
    }

    fn take(&self) -> bool {
        self.queue.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok()
    }

    fn is_over(&self) -> bool {
        self.done.load(Ordering::SeqCst) == self.target
    }

    /// The worker's loop as `worker.rs` has it. The worker that handles the last task wakes all.
    fn work(&self, me: usize) {
        let mut searching = false;
        let mut steps_aside = self.aside == Some(me);
        while !self.is_over() {
            if self.take() {
                if std::mem::take(&mut steps_aside) {
                    self.queue.fetch_add(1, Ordering::Relaxed);
                    if std::mem::take(&mut searching) {
                        let _ = self.idle.found_work();
                    }
                    if self.idle.step_aside(me) {
                        self.sleep(me);
                        searching = true;
                    }
                    continue;
                }
                if std::mem::take(&mut searching) {
                    self.found_work();
                }
                if self.done.fetch_add(1, Ordering::SeqCst) + 1 == self.target {
                    self.parkers.iter().for_each(Parker::unpark);
                }
                continue;
            }
            self.idle.enter_sleep(me, std::mem::take(&mut searching));
            if !self.has_work() || !self.idle.leave_sleep(me) {
                self.sleep(me);
            }
            searching = true;
        }
    }

    fn sleep(&self, me: usize) {
        while !self.is_over() {
            match self.idle.duty(me) {
                Some(Duty::Search) => return,
                Some(Duty::Monitor) => {
                    self.parkers[me].park_timeout(std::time::Duration::ZERO);
                    let stopped = self.idle.leave_monitor(me);
                    if stopped && self.has_work() && self.idle.leave_sleep(me) {
                        return;
                    }
                    if !stopped {
                        // Another worker is awake: in the model it needs no help.
                        thread::yield_now();
                    }
                }
                None => self.parkers[me].park(),
            }
        }
    }
}

/// Every push is taken although workers go to sleep meanwhile: loom reports a deadlock otherwise.
fn pushes_are_never_slept_over(workers: usize, pushes: u32, at_once: bool, aside: Option<usize>) {
    let pool = Pool::new(workers, pushes, at_once, aside);
    let threads: Vec<_> = (0..workers)
        .map(|me| {
            let pool = pool.clone();
            thread::spawn(move || pool.work(me))
        })
        .collect();
    for _ in 0..pushes {
        pool.push();
    }
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn one_worker_two_pushes() {
    loom::model(|| pushes_are_never_slept_over(1, 2, false, None));
}

#[test]
fn two_workers_two_pushes() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.max_branches = 20_000;
    model.check(|| pushes_are_never_slept_over(2, 2, false, None));
}

#[test]
fn two_workers_woken_at_once() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.max_branches = 20_000;
    model.check(|| pushes_are_never_slept_over(2, 2, true, None));
}

#[test]
fn one_of_two_workers_steps_aside() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.max_branches = 20_000;
    model.check(|| pushes_are_never_slept_over(2, 2, false, Some(0)));
}
