//! Guards say when the mailboxes of producers and consumers are open.

use super::buffer::{Buffer, Consumed, Reports, Trade, process};
use crate::book::AddressBook;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

pub(super) fn set_up(theater: &Theater, trade: Trade, finish: Finish) -> impl FnOnce() {
    let (producers, consumers) = (AddressBook::new(), AddressBook::new());
    let keeper = theater.spawn(Keeper {
        buffer: Buffer::new(&trade),
        producers: producers.clone(),
        consumers: consumers.clone(),
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

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Consumers,
    Producers,
}

#[derive(Message)]
enum ToKeeper {
    #[mailbox(Port::Consumers)]
    Available { consumer: u32 },
    #[mailbox(Port::Producers)]
    Item { producer: u32, item: f64 },
    #[mailbox(Port::Producers)]
    ProducerEnds,
    #[mailbox(Port::Producers)]
    ConsumerEnds(Consumed),
}

/// Keeps the buffer.
struct Keeper {
    buffer: Buffer,
    producers: AddressBook<Produce>,
    consumers: AddressBook<ToConsumer>,
    still_producing: u32,
    reports: Reports,
}

impl Keeper {
    fn end_if_done(&self) {
        if self.still_producing == 0 && self.buffer.is_empty() {
            self.consumers.all().iter().for_each(|consumer| consumer.post(ToConsumer::End));
        }
    }
}

#[guards]
impl Actor for Keeper {
    type Msg = ToKeeper;

    fn selection(&self) -> Selection {
        Selection::as_they_come()
    }

    #[guard(Port::Producers)]
    fn has_room(&self) -> bool {
        !self.buffer.is_full()
    }

    #[guard(Port::Consumers)]
    fn has_items(&self) -> bool {
        !self.buffer.is_empty()
    }

    fn handle(&mut self, message: ToKeeper, _ctx: &mut Context<'_, Self>) {
        match message {
            ToKeeper::Item { producer, item } => {
                self.buffer.put(item);
                self.producers.actor(producer as usize).post(Produce);
            }
            ToKeeper::Available { consumer } => {
                if let Some(item) = self.buffer.take() {
                    self.consumers.actor(consumer as usize).post(ToConsumer::Item(item));
                }
                self.end_if_done();
            }
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
