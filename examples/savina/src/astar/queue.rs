//! The version with actors of one mailbox that keep a priority queue of their work. Between two
//! nodes a searcher takes in all that has arrived, so that a stop goes before what it has in its
//! queue.

use super::Setup;
use super::grid::{Grid, ORIGIN};
use super::searching::{Search, Task};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

pub(super) fn begin(theater: &Theater, plan: Setup, grid: Arc<Grid>, finish: Finish) {
    let master = Master { plan, grid, searchers: Vec::new(), sent: 0, done: 0, stopped: 0, finish };
    theater.spawn(master).post(ToMaster::Begin);
}

#[derive(Message)]
enum ToMaster {
    Begin,
    Work(Task),
    Done,
    Found,
    Stopped,
}

#[derive(Message)]
enum ToSearcher {
    Work(Task),
    /// To itself, behind what has arrived: the most urgent is next.
    Next,
    Stop,
}

struct Master {
    plan: Setup,
    grid: Arc<Grid>,
    searchers: Vec<ActorRef<ToSearcher>>,
    sent: usize,
    done: usize,
    stopped: usize,
    finish: Finish,
}

impl Master {
    /// To the searchers in turn.
    fn hand_on(&mut self, task: Task) {
        self.searchers[self.sent % self.searchers.len()].post(ToSearcher::Work(task));
        self.sent += 1;
    }

    fn stop_all(&self) {
        self.searchers.iter().for_each(|searcher| searcher.post(ToSearcher::Stop));
    }
}

impl Actor for Master {
    type Msg = ToMaster;

    fn handle(&mut self, message: ToMaster, ctx: &mut Context<'_, Self>) {
        match message {
            ToMaster::Begin => {
                let searcher = |number| Searcher {
                    plan: self.plan,
                    search: Search::new(self.grid.clone(), number),
                    master: ctx.actor_ref(),
                    work: BinaryHeap::new(),
                    taken: 0,
                };
                let searchers = (0..self.plan.searchers).map(|number| ctx.spawn(searcher(number)));
                self.searchers = searchers.collect();
                self.hand_on(self.plan.first.task(&self.grid, ORIGIN));
            }
            ToMaster::Work(task) => self.hand_on(task),
            ToMaster::Done => {
                self.done += 1;
                if self.done == self.sent {
                    self.stop_all();
                }
            }
            ToMaster::Found => self.stop_all(),
            ToMaster::Stopped => {
                self.stopped += 1;
                if self.stopped == self.searchers.len() {
                    self.finish.arrive();
                    ctx.stop();
                }
            }
        }
    }
}

struct Searcher {
    plan: Setup,
    search: Search,
    master: ActorRef<ToMaster>,
    /// By priority; of equally urgent ones, the one that came first goes first.
    work: BinaryHeap<Reverse<(usize, u64, Task)>>,
    taken: u64,
}

impl Actor for Searcher {
    type Msg = ToSearcher;

    fn handle(&mut self, message: ToSearcher, ctx: &mut Context<'_, Self>) {
        match message {
            ToSearcher::Work(task) => {
                // Else a `Next` is on its way already.
                if self.work.is_empty() {
                    ctx.send_self(ToSearcher::Next);
                }
                self.work.push(Reverse((task.priority, self.taken, task)));
                self.taken += 1;
            }
            ToSearcher::Next => {
                let Some(Reverse((_, _, task))) = self.work.pop() else { return };
                if self.search.go_on(task.node, self.plan.threshold) {
                    self.master.post(ToMaster::Found);
                } else {
                    let tasks = self.search.drain_edge(self.plan.first);
                    tasks.for_each(|task| self.master.post(ToMaster::Work(task)));
                }
                self.master.post(ToMaster::Done);
                if !self.work.is_empty() {
                    ctx.send_self(ToSearcher::Next);
                }
            }
            ToSearcher::Stop => {
                self.master.post(ToMaster::Stopped);
                ctx.stop();
            }
        }
    }
}
