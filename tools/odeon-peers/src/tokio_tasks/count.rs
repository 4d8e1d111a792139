//! `count`: one actor floods another, then asks for the total.

use std::time::Instant;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Count;
use crate::peer::Sample;

enum ProducerMessage {
    Start,
    Total(usize),
}

struct Producer {
    mailbox: UnboundedReceiver<ProducerMessage>,
    counter: UnboundedSender<CounterMessage>,
    messages: usize,
    end: EndSignal<()>,
}

impl Producer {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: ProducerMessage) {
        match message {
            ProducerMessage::Start => {
                for _ in 0..self.messages {
                    self.tell_counter(CounterMessage::Increment);
                }
                self.tell_counter(CounterMessage::Retrieve);
            }
            ProducerMessage::Total(total) => {
                assert_eq!(total, self.messages, "every increment is counted");
                self.end.send(());
            }
        }
    }

    fn tell_counter(&self, message: CounterMessage) {
        self.counter.send(message).expect("the counter lives");
    }
}

enum CounterMessage {
    Increment,
    Retrieve,
}

struct Counter {
    mailbox: UnboundedReceiver<CounterMessage>,
    producer: UnboundedSender<ProducerMessage>,
    total: usize,
}

impl Counter {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: CounterMessage) {
        match message {
            CounterMessage::Increment => self.total += 1,
            CounterMessage::Retrieve => {
                self.producer.send(ProducerMessage::Total(self.total)).expect("the producer lives")
            }
        }
    }
}

pub fn run(host: &Host, params: &Count) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (producer, producer_mailbox) = mpsc::unbounded_channel();
    let (counter, counter_mailbox) = mpsc::unbounded_channel();
    let producer_actor =
        Producer { mailbox: producer_mailbox, counter, messages: params.messages, end };
    let counter_actor = Counter { mailbox: counter_mailbox, producer: producer.clone(), total: 0 };
    let mut tasks = JoinSet::new();
    tasks.spawn_on(producer_actor.run(), host.handle());
    tasks.spawn_on(counter_actor.run(), host.handle());

    let started = Instant::now();
    producer.send(ProducerMessage::Start).expect("the producer lives");
    ending.wait()?;
    let elapsed = started.elapsed();
    let ops = params.messages as u64;
    Ok(Sample { ops, elapsed })
}
