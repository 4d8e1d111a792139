//! The integrator keeps the sums that are not complete.

use super::pipeline::{self, FromBank, ToStage};
use super::results::Results;
use super::signal::Shape;
use odeon::prelude::*;
use odeon_example_run::Post;
use std::collections::VecDeque;

pub(super) fn set_up(theater: &Theater, shape: Shape, results: Results) -> impl FnOnce() {
    let sink = theater.spawn(SignalSink { results });
    let integrator = theater.spawn(Integrator::new(shape.channels, sink));
    pipeline::set_up(theater, shape, &integrator)
}

#[derive(Message)]
struct BankItem {
    channel: usize,
    message: ToStage,
}

impl FromBank for BankItem {
    fn post(integrator: &ActorRef<Self>, channel: usize, message: ToStage) {
        integrator.post(Self { channel, message });
    }
}

/// Values for one sum.
struct PartialSum {
    /// Of each channel; added in their order, so that every run comes to the same bits.
    values: Vec<f64>,
    come: usize,
}

struct Integrator {
    /// Of each channel: how many of its values have come.
    come: Vec<usize>,
    complete: usize,
    /// Sums that are not complete, oldest first.
    rows: VecDeque<PartialSum>,
    exits: usize,
    sink: ActorRef<ToStage>,
}

impl Integrator {
    fn new(channels: usize, sink: ActorRef<ToStage>) -> Self {
        Self { come: vec![0; channels], complete: 0, rows: VecDeque::new(), exits: 0, sink }
    }

    fn add(&mut self, channel: usize, value: f64) {
        let channels = self.come.len();
        let number = self.come[channel] - self.complete;
        self.come[channel] += 1;
        if number == self.rows.len() {
            self.rows.push_back(PartialSum { values: vec![0.0; channels], come: 0 });
        }
        let row = &mut self.rows[number];
        row.values[channel] = value;
        row.come += 1;
        // Only the oldest can be complete: each later one lacks the channel of a value that is
        // missing there.
        if row.come == channels {
            self.sink.post(ToStage::Value(row.values.iter().sum()));
            self.rows.pop_front();
            self.complete += 1;
        }
    }
}

impl Actor for Integrator {
    type Msg = BankItem;

    fn handle(&mut self, BankItem { channel, message }: BankItem, ctx: &mut Context<'_, Self>) {
        match message {
            ToStage::Value(value) => self.add(channel, value),
            ToStage::Exit => {
                self.exits += 1;
                if self.exits == self.come.len() {
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
