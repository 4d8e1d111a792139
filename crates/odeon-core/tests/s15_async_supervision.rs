//! S15 for asynchronous actors: a restart cancels the handler that waits and loses no message.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Bell, Deterministic, DropTracker, Tracked, silent_panic, yields};

const SOON: Duration = Duration::from_secs(20);

/// Writes down what it handles, with how often it was made before; waits before each.
struct Clerk {
    made: u32,
    office: Office,
    _state: Tracked<()>,
}

enum Work {
    Note(u32),
    Fail(&'static str),
    /// Waits for the bell before it goes on.
    Wait(Bell, Tracked<()>),
    Count(Reply<usize>),
    Close,
    Later(u32),
}

impl Message for Work {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(matches!(self, Work::Later(_)))
    }
}

/// What outlives the clerks of one place.
#[derive(Clone)]
struct Office {
    log: Arc<Mutex<Vec<(u32, u32)>>>,
    made: Arc<AtomicU32>,
    tracker: DropTracker,
    /// How many of the first states fail while they are made, and while they start.
    unmakeable: u32,
    unstartable: u32,
    /// How often each handler waits.
    waits: u32,
}

impl Office {
    fn new(waits: u32) -> Self {
        Self {
            log: Arc::default(),
            made: Arc::default(),
            tracker: DropTracker::new(),
            unmakeable: 0,
            unstartable: 0,
            waits,
        }
    }

    fn clerk(&self) -> impl FnMut() -> Clerk + Send + use<> {
        let office = self.clone();
        move || {
            let made = office.made.fetch_add(1, Ordering::SeqCst);
            if made > 0 && made <= office.unmakeable {
                silent_panic("cannot be made");
            }
            Clerk { made, office: office.clone(), _state: office.tracker.track(()) }
        }
    }

    fn made(&self) -> u32 {
        self.made.load(Ordering::SeqCst)
    }

    fn log(&self) -> Vec<(u32, u32)> {
        self.log.lock().unwrap().clone()
    }
}

impl AsyncActor for Clerk {
    type Msg = Work;
    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        assert!(ctx.is_open(1), "a new state finds all mailboxes open");
        yields(self.office.waits).await;
        if self.made > 0 && self.made <= self.office.unstartable {
            silent_panic("cannot start");
        }
    }
    async fn handle(&mut self, work: Work, ctx: &mut AsyncContext<'_, Self>) {
        let on_the_way = self.office.tracker.track(());
        yields(self.office.waits).await;
        match work {
            Work::Note(n) | Work::Later(n) => self.office.log.lock().unwrap().push((self.made, n)),
            Work::Fail(why) => silent_panic(why),
            Work::Wait(bell, message) => {
                bell.rings().await;
                drop(message);
            }
            Work::Count(reply) => reply.send(self.office.log.lock().unwrap().len()),
            Work::Close => ctx.close(1),
        }
        drop(on_the_way);
    }
}

fn at_once() -> Supervision {
    Supervision::new()
        .restarts(1_000_000, Duration::from_secs(3600))
        .pauses(Duration::ZERO, Duration::ZERO)
}

#[test]
fn s15_an_asynchronous_actor_made_anew_keeps_every_waiting_message_in_order() {
    for waits in [0, 1] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        for pinned in [false, true] {
            let office = Office::new(waits);
            let clerk = match pinned {
                false => theater.actor().supervised(at_once()).spawn(office.clerk()),
                true => theater.actor().on(&stage).supervised(at_once()).spawn(office.clerk()),
            };
            for n in 0..5_000 {
                if n % 100 == 50 {
                    clerk.send(Work::Fail("asked to")).unwrap();
                }
                clerk.send(Work::Note(n)).unwrap();
            }
            assert_eq!(clerk.ask(Work::Count).wait(), Ok(5_000));
            let log = office.log();
            assert!(log.iter().map(|(_, n)| *n).eq(0..5_000));
            assert!(log.iter().all(|(made, n)| *made == (n + 50) / 100));
            assert_eq!(theater.dead_letters(), 0);
            clerk.stop();
            while !clerk.is_stopped() {
                std::thread::yield_now();
            }
        }
    }
}

#[test]
fn s15_resume_drops_the_failed_future_and_keeps_the_state() {
    let run = Deterministic::new(5);
    let office = Office::new(2);
    let decide = |failure: &Failure<'_>| match failure.text() {
        Some("harmless") => Directive::Resume,
        _ => Directive::Stop,
    };
    let policy = Supervision::new().decide(decide);
    let clerk = run.theater().actor().supervised(policy).spawn(office.clerk());
    clerk.send(Work::Note(1)).unwrap();
    clerk.send(Work::Fail("harmless")).unwrap();
    clerk.send(Work::Note(2)).unwrap();
    run.run_until_idle();
    assert_eq!((office.log(), office.made()), (vec![(0, 1), (0, 2)], 1));
    assert_eq!(office.tracker.alive(), 1, "the state, and nothing of the failed handler");
    clerk.send(Work::Fail("harmful")).unwrap();
    clerk.send(Work::Note(3)).unwrap();
    run.run_until_idle();
    assert!(clerk.is_stopped());
    assert_eq!(run.theater().dead_letters(), 1);
    office.tracker.check();
}

#[test]
fn s15_making_and_starting_may_fail_too() {
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        let office = Office { unmakeable: 3, unstartable: 6, ..Office::new(2) };
        let clerk = run.theater().actor().supervised(at_once()).spawn(office.clerk());
        clerk.send(Work::Fail("asked to")).unwrap();
        clerk.send(Work::Note(1)).unwrap();
        run.run_until_idle();
        assert_eq!((office.log(), office.made()), (vec![(7, 1)], 8));
        clerk.stop();
        run.run_until_idle();
        office.tracker.check();
    }
}

#[test]
fn s15_closed_mailboxes_are_open_for_the_new_state() {
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        let office = Office::new(1);
        let clerk = run.theater().actor().supervised(at_once()).spawn(office.clerk());
        clerk.send(Work::Close).unwrap();
        run.run_until_idle();
        (0..20).for_each(|n| clerk.send(Work::Later(n)).unwrap());
        run.run_until_idle();
        assert!(office.log().is_empty());
        clerk.send(Work::Fail("asked to")).unwrap();
        run.run_until_idle();
        assert!(office.log().iter().copied().eq((0..20).map(|n| (1, n))));
    }
}

#[test]
fn s15_an_asynchronous_actor_pauses_before_it_is_made_anew() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let office = Office::new(1);
    let pause = Duration::from_millis(20);
    let policy = Supervision::new().pauses(pause, SOON);
    let clerk = theater.actor().supervised(policy).spawn(office.clerk());
    let begun = Instant::now();
    for n in 0..4 {
        clerk.send(Work::Fail("asked to")).unwrap();
        clerk.send(Work::Note(n)).unwrap();
    }
    assert_eq!(clerk.ask(Work::Count).wait(), Ok(4));
    // None, then 20, 40 and 80 ms.
    assert!(begun.elapsed() >= pause * 7);
    assert_eq!(office.log(), [(1, 0), (2, 1), (3, 2), (4, 3)]);
}

/// In virtual time: a pause of real time may be over before the stop comes.
#[test]
fn s15_a_stop_during_the_pause_of_an_asynchronous_actor_takes_effect_at_its_end() {
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        let (office, pause) = (Office::new(1), Duration::from_secs(10));
        let policy = Supervision::new().pauses(pause, pause);
        let clerk = run.theater().actor().supervised(policy).spawn(office.clerk());
        // The first restart comes at once; before the second it pauses.
        (0..2).for_each(|_| clerk.send(Work::Fail("asked to")).unwrap());
        run.run_until_idle();
        assert_eq!((office.made(), office.tracker.alive()), (2, 0));
        clerk.stop();
        run.advance(pause - Duration::from_millis(1));
        assert!(!clerk.is_stopped());
        run.advance(Duration::from_millis(1));
        assert!(clerk.is_stopped());
        assert_eq!(office.made(), 2);
    }
}

/// Makes children of both kinds at its start, and hands out their references.
struct Parent {
    offices: Vec<Office>,
    policy: Supervision,
    children: Vec<ActorRef<Work>>,
}

enum ToParent {
    Children(Reply<Vec<ActorRef<Work>>>),
    Fail,
    Stop,
}

impl Message for ToParent {}

impl AsyncActor for Parent {
    type Msg = ToParent;
    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        let spawn = |o: &Office| ctx.actor().supervised(self.policy.clone()).spawn(o.clerk());
        self.children = self.offices.iter().map(spawn).collect();
        yields(1).await;
    }
    async fn handle(&mut self, message: ToParent, ctx: &mut AsyncContext<'_, Self>) {
        match message {
            ToParent::Children(reply) => reply.send(self.children.clone()),
            ToParent::Fail => silent_panic("the parent"),
            ToParent::Stop => ctx.stop(),
        }
    }
}

fn family(run: &Deterministic, offices: &[Office], child: Supervision) -> ActorRef<ToParent> {
    let offices = offices.to_vec();
    run.theater().actor().supervised(at_once()).spawn(move || Parent {
        offices: offices.clone(),
        policy: child.clone(),
        children: Vec::new(),
    })
}

fn children(run: &Deterministic, parent: &ActorRef<ToParent>) -> Vec<ActorRef<Work>> {
    let children = parent.ask(ToParent::Children);
    run.run_until_idle();
    children.wait().unwrap()
}

fn offices() -> Vec<Office> {
    (0..3).map(|_| Office::new(1)).collect()
}

fn made(offices: &[Office]) -> Vec<u32> {
    offices.iter().map(Office::made).collect()
}

#[test]
fn s15_asynchronous_children_end_with_their_parent_and_with_its_state() {
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        let offices = offices();
        let parent = family(&run, &offices, at_once());
        let first = children(&run, &parent);
        let bell = Bell::new();
        let waits = Work::Wait(bell.clone(), offices[1].tracker.track(()));
        first[1].send(waits).unwrap();
        run.run_until_idle();
        parent.send(ToParent::Fail).unwrap();
        let second = children(&run, &parent);
        assert!(first.iter().all(ActorRef::is_stopped), "a child that waits is cancelled");
        assert!(!second.iter().any(ActorRef::is_stopped));
        parent.send(ToParent::Stop).unwrap();
        run.run_until_idle();
        assert!(second.iter().all(ActorRef::is_stopped));
        assert_eq!(run.theater().live_actors(), 0);
        offices.iter().for_each(|office| office.tracker.check());
    }
}

#[test]
fn s15_all_for_one_cancels_handlers_that_wait() {
    for seed in 0..20 {
        let run = Deterministic::new(seed);
        for (policy, expected) in [(at_once(), [2, 1, 1]), (at_once().all_for_one(), [2, 2, 2])] {
            let offices = offices();
            let parent = family(&run, &offices, policy);
            let children = children(&run, &parent);
            let bell = Bell::new();
            let waits = Work::Wait(bell.clone(), offices[1].tracker.track(()));
            children[1].send(waits).unwrap();
            children[1].send(Work::Note(7)).unwrap();
            run.run_until_idle();
            children[0].send(Work::Fail("asked to")).unwrap();
            run.run_until_idle();
            assert_eq!(made(&offices), expected);
            assert!(!children.iter().any(ActorRef::is_stopped));
            // What waited behind the cancelled handler is the new state's.
            let handled = if expected[1] == 2 { vec![(1, 7)] } else { Vec::new() };
            assert_eq!(offices[1].log(), handled);
            bell.ring();
            run.run_until_idle();
            assert_eq!(offices[1].log().len(), 1);
        }
    }
}

#[test]
fn s15_an_asynchronous_child_escalates_to_its_parent() {
    let run = Deterministic::new(10);
    let offices = offices();
    let parent = family(&run, &offices, Supervision::new().always(Directive::Escalate));
    let before = children(&run, &parent);
    before[1].send(Work::Fail("too much for me")).unwrap();
    run.run_until_idle();
    assert!(before.iter().all(ActorRef::is_stopped) && !parent.is_stopped());
    assert_eq!(made(&offices), [2, 2, 2]);
}

#[test]
fn s15_a_plain_actor_has_asynchronous_children_and_the_reverse() {
    struct Head<A> {
        office: Office,
        child: Option<ActorRef<Work>>,
        _kind: std::marker::PhantomData<fn(A)>,
    }
    impl Actor for Head<()> {
        type Msg = ();
        fn started(&mut self, ctx: &mut Context<'_, Self>) {
            self.child = Some(ctx.actor().supervised(at_once()).spawn(self.office.clerk()));
        }
        fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
            self.child.as_ref().unwrap().send(Work::Note(1)).unwrap();
            ctx.send_self(());
        }
    }
    struct Plain(Office);
    impl Actor for Plain {
        type Msg = u32;
        fn handle(&mut self, n: u32, _: &mut Context<'_, Self>) {
            self.0.log.lock().unwrap().push((0, n));
        }
    }
    struct Other(Office);
    impl AsyncActor for Other {
        type Msg = u32;
        async fn handle(&mut self, n: u32, ctx: &mut AsyncContext<'_, Self>) {
            let office = self.0.clone();
            let child = ctx.actor().supervised(at_once()).spawn(move || Plain(office.clone()));
            child.send(n).unwrap();
            // Kept, so that the child does not end as unreachable.
            let _kept = child;
            std::future::pending::<()>().await;
        }
    }
    let run = Deterministic::new(2);
    let office = Office::new(1);
    let head = Head::<()> { office: office.clone(), child: None, _kind: Default::default() };
    let head = run.theater().spawn(head);
    head.send(()).unwrap();
    run.run_steps(200);
    head.stop();
    run.run_until_idle();
    assert!(!office.log().is_empty());
    let other = run.theater().spawn(Other(office.clone()));
    other.send(77).unwrap();
    run.run_until_idle();
    assert_eq!(office.log().last(), Some(&(0, 77)));
    assert_eq!(run.theater().live_actors(), 2);
    other.stop();
    run.run_until_idle();
    assert_eq!(run.theater().live_actors(), 0);
}
