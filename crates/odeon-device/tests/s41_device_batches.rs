//! S41: which messages make a batch, in which order, and when.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use crate::support::{self, Book, Entry, Maker, PATIENCE, To};
use odeon_core::{
    ActorRef, Directive, Message, Reply, Routing, SendError, Supervision, Theater, extend,
};
use odeon_device::*;
use odeon_testkit::{Deterministic, for_seeds};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// An adder in virtual time.
fn in_virtual_time(run: &Deterministic, batching: Batching) -> (ActorRef<To>, Maker) {
    let maker = Maker::new(Faults::new());
    let plan = {
        let maker = maker.clone();
        DevicePlan::new(batching, move || maker.make())
    };
    (run.theater().spawn(plan.actor()), maker)
}

#[test]
fn s41_messages_within_the_window_are_one_batch() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let (adder, maker) = in_virtual_time(&run, Batching::new().window(ms(10)));
        adder.send(To::Number(1)).unwrap();
        run.advance(ms(4));
        adder.send(To::Number(2)).unwrap();
        run.advance(ms(5));
        adder.send(To::Number(3)).unwrap();
        run.run_until_idle();
        assert!(maker.book.batches().is_empty(), "the window is not over");
        run.advance(ms(1));
        assert_eq!(maker.book.batches(), [[1, 2, 3]], "ten milliseconds after the first one");
        adder.send(To::Number(4)).unwrap();
        run.advance(ms(10));
        assert_eq!(
            maker.book.batches(),
            [vec![1, 2, 3], vec![4]],
            "nor is one delayed that is alone"
        );
    });
}

#[test]
fn s41_a_full_batch_does_not_wait_and_the_rest_begins_a_window_of_its_own() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let (adder, maker) = in_virtual_time(&run, Batching::new().at_most(3).window(ms(10)));
        (1..=7).for_each(|number| adder.send(To::Number(number)).unwrap());
        run.run_until_idle();
        assert_eq!(maker.book.batches(), [[1, 2, 3], [4, 5, 6]]);
        run.advance(ms(9));
        assert_eq!(maker.book.batches().len(), 2);
        run.advance(ms(1));
        assert_eq!(maker.book.batches().last().unwrap(), &[7]);
    });
}

#[test]
fn s41_without_a_window_what_is_there_goes_at_once() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let (adder, maker) = in_virtual_time(&run, Batching::new().window(Duration::ZERO));
        run.run_until_idle();
        (1..=5).for_each(|number| adder.send(To::Number(number)).unwrap());
        while run.step_actor(&adder) {}
        let all: Vec<u32> = maker.book.batches().concat();
        assert_eq!(all, [1, 2, 3, 4, 5], "and no time has passed");
    });
}

#[test]
fn s41_a_message_that_is_a_batch_by_itself_keeps_its_place() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let (adder, maker) = in_virtual_time(&run, Batching::new().window(ms(10)));
        adder.send(To::Number(1)).unwrap();
        adder.send(To::Number(2)).unwrap();
        run.run_until_idle();
        adder.send(To::Alone(3)).unwrap();
        adder.send(To::Number(4)).unwrap();
        run.advance(ms(10));
        assert_eq!(maker.book.batches(), [vec![1, 2], vec![3], vec![4]]);
        adder.send(To::Alone(5)).unwrap();
        adder.send(To::Alone(6)).unwrap();
        run.run_until_idle();
        assert_eq!(maker.book.batches()[3..], [vec![5], vec![6]], "they do not wait for others");
    });
}

#[test]
fn s41_what_a_handler_leaves_comes_first_in_the_next_batch() {
    struct Some(Book);
    impl DeviceActor for Some {
        type Msg = To;
        type Device = HostDevice;
        fn handle(
            &mut self,
            batch: &mut Batch<'_, To>,
            _: &mut HostDevice,
            _: &mut DeviceContext<'_, Self>,
        ) -> Result<(), DeviceError> {
            let number = |message: &To| if let To::Number(n) = message { *n } else { 0 };
            self.0.note(Entry::Batch(batch.messages().iter().map(number).collect()));
            for _ in 0..2 {
                batch.take();
            }
            Ok(())
        }
    }
    let run = Deterministic::new(1);
    let book = Book::default();
    let plan = {
        let book = book.clone();
        let batching = Batching::new().at_most(5).window(ms(1));
        DevicePlan::new(batching, move || Ok((Some(book.clone()), HostDevice::new(0))))
    };
    let actor = run.theater().spawn(plan.actor());
    (1..=5).for_each(|number| actor.send(To::Number(number)).unwrap());
    run.run_until_idle();
    assert_eq!(book.batches(), [vec![1, 2, 3, 4, 5], vec![3, 4, 5], vec![5]]);
    assert_eq!((plan.stats().batches, plan.stats().messages, plan.stats().redone), (3, 5, 0));
}

#[test]
fn s41_an_actor_that_nobody_can_reach_handles_what_waits_for_company() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let (adder, maker) = in_virtual_time(&run, Batching::new().window(ms(10)));
        adder.send(To::Number(1)).unwrap();
        drop(adder);
        run.advance(ms(10));
        assert_eq!(maker.book.entries().last(), Some(&Entry::Stopped));
        assert_eq!((maker.book.done(), run.theater().live_actors()), (vec![1], 0));
    });
}

/// Who sends, and the how manieth message it is.
struct Numbered(usize, u32);
impl Message for Numbered {}

struct Orderly {
    last: Vec<u32>,
    out: Sender<Vec<u32>>,
}

impl DeviceActor for Orderly {
    type Msg = Numbered;
    type Device = HostDevice;
    fn handle(
        &mut self,
        batch: &mut Batch<'_, Numbered>,
        device: &mut HostDevice,
        _: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        device.launch(std::thread::yield_now);
        batch.finish(|Numbered(sender, number)| {
            assert_eq!(number, self.last[sender] + 1, "of sender {sender}");
            self.last[sender] = number;
        });
        self.out.send(self.last.clone()).unwrap();
        Ok(())
    }
}

/// Threads that send what they can, by each kind of window.
#[test]
fn s41_the_order_of_each_sender_is_kept_and_launches_are_saved() {
    const EACH: u32 = 20_000;
    let theater = Theater::builder().workers(2).build().unwrap();
    for window in [Duration::ZERO, Duration::from_micros(100), Duration::from_millis(2)] {
        let (out, progress) = channel();
        let batching = Batching::new().at_most(500).window(window);
        let make = move || Ok((Orderly { last: vec![0; 3], out: out.clone() }, HostDevice::new(0)));
        let actor = theater.spawn_device("orderly", batching, make).unwrap();
        std::thread::scope(|scope| {
            for sender in 0..3 {
                let actor = actor.actor_ref();
                scope.spawn(move || {
                    (1..=EACH).for_each(|n| actor.send(Numbered(sender, n)).unwrap());
                });
            }
        });
        while progress.recv_timeout(PATIENCE).expect("it works") != [EACH; 3] {}
        support::wait_for(|| actor.stats().messages == 3 * u64::from(EACH));
        let stats = actor.stats();
        assert!(stats.largest <= 500 && stats.failures == 0, "{stats}");
        assert!(stats.batches < stats.messages / 2, "batches save launches: {stats}");
        assert_eq!(stats.sizes.iter().sum::<u64>(), stats.batches);
    }
}

/// More messages than can be looked at in a window wait already when it begins: it ends when its
/// time is over.
#[test]
fn s41_a_flood_does_not_hold_a_window_open() {
    const FLOOD: u32 = 1_000_000;
    let theater = Theater::builder().workers(1).build().unwrap();
    for window in [Duration::ZERO, ms(1)] {
        let (begin, begun) = channel::<()>();
        let (begun, (out, progress)) = (std::sync::Mutex::new(Some(begun)), channel());
        let make = move || {
            // Messages wait from before the first one is looked at.
            begun.lock().unwrap().take().expect("it is made once").recv().unwrap();
            Ok((Orderly { last: vec![0], out: out.clone() }, HostDevice::new(0)))
        };
        let batching = Batching::new().at_most(FLOOD as usize).window(window);
        let actor = theater.spawn_device("flooded", batching, make).unwrap();
        // By what is not held back until the actor keeps up.
        let flood = actor.actor_ref();
        for n in 1..=FLOOD {
            extend::send_unhindered(&flood, Numbered(0, n)).unwrap();
        }
        begin.send(()).unwrap();
        while progress.recv_timeout(PATIENCE).expect("it works") != [FLOOD] {}
        let stats = actor.stats();
        assert!(stats.batches > 1 && stats.largest < u64::from(FLOOD), "{window:?}: {stats}");
    }
}

/// What the device has worked out comes as messages: to who asked, and to other actors. Timers come
/// as messages of a batch.
#[test]
fn s41_results_and_timers_are_messages() {
    struct Beats(HostBuffer, ActorRef<Box<u32>>);
    impl DeviceActor for Beats {
        type Msg = ();
        type Device = HostDevice;
        fn started(
            &mut self,
            _: &mut HostDevice,
            ctx: &mut DeviceContext<'_, Self>,
        ) -> Result<(), DeviceError> {
            ctx.send_after(Duration::from_millis(1), ());
            Ok(())
        }
        fn handle(
            &mut self,
            batch: &mut Batch<'_, ()>,
            device: &mut HostDevice,
            ctx: &mut DeviceContext<'_, Self>,
        ) -> Result<(), DeviceError> {
            let beats = batch.len() as u32;
            let count = &mut self.0;
            device.launch(|| count.as_mut_slice::<u32>()[0] += beats);
            let mut now = [0; 4];
            device.download(&self.0, &mut now)?;
            batch.finish(drop);
            let now = u32::from_ne_bytes(now);
            self.1.send(Box::new(now)).unwrap();
            if now < 5 {
                ctx.send_after(Duration::from_millis(1), ());
            } else {
                ctx.stop();
            }
            Ok(())
        }
    }
    struct Listener(Sender<u32>);
    impl odeon_core::Actor for Listener {
        type Msg = Box<u32>;
        fn handle(&mut self, beat: Box<u32>, _: &mut odeon_core::Context<'_, Self>) {
            self.0.send(*beat).unwrap();
        }
    }
    let theater = Theater::new().unwrap();
    let (out, beats) = channel();
    let listener = theater.spawn(Listener(out));
    let make = move || {
        let mut device = HostDevice::new(4);
        Ok((Beats(device.upload(&[0; 4])?, listener.clone()), device))
    };
    let actor = theater.spawn_device("beats", Batching::new(), make).unwrap();
    let heard: Vec<u32> = (0..5).map(|_| beats.recv_timeout(PATIENCE).unwrap()).collect();
    assert_eq!(heard, [1, 2, 3, 4, 5]);
    actor.ended().wait();
}

/// A question is answered without company too, whatever the window.
#[test]
fn s41_a_lone_question_is_answered() {
    let theater = Theater::new().unwrap();
    for window in [Duration::ZERO, Duration::from_micros(50), Duration::from_millis(5)] {
        let maker = Maker::new(Faults::new());
        let actor = theater
            .spawn_device("lone", Batching::new().window(window), move || maker.make())
            .unwrap();
        for n in 1..=20_u32 {
            actor.send(To::Number(1)).unwrap();
            assert_eq!(actor.ask(To::Sum).wait_timeout(PATIENCE), Ok(n));
        }
        support::stop_and_wait(&actor);
    }
}

/// An actor that is inside another one which knows nothing of batches handles each message by
/// itself.
#[test]
fn s41_inside_an_actor_that_does_not_know_of_batches_each_message_is_one() {
    let run = Deterministic::new(7);
    let maker = Maker::new(Faults::new());
    let plan = {
        let maker = maker.clone();
        DevicePlan::new(Batching::new().window(ms(10)), move || maker.make())
    };
    let adder = run.spawn_stepped(plan.actor());
    adder.send(To::Number(1)).unwrap();
    adder.send(To::Number(2)).unwrap();
    adder.expect(|message| matches!(message, To::Number(1)));
    assert_eq!(maker.book.batches(), [[1]]);
    adder.expect(|message| matches!(message, To::Number(2)));
    assert_eq!(maker.book.batches(), [[1], [2]]);
}

#[test]
fn s41_members_of_a_worker_pool_make_batches_and_do_them_again() {
    for_seeds(20, |seed| {
        let run = Deterministic::new(seed);
        let makers = [1, 2].map(|launch| Maker::new(Faults::new().lost_at(Step::Launch, launch)));
        let plans = makers
            .clone()
            .map(|maker| DevicePlan::new(Batching::new().window(ms(5)), move || maker.make()));
        let make = {
            let plans = plans.clone();
            move |member: usize| plans[member].actor()
        };
        let pool =
            run.theater().actor().supervised(Supervision::new()).pool(2, Routing::RoundRobin, make);
        for round in 0..3 {
            for number in 1..=8 {
                pool.send(To::Number(8 * round + number)).unwrap();
            }
            run.advance(ms(50));
        }
        let mut done: Vec<u32> = makers.iter().flat_map(|maker| maker.book.done()).collect();
        done.sort_unstable();
        assert_eq!(done, (1..=24).collect::<Vec<_>>());
        for (maker, plan) in makers.iter().zip(&plans) {
            assert!(maker.book.done().is_sorted());
            let stats = plan.stats();
            assert_eq!((stats.failures, stats.redone, stats.batches), (1, 4, 4), "{stats}");
        }
    });
}

/// Members that count loads are asked for nothing but messages: each is a batch by itself, and one
/// that fails counts as handled.
#[test]
fn s41_inside_another_actor_a_message_that_fails_holds_up_nobody() {
    let run = Deterministic::new(1);
    let wrong = || Fault::Fail(DeviceError::Invalid("told to".into()));
    let maker = Maker::new(Faults::new().at(Step::Launch, 2, wrong()).at(Step::Launch, 4, wrong()));
    let plan = {
        let maker = maker.clone();
        DevicePlan::new(Batching::new(), move || maker.make())
    };
    let resumed = Supervision::new().always(Directive::Resume);
    let make = move |_| plan.actor();
    let pool = run.theater().actor().supervised(resumed).pool(1, Routing::LeastLoaded, make);
    (1..=6).for_each(|number| pool.send(To::Number(number)).unwrap());
    run.advance(ms(50));
    assert_eq!(maker.book.batches(), [[1], [2], [3], [4], [5], [6]]);
    assert_eq!(maker.book.done(), [1, 3, 5, 6]);
}

/// One that has no session ends: there is nothing to be resumed with.
#[test]
fn s41_inside_another_actor_one_without_a_session_ends() {
    let run = Deterministic::new(1);
    let gone = Fault::Fail(DeviceError::Unavailable("told to".into()));
    let maker = Maker::new(Faults::new().at(Step::Open, 1, gone));
    let plan = DevicePlan::new(Batching::new(), move || maker.make());
    let resumed = Supervision::new().always(Directive::Resume);
    let make = move |_| plan.actor();
    let pool = run.theater().actor().supervised(resumed).pool(1, Routing::LeastLoaded, make);
    run.advance(ms(50));
    let returned = pool.send(To::Number(1));
    assert!(matches!(returned, Err(SendError::Stopped(To::Number(1)))), "{returned:?}");
}

/// On a pinned stage that it shares, the window is a timer and others go on meanwhile.
#[test]
fn s41_on_a_stage_that_it_shares_it_holds_up_nobody() {
    struct Echo;
    impl odeon_core::Actor for Echo {
        type Msg = Box<Reply<u32>>;
        fn handle(&mut self, reply: Box<Reply<u32>>, _: &mut odeon_core::Context<'_, Self>) {
            reply.send(7);
        }
    }
    let theater = Theater::new().unwrap();
    let stage = theater.pinned("shared").unwrap();
    let maker = Maker::new(Faults::new());
    let plan = {
        let maker = maker.clone();
        // Longer than all the rest takes, also on a loaded machine.
        DevicePlan::new(Batching::new().window(ms(2_000)), move || maker.make())
    };
    let make = {
        let plan = plan.clone();
        move || plan.actor()
    };
    let adder = theater.actor().on(&stage).supervised(Supervision::new()).spawn(make);
    let echo = theater.actor().on(&stage).spawn(Echo);
    adder.send(To::Number(1)).unwrap();
    adder.send(To::Number(2)).unwrap();
    let before = echo.ask(Box::new).wait_timeout(PATIENCE);
    assert_eq!((before, maker.book.batches().len()), (Ok(7), 0));
    support::wait_for(|| plan.stats().batches == 1);
    assert_eq!(maker.book.batches(), [[1, 2]]);
}
