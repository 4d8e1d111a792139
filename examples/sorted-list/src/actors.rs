//! The list on Odeon: list actors in a chain, requesters that know all of them.

mod speculative;

use super::client::Client;
use super::course::{ListCourse, ListProgress};
use super::history::{History, ListEvent};
use super::mode::{ListHandling, ListMode, Sum};
use super::segment::Segment;
use super::wire::Wire;
use super::{ListOperation, ListPlan, OperationAnswer, check_sums};
use odeon::prelude::*;
use odeon_example_run::{Finish, Post, RunError, Timed, finish_line, theater_with, watch};
use speculative::SpeculativeList;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// List actors in a theater, and what they began with.
pub struct List {
    theater: Theater,
    plan: ListPlan,
    parts: Arc<[ActorRef<ToList>]>,
    /// The same, if they are speculative.
    speculative: Vec<SpeculativeRef<ToList>>,
    prefilled: i64,
}

impl List {
    /// Sets one up. WHY from the last list actor to the first: each then knows its successor from
    /// the start.
    ///
    /// # Errors
    /// If the theater cannot be started.
    pub fn new(plan: &ListPlan, handling: &ListHandling) -> Result<Self, RunError> {
        let theater = theater_with(handling.workers)?;
        let segments = Segment::prefilled(plan);
        let prefilled: i64 = segments.iter().map(Segment::partial_sum).sum();
        let mut parts: Vec<ActorRef<ToList>> = Vec::with_capacity(segments.len());
        let delay = handling.hop_delay;
        let wire = (!delay.is_zero()).then(|| Wire::new(delay));
        let mut speculative = Vec::new();
        for segment in segments.into_iter().rev() {
            let next = parts.last().cloned();
            parts.push(match &handling.mode {
                ListMode::Plain => theater.spawn(ListActor { segment, next }),
                ListMode::Speculative(processing) => {
                    let part = SpeculativeList::new(&segment, next, wire.clone());
                    let part = theater.spawn_speculative(part, processing.clone());
                    speculative.push(part.clone());
                    part.actor_ref()
                }
            });
        }
        let parts = parts.into_iter().rev().collect();
        Ok(Self { theater, plan: *plan, parts, speculative, prefilled })
    }

    /// The list actors that are speculative.
    pub fn speculative(&self) -> impl Iterator<Item = &SpeculativeRef<impl Message + use<>>> {
        self.speculative.iter()
    }

    /// Has all requesters ask, and checks the list.
    ///
    /// # Errors
    /// If it does not hold what it should.
    pub fn run(&self) -> Result<Timed, RunError> {
        self.ask(None, None, |answers| answers()).map(|(timed, _)| timed)
    }

    /// The same, looked at after every `every`.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_watched(&self, every: Duration) -> Result<ListCourse, RunError> {
        let answered = Arc::new(AtomicU64::new(0));
        let rolled_back = || self.speculative.iter().map(|part| part.speculation().rolled_back());
        let progress = || ListProgress {
            // ORDERING: Relaxed: a count of what is under way.
            answered: answered.load(Ordering::Relaxed),
            rollbacks: rolled_back().sum(),
        };
        let mut looks = vec![(Duration::ZERO, ListProgress::default())];
        let (timed, _) = self.ask(None, Some(answered.clone()), |answers| {
            watch(every, |elapsed| looks.push((elapsed, progress())), answers)
        })?;
        looks.push((timed.elapsed, progress()));
        Ok(ListCourse { timed, looks })
    }

    /// The same with every operation recorded, which costs time.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn record(&self) -> Result<History, RunError> {
        let parts = Segment::prefilled(&self.plan);
        let initial = parts.iter().flat_map(|part| part.values()).collect();
        let (_, mut events) = self.ask(Some(Instant::now()), None, |answers| answers())?;
        events.sort_by_key(|event| event.call_ns);
        Ok(History { initial, events })
    }

    /// Has requesters ask; `meanwhile` is called with what waits for all answers.
    fn ask(
        &self,
        recording_since: Option<Instant>,
        answered: Option<Arc<AtomicU64>>,
        meanwhile: impl FnOnce(&dyn Fn() -> Result<(), RunError>) -> Result<(), RunError>,
    ) -> Result<(Timed, Vec<ListEvent>), RunError> {
        let plan = &self.plan;
        let (finish, waiting) = finish_line(plan.requesters);
        let tally = Arc::new(Mutex::new(RequestersTally::default()));
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
        let (timed, outcome) = Timed::of(plan.operations(), || {
            meanwhile(&|| {
                for requester in &requesters {
                    requester.post(ToRequester::Begin);
                }
                waiting.wait()
            })
        });
        outcome?;

        let RequestersTally { net_change, events } =
            std::mem::take(&mut *tally.lock().unwrap_or_else(PoisonError::into_inner));
        check_sums(&audit(&self.parts), self.prefilled + net_change)?;
        Ok((timed, events))
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
struct RequestersTally {
    net_change: i64,
    events: Vec<ListEvent>,
}

#[derive(Message)]
pub(super) enum ToList {
    Ask(ListOperation, ActorRef<ToRequester>),
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
            ToList::Ask(ListOperation::Sum(way), requester) => self.sum(way, 0, requester),
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
            None => requester.post(ToRequester::Answer(OperationAnswer::Sum(sum))),
        }
    }
}

#[derive(Message)]
pub(super) enum ToRequester {
    Begin,
    Answer(OperationAnswer),
}

struct Requester {
    client: Client,
    plan: ListPlan,
    list: Arc<[ActorRef<ToList>]>,
    tally: Arc<Mutex<RequestersTally>>,
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
