//! Who has points simulated: simulation actors, each a request after the other, until the path is
//! at its end.

use super::main_actor::{Done, PointsRequest, ToMain};
use super::running::SimulationTally;
use crate::simulation::Simulated;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

#[derive(Message)]
pub(super) enum ToSimulator {
    Begin,
    Done(Result<Done, AskError>),
}

/// What all simulation actors have in common.
#[derive(Clone)]
pub(super) struct Requests {
    pub(super) main: ActorRef<ToMain>,
    /// Points that are to be simulated, all together.
    pub(super) all_points: usize,
    /// How many of these were asked for.
    pub(super) asked_for: Arc<AtomicUsize>,
    /// Points of a request.
    pub(super) points: usize,
    /// Whether each point is a transaction of its own.
    pub(super) is_point_by_point: bool,
    pub(super) tally: Arc<SimulationTally>,
    /// Whom to tell what was simulated from what, if anybody wants to know.
    pub(super) recorder: Option<Sender<Vec<Simulated>>>,
    pub(super) finish: Finish,
}

pub(super) struct Simulator {
    all: Requests,
    /// Answers to the present one that have not come.
    missing: usize,
}

impl Simulator {
    pub(super) fn new(all: Requests) -> Self {
        Self { all, missing: 0 }
    }

    fn request(&mut self, ctx: &Context<'_, Self>) {
        let Requests { all_points, asked_for, points, is_point_by_point, recorder, .. } = &self.all;
        // ORDERING: Relaxed: each request is for other points; which ones these are the main actor
        // says.
        let before = asked_for.fetch_add(*points, Ordering::Relaxed);
        let Some(left) = all_points.checked_sub(before).filter(|left| *left > 0) else {
            return self.all.finish.arrive();
        };
        let points = left.min(*points);
        let (step, messages) = if *is_point_by_point { (1, points) } else { (points, 1) };
        for number in 0..messages {
            // The last is handled behind all others of this sender.
            let is_answered = number + 1 == messages || recorder.is_some();
            self.missing += usize::from(is_answered);
            self.all.main.post(ToMain::Simulate(PointsRequest {
                points: step,
                batch: Box::default(),
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
            // ORDERING: Relaxed: a count of what is under way; the finish line orders the last
            // ones.
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
