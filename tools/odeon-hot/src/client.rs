//! Who wants transfers and audits in a run without a network: actors, so that no thread waits for
//! an answer.

use odeon::prelude::*;
use odeon_bench::latency::nanoseconds;
use odeon_example_ledger::{Books, ToLedger, Transfer, Verdict};
use odeon_example_run::Finish;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Instant;

#[derive(Message)]
pub(crate) enum ToClient {
    Begin { window: usize },
    Answered { begun: Instant, verdict: Result<Verdict, AskError> },
}

pub(crate) struct LedgerClient {
    wanted: std::vec::IntoIter<Transfer>,
    ledger: ActorRef<ToLedger>,
    unanswered: usize,
    /// Of the answered ones.
    latencies: Vec<u32>,
    tell: Sender<Vec<u32>>,
    finish: Finish,
}

impl LedgerClient {
    pub(crate) fn new(
        wanted: Vec<Transfer>,
        ledger: ActorRef<ToLedger>,
        tell: Sender<Vec<u32>>,
        finish: Finish,
    ) -> Self {
        let latencies = Vec::with_capacity(wanted.len());
        Self { wanted: wanted.into_iter(), ledger, unanswered: 0, latencies, tell, finish }
    }

    fn begin_next(&mut self, ctx: &Context<'_, Self>) {
        let Some(transfer) = self.wanted.next() else { return };
        self.unanswered += 1;
        let begun = Instant::now();
        let reply = ctx.reply_to(move |verdict| ToClient::Answered { begun, verdict });
        // One that is not taken is answered with an error.
        let _ = self.ledger.send(ToLedger::Transfer(transfer, reply));
    }
}

impl Actor for LedgerClient {
    type Msg = ToClient;

    fn handle(&mut self, message: ToClient, ctx: &mut Context<'_, Self>) {
        match message {
            ToClient::Begin { window } => (0..window).for_each(|_| self.begin_next(ctx)),
            ToClient::Answered { begun, verdict: Ok(Verdict::Done) } => {
                self.latencies.push(nanoseconds(begun.elapsed()));
                self.unanswered -= 1;
                self.begin_next(ctx);
            }
            ToClient::Answered { verdict, .. } => {
                self.finish.arrive_if(false, || format!("a transfer came to {verdict:?}"));
            }
        }
        if self.unanswered == 0 {
            // Nobody listens if the run has failed.
            let _ = self.tell.send(std::mem::take(&mut self.latencies));
            self.finish.arrive();
        }
    }
}

#[derive(Message)]
pub(crate) struct Audited(pub(crate) Result<Books, AskError>);

/// Sums up all accounts until it is over.
pub(crate) struct Auditor {
    pub(crate) ledger: ActorRef<ToLedger>,
    pub(crate) sum: u64,
    pub(crate) done: Arc<AtomicU64>,
    pub(crate) is_over: Arc<AtomicBool>,
    pub(crate) finish: Finish,
}

impl Auditor {
    fn audit(&self, ctx: &Context<'_, Self>) {
        let _ = self.ledger.send(ToLedger::Audit(ctx.reply_to(Audited)));
    }
}

impl Actor for Auditor {
    type Msg = Audited;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.audit(ctx);
    }

    fn handle(&mut self, Audited(books): Audited, ctx: &mut Context<'_, Self>) {
        // ORDERING: Relaxed: a hint to end, and a count that is read when the theater has ended.
        if self.is_over.load(Ordering::Relaxed) {
            return;
        }
        if !matches!(books, Ok(Books { sum, .. }) if sum == self.sum) {
            self.finish.arrive_if(false, || format!("an audit came to {books:?}"));
            return;
        }
        // ORDERING: Relaxed: as above.
        self.done.fetch_add(1, Ordering::Relaxed);
        self.audit(ctx);
    }
}
