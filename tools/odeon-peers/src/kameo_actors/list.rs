//! `list`: requesters look up and update a sorted list spread over list actors.

use std::sync::Arc;
use std::time::Instant;

use kameo::prelude::*;

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::list_requests::{Division, Operation, Requests, Tally, check_sums, prefilled_lists};
use crate::params::List;
use crate::peer::Sample;
use crate::sorted_list::{self, SortedList};

#[derive(Actor)]
struct ListActor {
    list: SortedList,
    next: Option<ActorRef<ListActor>>,
}

struct Lookup(u32);
struct Insert(u32);
struct Remove(u32);

/// Passed along the chain of list actors; the last answers.
struct Sum {
    accumulated: i64,
}

struct Audit;

#[derive(Reply)]
struct AuditReply(sorted_list::Audit);

impl Message<Lookup> for ListActor {
    type Reply = bool;

    async fn handle(&mut self, Lookup(value): Lookup, _: &mut Context<Self, Self::Reply>) -> bool {
        self.list.lookup(value)
    }
}

impl Message<Insert> for ListActor {
    type Reply = bool;

    async fn handle(&mut self, Insert(value): Insert, _: &mut Context<Self, Self::Reply>) -> bool {
        self.list.insert(value)
    }
}

impl Message<Remove> for ListActor {
    type Reply = bool;

    async fn handle(&mut self, Remove(value): Remove, _: &mut Context<Self, Self::Reply>) -> bool {
        self.list.remove(value)
    }
}

impl Message<Sum> for ListActor {
    type Reply = DelegatedReply<i64>;

    async fn handle(&mut self, sum: Sum, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let accumulated = sum.accumulated + self.list.partial_sum();
        let Some(next) = &self.next else {
            return ctx.reply(accumulated);
        };
        let (delegated, answer) = ctx.reply_sender();
        next.ask(Sum { accumulated })
            .forward(answer.expect("a sum is asked for"))
            .await
            .expect("every list actor lives");
        delegated
    }
}

impl Message<Audit> for ListActor {
    type Reply = AuditReply;

    async fn handle(&mut self, _: Audit, _: &mut Context<Self, Self::Reply>) -> AuditReply {
        AuditReply(self.list.audit())
    }
}

struct Start;

#[derive(Actor)]
struct Requester {
    lists: Arc<[ActorRef<ListActor>]>,
    division: Division,
    requests: Requests,
    tally: Tally,
    end: EndSignal<Tally>,
}

impl Message<Start> for Requester {
    type Reply = ();

    async fn handle(&mut self, _: Start, _: &mut Context<Self, Self::Reply>) {
        while let Some(operation) = self.requests.next() {
            self.perform(operation).await;
        }
        self.end.send(std::mem::take(&mut self.tally));
    }
}

impl Requester {
    async fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Lookup(value) => {
                let asked = self.owner(value).ask(Lookup(value)).send().await;
                asked.expect("every request is answered");
            }
            Operation::Insert(value) => {
                let asked = self.owner(value).ask(Insert(value)).send().await;
                let was_absent = asked.expect("every request is answered");
                self.tally.inserted(value, was_absent);
            }
            Operation::Remove(value) => {
                let asked = self.owner(value).ask(Remove(value)).send().await;
                let was_present = asked.expect("every request is answered");
                self.tally.removed(value, was_present);
            }
            Operation::Sum => {
                let asked = self.lists[0].ask(Sum { accumulated: 0 }).send().await;
                asked.expect("every request is answered");
            }
        }
    }

    fn owner(&self, value: u32) -> &ActorRef<ListActor> {
        &self.lists[self.division.actor_of(value)]
    }
}

pub fn run(host: &Host, params: &List) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let prefilled = prefilled_lists(params);
    let prefill_sum = prefilled.iter().map(SortedList::partial_sum).sum();
    let (lists, requesters) = host.block_on(async {
        // From the last to the first, because each knows the next.
        let mut lists: Vec<ActorRef<ListActor>> = Vec::new();
        for list in prefilled.into_iter().rev() {
            let next = lists.last().cloned();
            lists.push(start(ListActor { list, next }).await);
        }
        lists.reverse();
        let lists: Arc<[_]> = lists.into();
        let mut requesters = Vec::new();
        for index in 0..params.requesters {
            let requester = Requester {
                lists: Arc::clone(&lists),
                division: Division::new(params),
                requests: Requests::of_requester(index, params),
                tally: Tally::default(),
                end: end.clone(),
            };
            requesters.push(start(requester).await);
        }
        (lists, requesters)
    });

    let started = Instant::now();
    for requester in &requesters {
        requester.tell(Start).blocking_send().expect("every requester lives");
    }
    let tallies = ending.wait_for(params.requesters)?;
    let elapsed = started.elapsed();

    let audits = host.block_on(async {
        let mut audits = Vec::new();
        for list in lists.iter() {
            let asked = list.ask(Audit).send().await;
            let AuditReply(audit) = asked.expect("every list actor answers");
            audits.push(audit);
        }
        stop(&requesters).await;
        stop(&lists).await;
        audits
    });
    check_sums(prefill_sum, &tallies, &audits)?;
    let ops = (params.requesters * params.requests) as u64;
    Ok(Sample { ops, elapsed })
}
