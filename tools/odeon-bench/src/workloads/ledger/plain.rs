//! The ledger as one plain actor, or as several that each have some of the accounts; and the senders of all
//! ledgers that are actors.

use super::book::Book;
use super::entries::{Entry, Plan};
use crate::error::BenchError;
use crate::finish::{Finish, finish_line};
use crate::parameter::Params;
use crate::samples::Measured;
use crate::theater::{Post, runtime, theater};
use odeon::prelude::*;

/// Entries that a sender sends before others get their turn.
const BURST: usize = 64;

/// What a ledger is sent.
#[derive(Message)]
pub(super) enum ToLedger {
    Enter(Entry),
    /// Behind everything that the asking sender has sent.
    Done(Reply<()>),
    Total(Reply<u64>),
}

/// Runs against `shards` actors.
pub(super) fn run(plan: &Plan, params: &Params, shards: usize) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let new_shard = |_| theater.spawn(Plain { book: Book::new(plan.accounts()) });
    let ledgers: Vec<_> = (0..shards).map(new_shard).collect();
    drive(plan, &theater, &ledgers)
}

/// Has senders enter everything, and checks the total.
pub(super) fn drive(
    plan: &Plan,
    theater: &Theater,
    ledgers: &[ActorRef<ToLedger>],
) -> Result<Measured, BenchError> {
    let (finish, waiting) = finish_line(plan.senders);
    let new_sender = |sender| {
        let entries: Box<dyn Iterator<Item = Entry> + Send> = Box::new(plan.entries_of(sender));
        let (ledgers, finish) = (ledgers.to_vec(), finish.clone());
        theater.spawn(Sender { entries, missing: ledgers.len(), ledgers, finish })
    };
    let senders: Vec<_> = (0..plan.senders).map(new_sender).collect();
    let (measured, outcome) = Measured::time(plan.total(), || {
        senders.iter().for_each(|sender| sender.post(ToSender::Go));
        waiting.wait()
    });
    outcome?;
    let totals = ledgers.iter().map(|ledger| ledger.ask(ToLedger::Total).wait());
    let totals: Vec<u64> = totals.collect::<Result<_, _>>().map_err(runtime)?;
    plan.check(totals.into_iter().sum()).map(|()| measured)
}

struct Plain {
    book: Book,
}

impl Actor for Plain {
    type Msg = ToLedger;

    fn handle(&mut self, message: ToLedger, _: &mut Context<'_, Self>) {
        match message {
            ToLedger::Enter(entry) => self.book.apply(entry),
            ToLedger::Done(reply) => reply.send(()),
            ToLedger::Total(reply) => reply.send(self.book.total()),
        }
    }
}

#[derive(Message)]
enum ToSender {
    Go,
    Answered,
}

struct Sender {
    entries: Box<dyn Iterator<Item = Entry> + Send>,
    ledgers: Vec<ActorRef<ToLedger>>,
    missing: usize,
    finish: Finish,
}

impl Actor for Sender {
    type Msg = ToSender;

    fn handle(&mut self, message: ToSender, ctx: &mut Context<'_, Self>) {
        match message {
            ToSender::Go => {
                for _ in 0..BURST {
                    let Some(entry) = self.entries.next() else {
                        for ledger in &self.ledgers {
                            let reply = ctx.reply_to(|_: Result<(), AskError>| ToSender::Answered);
                            ledger.post(ToLedger::Done(reply));
                        }
                        return;
                    };
                    self.ledgers[entry.account % self.ledgers.len()].post(ToLedger::Enter(entry));
                }
                ctx.send_self(ToSender::Go);
            }
            ToSender::Answered => {
                self.missing -= 1;
                if self.missing == 0 {
                    self.finish.arrive();
                }
            }
        }
    }
}
