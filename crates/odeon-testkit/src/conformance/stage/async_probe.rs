//! An asynchronous actor that does what its messages say and keeps a log of its life.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use odeon_core::{AsyncActor, AsyncContext, Message};

use crate::waiting::Bell;

/// What happened to an asynchronous probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// `started` was called, and did not wait any more.
    Started,
    /// The handler of this message began.
    Began(u64),
    /// The handler of this message returned.
    Returned(u64),
    /// The handler's local values were dropped.
    Left(u64),
    /// `stopped` was called.
    Stopped,
    /// The state was dropped.
    Dropped,
}

/// The events of one or several probes, in their order.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Vec<Event>>>);

impl Log {
    /// Appends an event.
    pub fn add(&self, event: Event) {
        self.0.lock().expect("no panic happens under the log's lock").push(event);
    }

    /// All events so far.
    pub fn events(&self) -> Vec<Event> {
        self.0.lock().expect("no panic happens under the log's lock").clone()
    }

    /// Whether `event` has happened.
    pub fn has(&self, event: Event) -> bool {
        self.events().contains(&event)
    }
}

/// The actor.
#[derive(Debug)]
pub struct AsyncProbe {
    log: Log,
    before_start: Option<Bell>,
}

impl AsyncProbe {
    /// A probe that starts at once.
    pub fn new(log: &Log) -> Self {
        Self { log: log.clone(), before_start: None }
    }

    /// A probe whose `started` waits for `bell`.
    pub fn starting_at(log: &Log, bell: &Bell) -> Self {
        Self { log: log.clone(), before_start: Some(bell.clone()) }
    }
}

/// What a job for a probe returns.
pub type JobFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

type AsyncProbeJob =
    Box<dyn for<'a> FnOnce(&'a mut AsyncContext<'_, AsyncProbe>) -> JobFuture<'a> + Send>;

/// A message to a probe.
pub enum Order {
    /// Note this number, without waiting.
    Note(u64),
    /// Note this number, and wait for the bell.
    Wait(u64, Bell),
    /// Whatever the test wants.
    Run(AsyncProbeJob),
}

impl Order {
    /// A message that runs `job`.
    pub fn run<F>(job: F) -> Self
    where
        F: for<'a> FnOnce(&'a mut AsyncContext<'_, AsyncProbe>) -> JobFuture<'a> + Send + 'static,
    {
        Self::Run(Box::new(job))
    }
}

impl Message for Order {}

/// A local value of a handler.
struct Local(Log, u64);

impl Drop for Local {
    fn drop(&mut self) {
        self.0.add(Event::Left(self.1));
    }
}

impl AsyncActor for AsyncProbe {
    type Msg = Order;

    async fn started(&mut self, _ctx: &mut AsyncContext<'_, Self>) {
        if let Some(bell) = &self.before_start {
            bell.rings().await;
        }
        self.log.add(Event::Started);
    }

    async fn handle(&mut self, msg: Order, ctx: &mut AsyncContext<'_, Self>) {
        match msg {
            Order::Note(n) => self.log.add(Event::Began(n)),
            Order::Wait(n, bell) => {
                self.log.add(Event::Began(n));
                let _local = Local(self.log.clone(), n);
                bell.rings().await;
                self.log.add(Event::Returned(n));
            }
            Order::Run(job) => job(ctx).await,
        }
    }

    fn stopped(&mut self) {
        self.log.add(Event::Stopped);
    }
}

impl Drop for AsyncProbe {
    fn drop(&mut self) {
        self.log.add(Event::Dropped);
    }
}
