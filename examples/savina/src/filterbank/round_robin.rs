//! Only the mailbox of the channel whose turn it is is open.

use super::MAX_CHANNELS;
use super::pipeline::{self, FromBank, ToStage};
use super::results::Results;
use super::signal::Shape;
use odeon::prelude::*;
use odeon_example_run::Post;

pub(super) fn set_up(theater: &Theater, shape: Shape, results: Results) -> impl FnOnce() {
    let sink = theater.spawn(SignalSink { results });
    let integrator =
        theater.spawn(Integrator { channels: shape.channels, sum: 0.0, next: 0, sink });
    pipeline::set_up(theater, shape, &integrator)
}

struct BankItem(ToStage);

/// A mailbox for each channel; the sender decides.
impl Message for BankItem {
    const MAILBOXES: usize = MAX_CHANNELS;
}

impl FromBank for BankItem {
    fn post(integrator: &ActorRef<Self>, channel: usize, message: ToStage) {
        integrator.mailbox(channel).post(Self(message));
    }
}

struct Integrator {
    channels: usize,
    sum: f64,
    /// The channel whose turn it is.
    next: usize,
    sink: ActorRef<ToStage>,
}

impl Actor for Integrator {
    type Msg = BankItem;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.close_all_except([0]);
    }

    fn handle(&mut self, BankItem(message): BankItem, ctx: &mut Context<'_, Self>) {
        self.next = (self.next + 1) % self.channels;
        ctx.close_all_except([self.next]);
        match message {
            ToStage::Value(value) => {
                self.sum += value;
                if self.next == 0 {
                    self.sink.post(ToStage::Value(self.sum));
                    self.sum = 0.0;
                }
            }
            ToStage::Exit => {
                if self.next == 0 {
                    self.sink.post(ToStage::Exit);
                    ctx.stop();
                }
            }
        }
    }
}

struct SignalSink {
    results: Results,
}

impl Actor for SignalSink {
    type Msg = ToStage;

    fn handle(&mut self, message: ToStage, _ctx: &mut Context<'_, Self>) {
        match message {
            ToStage::Value(value) => self.results.receive(value),
            ToStage::Exit => self.results.check(),
        }
    }
}
