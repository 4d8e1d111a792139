//! S13 asynchronous actors. The stage suite (`stage/waiting.rs`, `async_population.rs`) has what
//! every kind of stage must do; here is the rest.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::conformance::stage::async_probe::{AsyncProbe, Event, Log, Order};
use odeon_testkit::{Bell, Deterministic, DropTracker, Trace, Tracked, yields};

/// Passes a token on after some waits, drawn from its own generator.
struct Node {
    number: u32,
    next: Option<ActorRef<Token>>,
    random: Random,
    log: Arc<Mutex<Vec<(u32, u32)>>>,
}

enum Token {
    Next(ActorRef<Token>),
    Hop(u32),
    Ask(Reply<u32>),
}
impl Message for Token {}

impl AsyncActor for Node {
    type Msg = Token;
    async fn handle(&mut self, msg: Token, ctx: &mut AsyncContext<'_, Self>) {
        match msg {
            Token::Next(next) => self.next = Some(next),
            Token::Ask(reply) => reply.send(self.number),
            Token::Hop(0) => {}
            Token::Hop(left) => {
                self.log.lock().unwrap().push((self.number, left));
                yields(self.random.below(4) as u32).await;
                let answering = ctx.spawn(Node {
                    number: left,
                    next: None,
                    random: Random::from_seed(1),
                    log: self.log.clone(),
                });
                let answer = answering.ask(Token::Ask).await.unwrap();
                self.next.as_ref().unwrap().send(Token::Hop(answer - 1)).unwrap();
            }
        }
    }
}

fn run(seed: u64) -> (Trace, Vec<(u32, u32)>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let run = Deterministic::new(seed);
    let node = |number: u32| Node {
        number,
        next: None,
        random: Random::from_seed(number.into()),
        log: log.clone(),
    };
    let nodes: Vec<_> = (0..5).map(|number| run.theater().spawn(node(number))).collect();
    for (at, node) in nodes.iter().enumerate() {
        node.send(Token::Next(nodes[(at + 1) % nodes.len()].clone())).unwrap();
    }
    (0..8).for_each(|token| nodes[token % 5].send(Token::Hop(20)).unwrap());
    run.run_until_idle();
    let trace = run.trace();
    assert!(run.shutdown().leftovers.is_empty());
    let log = log.lock().unwrap().clone();
    (trace, log)
}

#[test]
fn s13_one_seed_replays_a_run_with_waits() {
    let ((trace, log), (again, log_again)) = (run(7), run(7));
    assert_eq!(trace.first_difference(&again), None);
    assert_eq!((log.len(), &log), (8 * 20, &log_again));
    let (other, other_log) = run(8);
    assert!(trace.first_difference(&other).is_some());
    assert_ne!(log, other_log);
}

/// Sends messages to itself, so that only its own thread could allocate.
struct Busy {
    done: Bell,
    waits: u32,
    before: u64,
}

mod counting {
    //! The system's allocator, with a count of allocations per thread.

    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    thread_local! { static ALLOCATIONS: Cell<u64> = const { Cell::new(0) } }

    /// Allocations of this thread so far.
    pub(crate) fn allocations() -> u64 {
        ALLOCATIONS.with(Cell::get)
    }

    struct Counting;

    // SAFETY: passes everything on to the system's allocator.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            ALLOCATIONS.with(|count| count.set(count.get() + 1));
            // SAFETY: by contract.
            unsafe { System.alloc(layout) }
        }
        unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
            // SAFETY: by contract.
            unsafe { System.dealloc(place, layout) }
        }
    }

    #[global_allocator]
    static COUNTING: Counting = Counting;
}

impl AsyncActor for Busy {
    type Msg = u32;
    async fn handle(&mut self, left: u32, ctx: &mut AsyncContext<'_, Self>) {
        if left == 50_000 {
            self.before = counting::allocations();
        }
        let on_the_stack = [left; 64];
        yields(self.waits).await;
        if std::hint::black_box(on_the_stack)[63] == 0 {
            assert_eq!(counting::allocations() - self.before, 0);
            self.done.ring();
        } else {
            ctx.send_self(left - 1);
        }
    }
}

#[test]
fn s13_handling_and_waking_allocate_nothing() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for waits in [0, 2] {
        let busy = |done: &Bell| Busy { done: done.clone(), waits, before: 0 };
        let bells = [Bell::new(), Bell::new()];
        let actors =
            [theater.spawn(busy(&bells[0])), theater.actor().on(&stage).spawn(busy(&bells[1]))];
        actors.iter().for_each(|actor| actor.send(51_000).unwrap());
        for (bell, actor) in bells.iter().zip(&actors) {
            while !has_rung(bell) {
                assert!(!actor.is_stopped(), "something was allocated");
                std::thread::yield_now();
            }
        }
    }
}

fn has_rung(bell: &Bell) -> bool {
    let waker = std::task::Waker::noop();
    let rings = std::pin::pin!(bell.rings());
    rings.poll(&mut std::task::Context::from_waker(waker)).is_ready()
}

/// A waker keeps the memory of an actor, not the actor, and not the theater.
#[test]
fn s13_a_waker_may_outlive_actor_and_theater() {
    let states = DropTracker::new();
    struct Holder(Bell, #[allow(dead_code)] Tracked<()>);
    impl AsyncActor for Holder {
        type Msg = ();
        async fn handle(&mut self, _: (), _ctx: &mut AsyncContext<'_, Self>) {
            self.0.rings().await;
        }
    }
    let bells = [Bell::new(), Bell::new(), Bell::new()];
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let holder = |at: usize| Holder(bells[at].clone(), states.track(()));
    let actors = [
        theater.spawn(holder(0)),
        theater.actor().on(&stage).spawn(holder(1)),
        theater.actor().dedicated("own").spawn(holder(2)).unwrap(),
    ];
    actors.iter().for_each(|actor| actor.send(()).unwrap());
    while bells.iter().any(|bell| bell.waiting() == 0) {
        std::thread::yield_now();
    }
    actors.iter().for_each(ActorRef::stop);
    while actors.iter().any(|actor| !actor.is_stopped()) {
        std::thread::yield_now();
    }
    drop(actors);
    bells.iter().for_each(Bell::disturb);
    drop((theater, stage));
    states.check();
    bells.iter().for_each(Bell::disturb);
    bells.iter().for_each(Bell::ring);
}

/// Destructors of a cancelled handler's values may still use what they refer to.
#[test]
fn s13_a_cancelled_handler_may_speak_its_last_word() {
    struct LastWord<'a, 'b>(&'a mut u32, &'a AsyncContext<'b, Speaker>);
    impl Drop for LastWord<'_, '_> {
        fn drop(&mut self) {
            *self.0 += 1;
            self.1.send_self(Bell::new());
            drop(self.1.actor_ref());
        }
    }
    struct Speaker {
        words: u32,
        heard: Arc<Mutex<u32>>,
    }
    impl AsyncActor for Speaker {
        type Msg = Bell;
        async fn handle(&mut self, bell: Bell, ctx: &mut AsyncContext<'_, Self>) {
            let _last = LastWord(&mut self.words, ctx);
            bell.rings().await;
        }
        fn stopped(&mut self) {
            *self.heard.lock().unwrap() = self.words;
        }
    }
    impl Drop for Speaker {
        fn drop(&mut self) {
            *self.heard.lock().unwrap() += 10;
        }
    }
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for pinned in [false, true] {
        let heard = Arc::new(Mutex::new(0));
        let speaker = Speaker { words: 0, heard: heard.clone() };
        let actor = match pinned {
            true => theater.actor().on(&stage).spawn(speaker),
            false => theater.spawn(speaker),
        };
        let (bell, before) = (Bell::new(), theater.dead_letters());
        actor.send(bell.clone()).unwrap();
        while bell.waiting() == 0 {
            std::thread::yield_now();
        }
        actor.stop();
        while *heard.lock().unwrap() != 11 {
            std::thread::yield_now();
        }
        // What it sent to itself came too late.
        assert_eq!(theater.dead_letters(), before + 1);
    }
}

/// Several theaters: handlers of one wait for answers from another.
#[test]
fn s13_s9_handlers_wait_across_theaters() {
    let (one, other) = (Theater::new().unwrap(), Theater::new().unwrap());
    let log = Log::default();
    let (near, far) = (one.spawn(AsyncProbe::new(&log)), other.spawn(AsyncProbe::new(&log)));
    let bell = Bell::new();
    let rings = bell.rings();
    let order = Order::run(move |_| {
        Box::pin(async move {
            far.send(Order::run(move |_| Box::pin(async move { bell.ring() }))).unwrap();
            rings.await;
        })
    });
    near.send(order).unwrap();
    near.send(Order::Note(1)).unwrap();
    while !log.has(Event::Began(1)) {
        std::thread::yield_now();
    }
    assert!(one.shutdown(Duration::from_secs(60)).drained);
}

/// Types with `'static` in them may be kept across an await: the future is `Send` all the same.
#[test]
fn s13_references_and_replies_may_be_kept_across_an_await() {
    struct Keeper<T>(ActorRef<T>);
    type Question = Box<Reply<&'static str>>;
    impl AsyncActor for Keeper<Question> {
        type Msg = Question;
        async fn handle(&mut self, reply: Question, ctx: &mut AsyncContext<'_, Self>) {
            let (to, weak, myself) = (self.0.clone(), self.0.downgrade(), ctx.actor_ref());
            let ask = to.ask(Box::new);
            yields(1).await;
            assert!(weak.upgrade().is_some() && !myself.is_stopped());
            let answer = ask.await.unwrap();
            reply.send(answer);
        }
    }
    struct Echo;
    impl Actor for Echo {
        type Msg = Question;
        fn handle(&mut self, reply: Question, _: &mut Context<'_, Self>) {
            reply.send("kept");
        }
    }
    let theater = Theater::new().unwrap();
    let keeper = theater.spawn(Keeper(theater.spawn(Echo)));
    assert_eq!(keeper.ask(Box::new).wait(), Ok("kept"));
}
