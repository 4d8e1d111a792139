//! `count`: a producer sends many increments in one handler, then asks for the total.

use crate::workload::prelude::*;
use odeon::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

/// See the module.
pub(super) static COUNT: Workload = Workload {
    summary: "a producer sends increments to a counter in one handler, then asks for the total",
    operation: "message",
    floor_is: "two boxed actors driven by one VecDeque on one thread",
    parameters: &[
        Parameter::number("messages", "increments", 1, 1_000_000_000, 1_000_000),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("count", run, floor)
};

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let messages = params.number("messages");
    let (finish, waiting) = finish_line(1);
    let counter = theater.spawn(NumberCounter { total: 0 });
    let producer = theater.spawn(NumberProducer { counter, messages, finish });
    waiting
        .time(messages, || {
            producer.post(ToProducer::Begin);
        })
        .map(Measured::from)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let messages = params.number("messages");
    let received = Rc::new(Cell::new(0));
    let mut actors: Vec<Box<dyn FloorActor<FloorMessage>>> = vec![
        Box::new(FloorProducer { messages, received: received.clone() }),
        Box::new(FloorCounter { total: 0 }),
    ];
    let mut queue = FloorQueue::new();
    let (measured, ()) = Measured::time(messages, || {
        queue.post(PRODUCER, FloorMessage::Begin);
        queue.drive(&mut actors);
    });
    check(received.get(), messages).map(|()| measured)
}

fn check(total: u64, messages: u64) -> Result<(), BenchError> {
    if total == messages { Ok(()) } else { Err(BenchError::WrongResult(wrong(total, messages))) }
}

fn wrong(total: u64, messages: u64) -> String {
    format!("the counter counted {total} of {messages} increments")
}

#[derive(Message)]
enum ToProducer {
    Begin,
    Total(u64),
}

struct NumberProducer {
    counter: ActorRef<ToCounter>,
    messages: u64,
    finish: Finish,
}

impl Actor for NumberProducer {
    type Msg = ToProducer;

    fn handle(&mut self, message: ToProducer, ctx: &mut Context<'_, Self>) {
        match message {
            ToProducer::Begin => {
                for _ in 0..self.messages {
                    self.counter.post(ToCounter::Increment);
                }
                self.counter.post(ToCounter::Retrieve(ctx.actor_ref()));
            }
            ToProducer::Total(total) => {
                let right = total == self.messages;
                self.finish.arrive_if(right, || wrong(total, self.messages));
            }
        }
    }
}

#[derive(Message)]
enum ToCounter {
    Increment,
    Retrieve(ActorRef<ToProducer>),
}

struct NumberCounter {
    total: u64,
}

impl Actor for NumberCounter {
    type Msg = ToCounter;

    fn handle(&mut self, message: ToCounter, _ctx: &mut Context<'_, Self>) {
        match message {
            ToCounter::Increment => self.total += 1,
            ToCounter::Retrieve(producer) => producer.post(ToProducer::Total(self.total)),
        }
    }
}

const PRODUCER: usize = 0;
const COUNTER: usize = 1;

enum FloorMessage {
    Begin,
    Increment,
    Retrieve,
    Total(u64),
}

struct FloorProducer {
    messages: u64,
    received: Rc<Cell<u64>>,
}

impl FloorActor<FloorMessage> for FloorProducer {
    fn receive(&mut self, message: FloorMessage, queue: &mut FloorQueue<FloorMessage>) {
        match message {
            FloorMessage::Begin => {
                for _ in 0..self.messages {
                    queue.post(COUNTER, FloorMessage::Increment);
                }
                queue.post(COUNTER, FloorMessage::Retrieve);
            }
            FloorMessage::Total(total) => self.received.set(total),
            FloorMessage::Increment | FloorMessage::Retrieve => {}
        }
    }
}

struct FloorCounter {
    total: u64,
}

impl FloorActor<FloorMessage> for FloorCounter {
    fn receive(&mut self, message: FloorMessage, queue: &mut FloorQueue<FloorMessage>) {
        match message {
            FloorMessage::Increment => self.total += 1,
            FloorMessage::Retrieve => queue.post(PRODUCER, FloorMessage::Total(self.total)),
            FloorMessage::Begin | FloorMessage::Total(_) => {}
        }
    }
}
