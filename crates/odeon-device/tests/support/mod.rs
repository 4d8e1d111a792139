//! A device actor that keeps a book of what it has done, on a device that fails as a script says.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::{ActorRef, Message, Reply};
use odeon_device::*;

/// How long threads may take for what a test waits for.
pub const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub enum To {
    /// To be noted, and added on the device.
    Number(u32),
    /// As [`Number`](Self::Number), a batch by itself.
    Alone(u32),
    /// The sum on the device.
    Sum(Reply<u32>),
    /// Memory of so many bytes beside the sum; the answer is what the device says to that.
    Allocate(usize, Reply<Result<(), DeviceError>>),
    /// The end, by the actor itself.
    Stop,
}

impl Message for To {}

/// What a handler did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Opened,
    /// The numbers of a batch, as it was given to the handler.
    Batch(Vec<u32>),
    /// A number was taken.
    Done(u32),
    Stopped,
}

#[derive(Clone, Default)]
pub struct Book(Arc<Mutex<Vec<Entry>>>);

impl Book {
    pub fn note(&self, entry: Entry) {
        self.0.lock().unwrap().push(entry);
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.0.lock().unwrap().clone()
    }

    pub fn batches(&self) -> Vec<Vec<u32>> {
        let entries = self.entries().into_iter();
        entries.filter_map(|e| if let Entry::Batch(b) = e { Some(b) } else { None }).collect()
    }

    pub fn done(&self) -> Vec<u32> {
        let entries = self.entries().into_iter();
        entries.filter_map(|e| if let Entry::Done(n) = e { Some(n) } else { None }).collect()
    }

    pub fn opened(&self) -> usize {
        self.entries().iter().filter(|entry| **entry == Entry::Opened).count()
    }
}

pub struct Adder {
    pub sum: HostBuffer,
    pub more: Vec<HostBuffer>,
    pub book: Book,
    /// How many of a batch it takes before it launches for the next ones.
    pub at_once: usize,
}

pub type Faulty = FaultyDevice<HostDevice>;

fn number_of(message: &To) -> u32 {
    match message {
        To::Number(number) | To::Alone(number) => *number,
        _ => 0,
    }
}

impl DeviceActor for Adder {
    type Msg = To;
    type Device = Faulty;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, To>,
        device: &mut Faulty,
        ctx: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        self.book.note(Entry::Batch(batch.messages().iter().map(number_of).collect()));
        while !batch.is_empty() {
            let some = batch.len().min(self.at_once);
            let numbers: Vec<u32> = batch.messages()[..some].iter().map(number_of).collect();
            let sum = &mut self.sum;
            device.launch(|device| {
                device.launch(|| sum.as_mut_slice::<u32>()[0] += numbers.iter().sum::<u32>());
                Ok(())
            })?;
            for _ in 0..some {
                self.finish(batch.take().unwrap(), device, ctx)?;
            }
        }
        Ok(())
    }

    fn is_alone(message: &To) -> bool {
        matches!(message, To::Alone(_))
    }

    fn stopped(&mut self, _: &mut Faulty) {
        self.book.note(Entry::Stopped);
    }
}

impl Adder {
    fn finish(
        &mut self,
        message: To,
        device: &mut Faulty,
        ctx: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        match message {
            To::Number(number) | To::Alone(number) => self.book.note(Entry::Done(number)),
            To::Sum(reply) => {
                let mut sum = [0; 4];
                device.download(&self.sum, &mut sum)?;
                reply.send(u32::from_ne_bytes(sum));
            }
            To::Allocate(bytes, reply) => {
                let allocated = device.allocate(bytes).map(|buffer| self.more.push(buffer));
                reply.send(allocated);
            }
            To::Stop => ctx.stop(),
        }
        Ok(())
    }
}

/// Makes adders with sessions that fail by the same script. The memory of the last session can be
/// asked for.
#[derive(Clone)]
pub struct Maker {
    pub book: Book,
    pub faults: Faults,
    pub at_once: usize,
    pub limit: u64,
    pub memory: Arc<Mutex<Vec<Memory>>>,
}

impl Maker {
    pub fn new(faults: Faults) -> Self {
        let (book, memory) = Default::default();
        Self { book, faults, at_once: usize::MAX, limit: 1_000, memory }
    }

    pub fn make(&self) -> Result<(Adder, Faulty), DeviceError> {
        let mut device = self.faults.open(|| Ok(HostDevice::new(self.limit)))?;
        self.memory.lock().unwrap().push(device.memory().clone());
        let sum = device.upload(&[0; 4])?;
        self.book.note(Entry::Opened);
        let adder = Adder { sum, more: Vec::new(), book: self.book.clone(), at_once: self.at_once };
        Ok((adder, device))
    }

    /// Bytes in use by all sessions that there were.
    pub fn used(&self) -> u64 {
        self.memory.lock().unwrap().iter().map(Memory::used).sum()
    }
}

/// Has the actor end, and waits for that.
pub fn stop_and_wait<M: Message>(actor: &ActorRef<M>) {
    let ended = actor.ended();
    actor.stop();
    ended.wait();
}

/// Waits until something has happened elsewhere.
#[track_caller]
pub fn wait_for(mut what: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !what() {
        assert!(begun.elapsed() < PATIENCE, "it does not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Panics when it is dropped.
#[derive(Debug)]
pub struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        explode();
    }
}

/// Panics with something that panics when it is dropped.
pub fn explode() -> ! {
    std::panic::resume_unwind(Box::new(Bomb))
}

/// Does something that is not to hang.
#[track_caller]
pub fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, over) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    over.recv_timeout(PATIENCE).expect("it comes to its end")
}
