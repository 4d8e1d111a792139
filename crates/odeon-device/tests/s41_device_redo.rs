//! S41: no work is lost. What a failed batch has not done is done again, in its order and before
//! what is newer, or given up by name.

use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use crate::support::{self, Book, Entry, Maker, PATIENCE, To};
use odeon_core::{Clock, DeadLetterReason, Directive, EndReason, Supervision, Theater};
use odeon_device::*;
use odeon_testkit::{Deterministic, for_seeds};

const HOUR: Duration = Duration::from_secs(3600);

fn at_once() -> Supervision {
    Supervision::new().restarts(100, HOUR).pauses(Duration::ZERO, Duration::ZERO)
}

/// A supervision that tells what it hears.
fn telling(supervision: Supervision, out: Sender<String>) -> Supervision {
    supervision.decide(move |failure| {
        out.send(failure.text().expect("each failure has a text").to_owned()).unwrap();
        Directive::Restart
    })
}

fn spawn(
    theater: &Theater,
    supervision: Supervision,
    batching: Batching,
    maker: &Maker,
) -> DeviceRef<To> {
    let maker = maker.clone();
    theater.spawn_device_supervised("adder", supervision, batching, move || maker.make()).unwrap()
}

#[test]
fn s41_what_a_lost_device_has_not_done_is_done_by_the_next_session() {
    let theater = Theater::new().unwrap();
    let (out, heard) = channel();
    let maker = Maker { at_once: 3, ..Maker::new(Faults::new().lost_at(Step::Launch, 3)) };
    let batching = Batching::new().at_most(10).window(HOUR);
    let actor = spawn(&theater, telling(at_once(), out), batching, &maker);
    (1..=10).for_each(|number| actor.send(To::Number(number)).unwrap());
    support::wait_for(|| maker.book.done().len() == 10);
    // Two launches of three were done; the rest is one batch of the new session, and each number is
    // done once.
    let done = |from, to| (from..=to).map(Entry::Done);
    let mut expected = vec![Entry::Opened, Entry::Batch((1..=10).collect())];
    expected.extend(done(1, 6));
    expected.extend([Entry::Opened, Entry::Batch((7..=10).collect())]);
    expected.extend(done(7, 10));
    assert_eq!(maker.book.entries(), expected);
    assert_eq!(
        heard.try_iter().collect::<Vec<_>>(),
        [
            "a batch failed, 4 of its 10 messages are not done: the device is lost: lost at Launch 3, as the script says"
        ]
    );
    // A batch is counted when its handler has returned.
    support::wait_for(|| actor.stats().messages == 10);
    let stats = actor.stats();
    assert_eq!((stats.sessions, stats.failures, stats.redone, stats.messages), (2, 1, 4, 10));
    assert_eq!(stats.batches, 2);
}

#[test]
fn s41_what_comes_meanwhile_comes_behind_what_is_done_again() {
    let theater = Theater::new().unwrap();
    let faults = (1..=5).fold(Faults::new(), |faults, nth| faults.lost_at(Step::Launch, nth));
    let maker = Maker::new(faults);
    let actor = spawn(&theater, at_once(), Batching::new().at_most(4), &maker);
    (0..=200).for_each(|number| actor.send(To::Number(number)).unwrap());
    support::wait_for(|| maker.book.done().len() == 201);
    assert_eq!(maker.book.done(), (0..=200).collect::<Vec<_>>());
    assert_eq!((maker.book.opened(), maker.faults.to_come()), (6, 0));
}

/// Although something has come meanwhile that would wait for company.
#[test]
fn s41_what_is_done_again_waits_for_no_window() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let maker = Maker { at_once: 2, ..Maker::new(Faults::new().lost_at(Step::Launch, 2)) };
        let plan = {
            let maker = maker.clone();
            DevicePlan::new(Batching::new().at_most(4).window(HOUR), move || maker.make())
        };
        let actor = run.theater().actor().supervised(at_once()).spawn(move || plan.actor());
        (1..=5).for_each(|number| actor.send(To::Number(number)).unwrap());
        run.run_until_idle();
        let done = maker.book.done();
        assert!(
            done == [1, 2, 3, 4, 5] || done == [1, 2, 3, 4],
            "{done:?}, and no time has passed"
        );
    });
}

#[test]
fn s41_a_panic_is_a_failure_like_an_error() {
    let theater = Theater::new().unwrap();
    let (out, heard) = channel();
    let panics = Fault::Panic("the kernel is wrong".into());
    let maker = Maker { at_once: 2, ..Maker::new(Faults::new().at(Step::Launch, 2, panics)) };
    let batching = Batching::new().at_most(5).window(HOUR);
    let actor = spawn(&theater, telling(at_once(), out), batching, &maker);
    (1..=5).for_each(|number| actor.send(To::Number(number)).unwrap());
    support::wait_for(|| maker.book.done().len() == 5);
    assert_eq!(maker.book.batches(), [vec![1, 2, 3, 4, 5], vec![3, 4, 5]]);
    assert_eq!(maker.book.done(), [1, 2, 3, 4, 5]);
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), ["the kernel is wrong"]);
    // A batch is counted when its handler has returned.
    support::wait_for(|| actor.stats().messages == 5);
    assert_eq!((actor.stats().failures, actor.stats().redone), (1, 3));
}

#[test]
fn s41_resumed_it_goes_on_with_the_session_that_it_has() {
    let theater = Theater::new().unwrap();
    let out_of_memory = DeviceError::OutOfMemory { asked: 1, available: 0 };
    let fails = Fault::Fail(out_of_memory);
    let maker = Maker { at_once: 1, ..Maker::new(Faults::new().at(Step::Launch, 3, fails)) };
    let resumes = Supervision::new().always(Directive::Resume);
    let batching = Batching::new().at_most(4).window(HOUR);
    let actor = spawn(&theater, resumes, batching, &maker);
    (1..=4).for_each(|number| actor.send(To::Number(number)).unwrap());
    support::wait_for(|| maker.book.done().len() == 4);
    assert_eq!(maker.book.batches(), [vec![1, 2, 3, 4], vec![3, 4]]);
    for _ in 0..3 {
        actor.send(To::Number(0)).unwrap();
    }
    assert_eq!(actor.ask(To::Sum).wait_timeout(PATIENCE), Ok(10), "the sum has stayed");
    assert_eq!(maker.book.opened(), 1);
}

#[test]
fn s41_given_up_messages_are_dead_letters_and_watchers_know_why() {
    let (out, letters) = channel();
    let hook = move |letter: odeon_core::DeadLetter| {
        let To::Number(number) = *letter.message.downcast::<To>().unwrap() else { return };
        out.send((number, letter.reason)).unwrap();
    };
    let theater = Theater::builder().on_dead_letter(hook).build().unwrap();
    let maker = Maker { at_once: 2, ..Maker::new(Faults::new().lost_at(Step::Launch, 2)) };
    let stops = Supervision::new().always(Directive::Stop);
    let batching = Batching::new().at_most(6).window(HOUR);
    let actor = spawn(&theater, stops, batching, &maker);
    let mut ended = actor.ended();
    (1..=6).for_each(|number| actor.send(To::Number(number)).unwrap());
    let ended = ended.wait_timeout(PATIENCE).unwrap();
    assert_eq!(ended.reason(), EndReason::Failed);
    let text = ended.failure().unwrap();
    assert!(text.starts_with("a batch failed, 4 of its 6 messages are not done: "), "{text}");
    assert_eq!(maker.book.done(), [1, 2]);
    let expected: Vec<_> = (3..=6).map(|number| (number, DeadLetterReason::Failed)).collect();
    support::wait_for(|| theater.dead_letters() == 4);
    assert_eq!(letters.try_iter().collect::<Vec<_>>(), expected);
    assert!(actor.send(To::Number(7)).is_err());
}

#[test]
fn s41_a_session_that_cannot_be_opened_is_tried_again_as_the_policy_says() {
    let theater = Theater::new().unwrap();
    let (out, heard) = channel();
    let why = DeviceError::Unavailable("libvulkan.so.1 is not installed".into());
    let faults = (1..=3)
        .fold(Faults::new(), |faults, nth| faults.at(Step::Open, nth, Fault::Fail(why.clone())));
    let maker = Maker::new(faults);
    let actor = spawn(&theater, telling(at_once(), out), Batching::new(), &maker);
    actor.send(To::Number(1)).unwrap();
    support::wait_for(|| maker.book.done() == [1]);
    let said = "a session with the device could not be opened: no such device: libvulkan.so.1 is not installed";
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), [said; 3]);
    let stats = actor.stats();
    assert_eq!((stats.sessions, stats.refused, maker.faults.count(Step::Open)), (1, 3, 4));
}

#[test]
fn s41_a_device_that_is_never_found_ends_the_actor_with_its_messages_counted() {
    let theater = Theater::new().unwrap();
    let policy = Supervision::new().restarts(4, HOUR).pauses(Duration::ZERO, Duration::ZERO);
    let make = || -> Result<(support::Adder, support::Faulty), DeviceError> {
        Err(DeviceError::Unavailable("no driver".into()))
    };
    let actor = theater.spawn_device_supervised("none", policy, Batching::new(), make).unwrap();
    let sent = (0..10).filter(|_| actor.send(To::Number(1)).is_ok()).count();
    actor.ended().wait();
    // What came in at the end is counted after it.
    support::wait_for(|| theater.dead_letters() == sent as u64);
    assert_eq!(actor.stats().refused, 5);
    assert!(actor.send(To::Number(1)).is_err());
}

/// The second restart waits for an hour, and so do messages; a stop does not.
#[test]
fn s41_pauses_between_restarts_are_kept_on_a_thread_of_its_own() {
    let theater = Theater::new().unwrap();
    let faults = (1..=3).fold(Faults::new(), |faults, nth| faults.lost_at(Step::Open, nth));
    let maker = Maker::new(faults);
    let policy = Supervision::new().restarts(10, HOUR).pauses(HOUR, HOUR);
    let actor = spawn(&theater, policy, Batching::new(), &maker);
    actor.send(To::Number(1)).unwrap();
    support::wait_for(|| maker.faults.count(Step::Open) == 2);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!((maker.faults.count(Step::Open), actor.is_stopped()), (2, false));
    support::stop_and_wait(&actor);
    support::wait_for(|| theater.dead_letters() == 1);
    assert_eq!((maker.faults.count(Step::Open), maker.used()), (2, 0));
}

/// And a pause that is over is over.
#[test]
fn s41_after_a_pause_the_messages_that_waited_are_handled() {
    let theater = Theater::new().unwrap();
    let faults = (1..=4).fold(Faults::new(), |faults, nth| faults.lost_at(Step::Launch, nth));
    let maker = Maker::new(faults);
    let pause = Duration::from_millis(3);
    let policy = Supervision::new().restarts(10, HOUR).pauses(pause, pause);
    let actor = spawn(&theater, policy, Batching::new().at_most(7), &maker);
    (1..=100).for_each(|number| actor.send(To::Number(number)).unwrap());
    support::wait_for(|| maker.book.done().len() == 100);
    assert_eq!(maker.book.done(), (1..=100).collect::<Vec<_>>());
}

#[test]
fn s41_the_policy_can_tell_what_another_session_may_do_better() {
    let theater = Theater::new().unwrap();
    let policy = at_once().decide(|failure| match DeviceFailure::of(failure) {
        Some(failure) if failure.error().is_transient() => Directive::Restart,
        _ => Directive::Stop,
    });
    let wrong = DeviceError::Kernel("line 3: expected `;`".into());
    let faults = Faults::new().lost_at(Step::Launch, 1).at(Step::Launch, 2, Fault::Fail(wrong));
    let maker = Maker::new(faults);
    let actor = spawn(&theater, policy, Batching::new().at_most(1), &maker);
    let mut ended = actor.ended();
    actor.send(To::Number(1)).unwrap();
    let ended = ended.wait_timeout(PATIENCE).unwrap();
    assert_eq!(
        ended.failure(),
        Some(
            "a batch failed, 1 of its 1 messages are not done: the kernel does not compile: line 3: expected `;`"
        )
    );
    assert_eq!(maker.book.opened(), 2);
}

#[test]
fn s41_a_handler_that_takes_nothing_has_failed() {
    struct Lazy;
    impl DeviceActor for Lazy {
        type Msg = ();
        type Device = HostDevice;
        fn handle(
            &mut self,
            _: &mut Batch<'_, ()>,
            _: &mut HostDevice,
            _: &mut DeviceContext<'_, Self>,
        ) -> Result<(), DeviceError> {
            Ok(())
        }
    }
    let theater = Theater::new().unwrap();
    let stops = Supervision::new().always(Directive::Stop);
    let make = || Ok((Lazy, HostDevice::new(0)));
    let actor = theater.spawn_device_supervised("lazy", stops, Batching::new(), make).unwrap();
    let mut ended = actor.ended();
    actor.send(()).unwrap();
    let ended = ended.wait_timeout(PATIENCE).unwrap();
    assert_eq!(
        ended.failure(),
        Some(
            "a batch failed, 1 of its 1 messages are not done: invalid: the handler has taken none of 1 messages, and says that all is well"
        )
    );
}

#[test]
fn s41_an_actor_that_cannot_start_has_failed_and_frees_what_it_had() {
    struct Picky(#[allow(dead_code)] HostBuffer);
    impl DeviceActor for Picky {
        type Msg = ();
        type Device = HostDevice;
        fn started(
            &mut self,
            device: &mut HostDevice,
            _: &mut DeviceContext<'_, Self>,
        ) -> Result<(), DeviceError> {
            device.allocate(100).map(drop)
        }
        fn handle(
            &mut self,
            _: &mut Batch<'_, ()>,
            _: &mut HostDevice,
            _: &mut DeviceContext<'_, Self>,
        ) -> Result<(), DeviceError> {
            unreachable!("it never starts")
        }
    }
    let theater = Theater::new().unwrap();
    let (out, sessions) = channel();
    let make = move || {
        let mut device = HostDevice::new(50);
        out.send(device.memory().clone()).unwrap();
        Ok((Picky(device.allocate(50)?), device))
    };
    // Resumed it has nothing to go on with.
    let resumes = Supervision::new().always(Directive::Resume);
    let actor = theater.spawn_device_supervised("picky", resumes, Batching::new(), make).unwrap();
    let mut ended = actor.ended();
    let ended = ended.wait_timeout(PATIENCE).unwrap();
    assert_eq!(ended.reason(), EndReason::Failed);
    assert_eq!(sessions.recv().unwrap().used(), 0);
    assert!(sessions.try_recv().is_err(), "there was one session");
    assert_eq!((actor.stats().refused, actor.stats().sessions), (1, 0));
}

/// The driver is restarted: the session is lost, and no other one can be opened for five seconds.
#[test]
fn s41_a_device_that_is_away_for_some_seconds_is_waited_for() {
    let run = Deterministic::new(1);
    let (clock, book) = (run.clock_for_actors(), Book::default());
    let maker = Maker { book: book.clone(), ..Maker::new(Faults::new().lost_at(Step::Launch, 1)) };
    let away_until = Mutex::new(None::<Duration>);
    let make = move || {
        if maker.faults.count(Step::Launch) > 0 {
            let mut until = away_until.lock().unwrap();
            if clock.now() < *until.get_or_insert(clock.now() + Duration::from_secs(5)) {
                return Err(DeviceError::Unavailable("no driver".into()));
            }
        }
        maker.make()
    };
    let policy = device_supervision().decide(|failure| match DeviceFailure::of(failure) {
        Some(failure) if failure.may_pass() => Directive::Restart,
        _ => Directive::Stop,
    });
    let plan = DevicePlan::new(Batching::new(), make);
    let seen = plan.clone();
    let actor = run.theater().actor().supervised(policy).spawn(move || plan.actor());
    (1..=3).for_each(|number| actor.send(To::Number(number)).unwrap());
    run.advance(Duration::from_secs(4));
    assert!(book.done().is_empty() && !actor.is_stopped());
    run.advance(Duration::from_secs(4));
    assert_eq!(book.done(), [1, 2, 3]);
    assert!(seen.stats().refused > 5, "{:?}", seen.stats());
}

/// What has never been there is not waited for by a policy that goes by what may pass.
#[test]
fn s41_a_device_that_was_never_there_is_no_device_that_is_away() {
    let theater = Theater::new().unwrap();
    let policy = device_supervision().decide(|failure| match DeviceFailure::of(failure) {
        Some(failure) if failure.may_pass() => Directive::Restart,
        _ => Directive::Stop,
    });
    let make = || -> Result<(support::Adder, support::Faulty), DeviceError> {
        Err(DeviceError::Unavailable("no driver".into()))
    };
    let actor = theater.spawn_device_supervised("none", policy, Batching::new(), make).unwrap();
    actor.ended().wait();
    assert_eq!(actor.stats().refused, 1);
}
