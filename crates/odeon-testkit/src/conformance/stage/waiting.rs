//! Asynchronous actors: one message at a time across awaits, cancelling, wake-ups with and without
//! need.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use odeon_core::{
    Actor, AsyncActor, AsyncContext, Context, DeadLetterReason, Message, Reply, Theater,
};

use super::async_probe::Event::{Began, Dropped, Left, Returned, Started, Stopped};
use super::async_probe::{AsyncProbe, Log, Order};
use super::probe::{Do, Log as PlainLog, Probe};
use super::{StageUnderTest, for_stages};
use crate::drop_tracker::DropTracker;
use crate::for_seeds;
use crate::silent_panic;
use crate::waiting::{Bell, yields};

/// Messages that arrive while a handler waits are handled when it has returned, in order.
pub fn s13_the_next_message_waits_for_the_future<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let (log, first, second) = (Log::default(), Bell::new(), Bell::new());
        let actor = stage.spawn(AsyncProbe::new(&log));
        actor.send(Order::Wait(1, first.clone())).expect("the actor lives");
        (2..100).for_each(|n| actor.send(Order::Note(n)).expect("the actor lives"));
        stage.run_until(|| log.has(Began(1)));
        actor.send(Order::Wait(100, second.clone())).expect("the actor lives");
        actor.send(Order::Note(101)).expect("the actor lives");
        stage.work_a_little(100);
        assert_eq!(log.events(), [Started, Began(1)]);
        first.ring();
        stage.run_until(|| log.has(Began(100)));
        stage.work_a_little(100);
        assert!(!log.has(Began(101)));
        second.ring();
        stage.run_until(|| log.has(Began(101)));
        let mut expected = vec![Started, Began(1), Returned(1), Left(1)];
        expected.extend((2..=100).map(Began));
        expected.extend([Returned(100), Left(100), Began(101)]);
        assert_eq!(log.events(), expected);
    });
}

/// Messages wait for `started` as for a handler.
pub fn s13_started_may_wait<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let (log, bell) = (Log::default(), Bell::new());
        let actor = stage.spawn(AsyncProbe::starting_at(&log, &bell));
        actor.send(Order::Note(1)).expect("the actor lives");
        stage.run_until(|| bell.waiting() == 1);
        assert_eq!(log.events(), []);
        bell.ring();
        stage.run_until(|| log.has(Began(1)));
        assert_eq!(log.events(), [Started, Began(1)]);
        // Cancelled while it starts.
        let (log, bell) = (Log::default(), Bell::new());
        let actor = stage.spawn(AsyncProbe::starting_at(&log, &bell));
        stage.run_until(|| bell.waiting() == 1);
        actor.stop();
        stage.run_until(|| log.has(Dropped));
        assert_eq!(log.events(), [Stopped, Dropped]);
    });
}

/// From outside: the future is dropped where it waits, then `stopped` runs, then the state goes;
/// what waits is dead-lettered, and a wake-up that comes later is harmless.
pub fn s13_a_stop_cancels_the_handler_where_it_waits<S: StageUnderTest>() {
    for_seeds(S::SEEDS, |seed| {
        let letters = Arc::new(Mutex::new(Vec::new()));
        let reasons = letters.clone();
        let hook = move |letter: odeon_core::DeadLetter| {
            reasons.lock().expect("nothing panics under this lock").push(letter.reason);
        };
        let stage = S::new(Theater::builder().workers(2).on_dead_letter(hook), seed);
        let (log, bell) = (Log::default(), Bell::new());
        let actor = stage.spawn(AsyncProbe::new(&log));
        actor.send(Order::Wait(1, bell.clone())).expect("the actor lives");
        actor.send(Order::Note(2)).expect("the actor lives");
        stage.run_until(|| bell.waiting() == 1);
        actor.send(Order::Note(3)).expect("the actor lives");
        actor.stop();
        stage.run_until(|| log.has(Dropped));
        assert_eq!(log.events(), [Started, Began(1), Left(1), Stopped, Dropped]);
        stage.run_until(|| letters.lock().expect("as above").len() == 2);
        let reasons = letters.lock().expect("as above").clone();
        assert!(reasons.iter().all(|&reason| reason == DeadLetterReason::Stopped), "{reasons:?}");
        assert!(actor.send(Order::Note(4)).is_err());
        bell.disturb();
        bell.ring();
        let next = stage.spawn(AsyncProbe::new(&log));
        next.send(Order::Note(5)).expect("the next one lives");
        stage.run_until(|| log.has(Began(5)));
    });
}

/// From within: the handler returns first.
pub fn s13_an_actor_that_stops_itself_ends_when_its_handler_returns<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let (log, bell) = (Log::default(), Bell::new());
        let actor = stage.spawn(AsyncProbe::new(&log));
        let (returns, rings) = (log.clone(), bell.rings());
        let order = Order::run(move |ctx| {
            Box::pin(async move {
                ctx.stop();
                rings.await;
                returns.add(Returned(1));
            })
        });
        actor.send(order).expect("the actor lives");
        stage.run_until(|| bell.waiting() == 1);
        stage.work_a_little(20);
        assert!(!actor.is_stopped());
        bell.ring();
        stage.run_until(|| log.has(Dropped));
        assert_eq!(log.events(), [Started, Returned(1), Stopped, Dropped]);
    });
}

/// Before and behind an await; the neighbour goes on.
pub fn s13_a_panic_in_a_handler_that_waited_ends_one_actor<S: StageUnderTest>() {
    for_stages(|stage: S| {
        for waits in [0, 1, 5] {
            let (log, others, kept) = (Log::default(), Log::default(), DropTracker::new());
            let neighbour = stage.spawn(AsyncProbe::new(&others));
            let actor = stage.spawn(AsyncProbe::new(&log));
            let local = kept.track(());
            let order = Order::run(move |_| {
                Box::pin(async move {
                    let _local = local;
                    yields(waits).await;
                    silent_panic("behind the await");
                })
            });
            actor.send(order).expect("the actor lives");
            stage.run_until(|| actor.is_stopped() && log.has(Dropped));
            assert_eq!(log.events(), [Started, Dropped]);
            kept.check();
            neighbour.send(Order::Note(1)).expect("the neighbour lives");
            stage.run_until(|| others.has(Began(1)));
        }
    });
}

/// Wake-ups without need cost polls, at most one each, and nothing else.
pub fn s13_wake_ups_without_need_are_harmless<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let (log, bell) = (Log::default(), Bell::new());
        let actor = stage.spawn(AsyncProbe::new(&log));
        actor.send(Order::Wait(1, bell.clone())).expect("the actor lives");
        stage.run_until(|| bell.waiting() == 1);
        let disturbers: Vec<_> = (0..2)
            .map(|_| {
                let bell = bell.clone();
                std::thread::spawn(move || (0..500).for_each(|_| bell.disturb()))
            })
            .collect();
        (0..100).for_each(|n| actor.send(Order::Note(10 + n)).expect("the actor lives"));
        stage.work_a_little(200);
        for disturber in disturbers {
            disturber.join().expect("the disturber does not panic");
        }
        bell.ring();
        stage.run_until(|| log.has(Began(109)));
        assert!(bell.polls() <= 1002, "{} polls", bell.polls());
        let mut expected = vec![Started, Began(1), Returned(1), Left(1)];
        expected.extend((10..110).map(Began));
        assert_eq!(log.events(), expected);
    });
}

/// A handler that waits keeps its actor; what was sent before is handled, then the actor ends.
pub fn s13_an_actor_that_nobody_can_reach_completes_its_handlers<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let (log, bell) = (Log::default(), Bell::new());
        let actor = stage.spawn(AsyncProbe::new(&log));
        actor.send(Order::Wait(1, bell.clone())).expect("the actor lives");
        actor.send(Order::Note(2)).expect("the actor lives");
        drop(actor);
        stage.run_until(|| bell.waiting() == 1);
        stage.work_a_little(50);
        assert_eq!(log.events(), [Started, Began(1)]);
        bell.ring();
        stage.run_until(|| log.has(Dropped));
        let all = [Started, Began(1), Returned(1), Left(1), Began(2), Stopped, Dropped];
        assert_eq!(log.events(), all);
        assert_eq!(stage.theater().dead_letters(), 0);
    });
}

/// A handler that is ready again at once does not keep its stage from others.
pub fn s13_a_future_that_wakes_itself_lets_others_pass<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let (log, others, done) = (Log::default(), PlainLog::default(), AtomicBool::new(false));
        let done = Arc::new(done);
        let busy = stage.spawn(AsyncProbe::new(&log));
        let neighbour = stage.spawn(Probe::new(&others));
        let until = done.clone();
        let order = Order::run(move |_| {
            Box::pin(async move {
                // ORDERING: Relaxed: only to end the loop.
                while !until.load(Ordering::Relaxed) {
                    yields(1).await;
                }
            })
        });
        busy.send(order).expect("the actor lives");
        busy.send(Order::Note(1)).expect("the actor lives");
        stage.work_a_little(20);
        neighbour.send(Do::Note(1)).expect("the neighbour lives");
        stage.run_until(|| others.handled() == [1]);
        done.store(true, Ordering::Relaxed);
        stage.run_until(|| log.has(Began(1)));
    });
}

/// Messages of a closed mailbox wait across awaits, and a guard set in a handler holds from the
/// next message on.
pub fn s13_guards_hold_across_awaits<S: StageUnderTest>() {
    struct Guarded(Arc<Mutex<Vec<u32>>>);
    enum WaitingMessage {
        Open,
        Guarded(u32),
    }
    impl Message for WaitingMessage {
        const MAILBOXES: usize = 2;
        fn mailbox(&self) -> usize {
            usize::from(matches!(self, Self::Guarded(_)))
        }
    }
    impl AsyncActor for Guarded {
        type Msg = WaitingMessage;
        async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
            ctx.close(1);
            yields(2).await;
        }
        async fn handle(&mut self, msg: WaitingMessage, ctx: &mut AsyncContext<'_, Self>) {
            match msg {
                WaitingMessage::Open => {
                    ctx.open(1);
                    yields(2).await;
                    self.0.lock().expect("nothing panics under this lock").push(0);
                }
                WaitingMessage::Guarded(n) => {
                    // One for each opening.
                    ctx.close(1);
                    yields(n % 3).await;
                    self.0.lock().expect("as above").push(n);
                }
            }
        }
    }
    for_stages(|stage: S| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let actor = stage.spawn(Guarded(seen.clone()));
        (1..=3).for_each(|n| actor.send(WaitingMessage::Guarded(n)).expect("the actor lives"));
        let handled = |count: usize| {
            let seen = seen.clone();
            move || seen.lock().expect("as above").len() == count
        };
        for round in 1..=3 {
            actor.send(WaitingMessage::Open).expect("the actor lives");
            stage.run_until(handled(2 * round));
        }
        assert_eq!(*seen.lock().expect("as above"), [0, 1, 0, 2, 0, 3]);
    });
}

/// Questions inside of handlers, between actors of the stage under test and others; children of
/// both kinds.
pub fn s13_handlers_ask_and_await<S: StageUnderTest>() {
    /// Asks the next one for its sum, and adds its own number.
    struct ChainLink {
        number: u64,
        next: Option<odeon_core::ActorRef<Box<Reply<u64>>>>,
    }
    impl AsyncActor for ChainLink {
        type Msg = Box<Reply<u64>>;
        async fn handle(&mut self, reply: Box<Reply<u64>>, ctx: &mut AsyncContext<'_, Self>) {
            let rest = match &self.next {
                Some(next) => next.ask(Box::new).await.expect("the next one answers"),
                None => {
                    let leaf = ctx.spawn(Leaf);
                    let last = ctx.spawn(ChainLink { number: 1000, next: Some(leaf) });
                    last.ask(Box::new).await.expect("a child answers")
                }
            };
            reply.send(self.number + rest);
        }
    }
    struct Leaf;
    impl Actor for Leaf {
        type Msg = Box<Reply<u64>>;
        fn handle(&mut self, reply: Box<Reply<u64>>, ctx: &mut Context<'_, Self>) {
            let _quiet = ctx.spawn(ChainLink { number: 0, next: None });
            reply.send(10_000);
        }
    }
    for_stages(|stage: S| {
        let mut next = None;
        for number in 1..=10 {
            let link = ChainLink { number, next };
            let on_stage = number % 2 == 0;
            let actor = if on_stage { stage.spawn(link) } else { stage.theater().spawn(link) };
            next = Some(actor);
        }
        let first = next.expect("there are ten");
        for _ in 0..3 {
            assert_eq!(stage.answer(first.ask(Box::new)), Ok(55 + 1000 + 10_000));
        }
    });
}

/// A handler that waits still when the deadline comes is cancelled, and what waits behind it comes
/// back.
pub fn s13_a_shutdown_cancels_handlers_that_wait<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let (log, bell) = (Log::default(), Bell::new());
        let actor = stage.spawn(AsyncProbe::new(&log));
        actor.send(Order::Wait(1, bell.clone())).expect("the actor lives");
        (2..6).for_each(|n| actor.send(Order::Note(n)).expect("the actor lives"));
        stage.run_until(|| bell.waiting() == 1);
        let report = stage.shutdown_now();
        assert_eq!((report.stuck, report.leftovers.len()), (0, 4));
        assert!(report.leftovers.iter().all(|letter| letter.reason == DeadLetterReason::Shutdown));
        assert_eq!(log.events(), [Started, Began(1), Left(1), Stopped, Dropped]);
        bell.ring();
    });
}
