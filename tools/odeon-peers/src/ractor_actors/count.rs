//! `count`: one actor floods another, then asks for the total.

use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Count;
use crate::peer::Sample;

enum ProducerMessage {
    Start,
    Total(usize),
}

struct Producer;

struct ProducerState {
    counter: ActorRef<CounterMessage>,
    messages: usize,
    end: EndSignal<()>,
}

impl ProducerState {
    fn tell_counter(&self, message: CounterMessage) {
        self.counter.cast(message).expect("the counter lives");
    }
}

impl Actor for Producer {
    type Msg = ProducerMessage;
    type State = ProducerState;
    type Arguments = ProducerState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ProducerMessage::Start => {
                for _ in 0..state.messages {
                    state.tell_counter(CounterMessage::Increment);
                }
                state.tell_counter(CounterMessage::Retrieve { asker: myself });
            }
            ProducerMessage::Total(total) => {
                assert_eq!(total, state.messages, "every increment is counted");
                state.end.send(());
            }
        }
        Ok(())
    }
}

enum CounterMessage {
    Increment,
    Retrieve { asker: ActorRef<ProducerMessage> },
}

struct Counter;

impl Actor for Counter {
    type Msg = CounterMessage;
    type State = usize;
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        (): Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(0)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        total: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            CounterMessage::Increment => *total += 1,
            CounterMessage::Retrieve { asker } => {
                asker.cast(ProducerMessage::Total(*total)).expect("the producer lives")
            }
        }
        Ok(())
    }
}

pub fn run(host: &Host, params: &Count) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (producer, counter) = host.block_on(async {
        let counter = start(Counter, ()).await;
        let state = ProducerState { counter: counter.clone(), messages: params.messages, end };
        (start(Producer, state).await, counter)
    });

    let started = Instant::now();
    producer.cast(ProducerMessage::Start).expect("the producer lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    stop(&[producer]);
    stop(&[counter]);
    let ops = params.messages as u64;
    Ok(Sample { ops, elapsed })
}
