//! The version with actors of one mailbox that keep a priority queue of their work: boards with
//! more queens go first. Between two of them a solver takes in all that has arrived, so that a stop
//! goes before what it has in its queue.

use super::Setup;
use super::board::{Finding, Task};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) fn begin(theater: &Theater, plan: Setup, finish: Finish) {
    let master =
        Master { plan, solvers: Vec::new(), sent: 0, done: 0, found: 0, stopped: 0, finish };
    theater.spawn(master).post(ToMaster::Begin);
}

#[derive(Message)]
enum ToMaster {
    Begin,
    Work(Task),
    Found,
    Done,
    Stopped,
}

#[derive(Message)]
enum ToSolver {
    Work(Task),
    /// To itself, behind what has arrived: the most urgent is next.
    Next,
    Stop,
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
                let (plan, master) = (self.plan, || ctx.actor_ref());
                let solver =
                    || Solver { plan, master: master(), work: BinaryHeap::new(), taken: 0 };
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
    /// By priority; of equally urgent ones, the one that came first goes first.
    work: BinaryHeap<Reverse<(usize, u64, Task)>>,
    taken: u64,
}

impl Actor for Solver {
    type Msg = ToSolver;

    fn handle(&mut self, message: ToSolver, ctx: &mut Context<'_, Self>) {
        match message {
            ToSolver::Work(task) => {
                // Else a `Next` is on its way already.
                if self.work.is_empty() {
                    ctx.send_self(ToSolver::Next);
                }
                self.work.push(Reverse((task.priority, self.taken, task)));
                self.taken += 1;
            }
            ToSolver::Next => {
                let Some(Reverse((_, _, task))) = self.work.pop() else { return };
                task.run(&self.plan, |finding| match finding {
                    Finding::Solution => self.master.post(ToMaster::Found),
                    Finding::Task(task) => self.master.post(ToMaster::Work(task)),
                });
                self.master.post(ToMaster::Done);
                if !self.work.is_empty() {
                    ctx.send_self(ToSolver::Next);
                }
            }
            ToSolver::Stop => {
                self.master.post(ToMaster::Stopped);
                ctx.stop();
            }
        }
    }
}
