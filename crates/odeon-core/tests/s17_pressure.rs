//! S17 senders hold back while a receiver has too much waiting; nobody waits for ever.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Log, Probe};
use odeon_testkit::{Deterministic, for_seeds};

/// What a sender may leave with a receiver before it is held back, and one block of slack.
const LIMIT: usize = 1024 + 64;
const SOON: Duration = Duration::from_secs(20);

/// Counts what it handles, as slowly as it is told to.
struct Slow {
    handled: Arc<AtomicUsize>,
    pause: Duration,
}

enum ToSlow {
    Work,
    Ask(Reply<()>),
}

impl Message for ToSlow {}

impl Actor for Slow {
    type Msg = ToSlow;
    fn handle(&mut self, message: ToSlow, _: &mut Context<'_, Self>) {
        if let ToSlow::Ask(reply) = message {
            return reply.send(());
        }
        if !self.pause.is_zero() {
            std::thread::sleep(self.pause);
        }
        self.handled.fetch_add(1, Ordering::SeqCst);
    }
}

fn blocked(log: &Log) -> (Probe, Arc<Barrier>, Do) {
    let gate = Arc::new(Barrier::new(2));
    let inside = gate.clone();
    let job = Do::run(move |_| {
        inside.wait();
        inside.wait();
    });
    (Probe::new(log), gate, job)
}

/// On the pool and on a pinned stage.
fn on_both(test: impl Fn(&Theater, &dyn Fn(Probe) -> ActorRef<Do>)) {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    test(&theater, &|probe| theater.spawn(probe));
    test(&theater, &|probe| theater.actor().on(&stage).spawn(probe));
}

#[test]
fn s17_try_send_gives_the_message_back_under_pressure() {
    on_both(|_, spawn| {
        let log = Log::default();
        let (probe, gate, job) = blocked(&log);
        let actor = spawn(probe);
        actor.send(job).unwrap();
        gate.wait();
        let mut accepted = 0;
        while actor.try_send(Do::Note(accepted)).is_ok() {
            accepted += 1;
            assert!(accepted as usize <= LIMIT);
        }
        assert!(accepted >= 512);
        assert!(actor.try_send(Do::Note(0)).unwrap_err().is_full());
        gate.wait();
        while log.handled().len() < accepted as usize {
            std::thread::yield_now();
        }
        while actor.try_send(Do::Note(accepted)).is_err() {
            std::thread::yield_now();
        }
    });
}

#[test]
fn s17_a_thread_waits_in_send_until_half_is_handled() {
    on_both(|_, spawn| {
        let log = Log::default();
        let (probe, gate, job) = blocked(&log);
        let actor = spawn(probe);
        actor.send(job).unwrap();
        gate.wait();
        let (sent, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let sender = {
            let (actor, sent, done) = (actor.clone(), sent.clone(), done.clone());
            std::thread::spawn(move || {
                for n in 0..20_000 {
                    actor.send(Do::Note(n)).unwrap();
                    sent.fetch_add(1, Ordering::SeqCst);
                }
                done.store(true, Ordering::SeqCst);
            })
        };
        std::thread::sleep(Duration::from_millis(100));
        assert!(sent.load(Ordering::SeqCst) <= LIMIT, "{sent:?}");
        assert!(!done.load(Ordering::SeqCst));
        gate.wait();
        sender.join().unwrap();
        while log.handled().len() < 20_000 {
            std::thread::yield_now();
        }
        assert!(log.handled().iter().copied().eq(0..20_000));
    });
}

#[test]
fn s17_threads_never_run_far_ahead() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let handled = Arc::new(AtomicUsize::new(0));
    let pause = Duration::from_micros(1);
    let slow = theater.spawn(Slow { handled: handled.clone(), pause });
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let (slow, handled) = (slow.clone(), handled.clone());
            std::thread::spawn(move || {
                for n in 1..=3_000 {
                    slow.send(ToSlow::Work).unwrap();
                    let ahead = n - handled.load(Ordering::SeqCst).min(n);
                    assert!(ahead <= LIMIT, "{ahead} messages ahead");
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    slow.ask(ToSlow::Ask).wait().unwrap();
    assert_eq!(handled.load(Ordering::SeqCst), 9_000);
}

#[test]
fn s17_the_end_of_a_receiver_lets_its_senders_go_on() {
    on_both(|_, spawn| {
        let (probe, gate, job) = blocked(&Log::default());
        let actor = spawn(probe);
        actor.send(job).unwrap();
        gate.wait();
        let sender = {
            let actor = actor.clone();
            let all = move || (0..5_000).take_while(|n| actor.send(Do::Note(*n)).is_ok()).count();
            std::thread::spawn(all)
        };
        std::thread::sleep(Duration::from_millis(20));
        actor.stop();
        gate.wait();
        assert!(sender.join().unwrap() < 5_000);
    });
}

/// Sends so many messages to another per message of its own.
struct Flooder {
    to: ActorRef<ToSlow>,
    at_once: usize,
    left: usize,
    sent: Arc<AtomicUsize>,
}

impl Actor for Flooder {
    type Msg = ();
    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        for _ in 0..self.at_once.min(self.left) {
            self.to.send(ToSlow::Work).unwrap();
            self.sent.fetch_add(1, Ordering::SeqCst);
        }
        self.left -= self.at_once.min(self.left);
        if self.left > 0 {
            ctx.send_self(());
        }
    }
}

#[test]
fn s17_actors_are_held_back_and_not_blocked() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let (handled, sent) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let slow = Slow { handled: handled.clone(), pause: Duration::from_micros(100) };
    let slow = theater.actor().on(&stage).spawn(slow);
    for _ in 0..20 {
        let (to, sent) = (slow.clone(), sent.clone());
        let flooder = theater.spawn(Flooder { to, at_once: 10, left: 400, sent });
        flooder.send(()).unwrap();
    }
    // The one worker is free for others although all its flooders have to wait.
    let handled_by_then = {
        let log = Log::default();
        let bystander = theater.spawn(Probe::new(&log));
        bystander.send(Do::Note(1)).unwrap();
        while log.handled().is_empty() {
            std::thread::yield_now();
        }
        handled.load(Ordering::SeqCst)
    };
    assert!(handled_by_then < 8_000);
    while handled.load(Ordering::SeqCst) < 8_000 {
        let ahead = sent.load(Ordering::SeqCst).saturating_sub(handled.load(Ordering::SeqCst));
        // Each may finish the message at which it learns of the pressure.
        assert!(ahead <= LIMIT + 20 * 10 + 64, "{ahead} messages ahead");
        std::thread::yield_now();
    }
}

/// Passes tokens on at random, as long as they have hops left.
struct Forwarder {
    others: Vec<WeakRef<Hop>>,
    random: Random,
    arrived: Arc<AtomicUsize>,
}

enum Hop {
    Know(Vec<WeakRef<Hop>>),
    Token(u32),
}

impl Message for Hop {}

impl Actor for Forwarder {
    type Msg = Hop;
    fn handle(&mut self, message: Hop, _: &mut Context<'_, Self>) {
        match message {
            Hop::Know(others) => self.others = others,
            Hop::Token(0) => {
                self.arrived.fetch_add(1, Ordering::SeqCst);
            }
            Hop::Token(hops) => {
                let to = self.others[self.random.below(self.others.len())].upgrade().unwrap();
                to.send(Hop::Token(hops - 1)).unwrap();
            }
        }
    }
}

/// Brings all its tokens into a topology within one message, and so past all pressure.
struct Source {
    into: ActorRef<Hop>,
    tokens: u32,
    hops: u32,
}

impl Actor for Source {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        for _ in 0..self.tokens {
            self.into.send(Hop::Token(self.hops)).unwrap();
        }
    }
}

/// A random topology of a few actors with several times the tokens that they may have waiting.
/// Returns the actors, where tokens arrive, and how many must.
fn topology(theater: &Theater, seed: u64) -> (Vec<ActorRef<Hop>>, Arc<AtomicUsize>, usize) {
    let mut random = Random::from_seed(seed);
    let arrived = Arc::new(AtomicUsize::new(0));
    let actors: Vec<_> = (0..2 + random.below(4))
        .map(|n| {
            let random = Random::from_seed(seed + n as u64);
            theater.spawn(Forwarder { others: Vec::new(), random, arrived: arrived.clone() })
        })
        .collect();
    for actor in &actors {
        let mut others: Vec<_> = actors.iter().map(ActorRef::downgrade).collect();
        while others.len() > 1 && random.below(2) == 0 {
            others.swap_remove(random.below(others.len()));
        }
        actor.send(Hop::Know(others)).unwrap();
    }
    let tokens = 3_000 + random.below(3_000) as u32;
    for actor in &actors {
        let source = theater.spawn(Source { into: actor.clone(), tokens, hops: 20 });
        source.send(()).unwrap();
    }
    let all = actors.len() * tokens as usize;
    (actors, arrived, all)
}

#[test]
fn s17_overfull_topologies_never_stand_still_in_any_order() {
    for_seeds(40, |seed| {
        let run = Deterministic::new(seed);
        let (_actors, arrived, all) = topology(run.theater(), seed);
        run.run_until_idle();
        assert_eq!(arrived.load(Ordering::SeqCst), all);
    });
}

#[test]
fn s17_overfull_topologies_never_stand_still_in_parallel() {
    for_seeds(20, |seed| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (actors, arrived, all) = topology(&theater, seed);
        let begun = std::time::Instant::now();
        while arrived.load(Ordering::SeqCst) < all {
            assert!(begun.elapsed() < 3 * SOON, "{arrived:?} of {all} tokens arrived");
            std::thread::yield_now();
        }
        drop(actors);
    });
}

/// Asks under pressure in both directions.
#[test]
fn s17_replies_and_messages_to_oneself_wait_for_nobody() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let log = Log::default();
    let probe = theater.spawn(Probe::new(&log));
    let (out, finished) = channel();
    let job = Do::run(move |ctx| {
        // Ten times the limit, from and to this actor.
        for n in 0..10 * LIMIT as u64 {
            ctx.send_self(Do::Note(n));
        }
        let reply = ctx.reply_to(|_: Result<(), AskError>| Do::Note(u64::MAX));
        std::thread::spawn(move || {
            reply.send(());
            out.send(()).unwrap();
        });
    });
    probe.send(job).unwrap();
    finished.recv_timeout(SOON).unwrap();
    while log.handled().last() != Some(&u64::MAX) {
        std::thread::yield_now();
    }
    assert_eq!(log.handled().len(), 10 * LIMIT + 1);
}

#[test]
fn s17_futures_wait_without_blocking_their_thread() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let log = Log::default();
    let (probe, gate, job) = blocked(&log);
    let actor = theater.spawn(probe);
    actor.send(job).unwrap();
    gate.wait();
    while actor.try_send(Do::Note(0)).is_ok() {}
    let mut send = std::pin::pin!(actor.send_async(Do::Note(7)));
    let waker = std::task::Waker::noop();
    let mut cx = std::task::Context::from_waker(waker);
    assert!(send.as_mut().poll(&mut cx).is_pending());
    gate.wait();
    while send.as_mut().poll(&mut cx).is_pending() {
        std::thread::yield_now();
    }
    while log.handled().last() != Some(&7) {
        std::thread::yield_now();
    }
}

#[test]
fn s17_a_theater_stops_although_senders_are_held_back() {
    for deadline in [Duration::ZERO, SOON] {
        let theater = Theater::builder().workers(1).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let (probe, gate, job) = blocked(&Log::default());
        let receiver = theater.actor().on(&stage).spawn(probe);
        receiver.send(job).unwrap();
        gate.wait();
        let flood = |to: ActorRef<Do>| {
            Do::run(move |_| (0..2_000).for_each(|n| drop(to.send(Do::Note(n)))))
        };
        let senders: Vec<_> = (0..5)
            .map(|_| {
                let sender = theater.spawn(Probe::new(&Log::default()));
                sender.send(flood(receiver.clone())).unwrap();
                sender.send(Do::Note(1)).unwrap();
                sender
            })
            .collect();
        std::thread::sleep(Duration::from_millis(50));
        let opener = std::thread::spawn(move || gate.wait().is_leader());
        let report = theater.shutdown(deadline);
        let _ = opener.join().unwrap();
        assert_eq!(report.stuck, 0);
        assert!(senders.iter().all(ActorRef::is_stopped));
    }
}
