//! S29: once a read has failed, or the end of the actor has been asked for, none begins; and what
//! becomes of an actor whose reads outlast the end of its theater.

use std::collections::HashSet;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Ledger, Ticket, silent_panic};

const POLICIES: [ReadWritePolicy; 3] =
    [ReadWritePolicy::ArrivalOrder, ReadWritePolicy::ReadersFirst, ReadWritePolicy::WritersFirst];

/// How long a test waits for what has to happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Longer than any test.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

/// Enough that each reader takes several at once.
const READS: usize = 12;

/// Who is inside, and who may go on.
#[derive(Default, Clone)]
struct Hall(Arc<(Mutex<Inside>, Condvar)>);

#[derive(Default)]
struct Inside {
    writes: usize,
    is_open: bool,
    /// Reads. Their numbers are the order in which they began.
    begun: usize,
    released: HashSet<usize>,
    fails: Option<usize>,
    stops: Option<usize>,
    /// How many reads had begun when each state of the actor was started.
    starts: Vec<usize>,
    is_stopped: bool,
    dropped: usize,
    /// A thread is kept by another actor.
    is_kept: bool,
    lets_go: bool,
    /// Threads that have ended.
    gone: usize,
}

impl Hall {
    #[track_caller]
    fn wait(&self, until: impl Fn(&Inside) -> bool) -> MutexGuard<'_, Inside> {
        let waited = self.0.1.wait_timeout_while(self.lock(), PATIENCE, |inside| !until(inside));
        let (inside, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            drop(inside);
            panic!("something has to happen");
        }
        inside
    }

    /// A test that fails looks at what is inside; the threads go on.
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Inside) -> T) -> T {
        let changed = change(&mut self.lock());
        self.0.1.notify_all();
        changed
    }

    fn release(&self, reads: impl IntoIterator<Item = usize>) {
        self.change(|inside| inside.released.extend(reads));
    }
}

/// Tells of the end of a thread.
struct Presence(Hall);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.change(|inside| inside.gone += 1);
    }
}

thread_local! {
    static PRESENCE: std::cell::RefCell<Option<Presence>> = const { std::cell::RefCell::new(None) };
}

struct Guests(Hall);

impl ReadWriteActor for Guests {
    type Read = Ticket;
    type Write = Ticket;

    fn started(&mut self, _: &mut WriteContext<'_, Self>) {
        self.0.change(|inside| inside.starts.push(inside.begun));
    }

    fn read(&self, ticket: Ticket, ctx: &mut ReadContext<'_, Self>) {
        ticket.handled();
        PRESENCE.with_borrow_mut(|presence| {
            presence.get_or_insert_with(|| Presence(self.0.clone()));
        });
        let number = self.0.change(|inside| {
            inside.begun += 1;
            inside.begun - 1
        });
        let inside = self.0.wait(|inside| inside.released.contains(&number));
        let (stops, fails) = (inside.stops, inside.fails);
        drop(inside);
        if stops == Some(number) {
            ctx.stop();
        }
        if fails == Some(number) {
            silent_panic("a read");
        }
    }

    fn write(&mut self, ticket: Ticket, _: &mut WriteContext<'_, Self>) {
        ticket.handled();
        self.0.change(|inside| inside.writes += 1);
        drop(self.0.wait(|inside| inside.is_open));
    }

    fn stopped(&mut self) {
        self.0.change(|inside| inside.is_stopped = true);
    }
}

impl Drop for Guests {
    fn drop(&mut self) {
        self.0.change(|inside| inside.dropped += 1);
    }
}

/// Another actor of the theater.
struct Other(Hall);

enum Task {
    Answer(Reply<()>),
    KeepThread,
    /// Tells when it is dropped.
    Alarm {
        _tells: Sender<()>,
    },
}
impl Message for Task {}

impl Actor for Other {
    type Msg = Task;

    fn handle(&mut self, task: Task, _: &mut Context<'_, Self>) {
        match task {
            Task::Answer(reply) => reply.send(()),
            Task::KeepThread => {
                self.0.change(|inside| inside.is_kept = true);
                drop(self.0.wait(|inside| inside.lets_go));
            }
            Task::Alarm { .. } => unreachable!("it never rings"),
        }
    }
}

type Place = ActorRef<ReadWrite<Ticket, Ticket>>;

/// A theater, all of whose workers are busy with reads of one actor, while others wait.
struct World {
    hall: Hall,
    ledger: Ledger,
    theater: Theater,
    place: Place,
    other: ActorRef<Task>,
}

impl World {
    fn new(workers: usize, policy: ReadWritePolicy, directive: Directive, reads: usize) -> Self {
        let (hall, ledger) = (Hall::default(), Ledger::new());
        let hook = ledger.dead_letter_hook::<ReadWrite<Ticket, Ticket>>();
        let theater = Theater::builder().workers(workers).on_dead_letter(hook).build().unwrap();
        let make = {
            let hall = hall.clone();
            move || ReadWriting::new(Guests(hall.clone()), policy).sharing(ReadSharing::Always)
        };
        let supervision =
            Supervision::new().always(directive).pauses(Duration::ZERO, Duration::ZERO);
        let place: Place = theater.actor().supervised(supervision).spawn(make);
        let other = theater.spawn(Other(hall.clone()));
        // All reads wait when the first one begins.
        ledger.send(&place, ReadWrite::Write);
        drop(hall.wait(|inside| inside.writes == 1));
        (0..reads).for_each(|_| assert!(ledger.send(&place, ReadWrite::Read)));
        hall.change(|inside| inside.is_open = true);
        // These tests are not about when workers are woken: messages from outside wake those that
        // sleep.
        let begun = std::time::Instant::now();
        while hall.lock().begun < workers && begun.elapsed() < PATIENCE {
            drop(other.ask(Task::Answer));
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(hall.lock().begun, workers, "all workers read");
        Self { hall, ledger, theater, place, other }
    }

    /// One worker has come back from its read, and seen to what it came to: there is no other one
    /// that could answer.
    fn wait_for_a_worker(&self) {
        self.other.ask(Task::Answer).wait_timeout(PATIENCE).unwrap();
    }

    /// Something that tells when all actors have been told to end: timers are dropped after that.
    fn alarm(&self) -> impl FnOnce() + use<> {
        let (tells, told) = channel();
        let _ = self.other.send_after(NEVER, Task::Alarm { _tells: tells });
        move || assert!(told.recv_timeout(PATIENCE).is_err(), "nothing is ever sent")
    }
}

const WORKERS: usize = 3;

#[test]
fn s29_no_read_begins_after_a_failure_or_an_order_to_end() {
    for policy in POLICIES {
        for by in ["failure", "read", "reference", "shutdown", "drop"] {
            let world = World::new(WORKERS, policy, Directive::Stop, READS);
            let all_are_told = world.alarm();
            match by {
                "failure" | "read" => {
                    world.hall.change(|inside| match by {
                        "failure" => inside.fails = Some(0),
                        _ => inside.stops = Some(0),
                    });
                    world.hall.release([0]);
                    world.wait_for_a_worker();
                }
                "reference" => world.place.stop(),
                _ => {}
            }
            let World { hall, ledger, theater, place, other } = world;
            let ends_theater = thread::spawn(move || match by {
                "shutdown" => Some(theater.shutdown(Duration::ZERO)),
                "drop" => {
                    drop(theater);
                    None
                }
                _ => Some(theater.shutdown(PATIENCE)),
            });
            if matches!(by, "shutdown" | "drop") {
                all_are_told();
            }
            hall.release(0..READS);
            let dropped = hall.wait(|inside| inside.dropped == 1);
            assert_eq!(dropped.begun, WORKERS, "{policy:?}, by {by}");
            assert_eq!(dropped.is_stopped, by != "failure", "{policy:?}, by {by}");
            drop(dropped);
            if let Some(report) = ends_theater.join().unwrap() {
                assert_eq!(report.stuck, 0);
                ledger.take_leftovers::<ReadWrite<Ticket, Ticket>>(report);
            }
            drop((place, other));
            let account = ledger.check();
            assert_eq!(account.dead_lettered as usize, READS - WORKERS, "{policy:?}, by {by}");
        }
    }
}

#[test]
fn s29_no_read_begins_before_a_restart() {
    for policy in POLICIES {
        let world = World::new(WORKERS, policy, Directive::Restart, READS);
        let hall = world.hall.clone();
        hall.change(|inside| inside.fails = Some(0));
        hall.release([0]);
        world.wait_for_a_worker();
        hall.release(1..WORKERS);
        let inside = hall.wait(|inside| inside.starts.len() == 2 || inside.begun > WORKERS);
        assert_eq!(inside.starts, [0, WORKERS], "{policy:?}");
        drop(inside);
        hall.release(WORKERS..READS);
        drop(hall.wait(|inside| inside.begun == READS));
        let World { ledger, theater, .. } = world;
        assert!(theater.shutdown(PATIENCE).drained);
        let account = ledger.check();
        assert_eq!((account.handled as usize, account.dead_lettered), (READS + 1, 0));
    }
}

/// How an actor is left behind whose reads outlast the end of its theater.
#[derive(Debug, Clone, Copy)]
struct Case {
    policy: ReadWritePolicy,
    /// Which of two reads is over first.
    first: usize,
    /// Whether somebody still has a reference.
    is_referred_to: bool,
    /// Whether it is so before the end of the theater, and another actor keeps its thread.
    is_early: bool,
}

fn check_left_behind(case: Case) {
    let reads = if case.is_early { 2 } else { READS };
    let World { hall, ledger, theater, place, other } =
        World::new(2, case.policy, Directive::Stop, reads);
    if case.is_early {
        other.send(Task::KeepThread).unwrap();
        hall.release([case.first]);
        drop(hall.wait(|inside| inside.is_kept));
    }
    let report = theater.shutdown(Duration::ZERO);
    assert!(report.stuck > 0, "{case:?}");
    ledger.take_leftovers::<ReadWrite<Ticket, Ticket>>(report);
    let place = case.is_referred_to.then_some(place);
    hall.change(|inside| inside.lets_go = true);
    hall.release([case.first]);
    let inside = hall.wait(|inside| inside.gone == 1);
    assert_eq!((inside.begun, inside.dropped), (2, 0), "{case:?}");
    drop(inside);
    hall.release(0..READS);
    let inside = hall.wait(|inside| inside.dropped == 1 && inside.gone == 2);
    assert!(inside.is_stopped && inside.begun == 2, "{case:?}");
    drop(inside);
    assert!(place.is_none_or(|place| place.is_stopped()));
    assert_eq!(ledger.check().dead_lettered as usize, reads - 2, "{case:?}");
}

#[test]
fn s29_reads_that_outlast_the_theater_end_the_state() {
    thread::scope(|scope| {
        for policy in POLICIES {
            for first in 0..2 {
                for (is_referred_to, is_early) in [(false, false), (true, false), (true, true)] {
                    let case = Case { policy, first, is_referred_to, is_early };
                    scope.spawn(move || check_left_behind(case));
                }
            }
        }
    });
}
