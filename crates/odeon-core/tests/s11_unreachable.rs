//! S11 an actor that nobody can reach ends by itself, after everything that was sent to it.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Event, Log, Probe};

fn wait_for(log: &Log, event: Event) {
    let since = Instant::now();
    while !log.has(event) {
        assert!(since.elapsed() < Duration::from_secs(60), "{event:?} does not come: {log:?}");
        std::thread::yield_now();
    }
}

/// The last reference goes from another thread while a message from a neighbour on the same stage
/// is still in the stage's private queue.
#[test]
fn s11_a_message_in_the_stages_own_queue_is_handled_before_the_end() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let log = Log::default();
    let target = theater.actor().on(&stage).spawn(Probe::new(&log));
    let neighbour = theater.actor().on(&stage).spawn(Probe::new(&Log::default()));
    let (sent, has_sent) = channel();
    let (dropped, has_dropped) = channel::<()>();
    let inner = target.clone();
    let order = Do::run(move |_| {
        inner.send(Do::Note(1)).unwrap();
        drop(inner);
        sent.send(()).unwrap();
        has_dropped.recv().unwrap();
    });
    neighbour.send(order).unwrap();
    has_sent.recv().unwrap();
    drop(target);
    dropped.send(()).unwrap();
    wait_for(&log, Event::Dropped);
    assert_eq!((log.handled(), theater.dead_letters()), (vec![1], 0));
}

/// The other way round: a message from outside is in the stage's inbox when a neighbour, called
/// from the private queue, gives up the last reference.
#[test]
fn s11_a_message_from_outside_is_handled_before_the_end() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let log = Log::default();
    let target = theater.actor().on(&stage).spawn(Probe::new(&log));
    let neighbour = theater.actor().on(&stage).spawn(Probe::new(&Log::default()));
    let (ready, is_ready) = channel();
    let (sent, has_sent) = channel::<()>();
    let inner = target.clone();
    let order = Do::run(move |ctx| {
        ctx.send_self(Do::run(move |_| {
            ready.send(()).unwrap();
            has_sent.recv().unwrap();
            drop(inner);
        }));
    });
    neighbour.send(order).unwrap();
    is_ready.recv().unwrap();
    target.send(Do::Note(1)).unwrap();
    drop(target);
    sent.send(()).unwrap();
    wait_for(&log, Event::Dropped);
    assert_eq!((log.handled(), theater.dead_letters()), (vec![1], 0));
}

/// Sends itself messages without anybody knowing it: each is handled, then it ends.
#[test]
fn s11_an_actor_that_only_knows_itself_finishes_its_work() {
    fn go_on(left: u64) -> Do {
        Do::run(move |ctx| match left {
            0 => ctx.send_self(Do::Note(1)),
            _ => ctx.send_self(go_on(left - 1)),
        })
    }
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let logs = [Log::default(), Log::default(), Log::default()];
    theater.spawn(Probe::new(&logs[0])).send(go_on(1_000)).unwrap();
    theater.actor().on(&stage).spawn(Probe::new(&logs[1])).send(go_on(1_000)).unwrap();
    theater
        .actor()
        .dedicated("own")
        .spawn(Probe::new(&logs[2]))
        .unwrap()
        .send(go_on(1_000))
        .unwrap();
    for log in &logs {
        wait_for(log, Event::Dropped);
        assert_eq!(log.handled(), [1]);
    }
    assert_eq!(theater.dead_letters(), 0);
}

/// Sending and giving up the reference races with the actor looking whether it is alone.
#[test]
fn s11_a_last_word_is_always_heard() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let log = Log::default();
    const ROUNDS: usize = 20_000;
    for round in 0..ROUNDS {
        let probe = Probe::new(&log);
        let actor = if round % 2 == 0 {
            theater.spawn(probe)
        } else {
            theater.actor().on(&stage).spawn(probe)
        };
        // Long enough on some rounds for the actor to have had its first turn.
        (0..round % 64).for_each(|_| std::hint::spin_loop());
        actor.send(Do::Note(1)).unwrap();
    }
    while theater.live_actors() > 0 {
        std::thread::yield_now();
    }
    assert_eq!((log.handled().len(), theater.dead_letters()), (ROUNDS, 0));
}

#[test]
fn s11_a_weak_reference_does_not_keep_and_an_own_one_does() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (log, kept_log) = (Log::default(), Log::default());
    let actor = theater.spawn(Probe::new(&log));
    let weak = actor.downgrade();
    assert_eq!(weak.upgrade().as_ref(), Some(&actor));
    drop(actor);
    wait_for(&log, Event::Dropped);
    assert_eq!(weak.upgrade(), None);

    struct KeepsItself(Log, Option<ActorRef<()>>);
    impl Actor for KeepsItself {
        type Msg = ();
        fn started(&mut self, ctx: &mut Context<'_, Self>) {
            self.1 = Some(ctx.actor_ref());
            self.0.add(Event::Started);
        }
        fn handle(&mut self, _msg: (), _ctx: &mut Context<'_, Self>) {
            self.1 = None;
        }
        fn stopped(&mut self) {
            self.0.add(Event::Stopped);
        }
    }
    let weak = theater.spawn(KeepsItself(kept_log.clone(), None)).downgrade();
    wait_for(&kept_log, Event::Started);
    std::thread::sleep(Duration::from_millis(20));
    let actor = weak.upgrade().expect("it keeps itself");
    actor.send(()).unwrap();
    drop(actor);
    wait_for(&kept_log, Event::Stopped);
}
