//! S16: where an actor is created, of which kind, and whose child it is, in every combination that
//! the builder allows.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::thread::{self, ThreadId};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::silent_panic;

const SOON: Duration = Duration::from_secs(30);

/// Says where it is, and does what it is told to.
struct Here;

/// As [`Here`], for the other kind.
struct HereWaiting;

type Task = Box<dyn FnOnce(&Context<'_, Here>) + Send>;

enum Ask {
    Thread(Reply<ThreadId>),
    Fail,
    Do(Task),
}

impl Message for Ask {}

impl Actor for Here {
    type Msg = Ask;

    fn handle(&mut self, msg: Ask, ctx: &mut Context<'_, Self>) {
        match msg {
            Ask::Thread(reply) => reply.send(thread::current().id()),
            Ask::Fail => silent_panic("told to"),
            Ask::Do(task) => task(ctx),
        }
    }
}

impl AsyncActor for HereWaiting {
    type Msg = Ask;

    async fn handle(&mut self, msg: Ask, _: &mut AsyncContext<'_, Self>) {
        match msg {
            Ask::Thread(reply) => reply.send(thread::current().id()),
            Ask::Fail => silent_panic("told to"),
            Ask::Do(_) => {}
        }
    }
}

fn thread_of(actor: &ActorRef<Ask>) -> ThreadId {
    actor.ask(Ask::Thread).wait_timeout(SOON).unwrap()
}

/// Has the actor create something, and gives what.
fn by<T: Send + 'static>(
    actor: &ActorRef<Ask>,
    create: impl FnOnce(&Context<'_, Here>) -> T + Send + 'static,
) -> T {
    let (send, created) = mpsc::channel();
    let task: Task = Box::new(move |ctx| drop(send.send(create(ctx))));
    actor.send(Ask::Do(task)).unwrap();
    created.recv_timeout(SOON).unwrap()
}

/// Fails, and is there again: it is supervised.
fn is_made_anew(actor: &ActorRef<Ask>) -> bool {
    actor.send(Ask::Fail).is_ok() && actor.ask(Ask::Thread).wait_timeout(SOON).is_ok()
}

fn again() -> Supervision {
    Supervision::new().pauses(Duration::ZERO, Duration::ZERO)
}

#[test]
fn s16_actors_of_both_kinds_live_on_the_stage_that_was_named() {
    let theater = Theater::new().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let on = || theater.actor().on(&stage);
    let pool = on().supervised(again()).pool(2, Routing::RoundRobin, |_| Here);
    let actors = [
        on().spawn(Here),
        on().spawn(HereWaiting),
        on().supervised(again()).spawn(|| Here),
        on().supervised(again()).spawn(|| HereWaiting),
        on().lookup_or_spawn("here", || Here).unwrap(),
        on().supervised(again()).lookup_or_spawn("waiting", || HereWaiting).unwrap(),
    ];
    let mut threads: BTreeSet<_> =
        actors.iter().map(|actor| format!("{:?}", thread_of(actor))).collect();
    (0..2).for_each(|_| {
        threads.insert(format!("{:?}", pool.ask(Ask::Thread).wait_timeout(SOON).unwrap()));
    });
    assert_eq!(threads.len(), 1, "the one thread of the stage");
    let made_anew = actors.map(|actor| is_made_anew(&actor));
    assert_eq!(made_anew, [false, false, true, true, false, true]);
}

#[test]
fn s16_a_handler_creates_actors_elsewhere_than_beside_its_own() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let (maker, there) = (theater.spawn(Here), theater.actor().on(&stage).spawn(Here));
    let (pool, stage_thread) = (thread_of(&maker), thread_of(&there));
    assert_ne!(pool, stage_thread);

    let on = stage.clone();
    assert_eq!(thread_of(&by(&maker, move |ctx| ctx.actor().on(&on).spawn(Here))), stage_thread);
    assert_eq!(thread_of(&by(&there, |ctx| ctx.actor().spawn(HereWaiting))), stage_thread);
    let own = by(&maker, |ctx| ctx.actor().dedicated("own").spawn(Here)).unwrap();
    assert!(![pool, stage_thread].contains(&thread_of(&own)));

    // What has a name, or serves whoever has the pool, outlives the stage's actor: on the pool.
    let named = by(&there, |ctx| ctx.actor().lookup_or_spawn("named", || Here)).unwrap();
    let clerks =
        by(&there, |ctx| ctx.actor().supervised(again()).pool(1, Routing::RoundRobin, |_| Here));
    assert_eq!(thread_of(&named), pool);
    assert_eq!(clerks.ask(Ask::Thread).wait_timeout(SOON), Ok(pool));
}

#[test]
fn s15_supervised_actors_of_a_handler_are_its_children_wherever_they_live() {
    let theater = Theater::new().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let parent = theater.spawn(Here);
    let on = stage.clone();
    let children = by(&parent, move |ctx| {
        [
            ctx.actor().supervised(again()).spawn(|| Here),
            ctx.actor().supervised(again()).spawn(|| HereWaiting),
            ctx.actor().on(&on).supervised(again()).spawn(|| Here),
            ctx.actor().dedicated("own").supervised(again()).spawn(|| Here).unwrap(),
        ]
    });
    let nobodys = by(&parent, |ctx| {
        let named = ctx.actor().supervised(again()).lookup_or_spawn("named", || Here).unwrap();
        [ctx.actor().spawn(Here), named]
    });
    assert!(children.iter().all(is_made_anew));
    parent.stop();
    for child in children {
        assert!(child.ended().wait_timeout(SOON).is_ok(), "it ends with its parent");
    }
    assert!(
        nobodys
            .iter()
            .all(|actor| !actor.is_stopped() && thread_of(actor) != thread::current().id())
    );
}

#[test]
#[should_panic(expected = "the stage belongs to another theater")]
fn s16_a_stage_of_another_theater_is_refused() {
    let (theater, other) = (Theater::new().unwrap(), Theater::new().unwrap());
    theater.actor().on(&other.pinned("stage").unwrap()).spawn(Here);
}

/// A handler that still runs when its theater ends asks for a thread, which nobody would end.
#[test]
fn s13_no_thread_begins_once_its_theater_ends() {
    struct Goes(mpsc::Sender<()>);
    impl Drop for Goes {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    impl Actor for Goes {
        type Msg = ();
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let (goes, gone) = mpsc::channel();
    let kept = theater.spawn(Goes(goes));
    let (send, refused) = mpsc::channel();
    let busy = theater.actor().on(&stage).spawn(Here);
    let (begin, begun) = mpsc::channel();
    let task: Task = Box::new(move |ctx| {
        begin.send(()).unwrap();
        gone.recv_timeout(SOON).expect("the theater ends its other actor");
        send.send(ctx.actor().dedicated("too late").spawn(Here).map(drop)).unwrap();
    });
    busy.send(Ask::Do(task)).unwrap();
    begun.recv_timeout(SOON).unwrap();
    assert_eq!(theater.shutdown(Duration::ZERO).stuck, 0);
    drop(kept);
    let refused = refused.recv_timeout(SOON).unwrap().unwrap_err();
    assert!(refused.to_string().ends_with("the theater has ended"), "{refused}");
}
