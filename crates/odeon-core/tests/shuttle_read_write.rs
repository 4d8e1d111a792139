//! Readers and writers under random schedules: readers join and leave while writes, failures,
//! restarts, stops, pipes and the end of the actor come in between. Run by `ci/shuttle.sh`.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::*;
use odeon_sync::atomic::{AtomicUsize, Ordering};
use odeon_sync::schedules::check;
use odeon_sync::{Condvar, Mutex};
use odeon_testkit::{Counted, DropTracker, Ledger, Ticket, Tracked, silent_panic};

const LONG: Duration = Duration::from_secs(3600);

/// A model thread waits until so much has been done.
#[derive(Clone, Default)]
struct Done(Arc<(Mutex<usize>, Condvar)>);

impl Done {
    fn one(&self) {
        *self.0.0.lock().unwrap() += 1;
        self.0.1.notify_all();
    }

    fn wait_for(&self, all: usize) {
        let mut count = self.0.0.lock().unwrap();
        while *count < all {
            count = self.0.1.wait(count).unwrap();
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Deed {
    Plain,
    Panic,
    Stop,
    Pipe,
}

struct Job(Ticket, Deed);
impl Message for Job {}

impl Counted for Job {
    fn into_ticket(self) -> Option<Ticket> {
        Some(self.0)
    }
}

/// Sees whether anybody is inside who must not be.
struct Place {
    readers: AtomicUsize,
    is_written: bool,
    done: Done,
    linked: Option<ActorRef<()>>,
    _state: Tracked<()>,
}

impl Place {
    fn alone(&mut self) {
        assert_eq!(self.readers.load(Ordering::SeqCst), 0, "a write beside reads");
        self.is_written = true;
        odeon_sync::thread::yield_now();
        self.is_written = false;
    }
}

impl ReadWriteActor for Place {
    type Read = Job;
    type Write = Job;

    fn read(&self, Job(ticket, deed): Job, ctx: &mut ReadContext<'_, Self>) {
        self.readers.fetch_add(1, Ordering::SeqCst);
        odeon_sync::thread::yield_now();
        assert!(!self.is_written, "a read beside a write");
        self.readers.fetch_sub(1, Ordering::SeqCst);
        self.done.one();
        match deed {
            Deed::Panic => silent_panic("a deed"),
            Deed::Stop => ctx.stop(),
            _ => {}
        }
        ticket.handled();
    }

    fn write(&mut self, Job(ticket, deed): Job, ctx: &mut WriteContext<'_, Self>) {
        self.alone();
        self.done.one();
        match deed {
            Deed::Panic => silent_panic("a deed"),
            Deed::Stop => ctx.stop(),
            Deed::Pipe => {
                let done = self.done.clone();
                ctx.pipe(async {}, move |place, (), _| {
                    place.alone();
                    done.one();
                });
            }
            Deed::Plain => {}
        }
        ticket.handled();
    }

    fn started(&mut self, ctx: &mut WriteContext<'_, Self>) {
        if let Some(linked) = &self.linked {
            ctx.link(linked);
        }
    }

    fn stopped(&mut self) {
        self.alone();
    }
}

/// Fails when it is told to.
struct Fragile;

impl Actor for Fragile {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        silent_panic("told to")
    }
}

struct World {
    theater: Theater,
    ledger: Ledger,
    states: DropTracker,
    done: Done,
}

impl World {
    fn new(workers: usize) -> Self {
        let ledger = Ledger::new();
        let hook = ledger.dead_letter_hook::<ReadWrite<Job, Job>>();
        let theater = Theater::builder().workers(workers).on_dead_letter(hook).build().unwrap();
        Self { theater, ledger, states: DropTracker::new(), done: Done::default() }
    }

    fn spawn(
        &self,
        policy: ReadWritePolicy,
        supervision: Supervision,
    ) -> ActorRef<ReadWrite<Job, Job>> {
        self.spawn_linked(policy, supervision, None)
    }

    fn spawn_linked(
        &self,
        policy: ReadWritePolicy,
        supervision: Supervision,
        mut linked: Option<ActorRef<()>>,
    ) -> ActorRef<ReadWrite<Job, Job>> {
        let (states, done) = (self.states.clone(), self.done.clone());
        self.theater.actor().supervised(supervision).spawn(move || {
            let place = Place {
                readers: AtomicUsize::new(0),
                is_written: false,
                done: done.clone(),
                linked: linked.take(),
                _state: states.track(()),
            };
            ReadWriting::new(place, policy).sharing(ReadSharing::Always)
        })
    }

    fn send(&self, to: &ActorRef<ReadWrite<Job, Job>>, deeds: &[(bool, Deed)]) {
        for &(reads, deed) in deeds {
            self.ledger.send(to, |ticket| {
                let job = Job(ticket, deed);
                if reads { ReadWrite::Read(job) } else { ReadWrite::Write(job) }
            });
        }
    }

    fn end(self) -> odeon_testkit::Account {
        let report = self.theater.shutdown(LONG);
        assert_eq!(report.stuck, 0);
        self.ledger.take_leftovers::<ReadWrite<Job, Job>>(report);
        self.states.check();
        self.ledger.check()
    }
}

const R: (bool, Deed) = (true, Deed::Plain);
const W: (bool, Deed) = (false, Deed::Plain);

fn policy() -> ReadWritePolicy {
    use shuttle::rand::Rng;
    match shuttle::rand::thread_rng().gen_range(0..3) {
        0 => ReadWritePolicy::ArrivalOrder,
        1 => ReadWritePolicy::ReadersFirst,
        _ => ReadWritePolicy::WritersFirst,
    }
}

#[test]
fn all_are_handled_and_writes_are_alone() {
    for workers in [1, 2, 3] {
        check(1_500, move || {
            let world = World::new(workers);
            let place = world.spawn(policy(), Supervision::new());
            world.send(&place, &[R, R, W, R, R, R, W, (false, Deed::Pipe), R, R]);
            world.done.wait_for(11);
            drop(place);
            let account = world.end();
            assert_eq!(account.handled, 10);
        });
    }
}

#[test]
fn failures_restart_and_resume_and_lose_nothing() {
    for directive in [Directive::Restart, Directive::Resume] {
        check(1_500, move || {
            let world = World::new(2);
            let place = world.spawn(policy(), Supervision::new().always(directive));
            let (failing_read, failing_write) = ((true, Deed::Panic), (false, Deed::Panic));
            world.send(&place, &[R, failing_read, R, W, R, R, failing_write, R, R, W]);
            world.done.wait_for(10);
            drop(place);
            let account = world.end();
            assert_eq!((account.handled, account.failed), (8, 2));
        });
    }
}

#[test]
fn a_stop_meets_reads_under_way() {
    for inside in [true, false] {
        check(1_500, move || {
            let world = World::new(2);
            let place = world.spawn(policy(), Supervision::new());
            let last = if inside { (true, Deed::Stop) } else { R };
            world.send(&place, &[R, R, last, R, W, R]);
            if !inside {
                place.stop();
            }
            drop(place);
            world.end();
        });
    }
}

#[test]
fn the_end_of_the_theater_meets_reads_under_way() {
    check(1_500, || {
        let world = World::new(2);
        let place = world.spawn(policy(), Supervision::new());
        world.send(&place, &[R, R, W, R, R]);
        world.end();
        drop(place);
    });
}

#[test]
fn the_failure_of_a_linked_actor_waits_for_reads_under_way() {
    check(1_500, || {
        let world = World::new(2);
        let fragile = world.theater.spawn(Fragile);
        let restarts = Supervision::new().always(Directive::Restart);
        let place = world.spawn_linked(policy(), restarts, Some(fragile.clone()));
        world.send(&place, &[R, R, W, R]);
        fragile.send(()).unwrap();
        world.send(&place, &[R, W]);
        world.done.wait_for(6);
        drop((place, fragile));
        let account = world.end();
        assert_eq!(account.handled, 6);
    });
}
