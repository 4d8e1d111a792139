//! `list`: requesters look up and update a sorted list spread over list actors.

use std::sync::Arc;
use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::list_requests::{Division, Operation, Requests, Tally, check_sums, prefilled_lists};
use crate::params::List;
use crate::peer::Sample;
use crate::sorted_list::{Audit, SortedList};

enum ListMessage {
    Lookup(u32, RpcReplyPort<bool>),
    Insert(u32, RpcReplyPort<bool>),
    Remove(u32, RpcReplyPort<bool>),
    /// Passed along the chain of list actors with what they have added up; the last answers.
    Sum(i64, RpcReplyPort<i64>),
    Audit(RpcReplyPort<Audit>),
}

struct ListActor;

struct ListState {
    list: SortedList,
    next: Option<ActorRef<ListMessage>>,
}

impl Actor for ListActor {
    type Msg = ListMessage;
    type State = ListState;
    type Arguments = ListState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ListMessage::Lookup(value, answer) => answer.send(state.list.lookup(value))?,
            ListMessage::Insert(value, answer) => answer.send(state.list.insert(value))?,
            ListMessage::Remove(value, answer) => answer.send(state.list.remove(value))?,
            ListMessage::Sum(accumulated, answer) => {
                let accumulated = accumulated + state.list.partial_sum();
                match &state.next {
                    None => answer.send(accumulated)?,
                    Some(next) => next
                        .cast(ListMessage::Sum(accumulated, answer))
                        .expect("every list actor lives"),
                }
            }
            ListMessage::Audit(answer) => answer.send(state.list.audit())?,
        }
        Ok(())
    }
}

struct Start;

struct Requester;

struct RequesterState {
    lists: Arc<[ActorRef<ListMessage>]>,
    division: Division,
    requests: Requests,
    tally: Tally,
    end: EndSignal<Tally>,
}

impl RequesterState {
    async fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Lookup(value) => {
                let called = ractor::call!(self.owner(value), ListMessage::Lookup, value);
                called.expect("every request is answered");
            }
            Operation::Insert(value) => {
                let called = ractor::call!(self.owner(value), ListMessage::Insert, value);
                let was_absent = called.expect("every request is answered");
                self.tally.inserted(value, was_absent);
            }
            Operation::Remove(value) => {
                let called = ractor::call!(self.owner(value), ListMessage::Remove, value);
                let was_present = called.expect("every request is answered");
                self.tally.removed(value, was_present);
            }
            Operation::Sum => {
                let called = ractor::call!(self.lists[0], ListMessage::Sum, 0);
                called.expect("every request is answered");
            }
        }
    }

    fn owner(&self, value: u32) -> &ActorRef<ListMessage> {
        &self.lists[self.division.actor_of(value)]
    }
}

impl Actor for Requester {
    type Msg = Start;
    type State = RequesterState;
    type Arguments = RequesterState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        _: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        while let Some(operation) = state.requests.next() {
            state.perform(operation).await;
        }
        state.end.send(std::mem::take(&mut state.tally));
        Ok(())
    }
}

pub fn run(host: &Host, params: &List) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let prefilled = prefilled_lists(params);
    let prefill_sum = prefilled.iter().map(SortedList::partial_sum).sum();
    let (lists, requesters) = host.block_on(async {
        // From the last to the first, because each knows the next.
        let mut lists: Vec<ActorRef<ListMessage>> = Vec::new();
        for list in prefilled.into_iter().rev() {
            let next = lists.last().cloned();
            lists.push(start(ListActor, ListState { list, next }).await);
        }
        lists.reverse();
        let lists: Arc<[_]> = lists.into();
        let mut requesters = Vec::new();
        for index in 0..params.requesters {
            let state = RequesterState {
                lists: Arc::clone(&lists),
                division: Division::new(params),
                requests: Requests::of_requester(index, params),
                tally: Tally::default(),
                end: end.clone(),
            };
            requesters.push(start(Requester, state).await);
        }
        (lists, requesters)
    });

    let started = Instant::now();
    for requester in &requesters {
        requester.cast(Start).expect("every requester lives");
    }
    let tallies = ending.wait_for(params.requesters)?;
    let elapsed = started.elapsed();

    let audits = host.block_on(async {
        let mut audits = Vec::new();
        for list in lists.iter() {
            let called = ractor::call!(list, ListMessage::Audit);
            audits.push(called.expect("every list actor answers"));
        }
        audits
    });
    stop(&requesters);
    stop(&lists);
    check_sums(prefill_sum, &tallies, &audits)?;
    let ops = (params.requesters * params.requests) as u64;
    Ok(Sample { ops, elapsed })
}
