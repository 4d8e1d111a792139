//! S10 replies: answered once, now or later, by whom one likes; dropped, the asker learns at once.

use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::Deterministic;

#[derive(Default)]
struct Desk {
    kept: Vec<Reply<u64>>,
    total: u64,
}

enum Query {
    Add(u64),
    Total(Reply<u64>),
    Keep(Reply<u64>),
    AnswerKept,
    Ignore(Reply<u64>),
    Pass(ActorRef<Query>, Reply<u64>),
    Panic(Reply<u64>),
}
impl Message for Query {}

impl Actor for Desk {
    type Msg = Query;
    fn handle(&mut self, msg: Query, _ctx: &mut Context<'_, Self>) {
        match msg {
            Query::Add(n) => self.total += n,
            Query::Total(reply) => reply.send(self.total),
            Query::Keep(reply) => self.kept.push(reply),
            Query::AnswerKept => self.kept.drain(..).for_each(|reply| reply.send(self.total)),
            Query::Ignore(reply) => drop(reply),
            Query::Pass(to, reply) => to.send(Query::Total(reply)).unwrap(),
            Query::Panic(_reply) => odeon_testkit::silent_panic("asked to"),
        }
    }
}

/// Runs `check` with a desk on each kind of stage.
fn on_every_stage(check: impl Fn(&Theater, ActorRef<Query>)) {
    let theater = Theater::builder().workers(2).build().unwrap();
    check(&theater, theater.spawn(Desk::default()));
    let stage = theater.pinned("stage").unwrap();
    check(&theater, theater.actor().on(&stage).spawn(Desk::default()));
    check(&theater, theater.actor().dedicated("own").spawn(Desk::default()).unwrap());
}

#[test]
fn s10_an_answer_comes_now_or_later_or_from_somebody_else() {
    on_every_stage(|theater, desk| {
        let kept = desk.ask(Query::Keep);
        desk.send(Query::Add(3)).unwrap();
        assert_eq!(desk.ask(Query::Total).wait(), Ok(3));
        desk.send(Query::AnswerKept).unwrap();
        assert_eq!(kept.wait(), Ok(3));
        let other = theater.spawn(Desk { kept: Vec::new(), total: 40 });
        assert_eq!(desk.ask(|reply| Query::Pass(other, reply)).wait(), Ok(40));
    });
}

#[test]
fn s10_a_dropped_reply_is_an_error_at_once() {
    on_every_stage(|_, desk| {
        assert_eq!(desk.ask(Query::Ignore).wait(), Err(AskError::NoReply));
        let kept = desk.ask(Query::Keep);
        let failed = || Err(AskError::Failed("asked to".into()));
        assert_eq!(desk.ask(Query::Panic).wait(), failed());
        // Kept in the state that the panic has taken along.
        assert_eq!(kept.wait(), failed());
    });
}

#[test]
fn s10_a_question_in_a_stopped_actors_mailbox_is_an_error_at_once() {
    let run = Deterministic::new(2);
    let desk = run.theater().spawn(Desk::default());
    let waiting = desk.ask(Query::Total);
    desk.stop();
    run.run_until_idle();
    assert_eq!(waiting.wait(), Err(AskError::NoReply));
    assert_eq!(desk.ask(Query::Total).wait(), Err(AskError::Stopped));
}

#[test]
fn s10_a_question_that_nobody_answers_times_out() {
    on_every_stage(|_, desk| {
        let limit = Duration::from_millis(10);
        let since = Instant::now();
        assert_eq!(desk.ask(Query::Keep).wait_timeout(limit), Err(AskError::Timeout));
        assert!(since.elapsed() >= limit);
        assert_eq!(desk.ask(Query::Total).wait_timeout(Duration::from_secs(60)), Ok(0));
    });
}

/// Asks another actor and passes the outcome on.
struct Asker {
    desk: ActorRef<Query>,
    out: std::sync::mpsc::Sender<Result<u64, AskError>>,
}

enum Order {
    Ask(fn(Reply<u64>) -> Query),
    Outcome(u32, Result<u64, AskError>),
}
impl Message for Order {}

impl Actor for Asker {
    type Msg = Order;
    fn handle(&mut self, msg: Order, ctx: &mut Context<'_, Self>) {
        match msg {
            Order::Ask(question) => {
                // Both kinds: a conversion without captures and one with.
                let plain = ctx.reply_to(|outcome| Order::Outcome(1, outcome));
                let tag = 2;
                let boxed = ctx.reply_to(move |outcome| Order::Outcome(tag, outcome));
                let _ = self.desk.send(question(plain));
                let _ = self.desk.send(question(boxed));
            }
            Order::Outcome(tag, outcome) => {
                assert!(tag == 1 || tag == 2);
                self.out.send(outcome).unwrap();
            }
        }
    }
}

#[test]
fn s10_an_actor_gets_its_answer_as_a_message_and_so_it_gets_the_error() {
    on_every_stage(|theater, desk| {
        let (out, outcomes) = channel();
        let asker = theater.spawn(Asker { desk: desk.clone(), out });
        let two = || [outcomes.recv().unwrap(), outcomes.recv().unwrap()];
        desk.send(Query::Add(5)).unwrap();
        asker.send(Order::Ask(Query::Total)).unwrap();
        assert_eq!(two(), [const { Ok(5) }; 2]);
        asker.send(Order::Ask(Query::Ignore)).unwrap();
        assert_eq!(two(), [const { Err(AskError::NoReply) }; 2]);
        asker.send(Order::Ask(Query::Panic)).unwrap();
        // The second question waits behind the one that fails.
        assert_eq!(two(), [Err(AskError::Failed("asked to".into())), Err(AskError::NoReply)]);
        while !desk.is_stopped() {
            std::thread::yield_now();
        }
        asker.send(Order::Ask(Query::Total)).unwrap();
        assert_eq!(two(), [const { Err(AskError::NoReply) }; 2]);
    });
}

#[test]
fn s10_waiting_on_a_shared_stage_is_refused_and_on_a_dedicated_one_is_not() {
    struct Waits(ActorRef<Query>);
    impl Actor for Waits {
        type Msg = Box<Reply<u64>>;
        fn handle(&mut self, reply: Self::Msg, _ctx: &mut Context<'_, Self>) {
            reply.send(self.0.ask(Query::Total).wait().unwrap());
        }
    }
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let desk = theater.spawn(Desk::default());
    let outcome = |actor: ActorRef<Box<Reply<u64>>>| actor.ask(Box::new).wait();
    for refused in
        [theater.spawn(Waits(desk.clone())), theater.actor().on(&stage).spawn(Waits(desk.clone()))]
    {
        let refused = outcome(refused).unwrap_err();
        assert!(refused.failure().unwrap().starts_with("waiting for an answer"), "{refused}");
    }
    assert_eq!(outcome(theater.actor().dedicated("own").spawn(Waits(desk)).unwrap()), Ok(0));
}

/// The smallest executor: polls on this thread, parks in between.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn s10_a_question_is_a_future_on_any_executor() {
    on_every_stage(|_, desk| {
        desk.send(Query::Add(5)).unwrap();
        assert_eq!(block_on(desk.ask(Query::Total)), Ok(5));
        assert_eq!(block_on(desk.ask(Query::Ignore)), Err(AskError::NoReply));
        desk.stop();
        while !desk.is_stopped() {
            std::thread::yield_now();
        }
        assert_eq!(block_on(desk.ask(Query::Total)), Err(AskError::Stopped));
    });
}

/// Asks itself, and waits where it is told to.
struct Narcissus;

enum Look {
    InHandler(Reply<u32>),
    Within(Duration, Reply<Result<u32, AskError>>),
    InPipe(Reply<u32>),
    Seen(Reply<u32>),
}

impl Message for Look {}

impl AsyncActor for Narcissus {
    type Msg = Look;
    async fn handle(&mut self, look: Look, ctx: &mut AsyncContext<'_, Self>) {
        let myself = ctx.actor_ref();
        match look {
            Look::InHandler(reply) => reply.send(myself.ask(Look::Seen).await.unwrap()),
            Look::Within(limit, reply) => reply.send(myself.ask_within(limit, Look::Seen).await),
            Look::InPipe(reply) => {
                ctx.pipe(myself.ask(Look::Seen), |_, seen, _| reply.send(seen.unwrap()));
            }
            Look::Seen(reply) => reply.send(7),
        }
    }
}

#[test]
fn s10_an_actor_that_waits_for_itself_is_told_instead_of_waiting_for_ever() {
    let builder = Theater::builder().workers(2).failures_printed(false);
    let theater = builder.asks_seen(true).build().unwrap();
    let supervised = || {
        let resumes = Supervision::new().always(Directive::Resume);
        theater.actor().supervised(resumes).spawn(|| Narcissus)
    };
    for actor in [theater.spawn(Narcissus), supervised()] {
        let limit = Duration::from_millis(10);
        let within = actor.ask(|reply| Look::Within(limit, reply)).wait();
        assert_eq!(within, Ok(Err(AskError::Timeout)));
        assert_eq!(actor.ask(Look::InPipe).wait(), Ok(7));
        let refused = actor.ask(Look::InHandler).wait().unwrap_err();
        let text = refused.failure().unwrap_or_else(|| panic!("{refused:?}"));
        assert!(
            text.starts_with("waiting in a handler for an answer of the actor itself"),
            "{text}"
        );
    }
    assert!(theater.waits().unwrap().waits.is_empty());
}

/// A member of a pool that asks its pool.
struct Colleague(Arc<OnceLock<WorkerPool<Look>>>);

impl AsyncActor for Colleague {
    type Msg = Look;
    async fn handle(&mut self, look: Look, ctx: &mut AsyncContext<'_, Self>) {
        let pool = self.0.get().expect("it is set before anybody asks");
        match look {
            Look::InHandler(reply) => reply.send(pool.ask(Look::Seen).await.unwrap()),
            Look::Within(limit, reply) => reply.send(pool.ask_within(limit, Look::Seen).await),
            Look::InPipe(reply) => {
                ctx.pipe(pool.ask(Look::Seen), |_, seen, _| reply.send(seen.unwrap()));
            }
            Look::Seen(reply) => reply.send(7),
        }
    }
}

/// Questions go round: to the one that asks itself if it is alone, and otherwise to the next one.
#[test]
fn s10_a_member_that_is_asked_by_itself_by_its_pool_is_told_instead_of_waiting_for_ever() {
    let builder = Theater::builder().workers(2).failures_printed(false);
    let theater = builder.asks_seen(true).build().unwrap();
    let resumes = Supervision::new().always(Directive::Resume);
    let this: Arc<OnceLock<WorkerPool<Look>>> = Arc::default();
    let members = this.clone();
    let pool = theater
        .actor()
        .supervised(resumes)
        .pool(1, Routing::RoundRobin, move |_| Colleague(members.clone()));
    this.set(pool.clone()).unwrap();
    for _ in 0..3 {
        let limit = Duration::from_millis(10);
        let within = pool.ask(|reply| Look::Within(limit, reply)).wait();
        assert_eq!(within, Ok(Err(AskError::Timeout)));
        assert_eq!(pool.ask(Look::InPipe).wait(), Ok(7));
        let refused = pool.ask(Look::InHandler).wait_timeout(Duration::from_secs(20)).unwrap_err();
        let text = refused.failure().unwrap_or_else(|| panic!("{refused:?}"));
        assert!(
            text.starts_with("waiting in a handler for an answer of the actor itself"),
            "{text}"
        );
    }
    pool.resize(2);
    for _ in 0..20 {
        assert_eq!(pool.ask(Look::InHandler).wait_timeout(Duration::from_secs(20)), Ok(7));
    }
    assert!(theater.waits().unwrap().waits.is_empty());
    // A member keeps its pool.
    pool.stop();
}
