//! The version with selectors: a mailbox for each priority, so that boards with more queens go
//! first, and a stop before all of them.

use super::board::{Finding, Task};
use super::{MAX_PRIORITIES, Setup};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

pub(super) fn begin(theater: &Theater, plan: Setup, finish: Finish) {
    let master =
        Master { plan, solvers: Vec::new(), sent: 0, done: 0, found: 0, stopped: 0, finish };
    theater.spawn(master).post(ToMaster::Begin);
}

/// The mailbox of what is no work: behind all priorities.
const COUNTED: usize = MAX_PRIORITIES;

enum ToMaster {
    Begin,
    Work(Task),
    Found,
    Done,
    Stopped,
}

impl Message for ToMaster {
    const MAILBOXES: usize = MAX_PRIORITIES + 1;

    fn mailbox(&self) -> usize {
        match self {
            Self::Work(task) => task.priority,
            Self::Begin | Self::Found | Self::Done | Self::Stopped => COUNTED,
        }
    }
}

enum ToSolver {
    Work(Task),
    Stop,
}

impl Message for ToSolver {
    const MAILBOXES: usize = MAX_PRIORITIES;

    fn mailbox(&self) -> usize {
        match self {
            Self::Work(task) => task.priority,
            Self::Stop => 0,
        }
    }
}

struct Master {
    plan: Setup,
    solvers: Vec<ActorRef<ToSolver>>,
    sent: usize,
    done: usize,
    found: u64,
    stopped: usize,
    finish: Finish,
}

impl Master {
    /// To the solvers in turn.
    fn hand_on(&mut self, task: Task) {
        self.solvers[self.sent % self.solvers.len()].post(ToSolver::Work(task));
        self.sent += 1;
    }

    fn stop_all(&self) {
        self.solvers.iter().for_each(|solver| solver.post(ToSolver::Stop));
    }
}

impl Actor for Master {
    type Msg = ToMaster;

    fn handle(&mut self, message: ToMaster, ctx: &mut Context<'_, Self>) {
        match message {
            ToMaster::Begin => {
                let solver = || Solver { plan: self.plan, master: ctx.actor_ref() };
                self.solvers = (0..self.plan.solvers).map(|_| ctx.spawn(solver())).collect();
                self.hand_on(self.plan.first_task());
            }
            ToMaster::Work(task) => self.hand_on(task),
            ToMaster::Found => {
                self.found += 1;
                if self.found == self.plan.limit {
                    self.stop_all();
                }
            }
            ToMaster::Done => {
                self.done += 1;
                if self.done == self.sent {
                    self.stop_all();
                }
            }
            ToMaster::Stopped => {
                self.stopped += 1;
                if self.stopped == self.solvers.len() {
                    self.plan.end(self.found, &self.finish);
                    ctx.stop();
                }
            }
        }
    }
}

struct Solver {
    plan: Setup,
    master: ActorRef<ToMaster>,
}

impl Actor for Solver {
    type Msg = ToSolver;

    fn handle(&mut self, message: ToSolver, ctx: &mut Context<'_, Self>) {
        match message {
            ToSolver::Work(task) => {
                task.run(&self.plan, |finding| match finding {
                    Finding::Solution => self.master.post(ToMaster::Found),
                    Finding::Task(task) => self.master.post(ToMaster::Work(task)),
                });
                self.master.post(ToMaster::Done);
            }
            ToSolver::Stop => {
                self.master.post(ToMaster::Stopped);
                ctx.stop();
            }
        }
    }
}
