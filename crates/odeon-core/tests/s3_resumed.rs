//! S3: the guards of an actor that has failed and is resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use odeon_core::*;

/// What makes a `Faller` fail, which has closed all its mailboxes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trip {
    Start,
    Handler,
    Task,
    Then,
    ThenBehindOpening,
    Future,
    Tasks,
}

const TRIPS: [Trip; 7] = [
    Trip::Start,
    Trip::Handler,
    Trip::Task,
    Trip::Then,
    Trip::ThenBehindOpening,
    Trip::Future,
    Trip::Tasks,
];

enum Fall {
    Over(Trip),
    Ask(Reply<u32>),
}

impl Message for Fall {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        if let Self::Ask(_) = self { 1 } else { 0 }
    }
}

/// Closes all mailboxes and then fails otherwise.
#[derive(Clone, Copy)]
struct Faller {
    at_start: bool,
    then: WhenAllClosed,
}

fn fails<T>() -> T {
    odeon_testkit::silent_panic("over something else")
}

macro_rules! fall {
    ($msg:expr, $ctx:ident) => {
        match $msg {
            Fall::Ask(reply) => reply.send(1),
            Fall::Over(trip) => {
                $ctx.close_all_except([0_usize; 0]);
                match trip {
                    Trip::Start | Trip::Handler => fails(),
                    Trip::Task => drop($ctx.fork(fails::<()>, |_, _, ctx| ctx.open_all())),
                    Trip::Then => drop($ctx.fork(|| (), |_, _, _| fails())),
                    Trip::ThenBehindOpening => {
                        drop($ctx.fork(
                            || (),
                            |_, _, ctx| {
                                ctx.open(1);
                                fails()
                            },
                        ));
                    }
                    Trip::Future => {
                        drop($ctx.pipe(async { fails::<()>() }, |_, _, ctx| ctx.open_all()));
                    }
                    Trip::Tasks => {
                        drop($ctx.fork_all([fails::<()>; 2], |_, _, ctx| ctx.open_all()));
                    }
                }
            }
        }
    };
}

impl Actor for Faller {
    type Msg = Fall;
    fn selection(&self) -> Selection {
        Selection::priority().when_all_closed(self.then)
    }
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        if self.at_start {
            fall!(Fall::Over(Trip::Start), ctx);
        }
    }
    fn handle(&mut self, msg: Fall, ctx: &mut Context<'_, Self>) {
        fall!(msg, ctx);
    }
}

struct AsyncFaller(Faller);

impl AsyncActor for AsyncFaller {
    type Msg = Fall;
    fn selection(&self) -> Selection {
        Actor::selection(&self.0)
    }
    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        if self.0.at_start {
            fall!(Fall::Over(Trip::Start), ctx);
        }
    }
    async fn handle(&mut self, msg: Fall, ctx: &mut AsyncContext<'_, Self>) {
        fall!(msg, ctx);
    }
}

/// Counts failures by what they say.
#[derive(Default)]
struct Failures {
    closed: AtomicU32,
    others: AtomicU32,
}

impl Observer for Failures {
    fn actor_failed(&self, _: ActorId, panic: &(dyn std::any::Any + Send)) {
        let text = panic.downcast_ref::<&str>().copied().unwrap_or_default();
        let closed = text.contains("all mailboxes of the actor are closed");
        if closed { &self.closed } else { &self.others }.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn s3_who_is_resumed_after_another_failure_is_not_left_behind_closed() {
    for then in [WhenAllClosed::Fail, WhenAllClosed::Stop] {
        for trip in TRIPS {
            for kind in 0..4 {
                let what = format!("{trip:?}, {then:?}, kind {kind}");
                let failures = Arc::new(Failures::default());
                let theater = Theater::builder().workers(2).observer(failures.clone());
                let theater = theater.build().unwrap();
                let stage = theater.pinned("house").unwrap();
                let resumed = Supervision::new().always(Directive::Resume);
                let make = move || Faller { at_start: trip == Trip::Start, then };
                let make_async = move || AsyncFaller(make());
                let faller = match kind {
                    0 => theater.actor().supervised(resumed).spawn(make),
                    1 => theater.actor().on(&stage).supervised(resumed).spawn(make),
                    2 => theater.actor().supervised(resumed).spawn(make_async),
                    _ => theater.actor().on(&stage).supervised(resumed).spawn(make_async),
                };
                if trip != Trip::Start {
                    faller.send(Fall::Over(trip)).unwrap();
                }
                let answer = faller.ask(Fall::Ask).wait_timeout(Duration::from_secs(30));
                let opened = trip == Trip::ThenBehindOpening;
                if then == WhenAllClosed::Stop && !opened {
                    assert!(matches!(answer, Err(AskError::Stopped | AskError::NoReply)), "{what}");
                    assert_eq!(faller.ended().wait().reason(), EndReason::Stopped, "{what}");
                } else {
                    assert_eq!(answer, Ok(1), "{what}");
                    let closed = failures.closed.load(Ordering::SeqCst);
                    assert_eq!(closed, u32::from(!opened), "{what}");
                }
                assert_eq!(failures.others.load(Ordering::SeqCst), 1, "{what}");
            }
        }
    }
}

/// Has one place, and fails over every second deed, when that is done.
struct Shelf {
    items: Vec<u32>,
    deeds: u32,
    broken: bool,
}

enum Place {
    Put(u32),
    Get(Reply<u32>),
    Break,
}

impl Message for Place {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        match self {
            Self::Put(_) => 0,
            Self::Get(_) => 1,
            Self::Break => 2,
        }
    }
}

impl Shelf {
    fn deed(&mut self, deed: Place) {
        match deed {
            Place::Put(item) => self.items.push(item),
            Place::Get(reply) => reply.send(self.items.pop().expect("guarded")),
            Place::Break => self.broken = true,
        }
        assert!(self.items.len() <= 1, "guarded");
        self.deeds += 1;
        if self.deeds % 2 == 1 {
            fails()
        }
    }

    fn declare(&self, guards: &mut DeclaredGuards<'_, Place>) {
        if self.broken {
            odeon_testkit::silent_panic("a guard");
        }
        guards.set(0, self.items.is_empty());
        guards.set(1, !self.items.is_empty());
    }
}

impl Actor for Shelf {
    type Msg = Place;
    fn guards(&self, guards: &mut DeclaredGuards<'_, Place>) {
        self.declare(guards);
    }
    fn handle(&mut self, deed: Place, _: &mut Context<'_, Self>) {
        self.deed(deed);
    }
}

impl AsyncActor for Shelf {
    type Msg = Place;
    fn guards(&self, guards: &mut DeclaredGuards<'_, Place>) {
        self.declare(guards);
    }
    async fn handle(&mut self, deed: Place, _: &mut AsyncContext<'_, Self>) {
        self.deed(deed);
    }
}

fn shelf() -> Shelf {
    Shelf { items: Vec::new(), deeds: 0, broken: false }
}

/// A shelf on the pool and on a pinned stage, with asynchronous handlers on both; resumed whenever
/// it fails.
fn shelves(theater: &Theater) -> [ActorRef<Place>; 4] {
    let stage = theater.pinned("shelves").unwrap();
    let resumed = Supervision::new().always(Directive::Resume);
    [
        theater.actor().supervised(resumed.clone()).spawn::<extend::Plain, _>(shelf),
        theater.actor().on(&stage).supervised(resumed.clone()).spawn::<extend::Plain, _>(shelf),
        theater.actor().supervised(resumed.clone()).spawn::<extend::Asynchronous, _>(shelf),
        theater.actor().on(&stage).supervised(resumed).spawn::<extend::Asynchronous, _>(shelf),
    ]
}

#[test]
fn s3_declared_guards_are_those_of_the_state_that_a_resumed_actor_has() {
    let theater = Theater::new().unwrap();
    for shelf in shelves(&theater) {
        for round in 0..5 {
            let early = shelf.ask(Place::Get);
            shelf.send(Place::Put(round)).unwrap();
            assert_eq!(early.wait_timeout(Duration::from_secs(30)), Ok(round));
        }
    }
}

#[test]
fn s3_a_declared_guard_that_always_panics_does_not_keep_the_worker() {
    let theater = Theater::builder().workers(1).build().unwrap();
    for shelf in shelves(&theater) {
        shelf.send(Place::Break).unwrap();
        shelf.send(Place::Put(1)).unwrap();
        shelf.stop();
        assert_eq!(shelf.ended().wait().reason(), EndReason::Stopped);
    }
}

/// Says in which life of the actor it was made, whenever it is asked.
struct OfLife(u32, Sender<u32>);

impl SelectionPolicy for OfLife {
    fn select(&mut self, ready: Ready<'_>) -> usize {
        self.1.send(self.0).unwrap();
        ready.first()
    }
}

/// Fails at the start of its second life.
struct Lively {
    life: u32,
    asked: Sender<u32>,
}

impl Lively {
    fn select(&self) -> Selection {
        Selection::by(OfLife(self.life, self.asked.clone()))
    }

    fn begin(&self) {
        if self.life == 2 {
            odeon_testkit::silent_panic("a start")
        }
    }

    fn live(msg: Fall) {
        match msg {
            Fall::Over(_) => fails(),
            Fall::Ask(reply) => reply.send(1),
        }
    }
}

impl Actor for Lively {
    type Msg = Fall;
    fn selection(&self) -> Selection {
        self.select()
    }
    fn started(&mut self, _: &mut Context<'_, Self>) {
        self.begin();
    }
    fn handle(&mut self, msg: Fall, _: &mut Context<'_, Self>) {
        Self::live(msg);
    }
}

impl AsyncActor for Lively {
    type Msg = Fall;
    fn selection(&self) -> Selection {
        self.select()
    }
    async fn started(&mut self, _: &mut AsyncContext<'_, Self>) {
        self.begin();
    }
    async fn handle(&mut self, msg: Fall, _: &mut AsyncContext<'_, Self>) {
        Self::live(msg);
    }
}

#[test]
fn s3_who_is_resumed_although_its_start_has_failed_selects_as_it_says_and_not_as_the_state_before()
{
    let theater = Theater::new().unwrap();
    let decide = |failure: &Failure<'_>| match failure.text() {
        Some("a start") => Directive::Resume,
        _ => Directive::Restart,
    };
    let policy = Supervision::new().pauses(Duration::ZERO, Duration::ZERO).decide(decide);
    for kind in 0..2 {
        let (asked, answers) = channel();
        let life = AtomicU32::new(0);
        let make =
            move || Lively { life: life.fetch_add(1, Ordering::SeqCst) + 1, asked: asked.clone() };
        let lively = match kind {
            0 => theater.actor().supervised(policy.clone()).spawn::<extend::Plain, _>(make),
            _ => theater.actor().supervised(policy.clone()).spawn::<extend::Asynchronous, _>(make),
        };
        lively.send(Fall::Over(Trip::Handler)).unwrap();
        assert_eq!(lively.ask(Fall::Ask).wait_timeout(Duration::from_secs(30)), Ok(1));
        assert_eq!(answers.try_iter().collect::<Vec<_>>(), [1, 2], "kind {kind}");
    }
}
