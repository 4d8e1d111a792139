//! Actors that do in their handlers what the test says.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;

pub(crate) const SOON: Duration = Duration::from_secs(20);

pub(crate) type Log = Arc<Mutex<Vec<u32>>>;
pub(crate) type Job = Box<dyn FnOnce(&mut Plain, &mut Context<'_, Plain>) + Send>;
pub(crate) type AsyncJob = Box<
    dyn for<'a> FnOnce(
            &'a mut Waiting,
            &'a mut AsyncContext<'_, Waiting>,
        ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>
        + Send,
>;

/// Does in its handlers what the test says.
pub(crate) struct Plain {
    pub(crate) log: Log,
    pub(crate) busy: Arc<AtomicBool>,
}

pub(crate) enum Do {
    Run(Job),
    Note(u32),
    Ask(Reply<u32>),
    Open,
}

impl Message for Do {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Do::Note(_)))
    }
}

pub(crate) fn run(job: impl FnOnce(&mut Plain, &mut Context<'_, Plain>) + Send + 'static) -> Do {
    Do::Run(Box::new(job))
}

impl Plain {
    pub(crate) fn new(log: &Log) -> Self {
        Self { log: log.clone(), busy: Arc::default() }
    }

    pub(crate) fn note(&mut self, n: u32) {
        self.log.lock().unwrap().push(n);
    }
}

impl Actor for Plain {
    type Msg = Do;
    fn handle(&mut self, msg: Do, ctx: &mut Context<'_, Self>) {
        assert!(!self.busy.swap(true, Ordering::SeqCst));
        match msg {
            Do::Run(job) => job(self, ctx),
            Do::Note(n) => self.note(n),
            Do::Ask(reply) => reply.send(self.log.lock().unwrap().len() as u32),
            Do::Open => ctx.open(1),
        }
        self.busy.store(false, Ordering::SeqCst);
    }
}

/// As [`Plain`], in handlers that wait.
pub(crate) struct Waiting {
    pub(crate) log: Log,
    pub(crate) busy: bool,
}

pub(crate) enum DoAsync {
    Run(AsyncJob),
    Note(u32),
}
impl Message for DoAsync {}

pub(crate) fn run_async<F>(job: F) -> DoAsync
where
    F: for<'a> FnOnce(
            &'a mut Waiting,
            &'a mut AsyncContext<'_, Waiting>,
        ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>
        + Send
        + 'static,
{
    DoAsync::Run(Box::new(job))
}

impl Waiting {
    pub(crate) fn new(log: &Log) -> Self {
        Self { log: log.clone(), busy: false }
    }

    pub(crate) fn note(&mut self, n: u32) {
        self.log.lock().unwrap().push(n);
    }
}

impl AsyncActor for Waiting {
    type Msg = DoAsync;
    async fn handle(&mut self, msg: DoAsync, ctx: &mut AsyncContext<'_, Self>) {
        self.busy = true;
        match msg {
            DoAsync::Run(job) => job(self, ctx).await,
            DoAsync::Note(n) => self.note(n),
        }
        self.busy = false;
    }
}

pub(crate) fn log() -> Log {
    Log::default()
}

pub(crate) fn notes(log: &Log) -> Vec<u32> {
    log.lock().unwrap().clone()
}

#[track_caller]
pub(crate) fn wait_for(mut condition: impl FnMut() -> bool) {
    let since = std::time::Instant::now();
    while !condition() {
        assert!(since.elapsed() < SOON, "still waiting");
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// On each kind of stage with threads.
pub(crate) fn on_all_stages(test: impl Fn(&Theater, &dyn Fn(Plain) -> ActorRef<Do>)) {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    test(&theater, &|actor| theater.spawn(actor));
    test(&theater, &|actor| theater.actor().on(&stage).spawn(actor));
    test(&theater, &|actor| theater.actor().dedicated("own").spawn(actor).unwrap());
}
