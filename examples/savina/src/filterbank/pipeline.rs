//! What all versions have in common: the producer, the source, and the banks up to the integrator.

use super::signal::{Shape, SignalStep, item};
use odeon::prelude::*;
use odeon_example_run::Post;

/// What the integrator of a version is sent.
pub(super) trait FromBank: Message + Sized {
    fn post(integrator: &ActorRef<Self>, channel: usize, message: ToStage);
}

/// What stages are sent, and the sink behind the integrator.
#[derive(Message)]
pub(super) enum ToStage {
    Value(f64),
    Exit,
}

pub(super) fn set_up<J: FromBank>(
    theater: &Theater,
    shape: Shape,
    integrator: &ActorRef<J>,
) -> impl FnOnce() + use<J> {
    let bank = |channel: usize| {
        let integrator = integrator.clone();
        let next = theater.spawn(Forwarder { channel, integrator });
        let next = theater.spawn(Stage { step: shape.second_filter(channel), next });
        let next = theater.spawn(Stage { step: shape.delay(), next });
        let next = theater.spawn(Stage { step: shape.sampler(), next });
        let next = theater.spawn(Stage { step: shape.first_filter(channel), next });
        let next = theater.spawn(Stage { step: shape.delay(), next });
        theater.spawn(Stage { step: Bank, next })
    };
    let branches = theater.spawn(Branches { banks: (0..shape.channels).map(bank).collect() });
    let producer = theater.spawn(SignalProducer { left: shape.items });
    let source =
        theater.spawn(SignalSource { number: 0, producer: producer.clone(), next: branches });
    move || producer.post(SourceReady(source))
}

/// The source wants to be told whether to go on.
#[derive(Message)]
struct SourceReady(ActorRef<ToSource>);

struct SignalProducer {
    left: u64,
}

impl Actor for SignalProducer {
    type Msg = SourceReady;

    fn handle(&mut self, SourceReady(source): SourceReady, ctx: &mut Context<'_, Self>) {
        if self.left == 0 {
            source.post(ToSource::Exit);
            ctx.stop();
            return;
        }
        self.left -= 1;
        source.post(ToSource::Boot);
    }
}

#[derive(Message)]
enum ToSource {
    Boot,
    Exit,
}

struct SignalSource {
    number: u64,
    producer: ActorRef<SourceReady>,
    next: ActorRef<ToStage>,
}

impl Actor for SignalSource {
    type Msg = ToSource;

    fn handle(&mut self, message: ToSource, ctx: &mut Context<'_, Self>) {
        match message {
            ToSource::Boot => {
                self.next.post(ToStage::Value(item(self.number)));
                self.number += 1;
                self.producer.post(SourceReady(ctx.actor_ref()));
            }
            ToSource::Exit => {
                self.next.post(ToStage::Exit);
                ctx.stop();
            }
        }
    }
}

struct Branches {
    banks: Vec<ActorRef<ToStage>>,
}

impl Actor for Branches {
    type Msg = ToStage;

    fn handle(&mut self, message: ToStage, ctx: &mut Context<'_, Self>) {
        match message {
            ToStage::Value(value) => {
                self.banks.iter().for_each(|bank| bank.post(ToStage::Value(value)));
            }
            ToStage::Exit => {
                self.banks.iter().for_each(|bank| bank.post(ToStage::Exit));
                ctx.stop();
            }
        }
    }
}

/// The first stage of a bank.
struct Bank;

impl SignalStep for Bank {
    fn step(&mut self, value: f64) -> Option<f64> {
        Some(value)
    }
}

struct Stage<S> {
    step: S,
    next: ActorRef<ToStage>,
}

impl<S: SignalStep> Actor for Stage<S> {
    type Msg = ToStage;

    fn handle(&mut self, message: ToStage, ctx: &mut Context<'_, Self>) {
        match message {
            ToStage::Value(value) => {
                if let Some(value) = self.step.step(value) {
                    self.next.post(ToStage::Value(value));
                }
            }
            ToStage::Exit => {
                self.next.post(ToStage::Exit);
                ctx.stop();
            }
        }
    }
}

/// The last stage of a bank: says which one it is.
struct Forwarder<J: FromBank> {
    channel: usize,
    integrator: ActorRef<J>,
}

impl<J: FromBank> Actor for Forwarder<J> {
    type Msg = ToStage;

    fn handle(&mut self, message: ToStage, ctx: &mut Context<'_, Self>) {
        if matches!(message, ToStage::Exit) {
            ctx.stop();
        }
        J::post(&self.integrator, self.channel, message);
    }
}
