//! S29: what fails, stops or ends while reads of an actor are under way, and that nothing is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{
    Account, Counted, Deterministic, DropTracker, Ledger, Ticket, Tracked, for_seeds, silent_panic,
};

const POLICIES: [ReadWritePolicy; 3] =
    [ReadWritePolicy::ArrivalOrder, ReadWritePolicy::ReadersFirst, ReadWritePolicy::WritersFirst];

/// How long a test waits for what has to happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// All pauses before restarts are shorter together.
const PAUSES: Duration = Duration::from_secs(600);

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

type Place = ActorRef<ReadWrite<Job, Job>>;

/// Notices who is inside beside whom.
struct Inside {
    readers: AtomicUsize,
    length: Duration,
    _state: Tracked<()>,
}

impl Inside {
    fn alone(&mut self) {
        assert_eq!(self.readers.load(Ordering::SeqCst), 0, "somebody reads");
    }

    fn spend(&self) {
        let begun = Instant::now();
        while begun.elapsed() < self.length {
            std::hint::spin_loop();
        }
    }
}

impl ReadWriteActor for Inside {
    type Read = Job;
    type Write = Job;

    fn read(&self, Job(ticket, deed): Job, ctx: &mut ReadContext<'_, Self>) {
        self.readers.fetch_add(1, Ordering::SeqCst);
        self.spend();
        self.readers.fetch_sub(1, Ordering::SeqCst);
        match deed {
            Deed::Panic => silent_panic("a read"),
            Deed::Stop => ctx.stop(),
            _ => {}
        }
        ticket.handled();
    }

    fn write(&mut self, Job(ticket, deed): Job, ctx: &mut WriteContext<'_, Self>) {
        self.alone();
        self.spend();
        match deed {
            Deed::Panic => silent_panic("a write"),
            Deed::Stop => ctx.stop(),
            Deed::Pipe => {
                ctx.pipe(async {}, |inside, (), _| inside.alone());
            }
            Deed::Plain => {}
        }
        ticket.handled();
    }

    fn stopped(&mut self) {
        self.alone();
    }
}

/// A theater with one such actor, and what becomes of its messages.
struct World {
    ledger: Ledger,
    states: DropTracker,
}

impl World {
    fn new() -> Self {
        Self { ledger: Ledger::new(), states: DropTracker::new() }
    }

    fn builder(&self) -> TheaterBuilder {
        let hook = self.ledger.dead_letter_hook::<ReadWrite<Job, Job>>();
        Theater::builder().on_dead_letter(hook)
    }

    fn make(
        &self,
        policy: ReadWritePolicy,
        length: Duration,
    ) -> impl Fn() -> ReadWriting<Inside> + Clone + Send + Sync + 'static {
        let states = self.states.clone();
        move || {
            let _state = states.track(());
            let inside = Inside { readers: AtomicUsize::new(0), length, _state };
            ReadWriting::new(inside, policy).sharing(ReadSharing::Always)
        }
    }

    /// Sends messages of which the seed decides.
    fn send(&self, to: &Place, messages: u32, seed: u64, rare: &[Deed]) {
        let mut random = Random::from_seed(seed);
        for _ in 0..messages {
            let deed = match random.below(20) {
                n if n < rare.len() => rare[n],
                _ => Deed::Plain,
            };
            let reads = random.below(4) > 0 && deed != Deed::Pipe;
            self.ledger.send(to, |ticket| match reads {
                true => ReadWrite::Read(Job(ticket, deed)),
                false => ReadWrite::Write(Job(ticket, deed)),
            });
        }
    }

    #[track_caller]
    fn check(&self) -> Account {
        self.states.check();
        self.ledger.check()
    }
}

#[test]
fn s29_failures_lose_nothing_and_leave_nobody_beside_a_write() {
    for_seeds(60, |seed| {
        for policy in POLICIES {
            for directive in [Directive::Restart, Directive::Resume, Directive::Stop] {
                let world = World::new();
                let hook = world.ledger.dead_letter_hook::<ReadWrite<Job, Job>>();
                let run = Deterministic::with(seed, Theater::builder().on_dead_letter(hook));
                let supervision = Supervision::new().always(directive).restarts(1000, PAUSES);
                let make = world.make(policy, Duration::ZERO);
                let place = run.theater().actor().supervised(supervision).spawn(make);
                for go in 0..4 {
                    world.send(&place, 30, seed + go, &[Deed::Panic, Deed::Pipe]);
                    run.run_steps(20);
                }
                // With pauses before the restarts.
                run.advance(PAUSES);
                drop(place);
                run.advance(PAUSES);
                drop(run);
                let account = world.check();
                if directive != Directive::Stop {
                    assert_eq!(account.handled + account.failed, account.sent);
                }
            }
        }
    });
}

#[test]
fn s29_failures_on_threads_lose_nothing() {
    for policy in POLICIES {
        for directive in [Directive::Restart, Directive::Resume] {
            let world = World::new();
            let theater = world.builder().workers(3).build().unwrap();
            let supervision = Supervision::new().always(directive).restarts(100_000, PATIENCE);
            let supervision = supervision.pauses(Duration::ZERO, Duration::ZERO);
            let make = world.make(policy, Duration::from_micros(3));
            let place = theater.actor().supervised(supervision).spawn(make);
            let senders: Vec<_> = (0..3)
                .map(|sender| {
                    let (place, world) = (place.clone(), World { ..world.clone_parts() });
                    std::thread::spawn(move || {
                        world.send(&place, 2_000, sender, &[Deed::Panic, Deed::Pipe]);
                    })
                })
                .collect();
            senders.into_iter().for_each(|sender| sender.join().unwrap());
            drop(place);
            let report = theater.shutdown(PATIENCE);
            assert!(report.drained && report.stuck == 0);
            world.ledger.take_leftovers::<ReadWrite<Job, Job>>(report);
            let account = world.check();
            assert_eq!((account.sent, account.dead_lettered), (6_000, 0));
            assert!(account.failed > 0);
        }
    }
}

impl World {
    fn clone_parts(&self) -> Self {
        Self { ledger: self.ledger.clone(), states: self.states.clone() }
    }
}

#[test]
fn s29_the_end_waits_for_reads_under_way_and_hands_over_the_rest() {
    for policy in POLICIES {
        for by in ["itself", "reference", "shutdown", "unreachable"] {
            let world = World::new();
            let theater = world.builder().workers(3).build().unwrap();
            let place = theater.spawn(world.make(policy, Duration::from_micros(20))());
            let rare: &[Deed] = if by == "itself" { &[Deed::Stop] } else { &[] };
            world.send(&place, 300, 5, rare);
            match by {
                "reference" => place.stop(),
                "unreachable" => drop(place.clone()),
                _ => {}
            }
            drop(place);
            let deadline = if by == "shutdown" { Duration::ZERO } else { PATIENCE };
            let report = theater.shutdown(deadline);
            assert_eq!(report.stuck, 0);
            world.ledger.take_leftovers::<ReadWrite<Job, Job>>(report);
            let account = world.check();
            assert!(by != "unreachable" || account.handled == 300, "{account:?}");
            // Those that this thread sends after the end come back.
            let unhandled = account.dead_lettered + account.returned;
            assert!(by != "itself" || unhandled > 0, "{account:?}");
        }
    }
}

#[test]
fn s29_actors_found_by_name_read_at_once_and_are_made_anew_as_others_are() {
    for_seeds(30, |seed| {
        let world = World::new();
        let run = Deterministic::new(seed);
        let make = world.make(ReadWritePolicy::ArrivalOrder, Duration::ZERO);
        let supervision = Supervision::new().restarts(1000, PAUSES);
        let place: Place =
            run.theater().actor().supervised(supervision).lookup_or_spawn("place", make).unwrap();
        world.send(&place, 60, seed, &[Deed::Panic, Deed::Pipe]);
        run.advance(PAUSES);
        assert!(run.theater().live_actors() > 1, "readers are actors too");
        drop(place);
        drop(run);
        let account = world.check();
        assert_eq!(account.handled + account.failed, 60);
    });
}

#[test]
fn s29_bounds_stay_exact() {
    let world = World::new();
    let run = Deterministic::new(1);
    let make = world.make(ReadWritePolicy::ArrivalOrder, Duration::ZERO);
    let place = run.theater().spawn(Bounded::new(make()).mailbox(0, Bound::reject(10)));
    run.run_until_idle();
    world.send(&place, 30, 3, &[]);
    assert_eq!(world.ledger.account().returned, 20);
    run.run_until_idle();
    assert_eq!(world.ledger.account().handled, 10);
    drop((place, run));
    world.check();
}

#[test]
fn s29_what_is_deferred_holds_senders_back() {
    let world = World::new();
    let run = Deterministic::new(9);
    // Nothing is begun until the mailbox is empty.
    let make = world.make(ReadWritePolicy::ReadersFirst, Duration::ZERO);
    let place = run.theater().spawn(make());
    let mut sent = 0;
    while place
        .try_send(ReadWrite::Write(Job(world.ledger.ticket(), Deed::Plain)))
        .map_err(|e| {
            e.into_message().into_ticket().unwrap().returned();
        })
        .is_ok()
    {
        sent += 1;
        assert!(sent < 5_000, "nobody would ever hold back");
    }
    run.run_until_idle();
    assert!(!place.is_under_pressure());
    let account = world.ledger.account();
    assert_eq!((account.handled, account.returned), (sent, 1));
    drop((place, run));
    world.check();
}

#[test]
fn s29_stats_count_each_message_once() {
    let world = World::new();
    let theater = world.builder().workers(2).stats(true).build().unwrap();
    let place = theater.spawn(world.make(ReadWritePolicy::ArrivalOrder, Duration::ZERO)());
    let id = place.id();
    world.send(&place, 500, 4, &[]);
    let begun = Instant::now();
    let handled = Arc::new(AtomicUsize::new(0));
    while handled.load(Ordering::Relaxed) < 500 && begun.elapsed() < PATIENCE {
        let stats = theater.stats().unwrap();
        let of_place = stats.actors.iter().find(|actor| actor.id == id).unwrap();
        handled.store(of_place.messages as usize, Ordering::Relaxed);
    }
    assert_eq!(handled.load(Ordering::Relaxed), 500);
    drop(place);
    assert!(theater.shutdown(PATIENCE).drained);
    world.check();
}
