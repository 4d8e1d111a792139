//! The buffer keeps lists of the producers that wait for room and of the consumers that wait for
//! items.

use super::buffer::{Buffer, Consumed, Reports, Trade, process};
use crate::book::AddressBook;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::collections::VecDeque;

pub(super) fn set_up(theater: &Theater, trade: Trade, finish: Finish) -> impl FnOnce() {
    let (producers, consumers) = (AddressBook::new(), AddressBook::new());
    let keeper = theater.spawn(Keeper {
        buffer: Buffer::new(&trade),
        producers: producers.clone(),
        consumers: consumers.clone(),
        waiting_producers: VecDeque::new(),
        waiting_consumers: VecDeque::new(),
        still_producing: trade.producers,
        reports: Reports::new(&trade, finish),
    });
    let producer = |number| {
        let (left, cost) = (trade.items_each, trade.producer_cost);
        theater.spawn(Producer { number, item: 0.0, left, cost, keeper: keeper.clone() })
    };
    producers.fill((0..trade.producers).map(producer).collect());
    let consumer = |number| {
        let (consumed, cost) = (Consumed::default(), trade.consumer_cost);
        theater.spawn(Consumer { number, used: 0.0, consumed, cost, keeper: keeper.clone() })
    };
    consumers.fill((0..trade.consumers).map(consumer).collect());
    move || {
        consumers.all().iter().for_each(|consumer| consumer.post(ToConsumer::Begin));
        producers.all().iter().for_each(|producer| producer.post(Produce));
    }
}

#[derive(Message)]
enum ToKeeper {
    Available { consumer: u32 },
    Item { producer: u32, item: f64 },
    ProducerEnds,
    ConsumerEnds(Consumed),
}

/// Keeps the buffer.
struct Keeper {
    buffer: Buffer,
    producers: AddressBook<Produce>,
    consumers: AddressBook<ToConsumer>,
    waiting_producers: VecDeque<u32>,
    waiting_consumers: VecDeque<u32>,
    still_producing: u32,
    reports: Reports,
}

impl Keeper {
    fn give(&self, consumer: u32, item: f64) {
        self.consumers.actor(consumer as usize).post(ToConsumer::Item(item));
    }

    fn end_if_done(&self) {
        if self.still_producing == 0 && self.buffer.is_empty() {
            self.consumers.all().iter().for_each(|consumer| consumer.post(ToConsumer::End));
        }
    }
}

impl Actor for Keeper {
    type Msg = ToKeeper;

    fn handle(&mut self, message: ToKeeper, _ctx: &mut Context<'_, Self>) {
        match message {
            ToKeeper::Item { producer, item } => {
                match self.waiting_consumers.pop_front() {
                    Some(consumer) => self.give(consumer, item),
                    None => self.buffer.put(item),
                }
                if self.buffer.is_full() {
                    self.waiting_producers.push_back(producer);
                } else {
                    self.producers.actor(producer as usize).post(Produce);
                }
            }
            ToKeeper::Available { consumer } => match self.buffer.take() {
                Some(item) => {
                    self.give(consumer, item);
                    if let Some(producer) = self.waiting_producers.pop_front() {
                        self.producers.actor(producer as usize).post(Produce);
                    }
                    self.end_if_done();
                }
                None => self.waiting_consumers.push_back(consumer),
            },
            ToKeeper::ProducerEnds => {
                self.still_producing -= 1;
                self.end_if_done();
            }
            ToKeeper::ConsumerEnds(consumed) => self.reports.receive(consumed, &self.buffer),
        }
    }
}

#[derive(Message)]
struct Produce;

struct Producer {
    number: u32,
    item: f64,
    left: u32,
    cost: u64,
    keeper: ActorRef<ToKeeper>,
}

impl Actor for Producer {
    type Msg = Produce;

    fn handle(&mut self, Produce: Produce, ctx: &mut Context<'_, Self>) {
        if self.left == 0 {
            self.keeper.post(ToKeeper::ProducerEnds);
            ctx.stop();
            return;
        }
        self.left -= 1;
        self.item = process(self.item, self.cost);
        self.keeper.post(ToKeeper::Item { producer: self.number, item: self.item });
    }
}

#[derive(Message)]
enum ToConsumer {
    Begin,
    Item(f64),
    End,
}

struct Consumer {
    number: u32,
    used: f64,
    consumed: Consumed,
    cost: u64,
    keeper: ActorRef<ToKeeper>,
}

impl Actor for Consumer {
    type Msg = ToConsumer;

    fn handle(&mut self, message: ToConsumer, ctx: &mut Context<'_, Self>) {
        match message {
            ToConsumer::Begin => {}
            ToConsumer::Item(item) => {
                self.used = process(self.used + item, self.cost);
                self.consumed.count(item);
            }
            ToConsumer::End => {
                self.keeper.post(ToKeeper::ConsumerEnds(self.consumed));
                ctx.stop();
                return;
            }
        }
        self.keeper.post(ToKeeper::Available { consumer: self.number });
    }
}
