//! The version with actors of one mailbox that keep a priority queue of their work: boards with
//! more queens go first. Between two of them a solver takes in all that has arrived, so that a stop
//! goes before what it has in its queue.

use super::QueensSetup;
use super::board::{BoardTask, Finding};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) fn begin(theater: &Theater, plan: QueensSetup, finish: Finish) {
    let master =
        QueensMaster { plan, solvers: Vec::new(), sent: 0, done: 0, found: 0, stopped: 0, finish };
    theater.spawn(master).post(ToQueensMaster::Begin);
}

#[derive(Message)]
enum ToQueensMaster {
    Begin,
    Work(BoardTask),
    Found,
    Done,
    Stopped,
}

#[derive(Message)]
enum ToSolver {
    Work(BoardTask),
    /// To itself, behind what has arrived: the most urgent is next.
    Next,
    Stop,
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
                let (plan, master) = (self.plan, || ctx.actor_ref());
                let solver =
                    || Solver { plan, master: master(), work: BinaryHeap::new(), taken: 0 };
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
    /// By priority; of equally urgent ones, the one that came first goes first.
    work: BinaryHeap<Reverse<(usize, u64, BoardTask)>>,
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
                    Finding::Solution => self.master.post(ToQueensMaster::Found),
                    Finding::Task(task) => self.master.post(ToQueensMaster::Work(task)),
                });
                self.master.post(ToQueensMaster::Done);
                if !self.work.is_empty() {
                    ctx.send_self(ToSolver::Next);
                }
            }
            ToSolver::Stop => {
                self.master.post(ToQueensMaster::Stopped);
                ctx.stop();
            }
        }
    }
}
