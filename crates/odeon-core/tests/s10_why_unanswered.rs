//! S10: who asks an actor that fails is told what the failure said, however the actor is processed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::silent_panic;

const PATIENCE: Duration = Duration::from_secs(30);

enum Query {
    Echo(Reply<u32>),
    /// Panics with the reply in its hand.
    Panic(Reply<u32>),
    PanicWithString(Reply<u32>, u32),
    PanicWithNumber(Reply<u32>),
    /// Fails with an error.
    Err(Reply<u32>),
    /// Keeps the reply in the state.
    Keep(Reply<u32>),
    /// Panics inside, and goes on.
    Catch(Reply<u32>),
    /// Pipes a future that panics.
    Drop(Reply<u32>),
    Wait(std::sync::mpsc::Receiver<()>),
}
impl Message for Query {}

#[derive(Default)]
struct Desk(Vec<Reply<u32>>);

impl Desk {
    fn handle(&mut self, query: Query) {
        match query {
            Query::Echo(reply) => reply.send(1),
            Query::Panic(_reply) => silent_panic("not covered"),
            Query::PanicWithString(reply, n) => {
                let _reply = reply;
                std::panic::resume_unwind(Box::new(format!("{n} is not covered")))
            }
            Query::PanicWithNumber(_reply) => std::panic::resume_unwind(Box::new(7)),
            Query::Err(_reply) => extend::fail_with(std::io::Error::other("an error")),
            Query::Keep(reply) => self.0.push(reply),
            Query::Catch(reply) => {
                let caught = catch_unwind(AssertUnwindSafe(move || {
                    let _reply = reply;
                    silent_panic("inside");
                }));
                assert!(caught.is_err());
            }
            Query::Drop(reply) => drop(reply),
            Query::Wait(until) => drop(until.recv()),
        }
    }
}

impl Actor for Desk {
    type Msg = Query;
    fn handle(&mut self, query: Query, _: &mut Context<'_, Self>) {
        Desk::handle(self, query);
    }
}

#[derive(Default)]
struct Asynchronous(Desk);

impl AsyncActor for Asynchronous {
    type Msg = Query;
    async fn handle(&mut self, query: Query, _: &mut AsyncContext<'_, Self>) {
        odeon_testkit::yields(1).await;
        self.0.handle(query);
    }
}

/// With its reads shared, so that several workers fail.
struct Reading(std::sync::Mutex<Desk>);

impl ReadWriteActor for Reading {
    type Read = Query;
    type Write = Query;

    fn read(&self, query: Query, _: &mut ReadContext<'_, Self>) {
        let mut desk = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        desk.handle(query);
    }

    fn write(&mut self, query: Query, _: &mut WriteContext<'_, Self>) {
        self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).handle(query);
    }
}

fn again() -> Supervision {
    Supervision::new().restarts(1_000, PATIENCE).pauses(Duration::ZERO, Duration::ZERO)
}

/// Calls `check` with a way to ask an actor of each kind, which goes on after a failure.
fn everywhere(check: impl Fn(&dyn Fn(fn(Reply<u32>) -> Query) -> Ask<u32>, &str)) {
    let theater = Theater::builder().workers(2).failures_printed(false).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let bounded = || Bounded::new(Desk::default()).mailbox(0, Bound::wait(64));
    let bounded_async = || Bounded::new_async(Asynchronous::default()).mailbox(0, Bound::wait(64));
    let made = Asynchronous::default;
    let actors = [
        ("pool", theater.actor().supervised(again()).spawn(Desk::default)),
        ("pinned", theater.actor().on(&stage).supervised(again()).spawn(Desk::default)),
        (
            "dedicated",
            theater.actor().dedicated("d").supervised(again()).spawn(Desk::default).unwrap(),
        ),
        ("bounded", theater.actor().supervised(again()).spawn(bounded)),
        ("async", theater.actor().supervised(again()).spawn(made)),
        ("async pinned", theater.actor().on(&stage).supervised(again()).spawn(made)),
        ("async bounded", theater.actor().supervised(again()).spawn(bounded_async)),
    ];
    for (kind, actor) in &actors {
        check(&|query| actor.ask(query), kind);
    }
    let reading = || {
        let actor = Reading(std::sync::Mutex::default());
        ReadWriting::new(actor, ReadWritePolicy::ArrivalOrder).sharing(ReadSharing::Always)
    };
    let actor = theater.actor().supervised(again()).spawn(reading);
    check(&|query| actor.ask_write(query), "writes");
    // Two at once, so that a reader takes part.
    let twice = |query: fn(Reply<u32>) -> Query| {
        let (first, second) = (actor.ask_read(query), actor.ask_read(query));
        drop(first);
        second
    };
    check(&twice, "reads");
}

fn failed(text: &str) -> Result<u32, AskError> {
    Err(AskError::Failed(text.into()))
}

#[test]
fn s10_who_asks_is_told_what_the_failure_said() {
    everywhere(|ask, kind| {
        for _ in 0..20 {
            let answer = |query| ask(query).wait_timeout(PATIENCE);
            assert_eq!(answer(Query::Panic), failed("not covered"), "{kind}");
            let with_string = |reply| Query::PanicWithString(reply, 7);
            assert_eq!(answer(with_string), failed("7 is not covered"), "{kind}");
            assert_eq!(answer(Query::Err), failed("an error"), "{kind}");
            let unknown = answer(Query::PanicWithNumber).unwrap_err();
            assert_eq!(unknown.failure(), Some("a panic without a text"), "{kind}");
            assert_eq!(answer(Query::Echo), Ok(1), "{kind}");
        }
    });
}

#[test]
fn s10_who_is_kept_in_the_state_is_told_what_took_it() {
    everywhere(|ask, kind| {
        let kept = ask(Query::Keep);
        assert_eq!(ask(Query::Panic).wait_timeout(PATIENCE), failed("not covered"), "{kind}");
        assert_eq!(kept.wait_timeout(PATIENCE), failed("not covered"), "{kind}");
        assert_eq!(ask(Query::Echo).wait_timeout(PATIENCE), Ok(1), "{kind}");
    });
}

#[test]
fn s10_what_has_nothing_to_do_with_a_failure_says_so() {
    everywhere(|ask, kind| {
        let answer = |query| ask(query).wait_timeout(PATIENCE);
        assert_eq!(answer(Query::Drop), Err(AskError::NoReply), "{kind}");
        // Caught by the handler, which goes on: known at the latest when the turn is over.
        assert_eq!(answer(Query::Catch), Err(AskError::NoReply), "{kind}");
        assert_eq!(answer(Query::Panic), failed("not covered"), "{kind}");
        assert_eq!(answer(Query::Drop), Err(AskError::NoReply), "{kind}");
    });
}

#[test]
fn s10_who_waits_behind_a_failure_that_ends_the_actor_gets_no_reply() {
    let theater = Theater::builder().workers(2).failures_printed(false).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let actors = [
        theater.spawn(Desk::default()),
        theater.actor().on(&stage).spawn(Desk::default()),
        theater.spawn(Asynchronous::default()),
    ];
    for actor in actors {
        let (go, until) = channel();
        actor.send(Query::Wait(until)).unwrap();
        let (fails, waits) = (actor.ask(Query::Panic), actor.ask(Query::Echo));
        go.send(()).unwrap();
        assert_eq!(fails.wait_timeout(PATIENCE), failed("not covered"));
        assert_eq!(waits.wait_timeout(PATIENCE), Err(AskError::NoReply));
    }
}

/// Asks in all ways, and passes on what it is told.
struct Asker(ActorRef<Query>, Sender<Result<u32, AskError>>);

enum Order {
    Ask,
    Told(Result<u32, AskError>),
}
impl Message for Order {}

impl Actor for Asker {
    type Msg = Order;
    fn handle(&mut self, order: Order, ctx: &mut Context<'_, Self>) {
        match order {
            Order::Ask => {
                let captured = Arc::new(());
                let told = move |answer| {
                    let _captured = captured;
                    Order::Told(answer)
                };
                self.0.send(Query::Panic(ctx.reply_to(Order::Told))).unwrap();
                self.0.send(Query::Panic(ctx.reply_to(told))).unwrap();
                self.0.send(Query::Panic(ctx.reply_within(PATIENCE, Order::Told))).unwrap();
            }
            Order::Told(answer) => self.1.send(answer).unwrap(),
        }
    }
}

#[test]
fn s10_actors_that_ask_are_told_too() {
    let theater = Theater::builder().workers(2).failures_printed(false).build().unwrap();
    let desk = theater.actor().supervised(again()).spawn(Desk::default);
    let (out, told) = channel();
    theater.spawn(Asker(desk, out)).send(Order::Ask).unwrap();
    for _ in 0..3 {
        assert_eq!(told.recv_timeout(PATIENCE).unwrap(), failed("not covered"));
    }
}

/// Waits, on its own thread, for an answer whose right it loses itself.
struct OnItsOwn;

impl Actor for OnItsOwn {
    type Msg = Box<Reply<Result<u32, AskError>>>;
    fn handle(&mut self, told: Self::Msg, _: &mut Context<'_, Self>) {
        let (reply, asked) = extend::question::<u32>();
        let caught = catch_unwind(AssertUnwindSafe(move || {
            let _reply = reply;
            silent_panic("inside");
        }));
        assert!(caught.is_err());
        told.send(asked.wait());
    }
}

#[test]
fn s10_nobody_waits_for_an_answer_that_its_own_thread_holds() {
    let theater = Theater::new().unwrap();
    let own = theater.actor().dedicated("own").spawn(OnItsOwn).unwrap();
    assert_eq!(own.ask(Box::new).wait_timeout(PATIENCE), Ok(Err(AskError::NoReply)));
}

#[test]
fn s10_a_crate_that_drops_a_failed_message_says_what_failed() {
    let theater = Theater::new().unwrap();
    let (reply, asked) = extend::question::<u32>();
    let payload: Box<dyn std::any::Any + Send> = Box::new("not covered");
    extend::drop_failed(&*payload, || drop(reply));
    assert_eq!(asked.wait(), failed("not covered"));
    let (reply, asked) = extend::question::<u32>();
    drop(reply);
    assert_eq!(asked.wait(), Err(AskError::NoReply));
    drop(theater);
}
