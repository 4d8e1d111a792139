//! The list on Odeon: list actors in a chain, requesters that know all of them.

use super::client::Client;
use super::segment::Segment;
use super::speculative::SpeculativeList;
use super::{Answer, Plan, Request, check_sums};
use crate::error::BenchError;
use crate::finish::{Finish, finish_line};
use crate::history::Event;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::theater::{Post, theater};
use crate::trace;
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// One run, checked; the events are empty unless `recording`.
pub(super) fn run(
    plan: &Plan,
    params: &Params,
    recording: bool,
) -> Result<(Measured, Vec<Event>), BenchError> {
    let theater = theater(params)?;
    let segments = Segment::prefilled(plan);
    let prefilled: i64 = segments.iter().map(Segment::partial_sum).sum();
    let list = spawn_list(&theater, segments, params.word("mode"));

    let (finish, waiting) = finish_line(plan.requesters);
    let tally = Arc::new(Mutex::new(Tally::default()));
    let start = recording.then(Instant::now);
    let requesters: Vec<ActorRef<ToRequester>> = (0..plan.requesters)
        .map(|number| {
            theater.spawn(Requester {
                client: Client::new(plan, number, start),
                plan: *plan,
                list: list.clone(),
                tally: tally.clone(),
                finish: finish.clone(),
            })
        })
        .collect();
    let (measured, outcome) = Measured::time(plan.operations(), || {
        for requester in &requesters {
            requester.post(ToRequester::Begin);
        }
        waiting.wait()
    });
    outcome?;

    let Tally { net_change, events } =
        std::mem::take(&mut *tally.lock().unwrap_or_else(PoisonError::into_inner));
    check_sums(&audit(&list), prefilled + net_change)?;
    Ok((measured, events))
}

/// WHY from the last to the first: each then knows its successor from the start.
fn spawn_list(theater: &Theater, segments: Vec<Segment>, mode: &str) -> Arc<[ActorRef<ToList>]> {
    let processing = match mode {
        "sequential" => Some(Processing::sequential()),
        "concurrent" => Some(Processing::concurrent()),
        "adaptive" => Some(Processing::adaptive()),
        _ => None,
    };
    let mut list: Vec<ActorRef<ToList>> = Vec::with_capacity(segments.len());
    for segment in segments.into_iter().rev() {
        let next = list.last().cloned();
        list.push(match &processing {
            None => theater.spawn(ListActor { segment, next }),
            Some(processing) => {
                let actor = SpeculativeList::new(&segment, next);
                let actor = theater.spawn_speculative(actor, processing.clone());
                trace::watch(&actor);
                actor.actor_ref()
            }
        });
    }
    list.into_iter().rev().collect()
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
    Sum(i64, ActorRef<ToRequester>),
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
            ToList::Ask(Request::Sum, requester) => self.sum(0, requester),
            ToList::Ask(request, requester) => {
                requester.post(ToRequester::Answer(self.segment.answer(request)));
            }
            ToList::Sum(before, requester) => self.sum(before, requester),
            ToList::Audit(auditor) => {
                let _ = auditor.send(self.segment.audit());
            }
        }
    }
}

impl ListActor {
    fn sum(&self, before: i64, requester: ActorRef<ToRequester>) {
        let sum = before + self.segment.partial_sum();
        match &self.next {
            Some(next) => next.post(ToList::Sum(sum, requester)),
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
    finish: Finish,
}

impl Actor for Requester {
    type Msg = ToRequester;

    fn handle(&mut self, message: ToRequester, ctx: &mut Context<'_, Self>) {
        if let ToRequester::Answer(answer) = message {
            self.client.receive(answer);
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
