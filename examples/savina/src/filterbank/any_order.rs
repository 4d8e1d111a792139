//! The integrator closes the mailbox of each channel that has brought its value for this sum, and
//! opens all for the next.

use super::MAX_CHANNELS;
use super::pipeline::{self, FromBank, ToStage};
use super::results::Results;
use super::signal::Shape;
use odeon::prelude::*;
use odeon_example_run::Post;

pub(super) fn set_up(theater: &Theater, shape: Shape, results: Results) -> impl FnOnce() {
    let sink = theater.spawn(SignalSink { results });
    let integrator =
        theater.spawn(Integrator { values: vec![0.0; shape.channels], come: 0, exits: 0, sink });
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
    /// Of each channel; added in their order, so that every run comes to the same bits.
    values: Vec<f64>,
    come: usize,
    exits: usize,
    sink: ActorRef<ToStage>,
}

impl Actor for Integrator {
    type Msg = BankItem;

    fn selection(&self) -> Selection {
        Selection::as_they_come()
    }

    fn handle(&mut self, BankItem(message): BankItem, ctx: &mut Context<'_, Self>) {
        let channels = self.values.len();
        match message {
            ToStage::Value(value) => {
                self.values[ctx.mailbox()] = value;
                self.come += 1;
                if self.come < channels {
                    ctx.close(ctx.mailbox());
                    return;
                }
                self.come = 0;
                self.sink.post(ToStage::Value(self.values.iter().sum()));
                ctx.open_all();
            }
            ToStage::Exit => {
                self.exits += 1;
                if self.exits == channels {
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
