//! `count`: one actor floods another, then asks for the total.

use std::time::Instant;

use kameo::prelude::*;

use super::{prepare, start, start_prepared, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Count;
use crate::peer::Sample;

struct Start;
struct Total(usize);

#[derive(Actor)]
struct Producer {
    counter: ActorRef<Counter>,
    messages: usize,
    end: EndSignal<()>,
}

impl Message<Start> for Producer {
    type Reply = ();

    async fn handle(&mut self, _: Start, _: &mut Context<Self, Self::Reply>) {
        for _ in 0..self.messages {
            self.counter.tell(Increment).send().await.expect("the counter lives");
        }
        self.counter.tell(Retrieve).send().await.expect("the counter lives");
    }
}

impl Message<Total> for Producer {
    type Reply = ();

    async fn handle(&mut self, Total(total): Total, _: &mut Context<Self, Self::Reply>) {
        assert_eq!(total, self.messages, "every increment is counted");
        self.end.send(());
    }
}

struct Increment;
struct Retrieve;

#[derive(Actor)]
struct Counter {
    producer: ActorRef<Producer>,
    total: usize,
}

impl Message<Increment> for Counter {
    type Reply = ();

    async fn handle(&mut self, _: Increment, _: &mut Context<Self, Self::Reply>) {
        self.total += 1;
    }
}

impl Message<Retrieve> for Counter {
    type Reply = ();

    async fn handle(&mut self, _: Retrieve, _: &mut Context<Self, Self::Reply>) {
        self.producer.tell(Total(self.total)).send().await.expect("the producer lives");
    }
}

pub fn run(host: &Host, params: &Count) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let messages = params.messages;
    let (producer, counter) = host.block_on(async {
        let producer = prepare::<Producer>();
        let counter_actor = Counter { producer: producer.actor_ref().clone(), total: 0 };
        let counter = start(counter_actor).await;
        let producer_actor = Producer { counter: counter.clone(), messages, end };
        (start_prepared(producer, producer_actor).await, counter)
    });

    let started = Instant::now();
    producer.tell(Start).blocking_send().expect("the producer lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    host.block_on(async {
        stop(&[producer]).await;
        stop(&[counter]).await;
    });
    let ops = params.messages as u64;
    Ok(Sample { ops, elapsed })
}
