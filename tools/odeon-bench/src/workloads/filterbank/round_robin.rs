//! Only the mailbox of the channel whose turn it is is open.

use super::MAX_CHANNELS;
use super::pipeline::{self, FromBank, ToStage};
use super::results::Results;
use super::signal::Shape;
use crate::theater::Post;
use odeon::prelude::*;

pub(super) fn set_up(theater: &Theater, shape: Shape, results: Results) -> impl FnOnce() {
    let sink = theater.spawn(Sink { results });
    let integrator =
        theater.spawn(Integrator { channels: shape.channels, sum: 0.0, next: 0, sink });
    pipeline::set_up(theater, shape, &integrator)
}

struct Joined {
    channel: u32,
    message: ToStage,
}

/// A mailbox for each channel.
impl Message for Joined {
    const MAILBOXES: usize = MAX_CHANNELS;

    fn mailbox(&self) -> usize {
        self.channel as usize
    }
}

impl FromBank for Joined {
    fn value(channel: u32, value: f64) -> Self {
        Self { channel, message: ToStage::Value(value) }
    }

    fn exit(channel: u32) -> Self {
        Self { channel, message: ToStage::Exit }
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
    type Msg = Joined;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        (1..self.channels).for_each(|channel| ctx.close(channel));
    }

    fn handle(&mut self, Joined { message, .. }: Joined, ctx: &mut Context<'_, Self>) {
        ctx.close(self.next);
        self.next = (self.next + 1) % self.channels;
        ctx.open(self.next);
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

struct Sink {
    results: Results,
}

impl Actor for Sink {
    type Msg = ToStage;

    fn handle(&mut self, message: ToStage, _ctx: &mut Context<'_, Self>) {
        match message {
            ToStage::Value(value) => self.results.receive(value),
            ToStage::Exit => self.results.check(),
        }
    }
}
