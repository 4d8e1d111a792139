//! The list on Odeon: list actors in a chain, requesters that know all of them.

use super::client::Client;
use super::course::{Course, Progress};
use super::mode::{Mode, Sum};
use super::segment::Segment;
use super::speculative::SpeculativeList;
use super::wire::Wire;
use super::{Answer, Plan, Request, check_sums};
use crate::error::BenchError;
use crate::history::Event;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::theater::{Post, theater};
use crate::trace;
use odeon::prelude::*;
use odeon_example_run::watch;
use odeon_example_run::{Finish, finish_line};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One run, checked; the events are empty unless `recording`.
pub(super) fn run(
    plan: &Plan,
    params: &Params,
    recording: bool,
) -> Result<(Measured, Vec<Event>), BenchError> {
    let list = List::new(plan, params)?;
    let start = recording.then(Instant::now);
    list.run(start, None, |answers| answers())
}

/// One run, checked and looked at after every `every`.
pub(super) fn run_watched(
    plan: &Plan,
    params: &Params,
    every: Duration,
) -> Result<Course, BenchError> {
    let list = List::new(plan, params)?;
    let answered = Arc::new(AtomicU64::new(0));
    let progress = || Progress {
        // ORDERING: Relaxed: a count of what is under way.
        answered: answered.load(Ordering::Relaxed),
        rollbacks: list.speculative.iter().map(|part| part.speculation().rolled_back()).sum(),
    };
    let mut looks = vec![(Duration::ZERO, Progress::default())];
    let (measured, _) = list.run(None, Some(answered.clone()), |answers| {
        watch(every, |elapsed| looks.push((elapsed, progress())), answers)
    })?;
    looks.push((Duration::from_nanos(measured.ns), progress()));
    Ok(Course { measured, looks })
}

/// List actors in a theater, and what they began with.
struct List {
    theater: Theater,
    plan: Plan,
    parts: Arc<[ActorRef<ToList>]>,
    /// The same, if they are speculative.
    speculative: Vec<SpeculativeRef<ToList>>,
    prefilled: i64,
}

impl List {
    /// WHY from the last to the first: each then knows its successor from the start.
    fn new(plan: &Plan, params: &Params) -> Result<Self, BenchError> {
        let theater = theater(params)?;
        let segments = Segment::prefilled(plan);
        let prefilled: i64 = segments.iter().map(Segment::partial_sum).sum();
        let mode = Mode::named(params.word("mode"));
        let mut parts: Vec<ActorRef<ToList>> = Vec::with_capacity(segments.len());
        let delay = params.number("hop_delay");
        let wire = (delay > 0).then(|| Wire::new(Duration::from_micros(delay)));
        let mut speculative = Vec::new();
        for segment in segments.into_iter().rev() {
            let next = parts.last().cloned();
            parts.push(match &mode {
                Mode::Plain => theater.spawn(ListActor { segment, next }),
                Mode::Speculative(processing) => {
                    let part = SpeculativeList::new(&segment, next, wire.clone());
                    let part = theater.spawn_speculative(part, processing.clone());
                    trace::watch(&part);
                    speculative.push(part.clone());
                    part.actor_ref()
                }
            });
        }
        let parts = parts.into_iter().rev().collect();
        Ok(Self { theater, plan: *plan, parts, speculative, prefilled })
    }

    /// Has requesters ask; `meanwhile` is called with what waits for all answers.
    fn run(
        &self,
        recording_since: Option<Instant>,
        answered: Option<Arc<AtomicU64>>,
        meanwhile: impl FnOnce(&dyn Fn() -> Result<(), BenchError>) -> Result<(), BenchError>,
    ) -> Result<(Measured, Vec<Event>), BenchError> {
        let plan = &self.plan;
        let (finish, waiting) = finish_line(plan.requesters);
        let tally = Arc::new(Mutex::new(Tally::default()));
        let requesters: Vec<ActorRef<ToRequester>> = (0..plan.requesters)
            .map(|number| {
                self.theater.spawn(Requester {
                    client: Client::new(plan, number, recording_since),
                    plan: *plan,
                    list: self.parts.clone(),
                    tally: tally.clone(),
                    answered: answered.clone(),
                    finish: finish.clone(),
                })
            })
            .collect();
        let (measured, outcome) = Measured::time(plan.operations(), || {
            meanwhile(&|| {
                for requester in &requesters {
                    requester.post(ToRequester::Begin);
                }
                waiting.wait()
            })
        });
        outcome?;

        let Tally { net_change, events } =
            std::mem::take(&mut *tally.lock().unwrap_or_else(PoisonError::into_inner));
        check_sums(&audit(&self.parts), self.prefilled + net_change)?;
        Ok((measured, events))
    }
}

fn audit(list: &[ActorRef<ToList>]) -> Vec<(i64, i64)> {
    let (auditor, audits) = channel();
    for actor in list {
        actor.post(ToList::Audit(auditor.clone()));
    }
    drop(auditor);
    audits.iter().collect()
}

/// What the requesters know together when all have finished.
#[derive(Default)]
struct Tally {
    net_change: i64,
    events: Vec<Event>,
}

#[derive(Message)]
pub(super) enum ToList {
    Ask(Request, ActorRef<ToRequester>),
    /// A sum on its way along the chain, with the partial sums of the list actors before this one.
    Sum(Sum, i64, ActorRef<ToRequester>),
    /// Outside the measured part: `(partial_sum, sum of the values)`.
    Audit(Sender<(i64, i64)>),
}

struct ListActor {
    segment: Segment,
    next: Option<ActorRef<ToList>>,
}

impl Actor for ListActor {
    type Msg = ToList;

    fn handle(&mut self, message: ToList, _ctx: &mut Context<'_, Self>) {
        match message {
            ToList::Ask(Request::Sum(way), requester) => self.sum(way, 0, requester),
            ToList::Ask(request, requester) => {
                requester.post(ToRequester::Answer(self.segment.answer(request)));
            }
            ToList::Sum(way, before, requester) => self.sum(way, before, requester),
            ToList::Audit(auditor) => {
                let _ = auditor.send(self.segment.audit());
            }
        }
    }
}

impl ListActor {
    fn sum(&self, way: Sum, before: i64, requester: ActorRef<ToRequester>) {
        let sum = before + self.segment.sum(way);
        match &self.next {
            Some(next) => next.post(ToList::Sum(way, sum, requester)),
            None => requester.post(ToRequester::Answer(Answer::Sum(sum))),
        }
    }
}

#[derive(Message)]
pub(super) enum ToRequester {
    Begin,
    Answer(Answer),
}

struct Requester {
    client: Client,
    plan: Plan,
    list: Arc<[ActorRef<ToList>]>,
    tally: Arc<Mutex<Tally>>,
    /// Counted while somebody looks.
    answered: Option<Arc<AtomicU64>>,
    finish: Finish,
}

impl Actor for Requester {
    type Msg = ToRequester;

    fn handle(&mut self, message: ToRequester, ctx: &mut Context<'_, Self>) {
        if let ToRequester::Answer(answer) = message {
            self.client.receive(answer);
            if let Some(answered) = &self.answered {
                // ORDERING: Relaxed, as where it is read.
                answered.fetch_add(1, Ordering::Relaxed);
            }
        }
        match self.client.next_request() {
            Some(request) => {
                let receiver = &self.list[request.receiver(&self.plan)];
                receiver.post(ToList::Ask(request, ctx.actor_ref()));
            }
            None => self.report(),
        }
    }
}

impl Requester {
    fn report(&mut self) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.net_change += self.client.net_change();
        tally.events.append(&mut self.client.take_events());
        drop(tally);
        self.finish.arrive();
    }
}
