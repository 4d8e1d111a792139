//! The version with actors of one mailbox: first come, first served. A stop waits behind all the
//! work that a searcher has been sent.

use super::AStarSetup;
use super::grid::{Grid, ORIGIN};
use super::searching::{SearchState, SearchTask};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
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
}

impl Actor for Searcher {
    type Msg = ToSearcher;

    fn handle(&mut self, message: ToSearcher, ctx: &mut Context<'_, Self>) {
        match message {
            ToSearcher::Work(task) => {
                if self.search.go_on(task.node, self.plan.threshold) {
                    self.master.post(ToGridMaster::Found);
                } else {
                    let tasks = self.search.drain_edge(self.plan.first);
                    tasks.for_each(|task| self.master.post(ToGridMaster::Work(task)));
                }
                self.master.post(ToGridMaster::Done);
            }
            ToSearcher::Stop => {
                self.master.post(ToGridMaster::Stopped);
                ctx.stop();
            }
        }
    }
}
