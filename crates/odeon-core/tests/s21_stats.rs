//! S21: what `Theater::stats` counts is what happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds, silent_panic, yields};

/// What a test has an actor do.
enum Do {
    Nothing,
    ToSelf(u32),
    Stop,
    Panic,
    Close,
    Open,
}

impl Message for Do {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        usize::from(!matches!(self, Do::Open | Do::Close))
    }
}

/// Counts what it is given to handle.
struct Doer {
    handled: Arc<AtomicU64>,
}

impl Actor for Doer {
    type Msg = Do;
    fn handle(&mut self, msg: Do, ctx: &mut Context<'_, Self>) {
        self.handled.fetch_add(1, Ordering::Relaxed);
        match msg {
            Do::Nothing => {}
            Do::ToSelf(n) => (0..n).for_each(|_| ctx.send_self(Do::Nothing)),
            Do::Stop => ctx.stop(),
            Do::Panic => silent_panic("as told"),
            Do::Close => ctx.close(1),
            Do::Open => ctx.open(1),
        }
    }
}

/// The same with one mailbox.
struct Plain {
    handled: Arc<AtomicU64>,
}

impl Actor for Plain {
    type Msg = Box<Do>;
    fn handle(&mut self, msg: Box<Do>, ctx: &mut Context<'_, Self>) {
        self.handled.fetch_add(1, Ordering::Relaxed);
        match *msg {
            Do::ToSelf(n) => (0..n).for_each(|_| ctx.send_self(Box::new(Do::Nothing))),
            Do::Stop => ctx.stop(),
            Do::Panic => silent_panic("as told"),
            _ => {}
        }
    }
}

/// Gives way between two messages.
struct Yielding {
    handled: Arc<AtomicU64>,
}

impl AsyncActor for Yielding {
    type Msg = u32;
    async fn handle(&mut self, times: u32, _: &mut AsyncContext<'_, Self>) {
        self.handled.fetch_add(1, Ordering::Relaxed);
        yields(times).await;
    }
}

fn stats(theater: &Theater) -> Stats {
    theater.stats().expect("switched on")
}

fn of(stats: &Stats, id: ActorId) -> &ActorStats {
    stats.actors.iter().find(|actor| actor.id == id).expect("the actor is alive")
}

fn eventually(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "this takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn pool(stats: &Stats) -> &StageStats {
    &stats.stages[0]
}

#[test]
fn s21_off_by_default() {
    let theater = Theater::new().unwrap();
    assert!(theater.stats().is_none());
    assert!(Theater::builder().asks_seen(true).build().unwrap().stats().is_none());
}

#[test]
fn s21_an_actors_numbers_are_exact_when_it_rests() {
    let run = Deterministic::with(3, Theater::builder().stats(true));
    let handled = Arc::new(AtomicU64::new(0));
    let doer = run.theater().spawn(Doer { handled: handled.clone() });
    run.theater().register("doer", &doer).unwrap();
    run.run_until_idle();
    assert_eq!(of(&stats(run.theater()), doer.id()).messages, 0, "`started` is no message");
    assert_eq!(of(&stats(run.theater()), doer.id()).turns, 1);

    doer.send(Do::ToSelf(200)).unwrap();
    doer.send(Do::Nothing).unwrap();
    run.run_until_idle();
    let seen = stats(run.theater());
    let actor = of(&seen, doer.id());
    assert_eq!(actor.messages, 202);
    assert_eq!(actor.waiting, 0);
    assert!(actor.turns > 202 / 8, "a turn here is at most 8 messages");
    assert_eq!(actor.name.as_deref(), Some("doer"));
    assert!(actor.actor_type.ends_with("Doer"), "{}", actor.actor_type);
    assert_eq!(&*actor.stage, "pool");
    assert_eq!((pool(&seen).messages, pool(&seen).turns), (202, actor.turns));
    assert_eq!(pool(&seen).kind, StageKind::Pool);
}

#[test]
fn s21_what_waits_is_counted_in_the_inbox_and_behind_guards() {
    for_seeds(20, |seed| {
        let run = Deterministic::with(seed, Theater::builder().stats(true));
        let handled = Arc::new(AtomicU64::new(0));
        let doer = run.theater().spawn(Doer { handled: handled.clone() });
        let plain = run.theater().spawn(Plain { handled: handled.clone() });
        run.run_until_idle();
        for n in 1..=300 {
            plain.send(Box::new(Do::Nothing)).unwrap();
            assert_eq!(of(&stats(run.theater()), plain.id()).waiting, n, "seed {seed}");
        }
        doer.send(Do::Close).unwrap();
        (0..100).for_each(|_| doer.send(Do::Nothing).unwrap());
        loop {
            let seen = stats(run.theater());
            let (plain, doer) = (of(&seen, plain.id()), of(&seen, doer.id()));
            assert_eq!(plain.messages + plain.waiting as u64, 300, "seed {seed}");
            assert_eq!(doer.messages + doer.waiting as u64, 101, "seed {seed}");
            if run.run_steps(1) == 0 {
                assert_eq!((plain.waiting, doer.waiting), (0, 100));
                break;
            }
        }
        doer.send(Do::Open).unwrap();
        run.run_until_idle();
        let seen = stats(run.theater());
        assert_eq!((of(&seen, doer.id()).waiting, of(&seen, doer.id()).messages), (0, 102));
    });
}

#[test]
fn s21_the_longest_wait_is_from_waking_to_the_turn() {
    let run = Deterministic::with(5, Theater::builder().stats(true));
    let handled = Arc::new(AtomicU64::new(0));
    let doer = run.theater().spawn(Doer { handled });
    run.run_until_idle();
    let longest = || of(&stats(run.theater()), doer.id()).longest_wait;
    assert_eq!(longest(), Duration::ZERO);

    doer.send(Do::Nothing).unwrap();
    run.clock().advance(Duration::from_millis(70));
    // It was awake already: the second message wakes nobody.
    doer.send(Do::Nothing).unwrap();
    run.clock().advance(Duration::from_millis(7));
    run.run_until_idle();
    assert_eq!(longest(), Duration::from_millis(77));

    doer.send(Do::Nothing).unwrap();
    run.clock().advance(Duration::from_millis(30));
    run.run_until_idle();
    assert_eq!(longest(), Duration::from_millis(77), "a shorter one changes nothing");

    // Put back with messages left: the wait begins at the end of the turn.
    (0..20).for_each(|_| doer.send(Do::Nothing).unwrap());
    assert_eq!(run.run_steps(1), 1);
    assert!(of(&stats(run.theater()), doer.id()).waiting > 0);
    run.clock().advance(Duration::from_millis(100));
    run.run_until_idle();
    assert_eq!(longest(), Duration::from_millis(100));
}

#[test]
fn s21_restarts_are_counted_and_the_rest_goes_on() {
    let run = Deterministic::with(6, Theater::builder().stats(true));
    let handled = Arc::new(AtomicU64::new(0));
    let policy = Supervision::new()
        .restarts(100, Duration::from_secs(1))
        .pauses(Duration::ZERO, Duration::ZERO);
    let doer = {
        let handled = handled.clone();
        run.theater().actor().supervised(policy).spawn(move || Plain { handled: handled.clone() })
    };
    for n in 1..=10 {
        doer.send(Box::new(Do::Nothing)).unwrap();
        doer.send(Box::new(Do::Panic)).unwrap();
        run.run_until_idle();
        let seen = stats(run.theater());
        let actor = of(&seen, doer.id());
        assert_eq!((actor.restarts, actor.messages), (n, 2 * n));
    }
}

/// What happens in `started` is no message, also if it ends or fails the actor.
#[test]
fn s21_a_start_that_goes_wrong_is_no_message() {
    struct Starts {
        fails: bool,
    }
    impl Actor for Starts {
        type Msg = u32;
        fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
        fn started(&mut self, ctx: &mut Context<'_, Self>) {
            if self.fails {
                silent_panic("as told");
            }
            ctx.stop();
        }
    }
    let run = Deterministic::with(7, Theater::builder().stats(true));
    for fails in [false, true] {
        let plain = run.theater().spawn(Starts { fails });
        let supervised =
            run.theater().actor().supervised(Supervision::new()).spawn(move || Starts { fails });
        (0..3).for_each(|n| [&plain, &supervised].iter().for_each(|actor| actor.send(n).unwrap()));
        run.run_until_idle();
        for _ in 0..20 {
            run.clock().advance(Duration::from_secs(1));
            run.run_until_idle();
        }
        assert_eq!(pool(&stats(run.theater())).messages, 0);
    }
}

/// Whatever happens, what the pool says it handled is what was handled: messages that panic or stop
/// their actor, restarts, guards, signals, stops from outside.
#[test]
fn s21_messages_are_conserved_in_every_run() {
    for_seeds(200, |seed| {
        let run = Deterministic::with(seed, Theater::builder().stats(true));
        let handled = Arc::new(AtomicU64::new(0));
        let mut random = Random::from_seed(seed);
        let policy = Supervision::new().restarts(3, Duration::from_secs(1));
        let (mut doers, mut plains) = (Vec::new(), Vec::new());
        for n in 0..4 {
            let (one, other) = (handled.clone(), handled.clone());
            if n % 2 == 0 {
                doers.push(run.theater().spawn(Doer { handled: one }));
                plains.push(run.theater().spawn(Plain { handled: other }));
            } else {
                let make = move || Doer { handled: one.clone() };
                doers.push(run.theater().actor().supervised(policy.clone()).spawn(make));
                let make = move || Plain { handled: other.clone() };
                plains.push(run.theater().actor().supervised(policy.clone()).spawn(make));
            }
        }
        for _ in 0..300 {
            let what = match random.below(40) {
                0 => Do::Panic,
                1 => Do::Stop,
                2 => Do::Close,
                3..6 => Do::Open,
                6..9 => Do::ToSelf(random.below(20) as u32),
                _ => Do::Nothing,
            };
            let which = random.below(4);
            match random.below(4) {
                0 => {
                    run.run_steps(random.below(9));
                }
                1 => drop(doers[which].send(what)),
                2 => drop(plains[which].send(Box::new(what))),
                _ if random.below(30) == 0 => doers[which].stop(),
                _ => run.clock().advance(Duration::from_millis(5)),
            }
        }
        run.clock().advance(Duration::from_secs(10));
        run.run_until_idle();
        let seen = stats(run.theater());
        assert_eq!(pool(&seen).messages, handled.load(Ordering::Relaxed), "seed {seed}");
        let live: u64 = seen.actors.iter().map(|actor| actor.messages).sum();
        assert!(live <= pool(&seen).messages, "seed {seed}");
        assert_eq!(seen.dead_letters.total(), run.theater().dead_letters());
    });
}

#[test]
fn s21_every_kind_of_stage_and_actor_counts() {
    const MESSAGES: u64 = 900;
    let theater = Theater::builder().workers(2).stats(true).build().unwrap();
    let stage = theater.pinned("pin").unwrap();
    let handled: [Arc<AtomicU64>; 6] = Default::default();
    let plain = |n: usize| Plain { handled: handled[n].clone() };
    let yielding = |n: usize| Yielding { handled: handled[n].clone() };
    let plains = [
        theater.spawn(plain(0)),
        theater.actor().on(&stage).spawn(plain(1)),
        theater.actor().dedicated("own").spawn(plain(2)).unwrap(),
    ];
    let asyncs = [
        theater.spawn(yielding(3)),
        theater.actor().on(&stage).spawn(yielding(4)),
        theater.actor().dedicated("own-async").spawn(yielding(5)).unwrap(),
    ];
    for n in 0..MESSAGES as u32 {
        plains.iter().for_each(|actor| actor.send(Box::new(Do::Nothing)).unwrap());
        asyncs.iter().for_each(|actor| actor.send(n % 3).unwrap());
    }
    let ids: Vec<_> =
        plains.iter().map(ActorRef::id).chain(asyncs.iter().map(ActorRef::id)).collect();
    let all_handled = || handled.iter().all(|handled| handled.load(Ordering::Relaxed) == MESSAGES);
    eventually(|| {
        let seen = stats(&theater);
        let of_stages: u64 = seen.stages.iter().map(|stage| stage.messages).sum();
        // An actor counts a message before its stage does and before its handler runs; and a thread
        // that comes late goes to sleep for the first time when all is done.
        ids.iter().all(|id| of(&seen, *id).messages == MESSAGES)
            && of_stages >= 6 * MESSAGES
            && all_handled()
            && seen.stages.iter().all(|stage| stage.parks > 0)
    });
    let seen = stats(&theater);
    let totals: Vec<_> =
        seen.stages.iter().map(|stage| (&*stage.name, stage.kind, stage.messages)).collect();
    assert_eq!(
        totals,
        [
            ("pool", StageKind::Pool, 2 * MESSAGES),
            ("pin", StageKind::Pinned, 2 * MESSAGES),
            ("own", StageKind::Dedicated, MESSAGES),
            ("own-async", StageKind::Dedicated, MESSAGES),
        ]
    );
    for stage in &seen.stages {
        assert!(stage.turns >= 1 && stage.turns <= 10 * stage.messages, "{stage:?}");
        assert!(stage.workers >= 1 && stage.busy > Duration::ZERO && stage.parks > 0, "{stage:?}");
    }
    let waits: Vec<_> = ids.iter().map(|id| of(&seen, *id).longest_wait).collect();
    assert!(waits[0] > Duration::ZERO && waits[3] > Duration::ZERO, "{waits:?}");
    assert!([1, 2, 4, 5].map(|n| waits[n]) == [Duration::ZERO; 4], "{waits:?}");
    assert!(theater.shutdown(Duration::from_secs(10)).drained);
}

/// Many actors that wake each other on two workers, and somebody who looks all the time.
#[test]
fn s21_looking_while_it_runs_disturbs_nothing() {
    struct Hop {
        next: Option<ActorRef<Box<To>>>,
        handled: Arc<AtomicU64>,
    }
    enum To {
        Next(ActorRef<Box<To>>),
        Go(u32),
    }
    impl Actor for Hop {
        type Msg = Box<To>;
        fn handle(&mut self, msg: Box<To>, _: &mut Context<'_, Self>) {
            self.handled.fetch_add(1, Ordering::Relaxed);
            match *msg {
                To::Next(next) => self.next = Some(next),
                To::Go(0) => self.next = None,
                To::Go(left) => {
                    if let Some(next) = &self.next {
                        let _ = next.send(Box::new(To::Go(left - 1)));
                    }
                }
            }
        }
    }
    let theater = Theater::builder().workers(2).stats(true).build().unwrap();
    let handled = Arc::new(AtomicU64::new(0));
    let hops: Vec<_> =
        (0..50).map(|_| theater.spawn(Hop { next: None, handled: handled.clone() })).collect();
    for (n, hop) in hops.iter().enumerate() {
        hop.send(Box::new(To::Next(hops[(n + 1) % hops.len()].clone()))).unwrap();
    }
    hops.iter().for_each(|hop| hop.send(Box::new(To::Go(200))).unwrap());
    let expected = 50 + 50 * 201;
    eventually(|| {
        let seen = stats(&theater);
        let sum: u64 = seen.actors.iter().map(|actor| actor.messages).sum();
        // Broken chains end early once some actor has dropped its reference.
        assert!(sum <= expected && pool(&seen).messages <= expected);
        handled.load(Ordering::Relaxed) > 0
            && sum == handled.load(Ordering::Relaxed)
            && pool(&seen).messages == sum
            && seen.actors.iter().all(|actor| actor.waiting == 0)
    });
    assert!(theater.shutdown(Duration::from_secs(10)).drained);
}

#[test]
fn s21_dead_letters_are_counted_by_reason() {
    let run = Deterministic::new(9);
    let handled = Arc::new(AtomicU64::new(0));
    let [stops, fails, stays] =
        [(); 3].map(|()| run.theater().spawn(Plain { handled: handled.clone() }));
    for (actor, last) in [(&stops, Do::Stop), (&fails, Do::Panic)] {
        actor.send(Box::new(last)).unwrap();
        (0..5).for_each(|_| actor.send(Box::new(Do::Nothing)).unwrap());
    }
    run.run_until_idle();
    (0..3).for_each(|_| stays.send(Box::new(Do::Nothing)).unwrap());
    let counts = run.theater().dead_letter_counts();
    assert_eq!(counts.of(DeadLetterReason::Stopped), 5);
    assert_eq!(counts.of(DeadLetterReason::Failed), 5);
    assert_eq!(counts.total(), run.theater().dead_letters());
    let report = run.shutdown();
    assert_eq!(report.dead_letters.of(DeadLetterReason::Shutdown), 3);
    assert_eq!((report.dead_letters.total(), report.leftovers.len()), (13, 3));
}
