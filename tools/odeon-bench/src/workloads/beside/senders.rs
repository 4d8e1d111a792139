//! Who changes the ledger, and who asks it.

use super::ledger::ToLedger;
use crate::theater::Post;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_shared_state::ledger::SenderEntries;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Changes that are sent before others get their turn.
const BURST: usize = 64;

/// TUNE: questions of one asker that wait, guessed 2026-11: enough that an executor never runs dry,
/// and with all askers together far from where a mailbox holds senders back.
const WAITING: usize = 32;

#[derive(Message)]
pub(super) enum ToWriter {
    Go,
    Entered,
}

/// Sends all changes.
pub(super) struct Writer {
    ledger: ActorRef<ToLedger>,
    changes: SenderEntries,
    finish: Finish,
}

impl Writer {
    pub(super) fn new(ledger: ActorRef<ToLedger>, changes: SenderEntries, finish: Finish) -> Self {
        Self { ledger, changes, finish }
    }
}

impl Actor for Writer {
    type Msg = ToWriter;

    fn handle(&mut self, message: ToWriter, ctx: &mut Context<'_, Self>) {
        match message {
            ToWriter::Go => {
                for _ in 0..BURST {
                    let Some(entry) = self.changes.next() else {
                        let reply = ctx.reply_to(|_: Result<(), AskError>| ToWriter::Entered);
                        self.ledger.post(ToLedger::Entered(reply));
                        return;
                    };
                    self.ledger.post(ToLedger::Enter(entry));
                }
                ctx.send_self(ToWriter::Go);
            }
            ToWriter::Entered => self.finish.arrive(),
        }
    }
}

#[derive(Message)]
pub(super) enum ToAsker {
    Go,
    Answered,
}

/// Asks, until somebody says that it ends; the same questions again if there are no more.
pub(super) struct LedgerAsker {
    ledger: ActorRef<ToLedger>,
    all: SenderEntries,
    questions: SenderEntries,
    ended: Arc<AtomicBool>,
}

impl LedgerAsker {
    pub(super) fn new(
        ledger: ActorRef<ToLedger>,
        questions: SenderEntries,
        ended: Arc<AtomicBool>,
    ) -> Self {
        Self { ledger, all: questions.clone(), questions, ended }
    }

    /// As many more questions as make half of what may wait; the last one is answered.
    fn ask(&mut self, ctx: &mut Context<'_, Self>) {
        for left in (0..WAITING / 2).rev() {
            let Some(question) = self.questions.next() else {
                self.questions = self.all.clone();
                ctx.send_self(ToAsker::Answered);
                return;
            };
            let answer =
                (left == 0).then(|| ctx.reply_to(|_: Result<(), AskError>| ToAsker::Answered));
            self.ledger.post(ToLedger::Look(question, answer));
        }
    }
}

impl Actor for LedgerAsker {
    type Msg = ToAsker;

    fn handle(&mut self, message: ToAsker, ctx: &mut Context<'_, Self>) {
        // ORDERING: Relaxed: nothing else hangs on it.
        if self.ended.load(Ordering::Relaxed) {
            return;
        }
        if let ToAsker::Go = message {
            self.ask(ctx);
        }
        self.ask(ctx);
    }
}
