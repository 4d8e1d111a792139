//! The version with selectors: a mailbox for each priority, so that boards with more queens go
//! first, and a stop before all of them.

use super::board::{BoardTask, Finding};
use super::{MAX_PRIORITIES, QueensSetup};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

pub(super) fn begin(theater: &Theater, plan: QueensSetup, finish: Finish) {
    let master =
        QueensMaster { plan, solvers: Vec::new(), sent: 0, done: 0, found: 0, stopped: 0, finish };
    theater.spawn(master).post(ToQueensMaster::Begin);
}

/// The mailbox of what is no work: behind all priorities.
const COUNTED: usize = MAX_PRIORITIES;

enum ToQueensMaster {
    Begin,
    Work(BoardTask),
    Found,
    Done,
    Stopped,
}

impl Message for ToQueensMaster {
    const MAILBOXES: usize = MAX_PRIORITIES + 1;

    fn mailbox(&self) -> usize {
        match self {
            Self::Work(task) => task.priority,
            Self::Begin | Self::Found | Self::Done | Self::Stopped => COUNTED,
        }
    }
}

enum ToSolver {
    Work(BoardTask),
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

struct QueensMaster {
    plan: QueensSetup,
    solvers: Vec<ActorRef<ToSolver>>,
    sent: usize,
    done: usize,
    found: u64,
    stopped: usize,
    finish: Finish,
}

impl QueensMaster {
    /// To the solvers in turn.
    fn hand_on(&mut self, task: BoardTask) {
        self.solvers[self.sent % self.solvers.len()].post(ToSolver::Work(task));
        self.sent += 1;
    }

    fn stop_all(&self) {
        self.solvers.iter().for_each(|solver| solver.post(ToSolver::Stop));
    }
}

impl Actor for QueensMaster {
    type Msg = ToQueensMaster;

    fn handle(&mut self, message: ToQueensMaster, ctx: &mut Context<'_, Self>) {
        match message {
            ToQueensMaster::Begin => {
                let solver = || Solver { plan: self.plan, master: ctx.actor_ref() };
                self.solvers = (0..self.plan.solvers).map(|_| ctx.spawn(solver())).collect();
                self.hand_on(self.plan.first_task());
            }
            ToQueensMaster::Work(task) => self.hand_on(task),
            ToQueensMaster::Found => {
                self.found += 1;
                if self.found == self.plan.limit {
                    self.stop_all();
                }
            }
            ToQueensMaster::Done => {
                self.done += 1;
                if self.done == self.sent {
                    self.stop_all();
                }
            }
            ToQueensMaster::Stopped => {
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
    plan: QueensSetup,
    master: ActorRef<ToQueensMaster>,
}

impl Actor for Solver {
    type Msg = ToSolver;

    fn handle(&mut self, message: ToSolver, ctx: &mut Context<'_, Self>) {
        match message {
            ToSolver::Work(task) => {
                task.run(&self.plan, |finding| match finding {
                    Finding::Solution => self.master.post(ToQueensMaster::Found),
                    Finding::Task(task) => self.master.post(ToQueensMaster::Work(task)),
                });
                self.master.post(ToQueensMaster::Done);
            }
            ToSolver::Stop => {
                self.master.post(ToQueensMaster::Stopped);
                ctx.stop();
            }
        }
    }
}
