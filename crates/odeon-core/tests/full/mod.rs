//! Actors that have no room, and futures that wait for some.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::*;

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
pub(crate) const BRIEF: Duration = Duration::from_millis(20);

/// Runs a test on a thread of its own, and fails if that is blocked.
pub(crate) fn in_time(test: impl FnOnce() + Send + 'static) {
    let (done, over) = channel();
    let test = thread::spawn(move || {
        test();
        done.send(()).unwrap();
    });
    if over.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
        panic!("blocked");
    }
    test.join().unwrap();
}

/// Keeps an actor in its handler until it is opened.
#[derive(Default)]
pub(crate) struct Gate(Mutex<bool>, Condvar);

impl Gate {
    pub(crate) fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }

    pub(crate) fn pass(&self) {
        drop(self.1.wait_while(self.0.lock().unwrap(), |open| !*open).unwrap());
    }
}

pub(crate) enum Job {
    Pass(Arc<Gate>, Sender<()>),
    Note(u32),
    Ask(u32, Reply<u32>),
}
impl Message for Job {}

/// Tells of all that it handles, in order.
pub(crate) struct Clerk(pub Sender<u32>);

impl Clerk {
    fn does(&self, job: Job) {
        match job {
            Job::Pass(gate, inside) => {
                inside.send(()).unwrap();
                gate.pass();
            }
            Job::Note(number) => self.0.send(number).unwrap(),
            Job::Ask(number, reply) => {
                self.0.send(number).unwrap();
                reply.send(number);
            }
        }
    }
}

impl Actor for Clerk {
    type Msg = Job;
    fn handle(&mut self, job: Job, _: &mut Context<'_, Self>) {
        self.does(job);
    }
}

pub(crate) struct Slowly(pub Clerk);

impl AsyncActor for Slowly {
    type Msg = Job;
    async fn handle(&mut self, job: Job, _: &mut AsyncContext<'_, Self>) {
        self.0.does(job);
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Plain,
    Asynchronous,
    Pinned,
    Dedicated,
    Bounded,
    BoundedPinned,
    BoundedAsynchronous,
}

impl Kind {
    pub(crate) const ALL: [Self; 7] = [
        Self::Plain,
        Self::Asynchronous,
        Self::Pinned,
        Self::Dedicated,
        Self::Bounded,
        Self::BoundedPinned,
        Self::BoundedAsynchronous,
    ];
}

/// An actor that has no room and handles nothing until the gate is opened.
pub(crate) struct Full {
    pub(crate) theater: Theater,
    pub(crate) actor: ActorRef<Job>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) handled: Receiver<u32>,
    /// Messages that wait.
    waiting: usize,
}

impl Full {
    pub(crate) fn new(
        theater: Theater,
        spawn: impl FnOnce(&Theater, Clerk) -> ActorRef<Job>,
    ) -> Self {
        let (out, handled) = channel();
        let actor = spawn(&theater, Clerk(out));
        let (gate, (inside, entered)) = (Arc::new(Gate::default()), channel());
        actor.send(Job::Pass(gate.clone(), inside)).unwrap();
        entered.recv_timeout(PATIENCE).unwrap();
        let mut waiting = 0;
        while actor.try_send(Job::Note(0)).is_ok() {
            waiting += 1;
        }
        Self { theater, actor, gate, handled, waiting }
    }

    pub(crate) fn theater() -> Theater {
        let in_task = || Some(ForeignTask::Unnumbered);
        Theater::builder().workers(2).foreign_tasks(in_task).build().unwrap()
    }

    pub(crate) fn of(kind: Kind) -> Self {
        let bounded = |clerk| Bounded::new(clerk).mailbox(0, Bound::wait(3));
        let stage = |theater: &Theater| theater.pinned("stage").unwrap();
        Self::new(Self::theater(), |theater, clerk| match kind {
            Kind::Plain => theater.spawn(clerk),
            Kind::Asynchronous => theater.spawn(Slowly(clerk)),
            Kind::Pinned => theater.actor().on(&stage(theater)).spawn(clerk),
            Kind::Dedicated => theater.actor().dedicated("own").spawn(clerk).unwrap(),
            Kind::Bounded => theater.spawn(bounded(clerk)),
            Kind::BoundedPinned => theater.actor().on(&stage(theater)).spawn(bounded(clerk)),
            Kind::BoundedAsynchronous => {
                theater.spawn(Bounded::new_async(Slowly(clerk)).mailbox(0, Bound::wait(3)))
            }
        })
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Kind::ALL.into_iter().map(Self::of)
    }

    /// Lets it go on, and takes what it handles, but for what it was filled with.
    pub(crate) fn open_and_take(&self, count: usize) -> Vec<u32> {
        self.gate.open();
        for _ in 0..self.waiting {
            assert_eq!(self.handled.recv_timeout(PATIENCE), Ok(0));
        }
        (0..count).map(|_| self.handled.recv_timeout(PATIENCE).unwrap()).collect()
    }

    pub(crate) fn check_nothing_more(&self) {
        assert_eq!(self.actor.ask(|reply| Job::Ask(99, reply)).wait(), Ok(99));
        assert_eq!(self.handled.recv_timeout(PATIENCE), Ok(99));
        assert!(self.handled.try_recv().is_err());
    }
}

/// Counts how often it is woken; its references tell who still knows it.
#[derive(Default)]
pub(crate) struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// A future and who is woken for it.
pub(crate) struct Task<F>(Pin<Box<F>>, pub Arc<Woken>);

impl<F: Future> Task<F> {
    pub(crate) fn new(future: F) -> Self {
        Self(Box::pin(future), Arc::default())
    }

    pub(crate) fn poll(&mut self) -> Poll<F::Output> {
        self.0.as_mut().poll(&mut TaskContext::from_waker(&Waker::from(self.1.clone())))
    }

    pub(crate) fn finish(mut self) -> F::Output {
        let begun = Instant::now();
        loop {
            let woken = self.1.0.load(SeqCst);
            if let Poll::Ready(output) = self.poll() {
                return output;
            }
            while self.1.0.load(SeqCst) == woken {
                assert!(begun.elapsed() < PATIENCE, "nobody has woken the task");
                thread::yield_now();
            }
        }
    }
}
