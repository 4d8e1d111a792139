//! `pressure`: a producer that could send many times faster than its consumer can handle.

use crate::memory::MemoryCourse;
use crate::workload::prelude::*;
use odeon::prelude::*;
use producers::ProducerThread;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

mod producers;

/// See the module.
pub(super) static PRESSURE: Workload = Workload {
    summary: "a producer that could send many times faster than its consumer handles, for some time",
    operation: "message handled",
    floor_is: "the consumer's handler called in a loop",
    parameters: &[
        Parameter::number("milliseconds", "how long the overload lasts", 50, 86_400_000, 6_000)
            .outside_floor(),
        Parameter::number("work", "steps of the handler, each about 1 ns", 1, 1_000_000_000, 1_000),
        Parameter::word("producer", "who sends", &producers::NAMES).outside_floor(),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("pressure", run, floor)
};

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// What lasts less is over before the heap has found its size.
const LONG_ENOUGH: Duration = Duration::from_secs(2);

/// How long the handler alone is measured.
const FLOOR_LASTS: Duration = Duration::from_millis(300);

/// TUNE: KiB, tried 2026-11: what a heap of constant use moves by.
const FLAT_KIB: u64 = 8 << 10;

/// Fails if memory grows in the second half of a time that is long enough for it to have settled.
fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let course = Arc::new(ConsumerCourse::default());
    let work = params.number("work");
    let consumer = theater.spawn(PressureConsumer { work, sum: 0, course: course.clone() });
    let producer = ProducerThread::start(params.word("producer"), &theater, consumer.clone())?;
    let lasting = Duration::from_millis(params.number("milliseconds"));
    let (measured, memory) = course.watch(lasting);
    producer.stop();
    // What still waits is handled, and is not counted.
    let sum = consumer.ask(PressureItem::Sum).wait().map_err(runtime)?;
    drop(consumer);
    if course.handled() < measured.ops || sum == 0 {
        return Err(BenchError::WrongResult("the consumer lost count".to_owned()));
    }
    if lasting >= LONG_ENOUGH {
        check_flat(&memory)?;
    }
    Ok(Measured { growth_kib_per_minute: memory.growth_kib_per_minute(), ..measured })
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let work = params.number("work");
    let (mut ops, mut sum) = (0, 0);
    let start = Instant::now();
    while start.elapsed() < FLOOR_LASTS {
        for payload in 0..100 {
            sum = handle(sum, &black_box([payload; PAYLOAD]), work);
        }
        ops += 100;
    }
    black_box(sum);
    Ok(Measured::new(ops, start.elapsed()))
}

/// Words of a message: enough that a minute of unbounded queueing would fill any machine.
const PAYLOAD: usize = 8;

#[derive(Message)]
enum PressureItem {
    Payload([u64; PAYLOAD]),
    Sum(Reply<u64>),
}

/// The work of one message: steps that follow from each other.
fn handle(sum: u64, payload: &[u64; PAYLOAD], work: u64) -> u64 {
    (0..work).fold(sum ^ payload[0], |sum, step| {
        black_box(sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step)
    })
}

struct PressureConsumer {
    work: u64,
    sum: u64,
    course: Arc<ConsumerCourse>,
}

impl Actor for PressureConsumer {
    type Msg = PressureItem;

    fn handle(&mut self, item: PressureItem, _ctx: &mut Context<'_, Self>) {
        match item {
            PressureItem::Payload(payload) => {
                self.sum = handle(self.sum, &payload, self.work);
                self.course.handled_one();
            }
            PressureItem::Sum(reply) => reply.send(self.sum | 1),
        }
    }
}

/// How far the consumer has come.
#[derive(Default)]
struct ConsumerCourse {
    handled: AtomicU64,
}

impl ConsumerCourse {
    /// By the consumer alone.
    fn handled_one(&self) {
        // ORDERING: Relaxed, here and below: one writer, and a count that orders nothing.
        self.handled.store(self.handled.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    fn handled(&self) -> u64 {
        self.handled.load(Ordering::Relaxed)
    }

    /// Lets the overload last so long: what was handled, and the memory meanwhile.
    fn watch(&self, lasting: Duration) -> (Measured, MemoryCourse) {
        let (start, before) = (Instant::now(), self.handled());
        let mut memory = MemoryCourse::lasting(lasting);
        while start.elapsed() < lasting {
            std::thread::sleep(LOOK.min(lasting - start.elapsed().min(lasting)));
            memory.look(start.elapsed());
        }
        (Measured::new(self.handled() - before, start.elapsed()), memory)
    }
}

fn check_flat(memory: &MemoryCourse) -> Result<(), BenchError> {
    let (first_half, second_half) = memory.highest_kib();
    if first_half == 0 || second_half <= first_half + FLAT_KIB {
        return Ok(());
    }
    let found = format!("memory grew from {first_half} to {second_half} KiB under pressure");
    Err(BenchError::WrongResult(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_memory_is_told() {
        let mut memory = MemoryCourse::lasting(Duration::from_secs(2));
        memory.note(Duration::ZERO, 10_000);
        memory.note(Duration::from_secs(1), 10_000 + FLAT_KIB);
        check_flat(&memory).expect("within what a heap moves by");
        memory.note(Duration::from_secs(1), 10_000 + FLAT_KIB + 1);
        assert!(check_flat(&memory).is_err());
    }
}
