//! The version with actors of one mailbox that keep a priority queue of their work. Between two
//! nodes a searcher takes in all that has arrived, so that a stop goes before what it has in its
//! queue.

use super::AStarSetup;
use super::grid::{Grid, ORIGIN};
use super::searching::{SearchState, SearchTask};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

pub(super) fn begin(theater: &Theater, plan: AStarSetup, grid: Arc<Grid>, finish: Finish) {
    let master = GridMaster { plan, grid, searchers: vec![], sent: 0, done: 0, stopped: 0, finish };
    theater.spawn(master).post(ToGridMaster::Begin);
}

#[derive(Message)]
enum ToGridMaster {
    Begin,
    Work(SearchTask),
    Done,
    Found,
    Stopped,
}

#[derive(Message)]
enum ToSearcher {
    Work(SearchTask),
    /// To itself, behind what has arrived: the most urgent is next.
    Next,
    Stop,
}

struct GridMaster {
    plan: AStarSetup,
    grid: Arc<Grid>,
    searchers: Vec<ActorRef<ToSearcher>>,
    sent: usize,
    done: usize,
    stopped: usize,
    finish: Finish,
}

impl GridMaster {
    /// To the searchers in turn.
    fn hand_on(&mut self, task: SearchTask) {
        self.searchers[self.sent % self.searchers.len()].post(ToSearcher::Work(task));
        self.sent += 1;
    }

    fn stop_all(&self) {
        self.searchers.iter().for_each(|searcher| searcher.post(ToSearcher::Stop));
    }
}

impl Actor for GridMaster {
    type Msg = ToGridMaster;

    fn handle(&mut self, message: ToGridMaster, ctx: &mut Context<'_, Self>) {
        match message {
            ToGridMaster::Begin => {
                let searcher = |number| Searcher {
                    plan: self.plan,
                    search: SearchState::new(self.grid.clone(), number),
                    master: ctx.actor_ref(),
                    work: BinaryHeap::new(),
                    taken: 0,
                };
                let searchers = (0..self.plan.searchers).map(|number| ctx.spawn(searcher(number)));
                self.searchers = searchers.collect();
                self.hand_on(self.plan.first.task(&self.grid, ORIGIN));
            }
            ToGridMaster::Work(task) => self.hand_on(task),
            ToGridMaster::Done => {
                self.done += 1;
                if self.done == self.sent {
                    self.stop_all();
                }
            }
            ToGridMaster::Found => self.stop_all(),
            ToGridMaster::Stopped => {
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
    plan: AStarSetup,
    search: SearchState,
    master: ActorRef<ToGridMaster>,
    /// By priority; of equally urgent ones, the one that came first goes first.
    work: BinaryHeap<Reverse<(usize, u64, SearchTask)>>,
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
                    self.master.post(ToGridMaster::Found);
                } else {
                    let tasks = self.search.drain_edge(self.plan.first);
                    tasks.for_each(|task| self.master.post(ToGridMaster::Work(task)));
                }
                self.master.post(ToGridMaster::Done);
                if !self.work.is_empty() {
                    ctx.send_self(ToSearcher::Next);
                }
            }
            ToSearcher::Stop => {
                self.master.post(ToGridMaster::Stopped);
                ctx.stop();
            }
        }
    }
}
