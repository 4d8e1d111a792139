//! Who has points simulated: each simulation actor its share of the path, a request after the other.

use super::main_actor::{Done, Request, ToMain};
use super::running::Tally;
use crate::finish::Finish;
use crate::geostat::simulation::{Batch, Simulated};
use crate::theater::Post;
use odeon::prelude::*;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

#[derive(Message)]
pub(super) enum ToSimulator {
    Begin,
    Done(Result<Done, AskError>),
}

/// What all simulation actors have in common.
#[derive(Clone)]
pub(super) struct Requests {
    pub(super) main: ActorRef<ToMain>,
    pub(super) path: Arc<[u32]>,
    /// Points of a request.
    pub(super) points: usize,
    /// Whether each point is a transaction of its own.
    pub(super) is_point_by_point: bool,
    pub(super) simulators: usize,
    pub(super) tally: Arc<Tally>,
    /// Whom to tell what was simulated from what, if anybody wants to know.
    pub(super) recorder: Option<Sender<Vec<Simulated>>>,
    pub(super) finish: Finish,
}

pub(super) struct Simulator {
    all: Requests,
    /// The number of the next request.
    next: usize,
    /// Answers to the present one that have not come.
    missing: usize,
}

impl Simulator {
    pub(super) fn new(all: Requests, number: usize) -> Self {
        Self { all, next: number, missing: 0 }
    }

    fn request(&mut self, ctx: &Context<'_, Self>) {
        let Requests { path, points, simulators, is_point_by_point, recorder, .. } = &self.all;
        let Some(points) = path.chunks(*points).nth(self.next) else {
            return self.all.finish.arrive();
        };
        self.next += simulators;
        let step = if *is_point_by_point { 1 } else { points.len() };
        let messages = points.len().div_ceil(step);
        for (number, points) in points.chunks(step).enumerate() {
            // The last is handled behind all others of this sender.
            let is_answered = number + 1 == messages || recorder.is_some();
            self.missing += usize::from(is_answered);
            self.all.main.post(ToMain::Simulate(Request {
                batch: Box::new(Mutex::new(Batch::new(points))),
                is_recorded: recorder.is_some(),
                reply: is_answered.then(|| ctx.reply_to(ToSimulator::Done)),
            }));
        }
    }

    fn count(&mut self, done: Done) {
        if let Some(recorder) = &self.all.recorder {
            // Nobody listens if the run has failed.
            let _ = recorder.send(done.records);
        }
        self.missing -= 1;
        if self.missing == 0 {
            // ORDERING: Relaxed: a count of what is under way; the finish line orders the last ones.
            self.all.tally.requests.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Actor for Simulator {
    type Msg = ToSimulator;

    fn handle(&mut self, message: ToSimulator, ctx: &mut Context<'_, Self>) {
        match message {
            ToSimulator::Begin => {}
            ToSimulator::Done(Ok(done)) => self.count(done),
            ToSimulator::Done(Err(lost)) => {
                return self.all.finish.arrive_if(false, || format!("a request was lost: {lost}"));
            }
        }
        if self.missing == 0 {
            self.request(ctx);
        }
    }
}
