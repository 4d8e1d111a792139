//! S22: messages are followed from where they are sent to where they are handled.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use odeon_core::extend::{Cause, Handling, Scope, Tracer, follow_sends};
use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds, silent_panic, yields};

thread_local! {
    /// In what this thread works: 0 is nothing.
    static SCOPE: Cell<u64> = const { Cell::new(0) };
}

/// Numbers the scopes, and knows of each what caused it.
#[derive(Default)]
struct Numbers {
    /// By number - 1: the cause and the handling.
    begun: Mutex<Vec<(u64, Handling)>>,
}

struct Numbered(u64);

impl Scope for Numbered {
    fn run(&mut self, work: &mut dyn FnMut()) {
        scoped(self.0, work);
    }
}

/// Works in a scope, as a span of a user's would have it.
fn scoped<R>(number: u64, work: impl FnOnce() -> R) -> R {
    struct Restore(u64);
    impl Drop for Restore {
        fn drop(&mut self) {
            SCOPE.set(self.0);
            follow_sends(self.0 != 0);
        }
    }
    let restore = Restore(SCOPE.replace(number));
    follow_sends(true);
    let result = work();
    drop(restore);
    result
}

struct Numbering(Arc<Numbers>);

impl Tracer for Numbering {
    fn sent(&self) -> Option<Cause> {
        let scope = SCOPE.get();
        (scope != 0).then(|| Box::new(scope) as Cause)
    }

    fn begins(&self, cause: Cause, handling: &Handling) -> Box<dyn Scope> {
        let cause = *cause.downcast::<u64>().expect("made by `sent`");
        let mut begun = self.0.begun.lock().unwrap();
        begun.push((cause, *handling));
        Box::new(Numbered(FIRST + begun.len() as u64))
    }
}

/// Numbers up to this are scopes of the test's own.
const FIRST: u64 = 1_000;

impl Numbers {
    fn tracer(self: &Arc<Self>) -> Arc<dyn Tracer> {
        Arc::new(Numbering(self.clone()))
    }

    /// What caused the present scope; 0: there is none.
    fn cause(&self) -> u64 {
        match SCOPE.get() {
            0 => 0,
            scope => self.begun.lock().unwrap()[(scope - FIRST) as usize - 1].0,
        }
    }

    fn handling(&self) -> Handling {
        self.begun.lock().unwrap()[(SCOPE.get() - FIRST) as usize - 1].1
    }
}

/// A message that knows in which scope it was sent.
struct Sent<T> {
    from: u64,
    what: T,
}

fn sent<T>(what: T) -> Sent<T> {
    Sent { from: SCOPE.get(), what }
}

enum Do {
    Nothing,
    /// Sends so many on, to the next one.
    Pass(u32),
    /// The same in a while.
    Later(u32),
    Ask(Reply<u32>),
    Answered(Result<u32, AskError>),
    Stop,
    Panic,
}

impl Message for Sent<Do> {}

/// Asserts of each message that it is handled in a scope whose cause is the one it was sent in.
struct Node {
    numbers: Arc<Numbers>,
    next: Option<ActorRef<Sent<Do>>>,
}

impl Node {
    fn check(&self, from: u64) {
        assert_eq!(self.numbers.cause(), from);
    }

    fn handle(&mut self, what: Do, me: ActorRef<Sent<Do>>, reply: impl FnOnce() -> Reply<u32>) {
        match what {
            Do::Nothing => {}
            Do::Pass(0) | Do::Later(0) => {
                if let Some(next) = &self.next {
                    let _ = next.send(sent(Do::Ask(reply())));
                }
            }
            Do::Pass(left) => {
                if let Some(next) = &self.next {
                    let _ = next.send(sent(Do::Pass(left - 1)));
                }
            }
            Do::Later(left) => {
                me.send_after(Duration::from_millis(5), sent(Do::Pass(left - 1)));
            }
            Do::Ask(reply) => reply.send(SCOPE.get() as u32),
            Do::Answered(Ok(scope)) => assert_eq!(self.numbers.cause(), u64::from(scope)),
            Do::Answered(Err(_)) => {}
            Do::Stop => me.stop(),
            Do::Panic => silent_panic("as told"),
        }
    }
}

fn answered(answer: Result<u32, AskError>) -> Sent<Do> {
    sent(Do::Answered(answer))
}

impl Actor for Node {
    type Msg = Sent<Do>;
    fn handle(&mut self, msg: Sent<Do>, ctx: &mut Context<'_, Self>) {
        self.check(msg.from);
        self.handle(msg.what, ctx.actor_ref(), || ctx.reply_to(answered));
    }
}

/// The same, and goes on after a pause.
struct Pausing(Node);

impl AsyncActor for Pausing {
    type Msg = Sent<Do>;
    async fn handle(&mut self, msg: Sent<Do>, ctx: &mut AsyncContext<'_, Self>) {
        self.0.check(msg.from);
        let scope = SCOPE.get();
        yields(scope as u32 % 3).await;
        assert_eq!(SCOPE.get(), scope, "each poll is in the same scope");
        self.0.handle(msg.what, ctx.actor_ref(), || ctx.reply_to(answered));
    }
}

fn eventually(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "this takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[derive(Default)]
struct Failures(AtomicU64);
impl Observer for Failures {
    fn actor_failed(&self, _: ActorId, panic: &(dyn std::any::Any + Send)) {
        if panic.downcast_ref::<&'static str>() != Some(&"as told") {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn s22_a_message_without_a_tracer_or_a_scope_is_not_followed() {
    let numbers = Arc::new(Numbers::default());
    let run = Deterministic::new(1);
    let node = run.theater().spawn(Node { numbers: numbers.clone(), next: None });
    scoped(1, || node.send(Sent { from: 0, what: Do::Nothing }).unwrap());
    run.run_until_idle();
    assert!(run.theater().followed().is_none());

    let run = Deterministic::with(1, Theater::builder().tracer(numbers.tracer()));
    let node = run.theater().spawn(Node { numbers: numbers.clone(), next: None });
    node.send(sent(Do::Nothing)).unwrap();
    run.run_until_idle();
    assert!(numbers.begun.lock().unwrap().is_empty());
    assert!(node.is_stopped() || run.theater().live_actors() == 1);
}

#[test]
fn s22_the_scope_knows_who_handles_what() {
    struct Looks(Arc<Numbers>, Arc<Mutex<Option<Handling>>>);
    impl Actor for Looks {
        type Msg = &'static str;
        fn handle(&mut self, _: &'static str, _: &mut Context<'_, Self>) {
            *self.1.lock().unwrap() = Some(self.0.handling());
        }
    }
    let numbers = Arc::new(Numbers::default());
    let run = Deterministic::with(1, Theater::builder().tracer(numbers.tracer()));
    let seen = Arc::new(Mutex::new(None));
    let actor = run.theater().spawn(Looks(numbers.clone(), seen.clone()));
    scoped(5, || actor.send("look").unwrap());
    run.run_until_idle();
    let handling = seen.lock().unwrap().expect("it has looked");
    assert_eq!(handling.actor, actor.id());
    assert!(handling.actor_type.ends_with("Looks"), "{}", handling.actor_type);
    assert_eq!(handling.message_type, "&str");
    assert_eq!(numbers.begun.lock().unwrap()[0].0, 5);
}

/// Random populations with stops, panics, restarts, timers and replies: each message is handled in
/// a scope caused by the one it was sent in, and of those never handled nothing is left.
#[test]
fn s22_every_message_is_followed_in_every_run() {
    let begun = Cell::new(0);
    for_seeds(150, |seed| {
        let numbers = Arc::new(Numbers::default());
        let failures = Arc::new(Failures::default());
        let builder = Theater::builder().tracer(numbers.tracer()).observer(failures.clone());
        let run = Deterministic::with(seed, builder.stats(seed % 2 == 0));
        let mut random = Random::from_seed(seed);
        let mut nodes: Vec<ActorRef<Sent<Do>>> = Vec::new();
        for n in 0..6 {
            let make = {
                let (numbers, next) = (numbers.clone(), nodes.last().cloned());
                move || Node { numbers: numbers.clone(), next: next.clone() }
            };
            nodes.push(match n % 3 {
                0 => run.theater().spawn(make()),
                1 => run.theater().spawn(Pausing(make())),
                _ => run.theater().actor().supervised(Supervision::new()).spawn(make),
            });
        }
        for _ in 0..200 {
            let what = match random.below(60) {
                0 => Do::Panic,
                1 => Do::Stop,
                2..15 => Do::Pass(random.below(5) as u32),
                15..25 => Do::Later(random.below(5) as u32),
                _ => Do::Nothing,
            };
            let node = &nodes[random.below(nodes.len())];
            match random.below(5) {
                0 => drop(node.send(sent(what))),
                1 | 2 => {
                    scoped(1 + random.below(100) as u64, || drop(node.send(sent(what))));
                }
                3 => {
                    run.run_steps(random.below(12));
                }
                _ => run.clock().advance(Duration::from_millis(3)),
            }
        }
        if seed % 3 != 0 {
            for _ in 0..10 {
                run.clock().advance(Duration::from_millis(30));
                run.run_until_idle();
            }
            assert_eq!(run.theater().followed().unwrap().under_way, 0, "seed {seed}");
        }
        begun.set(begun.get() + numbers.begun.lock().unwrap().len());
        drop(run.shutdown());
        assert_eq!(failures.0.load(Ordering::Relaxed), 0, "seed {seed}: a check has failed");
    });
    assert!(begun.get() > 5_000, "only {} messages were followed", begun.get());
}

#[test]
fn s22_messages_are_followed_across_stages_and_threads() {
    let numbers = Arc::new(Numbers::default());
    let failures = Arc::new(Failures::default());
    let builder = Theater::builder().workers(2).tracer(numbers.tracer());
    let theater = builder.observer(failures.clone()).build().unwrap();
    let stage = theater.pinned("pin").unwrap();
    let node =
        |next: Option<&ActorRef<Sent<Do>>>| Node { numbers: numbers.clone(), next: next.cloned() };
    let last = theater.actor().dedicated("own").spawn(node(None)).unwrap();
    let more = theater.actor().on(&stage).spawn(node(Some(&last)));
    let more = theater.actor().on(&stage).spawn(Pausing(node(Some(&more))));
    let more = theater.actor().on(&stage).spawn(node(Some(&more)));
    let more = theater.spawn(Pausing(node(Some(&more))));
    let first = theater.spawn(node(Some(&more)));
    for n in 1..=200 {
        scoped(n, || first.send(sent(Do::Pass(4))).unwrap());
        scoped(n, || first.send(sent(Do::Later(4))).unwrap());
        first.send(sent(Do::Nothing)).unwrap();
    }
    // Six hops and two for question and answer; one more by the timer.
    eventually(|| numbers.begun.lock().unwrap().len() == 200 * (7 + 7));
    eventually(|| theater.followed().unwrap().under_way == 0);
    assert_eq!(failures.0.load(Ordering::Relaxed), 0);
    assert!(theater.shutdown(Duration::from_secs(10)).drained);
}

#[test]
fn s22_a_cause_goes_with_its_message_whatever_becomes_of_it() {
    let numbers = Arc::new(Numbers::default());
    let theater = Theater::builder().workers(1).tracer(numbers.tracer()).build().unwrap();
    let stage = theater.pinned("pin").unwrap();
    for pinned in [false, true] {
        let node = Node { numbers: numbers.clone(), next: None };
        let actor =
            if pinned { theater.actor().on(&stage).spawn(node) } else { theater.spawn(node) };
        scoped(1, || actor.send(sent(Do::Stop)).unwrap());
        scoped(2, || (0..20).for_each(|_| drop(actor.send(sent(Do::Nothing)))));
        eventually(|| actor.is_stopped());
        // Given back: no cause is left either.
        assert!(scoped(3, || actor.send(sent(Do::Nothing))).is_err());
        eventually(|| theater.followed().unwrap().under_way == 0);
        let node = Node { numbers: numbers.clone(), next: None };
        let actor =
            if pinned { theater.actor().on(&stage).spawn(node) } else { theater.spawn(node) };
        let arm = || actor.send_after(Duration::from_secs(1000), sent(Do::Nothing));
        let timer = scoped(4, arm);
        assert_eq!(theater.followed().unwrap().under_way, 1);
        assert!(timer.cancel());
        assert_eq!(theater.followed().unwrap().under_way, 0);
    }
}

/// Of several mailboxes, a message that need not wait is followed; one that is deferred is a plain
/// one.
#[test]
fn s22_with_several_mailboxes_what_is_deferred_is_not_followed() {
    struct Two(u8);
    impl Message for Two {
        const MAILBOXES: usize = 2;
        fn mailbox(&self) -> usize {
            self.0.into()
        }
    }
    struct Sorts(Arc<Numbers>, Arc<Mutex<Vec<(u8, u64)>>>);
    impl Actor for Sorts {
        type Msg = Two;
        fn handle(&mut self, msg: Two, ctx: &mut Context<'_, Self>) {
            self.1.lock().unwrap().push((msg.0, self.0.cause()));
            if msg.0 == 0 && ctx.is_open(1) {
                ctx.close(1);
            } else if msg.0 == 0 {
                ctx.open(1);
            }
        }
    }
    let numbers = Arc::new(Numbers::default());
    let builder = Theater::builder().workers(1).stats(true).tracer(numbers.tracer());
    let theater = builder.build().unwrap();
    let stage = theater.pinned("pin").unwrap();
    for pinned in [false, true] {
        let seen = Arc::default();
        let actor = Sorts(numbers.clone(), Arc::clone(&seen));
        let actor =
            if pinned { theater.actor().on(&stage).spawn(actor) } else { theater.spawn(actor) };
        let mut expected = Vec::new();
        // Closes, waits behind the guard, opens.
        for (scope, mailbox, handled) in
            [(7, 1, &[(1, 7)][..]), (8, 0, &[(0, 8)]), (9, 1, &[]), (6, 0, &[(0, 6), (1, 0)])]
        {
            scoped(scope, || actor.send(Two(mailbox)).unwrap());
            expected.extend_from_slice(handled);
            // A message is counted before its handler runs.
            eventually(|| seen.lock().unwrap().len() == expected.len());
            eventually(|| {
                let stats = theater.stats().unwrap();
                let actor = stats.actors.iter().find(|seen| seen.id == actor.id()).unwrap();
                actor.messages as usize == expected.len()
                    && (!handled.is_empty() || actor.waiting == 1)
                    && theater.followed().unwrap().under_way == 0
            });
            assert_eq!(*seen.lock().unwrap(), expected);
        }
    }
}
