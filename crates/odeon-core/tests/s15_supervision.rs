//! S15 a supervised actor that fails is made anew and loses no message that waits.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Deterministic, DropTracker, for_seeds, silent_panic};

const SOON: Duration = Duration::from_secs(20);

/// Writes down what it handles, with how often it was made before.
struct Clerk {
    made: u32,
    handled: u32,
    log: Arc<Mutex<Vec<(u32, u32)>>>,
}

enum Work {
    Note(u32),
    Fail(&'static str),
    Count(Reply<u32>),
}

impl Message for Work {}

impl Actor for Clerk {
    type Msg = Work;
    fn handle(&mut self, work: Work, _: &mut Context<'_, Self>) {
        self.handled += 1;
        match work {
            Work::Note(n) => self.log.lock().unwrap().push((self.made, n)),
            Work::Fail(why) => silent_panic(why),
            Work::Count(reply) => reply.send(self.handled),
        }
    }
}

#[derive(Clone, Default)]
struct Office {
    log: Arc<Mutex<Vec<(u32, u32)>>>,
    made: Arc<AtomicU32>,
}

impl Office {
    fn clerk(&self) -> impl FnMut() -> Clerk + Send + 'static {
        let office = self.clone();
        move || Clerk {
            made: office.made.fetch_add(1, Ordering::SeqCst),
            handled: 0,
            log: office.log.clone(),
        }
    }

    fn log(&self) -> Vec<(u32, u32)> {
        self.log.lock().unwrap().clone()
    }
}

fn at_once() -> Supervision {
    Supervision::new()
        .restarts(1_000_000, Duration::from_secs(3600))
        .pauses(Duration::ZERO, Duration::ZERO)
}

#[test]
fn s15_a_restart_keeps_every_waiting_message_in_order() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for pinned in [false, true] {
        let office = Office::default();
        let clerk = match pinned {
            false => theater.actor().supervised(at_once()).spawn(office.clerk()),
            true => theater.actor().on(&stage).supervised(at_once()).spawn(office.clerk()),
        };
        for n in 0..10_000 {
            if n % 100 == 50 {
                clerk.send(Work::Fail("asked to")).unwrap();
            }
            clerk.send(Work::Note(n)).unwrap();
        }
        // One hundred failures; the last state has handled 50 notes and this question.
        assert_eq!(clerk.ask(Work::Count).wait(), Ok(51));
        let log = office.log();
        assert!(log.iter().map(|(_, n)| *n).eq(0..10_000));
        assert!(log.iter().all(|(made, n)| *made == (n + 50) / 100));
        assert_eq!(theater.dead_letters(), 0);
    }
}

#[test]
fn s15_resume_keeps_the_state_and_stop_ends_the_actor() {
    let run = Deterministic::new(5);
    let office = Office::default();
    let decide = |failure: &Failure<'_>| match failure.text() {
        Some("harmless") => Directive::Resume,
        _ => Directive::Stop,
    };
    let clerk =
        run.theater().actor().supervised(Supervision::new().decide(decide)).spawn(office.clerk());
    clerk.send(Work::Note(1)).unwrap();
    clerk.send(Work::Fail("harmless")).unwrap();
    let count = clerk.ask(Work::Count);
    run.run_until_idle();
    assert_eq!(count.wait(), Ok(3));
    clerk.send(Work::Fail("harmful")).unwrap();
    clerk.send(Work::Note(2)).unwrap();
    run.run_until_idle();
    assert!(clerk.is_stopped());
    assert_eq!((office.log(), run.theater().dead_letters()), (vec![(0, 1)], 1));
}

#[test]
fn s15_one_failure_more_than_the_limit_ends_an_actor_without_a_parent() {
    let run = Deterministic::new(6);
    let office = Office::default();
    let policy = at_once().restarts(3, Duration::from_secs(1));
    let clerk = run.theater().actor().supervised(policy).spawn(office.clerk());
    for _ in 0..3 {
        clerk.send(Work::Fail("asked to")).unwrap();
    }
    run.run_until_idle();
    assert!(!clerk.is_stopped());
    run.clock().advance(Duration::from_secs(2));
    clerk.send(Work::Fail("asked to")).unwrap();
    run.run_until_idle();
    assert!(!clerk.is_stopped(), "the first three are forgotten");
    for _ in 0..3 {
        clerk.send(Work::Fail("asked to")).unwrap();
    }
    run.run_until_idle();
    assert!(clerk.is_stopped());
    assert_eq!(office.made.load(Ordering::SeqCst), 1 + 4 + 2);
}

#[test]
fn s15_a_failing_maker_counts_as_a_failure_and_needs_no_stack() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let office = Office::default();
    let mut make = office.clerk();
    let calls = Arc::new(AtomicU32::new(0));
    let called = calls.clone();
    // All within the time that counts, however long they take.
    let hour = Duration::from_secs(3600);
    let clerk = theater.actor().supervised(at_once().restarts(200_000, hour)).spawn(move || {
        if called.fetch_add(1, Ordering::SeqCst) > 0 {
            silent_panic("cannot be made")
        }
        make()
    });
    let (tell, told) = channel();
    clerk.on_end(move |ended| tell.send(ended.clone()).unwrap());
    clerk.send(Work::Fail("asked to")).unwrap();
    let ended = told.recv_timeout(Duration::from_secs(600)).unwrap();
    assert_eq!(ended.failure(), Some("cannot be made"));
    assert_eq!(calls.load(Ordering::SeqCst), 200_001);
}

#[test]
fn s15_the_pause_grows_and_messages_wait_for_its_end() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let office = Office::default();
    let pause = Duration::from_millis(20);
    let policy = Supervision::new().pauses(pause, SOON);
    let clerk = theater.actor().supervised(policy).spawn(office.clerk());
    let begun = std::time::Instant::now();
    for n in 0..4 {
        clerk.send(Work::Fail("asked to")).unwrap();
        clerk.send(Work::Note(n)).unwrap();
    }
    assert_eq!(clerk.ask(Work::Count).wait(), Ok(2));
    assert!(begun.elapsed() >= 7 * pause, "none, one, two and four");
    assert_eq!(office.log(), [(1, 0), (2, 1), (3, 2), (4, 3)]);
}

#[derive(Default)]
struct Failures(AtomicU32);

impl Observer for Failures {
    fn actor_failed(&self, _: ActorId, _: &(dyn std::any::Any + Send)) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn s15_stopping_and_shutting_down_do_not_wait_for_a_pause() {
    let hour = Duration::from_secs(3600);
    let policy = || Supervision::new().pauses(hour, hour);
    let failures = Arc::new(Failures::default());
    let theater = Theater::builder().workers(1).observer(failures.clone()).build().unwrap();
    let clerk = theater.actor().supervised(policy()).spawn(Office::default().clerk());
    clerk.send(Work::Fail("first")).unwrap();
    clerk.send(Work::Fail("second")).unwrap();
    clerk.send(Work::Note(1)).unwrap();
    while failures.0.load(Ordering::SeqCst) < 2 {
        std::thread::yield_now();
    }
    let report = theater.shutdown(Duration::from_millis(200));
    assert_eq!((report.stuck, report.leftovers.len()), (0, 1));
    assert!(clerk.is_stopped());
}

/// Opens what the test sends into closed mailboxes only when told to.
struct Sorter {
    made: u32,
    log: Arc<Mutex<Vec<(u32, u32)>>>,
}

enum Sorted {
    Control(&'static str),
    Later(u32),
}

impl Message for Sorted {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        match self {
            Sorted::Control(_) => 0,
            Sorted::Later(_) => 1,
        }
    }
}

impl Actor for Sorter {
    type Msg = Sorted;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        assert!(ctx.is_open(1), "a new state finds all mailboxes open");
        if self.made == 0 {
            ctx.close(1);
        }
    }
    fn handle(&mut self, message: Sorted, _: &mut Context<'_, Self>) {
        match message {
            Sorted::Control(why) => silent_panic(why),
            Sorted::Later(n) => self.log.lock().unwrap().push((self.made, n)),
        }
    }
}

#[test]
fn s15_messages_in_closed_mailboxes_outlive_a_restart() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let log = Arc::new(Mutex::new(Vec::new()));
        let (mut made, kept) = (0, log.clone());
        let sorter = run.theater().actor().supervised(at_once()).spawn(move || {
            made += 1;
            Sorter { made: made - 1, log: kept.clone() }
        });
        for n in 0..20 {
            sorter.send(Sorted::Later(n)).unwrap();
        }
        run.run_until_idle();
        assert!(log.lock().unwrap().is_empty());
        sorter.send(Sorted::Control("asked to")).unwrap();
        run.run_until_idle();
        assert!(log.lock().unwrap().iter().copied().eq((0..20).map(|n| (1, n))));
    });
}

type MakeChildren = Box<dyn FnMut(&mut Context<'_, Parent>) -> Vec<ActorRef<Work>> + Send>;

/// Makes children at its start, and hands out their references.
struct Parent {
    children: Vec<ActorRef<Work>>,
    make: MakeChildren,
}

enum ToParent {
    Children(Reply<Vec<ActorRef<Work>>>),
    Fail,
    Stop,
}

impl Message for ToParent {}

impl Actor for Parent {
    type Msg = ToParent;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.children = (self.make)(ctx);
    }
    fn handle(&mut self, message: ToParent, ctx: &mut Context<'_, Self>) {
        match message {
            ToParent::Children(reply) => reply.send(self.children.clone()),
            ToParent::Fail => silent_panic("the parent"),
            ToParent::Stop => ctx.stop(),
        }
    }
}

/// A parent of `offices.len()` children with the given policy.
fn family(
    run: &Deterministic,
    offices: &[Office],
    parent: Supervision,
    child: Supervision,
) -> ActorRef<ToParent> {
    let offices = offices.to_vec();
    run.theater().actor().supervised(parent).spawn(move || {
        let (offices, child) = (offices.clone(), child.clone());
        Parent {
            children: Vec::new(),
            make: Box::new(move |ctx| {
                let spawn =
                    |office: &Office| ctx.actor().supervised(child.clone()).spawn(office.clerk());
                offices.iter().map(spawn).collect()
            }),
        }
    })
}

fn children(run: &Deterministic, parent: &ActorRef<ToParent>) -> Vec<ActorRef<Work>> {
    let children = parent.ask(ToParent::Children);
    run.run_until_idle();
    children.wait().unwrap()
}

fn offices() -> Vec<Office> {
    (0..3).map(|_| Office::default()).collect()
}

fn made(offices: &[Office]) -> Vec<u32> {
    offices.iter().map(|office| office.made.load(Ordering::SeqCst)).collect()
}

#[test]
fn s15_children_end_with_their_parent_and_with_its_state() {
    let run = Deterministic::new(8);
    let offices = offices();
    let parent = family(&run, &offices, at_once(), at_once());
    let first = children(&run, &parent);
    parent.send(ToParent::Fail).unwrap();
    let second = children(&run, &parent);
    assert!(first.iter().all(ActorRef::is_stopped), "a parent made anew makes its own children");
    assert!(!second.iter().any(ActorRef::is_stopped));
    parent.send(ToParent::Stop).unwrap();
    run.run_until_idle();
    assert!(second.iter().all(ActorRef::is_stopped));
    assert_eq!(run.theater().live_actors(), 0);
}

#[test]
fn s15_one_for_one_and_all_for_one() {
    let run = Deterministic::new(9);
    for (policy, expected) in [(at_once(), [2, 1, 1]), (at_once().all_for_one(), [2, 2, 2])] {
        let offices = offices();
        let parent = family(&run, &offices, at_once(), policy);
        let children = children(&run, &parent);
        for child in &children {
            child.send(Work::Note(1)).unwrap();
        }
        run.run_until_idle();
        children[0].send(Work::Fail("asked to")).unwrap();
        run.run_until_idle();
        assert_eq!(made(&offices), expected);
        assert!(!children.iter().any(ActorRef::is_stopped));
    }
}

#[test]
fn s15_what_a_child_escalates_its_parent_fails_with() {
    let run = Deterministic::new(10);
    let offices = offices();
    let policy = Supervision::new().always(Directive::Escalate);
    let parent = family(&run, &offices, at_once(), policy);
    let before = children(&run, &parent);
    before[1].send(Work::Fail("too much for me")).unwrap();
    run.run_until_idle();
    assert!(before.iter().all(ActorRef::is_stopped) && !parent.is_stopped());
    assert_eq!(made(&offices), [2, 2, 2]);

    // Beyond the limit of its restarts a child escalates as well.
    let child = at_once().restarts(1, SOON);
    let parent = family(&run, &offices, Supervision::new().always(Directive::Stop), child);
    let (tell, told) = channel();
    parent.on_end(move |ended| tell.send(ended.clone()).unwrap());
    let child = children(&run, &parent).remove(0);
    child.send(Work::Fail("once")).unwrap();
    child.send(Work::Fail("twice")).unwrap();
    run.run_until_idle();
    let ended = told.recv().unwrap();
    assert_eq!((ended.reason(), ended.failure()), (EndReason::Failed, Some("twice")));
}

#[test]
fn s15_escalated_to_the_root_a_failure_stops_the_theater_with_its_cause() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let bystander = theater.actor().supervised(at_once()).spawn(Office::default().clerk());
    let policy = Supervision::new().always(Directive::Escalate);
    let clerk = theater.actor().supervised(policy).spawn(Office::default().clerk());
    assert_eq!(theater.failure(), None);
    clerk.send(Work::Fail("beyond repair")).unwrap();
    let failure = theater.wait();
    assert_eq!((failure.actor(), failure.text()), (clerk.id(), "beyond repair"));
    assert_eq!(theater.failure(), Some(failure));
    while !bystander.is_stopped() {
        std::thread::yield_now();
    }
    assert!(bystander.send(Work::Note(1)).is_err());
}

/// An actor that fails at random, holds tracked state, and accounts for every message.
struct Unreliable {
    _state: odeon_testkit::Tracked<()>,
    handled: Arc<AtomicUsize>,
}

struct Risk(bool);

impl Message for Risk {}

impl Actor for Unreliable {
    type Msg = Risk;
    fn handle(&mut self, Risk(fails): Risk, _: &mut Context<'_, Self>) {
        self.handled.fetch_add(1, Ordering::SeqCst);
        if fails {
            silent_panic("at random");
        }
    }
}

fn count(to: &AtomicUsize) {
    to.fetch_add(1, Ordering::SeqCst);
}

/// Random failures, restarts and stops: every message is handled once or dead-lettered, every state
/// dropped. Afterwards the theater is to be shut down and the account closed.
fn trouble(seed: u64, theater: &Theater) -> impl FnOnce(usize, &StopReport) + use<> {
    let mut random = Random::from_seed(seed);
    let (tracker, handled) = (DropTracker::new(), Arc::new(AtomicUsize::new(0)));
    let mut sent = 0;
    let actors: Vec<_> = (0..8)
        .map(|n| {
            let (tracker, handled) = (tracker.clone(), handled.clone());
            let policy = match n % 4 {
                0 => at_once().restarts(3, SOON),
                1 => at_once().always(Directive::Resume),
                2 => at_once().always(Directive::Stop),
                _ => at_once(),
            };
            theater
                .actor()
                .supervised(policy)
                .spawn(move || Unreliable { _state: tracker.track(()), handled: handled.clone() })
        })
        .collect();
    for _ in 0..2_000 {
        let actor = &actors[random.below(actors.len())];
        sent += usize::from(actor.send(Risk(random.below(20) == 0)).is_ok());
        if random.below(400) == 0 {
            actor.stop();
        }
    }
    move |dead_before, report| {
        assert_eq!(report.stuck, 0);
        let dead = dead_before + report.leftovers.len();
        assert_eq!(sent, handled.load(Ordering::SeqCst) + dead);
        drop(actors);
        tracker.check();
    }
}

#[test]
fn s15_random_failures_lose_nothing_in_any_order() {
    for_seeds(100, |seed| {
        let run = Deterministic::new(seed);
        let close = trouble(seed, run.theater());
        run.run_until_idle();
        let dead = run.theater().dead_letters() as usize;
        close(dead, &run.shutdown());
    });
}

#[test]
fn s15_random_failures_lose_nothing_in_parallel() {
    for_seeds(20, |seed| {
        let dead = Arc::new(AtomicUsize::new(0));
        let counted = dead.clone();
        let builder = Theater::builder().workers(2).on_dead_letter(move |_| count(&counted));
        let theater = builder.build().unwrap();
        let close = trouble(seed, &theater);
        let report = theater.shutdown(SOON);
        close(dead.load(Ordering::SeqCst), &report);
    });
}
