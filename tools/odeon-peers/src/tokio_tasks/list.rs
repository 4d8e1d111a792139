//! `list`: requesters look up and update a sorted list spread over list actors.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::mailboxes;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::list_requests::{Division, Operation, Requests, Tally, check_sums, prefilled_lists};
use crate::params::List;
use crate::peer::Sample;
use crate::sorted_list::{Audit, SortedList};

enum ListMessage {
    Lookup {
        value: u32,
        answer: oneshot::Sender<bool>,
    },
    Insert {
        value: u32,
        answer: oneshot::Sender<bool>,
    },
    Remove {
        value: u32,
        answer: oneshot::Sender<bool>,
    },
    /// Passed along the chain of list actors; the last answers.
    Sum {
        accumulated: i64,
        answer: oneshot::Sender<i64>,
    },
    Audit {
        answer: oneshot::Sender<Audit>,
    },
}

struct ListActor {
    mailbox: UnboundedReceiver<ListMessage>,
    list: SortedList,
    next: Option<UnboundedSender<ListMessage>>,
}

impl ListActor {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: ListMessage) {
        match message {
            ListMessage::Lookup { value, answer } => reply(answer, self.list.lookup(value)),
            ListMessage::Insert { value, answer } => reply(answer, self.list.insert(value)),
            ListMessage::Remove { value, answer } => reply(answer, self.list.remove(value)),
            ListMessage::Sum { accumulated, answer } => {
                let accumulated = accumulated + self.list.partial_sum();
                match &self.next {
                    None => reply(answer, accumulated),
                    Some(next) => next
                        .send(ListMessage::Sum { accumulated, answer })
                        .expect("every list actor lives"),
                }
            }
            ListMessage::Audit { answer } => reply(answer, self.list.audit()),
        }
    }
}

fn reply<T>(answer: oneshot::Sender<T>, value: T) {
    // A requester that no longer waits belongs to a sample that has been given up.
    let _ = answer.send(value);
}

async fn ask<T>(
    actor: &UnboundedSender<ListMessage>,
    message: impl FnOnce(oneshot::Sender<T>) -> ListMessage,
) -> T {
    let (answer, answered) = oneshot::channel();
    actor.send(message(answer)).expect("every list actor lives");
    answered.await.expect("every request is answered")
}

struct Start;

struct Requester {
    mailbox: UnboundedReceiver<Start>,
    lists: Arc<[UnboundedSender<ListMessage>]>,
    division: Division,
    requests: Requests,
    tally: Tally,
    end: EndSignal<Tally>,
}

impl Requester {
    async fn run(mut self) {
        while let Some(Start) = self.mailbox.recv().await {
            while let Some(operation) = self.requests.next() {
                self.perform(operation).await;
            }
            self.end.send(std::mem::take(&mut self.tally));
        }
    }

    async fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Lookup(value) => {
                ask(self.owner(value), |answer| ListMessage::Lookup { value, answer }).await;
            }
            Operation::Insert(value) => {
                let was_absent =
                    ask(self.owner(value), |answer| ListMessage::Insert { value, answer }).await;
                self.tally.inserted(value, was_absent);
            }
            Operation::Remove(value) => {
                let was_present =
                    ask(self.owner(value), |answer| ListMessage::Remove { value, answer }).await;
                self.tally.removed(value, was_present);
            }
            Operation::Sum => {
                ask(&self.lists[0], |answer| ListMessage::Sum { accumulated: 0, answer }).await;
            }
        }
    }

    fn owner(&self, value: u32) -> &UnboundedSender<ListMessage> {
        &self.lists[self.division.actor_of(value)]
    }
}

pub fn run(host: &Host, params: &List) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let prefilled = prefilled_lists(params);
    let prefill_sum = prefilled.iter().map(SortedList::partial_sum).sum();
    let mut tasks = JoinSet::new();

    let (lists, receivers) = mailboxes(params.list_actors);
    for (index, (mailbox, list)) in receivers.into_iter().zip(prefilled).enumerate() {
        let actor = ListActor { mailbox, list, next: lists.get(index + 1).cloned() };
        tasks.spawn_on(actor.run(), host.handle());
    }
    let lists: Arc<[_]> = lists.into();
    let (requesters, receivers) = mailboxes(params.requesters);
    for (index, mailbox) in receivers.into_iter().enumerate() {
        let requester = Requester {
            mailbox,
            lists: Arc::clone(&lists),
            division: Division::new(params),
            requests: Requests::of_requester(index, params),
            tally: Tally::default(),
            end: end.clone(),
        };
        tasks.spawn_on(requester.run(), host.handle());
    }

    let started = Instant::now();
    for requester in &requesters {
        requester.send(Start).expect("every requester lives");
    }
    let tallies = ending.wait_for(params.requesters)?;
    let elapsed = started.elapsed();

    let audits = host.block_on(async {
        let mut audits = Vec::new();
        for list in lists.iter() {
            audits.push(ask(list, |answer| ListMessage::Audit { answer }).await);
        }
        audits
    });
    check_sums(prefill_sum, &tallies, &audits)?;
    let ops = (params.requesters * params.requests) as u64;
    Ok(Sample { ops, elapsed })
}
