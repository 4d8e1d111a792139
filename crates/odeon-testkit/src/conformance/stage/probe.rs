//! An actor that does what its messages say and keeps a log of its life.

use std::sync::{Arc, Mutex};

use odeon_core::{Actor, Context, Message};

use crate::silent_panic;

/// What happened to a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// `started` was called.
    Started,
    /// A message with this number was handled.
    Handled(u64),
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

    /// The numbers of the messages handled so far.
    pub fn handled(&self) -> Vec<u64> {
        let number = |event| if let Event::Handled(n) = event { Some(n) } else { None };
        self.events().into_iter().filter_map(number).collect()
    }

    /// Whether `event` has happened.
    pub fn has(&self, event: Event) -> bool {
        self.events().contains(&event)
    }
}

/// Where a probe panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanicIn {
    /// In `started`.
    Started,
    /// In the handler of message 0.
    Handle,
    /// In `stopped`.
    Stopped,
    /// In the destructor of its state.
    Drop,
}

/// The actor.
#[derive(Debug)]
pub struct Probe {
    log: Log,
    panic_in: Option<PanicIn>,
}

impl Probe {
    /// A probe that behaves.
    pub fn new(log: &Log) -> Self {
        Self { log: log.clone(), panic_in: None }
    }

    /// A probe that panics at the given place.
    pub fn panicking(log: &Log, place: PanicIn) -> Self {
        Self { log: log.clone(), panic_in: Some(place) }
    }

    /// Panics if `place` is where this probe does, once.
    fn pass(&mut self, place: PanicIn) {
        if self.panic_in == Some(place) {
            self.panic_in = None;
            silent_panic("a probe was asked to panic");
        }
    }
}

type ProbeJob = Box<dyn FnOnce(&mut Probe, &mut Context<'_, Probe>) + Send>;

/// A message to a probe.
pub enum Do {
    /// Note this number.
    Note(u64),
    /// Whatever the test wants.
    Run(ProbeJob),
}

impl Do {
    /// A message that runs `job` on the probe's stage.
    pub fn run(job: impl FnOnce(&mut Context<'_, Probe>) + Send + 'static) -> Self {
        Self::Run(Box::new(|_, ctx| job(ctx)))
    }
}

impl Message for Do {}

impl Actor for Probe {
    type Msg = Do;

    fn started(&mut self, _ctx: &mut Context<'_, Self>) {
        self.log.add(Event::Started);
        self.pass(PanicIn::Started);
    }

    fn handle(&mut self, msg: Do, ctx: &mut Context<'_, Self>) {
        match msg {
            Do::Note(n) => {
                self.log.add(Event::Handled(n));
                if n == 0 {
                    self.pass(PanicIn::Handle);
                }
            }
            Do::Run(job) => job(self, ctx),
        }
    }

    fn stopped(&mut self) {
        self.log.add(Event::Stopped);
        self.pass(PanicIn::Stopped);
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.log.add(Event::Dropped);
        if !std::thread::panicking() {
            self.pass(PanicIn::Drop);
        }
    }
}
