//! What the tests of S18 share: a clerk of two mailboxes that does what its messages say, as a
//! plain and as an asynchronous actor, and theaters with it on every kind of stage.
#![allow(dead_code, reason = "each test crate uses its part")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::silent_panic;

pub(crate) const SOON: Duration = Duration::from_secs(60);

/// The numbers that clerks have noted, in their order.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<u64>>>);

impl Notes {
    pub(crate) fn all(&self) -> Vec<u64> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn note(&self, number: u64) {
        self.0.lock().unwrap().push(number);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// What a clerk is sent: notes go to mailbox 1, everything else to mailbox 0.
pub(crate) enum Work {
    Note(u64),
    Ask(Reply<u64>),
    Run(Box<dyn FnOnce() + Send>),
    Guard { open: bool },
    Fail,
}

impl Work {
    pub(crate) fn run(job: impl FnOnce() + Send + 'static) -> Self {
        Self::Run(Box::new(job))
    }
}

impl Message for Work {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Self::Note(_) | Self::Ask(_)))
    }
}

pub(crate) struct Clerk(pub(crate) Notes);

impl Clerk {
    fn work(&self, work: Work) -> Option<bool> {
        match work {
            Work::Note(number) => self.0.note(number),
            Work::Ask(reply) => reply.send(self.0.len() as u64),
            Work::Run(job) => job(),
            Work::Guard { open } => return Some(open),
            Work::Fail => silent_panic("a clerk was asked to"),
        }
        None
    }
}

impl Actor for Clerk {
    type Msg = Work;
    fn handle(&mut self, work: Work, ctx: &mut Context<'_, Self>) {
        match self.work(work) {
            None => {}
            Some(true) => ctx.open(1),
            Some(false) => ctx.close(1),
        }
    }
}

/// The same, asynchronously.
pub(crate) struct AsyncClerk(pub(crate) Notes);

impl AsyncActor for AsyncClerk {
    type Msg = Work;
    async fn handle(&mut self, work: Work, ctx: &mut AsyncContext<'_, Self>) {
        match Clerk(self.0.clone()).work(work) {
            None => {}
            Some(true) => ctx.open(1),
            Some(false) => ctx.close(1),
        }
        odeon_testkit::yields(1).await;
    }
}

/// Spawns a clerk whose mailbox 1 has this bound.
pub(crate) type Spawn<'a> = &'a dyn Fn(&Notes, Bound) -> ActorRef<Work>;

/// A clerk on every kind of stage, plain and asynchronous.
pub(crate) fn on_all(test: impl Fn(&Theater, Spawn<'_>)) {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let plain = |notes: &Notes, bound| Bounded::new(Clerk(notes.clone())).mailbox(1, bound);
    let waiting =
        |notes: &Notes, bound| Bounded::new_async(AsyncClerk(notes.clone())).mailbox(1, bound);
    test(&theater, &|notes, bound| theater.spawn(plain(notes, bound)));
    test(&theater, &|notes, bound| theater.actor().on(&stage).spawn(plain(notes, bound)));
    test(&theater, &|notes, bound| {
        theater.actor().dedicated("one").spawn(plain(notes, bound)).unwrap()
    });
    test(&theater, &|notes, bound| theater.spawn(waiting(notes, bound)));
    test(&theater, &|notes, bound| theater.actor().on(&stage).spawn(waiting(notes, bound)));
    test(&theater, &|notes, bound| {
        let notes = notes.clone();
        theater.actor().supervised(Supervision::new()).spawn(move || plain(&notes, bound))
    });
}

/// Keeps a clerk busy; returns when it is. It goes on when this is dropped.
pub(crate) struct Busy(Arc<Barrier>);

impl Busy {
    pub(crate) fn keep(clerk: &ActorRef<Work>) -> Self {
        let gate = Arc::new(Barrier::new(2));
        let inside = gate.clone();
        let job = move || {
            inside.wait();
            inside.wait();
        };
        clerk.send(Work::run(job)).unwrap();
        gate.wait();
        Self(gate)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.wait();
    }
}

#[track_caller]
pub(crate) fn until(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < SOON, "not in time");
        std::thread::yield_now();
    }
}

/// A counter that threads and actors share.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

impl Count {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Sends these notes from a thread of their own; what came back is its result.
pub(crate) fn send_all(
    clerk: &ActorRef<Work>,
    numbers: std::ops::Range<u64>,
    sent: &Count,
) -> std::thread::JoinHandle<Vec<SendError<Work>>> {
    let (clerk, sent) = (clerk.clone(), sent.clone());
    std::thread::spawn(move || {
        let send = |number| clerk.send(Work::Note(number)).inspect(|()| sent.add());
        numbers.filter_map(|number| send(number).err()).collect()
    })
}
