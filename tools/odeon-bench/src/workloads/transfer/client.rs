//! Who begins transfers: an actor, so that no thread waits for an outcome.

use super::bank::ToBank;
use super::transfers::{Transfer, Transfers};
use crate::latency::nanoseconds;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_speculative::{Coordinate, CoordinationError};
use std::sync::mpsc::Sender;
use std::time::Instant;

#[derive(Message)]
pub(super) enum ToClient {
    Begin { window: usize },
    Decided { begun: Instant, outcome: Result<Result<(), CoordinationError>, AskError> },
}

pub(super) struct Client {
    transfers: Transfers,
    banks: Vec<ActorRef<ToBank>>,
    undecided: usize,
    /// Of the decided ones.
    latencies: Vec<u32>,
    tell: Sender<Vec<u32>>,
    finish: Finish,
}

impl Client {
    pub(super) fn new(
        transfers: Transfers,
        banks: Vec<ActorRef<ToBank>>,
        tell: Sender<Vec<u32>>,
        finish: Finish,
    ) -> Self {
        let latencies = Vec::with_capacity(transfers.left());
        Self { transfers, banks, undecided: 0, latencies, tell, finish }
    }

    fn begin_next(&mut self, ctx: &Context<'_, Self>) {
        let Some(Transfer { from, to, amount }) = self.transfers.next() else {
            return;
        };
        self.undecided += 1;
        let begun = Instant::now();
        let reply = ctx.reply_to(move |outcome| ToClient::Decided { begun, outcome });
        ctx.coordinate_and_reply(reply, |co| {
            let take = ToBank::Add { account: from.account, amount: -amount };
            co.send(&self.banks[from.actor], take);
            co.send(&self.banks[to.actor], ToBank::Add { account: to.account, amount });
        });
    }
}

impl Actor for Client {
    type Msg = ToClient;

    fn handle(&mut self, message: ToClient, ctx: &mut Context<'_, Self>) {
        match message {
            ToClient::Begin { window } => (0..window).for_each(|_| self.begin_next(ctx)),
            ToClient::Decided { begun, outcome: Ok(Ok(())) } => {
                self.latencies.push(nanoseconds(begun.elapsed()));
                self.undecided -= 1;
                self.begin_next(ctx);
            }
            ToClient::Decided { outcome, .. } => {
                self.finish.arrive_if(false, || format!("a transfer came to {outcome:?}"));
            }
        }
        if self.undecided == 0 {
            // Nobody listens if the run has failed.
            let _ = self.tell.send(std::mem::take(&mut self.latencies));
            self.finish.arrive();
        }
    }
}
