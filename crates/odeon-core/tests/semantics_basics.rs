//! Sending, asking, stopping: the promises to a single user of a single actor.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use odeon_core::*;

enum Tally {
    Add(u64),
    Get(Reply<u64>),
    Keep(Reply<u64>),
    AnswerKept,
    Drop(#[allow(dead_code)] Reply<u64>),
    Panic,
}
impl Message for Tally {}

#[derive(Default)]
struct Counter {
    total: u64,
    kept: Option<Reply<u64>>,
    ended: Option<Sender<&'static str>>,
}

impl Counter {
    fn reporting(to: Sender<&'static str>) -> Self {
        Self { total: 0, kept: None, ended: Some(to) }
    }
}

impl Actor for Counter {
    type Msg = Tally;
    fn handle(&mut self, msg: Tally, _ctx: &mut Context<'_, Self>) {
        match msg {
            Tally::Add(n) => self.total += n,
            Tally::Get(reply) => reply.send(self.total),
            Tally::Keep(reply) => self.kept = Some(reply),
            Tally::AnswerKept => self.kept.take().expect("kept before").send(self.total),
            Tally::Drop(_) => {}
            Tally::Panic => panic!("asked to"),
        }
    }
    fn stopped(&mut self) {
        if let Some(ended) = &self.ended {
            ended.send("stopped").unwrap();
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Some(ended) = &self.ended {
            let _ = ended.send("dropped");
        }
    }
}

/// Runs `check` with a counter on each kind of stage.
fn on_every_stage(check: impl Fn(&Theater, ActorRef<Tally>)) {
    let theater = Theater::builder().workers(2).build().unwrap();
    check(&theater, theater.spawn(Counter::default()));
    let stage = theater.pinned("stage").unwrap();
    check(&theater, theater.spawn_on(&stage, Counter::default()));
    check(&theater, theater.spawn_dedicated("own", Counter::default()).unwrap());
}

#[test]
fn s1_s2_messages_are_handled_one_at_a_time_in_order() {
    on_every_stage(|_, counter| {
        for n in 0..10_000 {
            counter.send(Tally::Add(n)).unwrap();
        }
        assert_eq!(counter.ask(Tally::Get).wait(), Ok(49_995_000));
    });
}

#[test]
fn a_reply_may_be_kept_for_a_later_turn() {
    on_every_stage(|_, counter| {
        let answer = counter.ask(Tally::Keep);
        counter.send(Tally::Add(3)).unwrap();
        counter.send(Tally::AnswerKept).unwrap();
        assert_eq!(answer.wait(), Ok(3));
    });
}

#[test]
fn a_dropped_reply_is_an_error_at_once() {
    on_every_stage(|_, counter| {
        assert_eq!(counter.ask(Tally::Drop).wait(), Err(AskError::NoReply));
    });
}

#[test]
fn an_unanswered_question_times_out() {
    on_every_stage(|_, counter| {
        let answer = counter.ask(Tally::Keep);
        assert_eq!(answer.wait_timeout(Duration::from_millis(10)), Err(AskError::Timeout));
    });
}

#[test]
fn s4_a_stopped_actor_gives_messages_back() {
    on_every_stage(|_, counter| {
        counter.stop();
        while !counter.is_stopped() {
            std::thread::yield_now();
        }
        let SendError(returned) = counter.send(Tally::Add(7)).unwrap_err();
        assert!(matches!(returned, Tally::Add(7)));
        assert!(matches!(
            counter.try_send(Tally::Add(8)),
            Err(TrySendError::Stopped(Tally::Add(8)))
        ));
        assert_eq!(counter.ask(Tally::Get).wait(), Err(AskError::Stopped));
    });
}

#[test]
fn s5_a_panic_ends_the_actor_and_not_its_worker() {
    on_every_stage(|theater, counter| {
        let pending = counter.ask(Tally::Keep);
        let failed = counter.ask(|_reply: Reply<u64>| Tally::Panic);
        assert_eq!(failed.wait(), Err(AskError::NoReply));
        assert_eq!(pending.wait(), Err(AskError::NoReply));
        while !counter.is_stopped() {
            std::thread::yield_now();
        }
        let next = theater.spawn(Counter::default());
        assert_eq!(next.ask(Tally::Get).wait(), Ok(0));
    });
}

#[test]
fn an_actor_without_references_handles_what_it_has_and_stops() {
    let theater = Theater::new().unwrap();
    let (ended, events) = channel();
    let counter = theater.spawn(Counter::reporting(ended));
    let answer = counter.ask(Tally::Get);
    let weak = counter.downgrade();
    drop(counter);
    assert_eq!(answer.wait(), Ok(0));
    assert_eq!(events.recv().unwrap(), "stopped");
    assert_eq!(events.recv().unwrap(), "dropped");
    assert!(weak.upgrade().is_none());
}

#[test]
fn shutdown_drains_then_stops() {
    let theater = Theater::new().unwrap();
    let (ended, events) = channel();
    let counter = theater.spawn(Counter::reporting(ended));
    for n in 0..1_000 {
        counter.send(Tally::Add(n)).unwrap();
    }
    let answer = counter.ask(Tally::Get);
    let report = theater.shutdown(Duration::from_secs(10));
    assert!(report.drained && report.leftovers.is_empty());
    assert_eq!(report.stuck, 0);
    assert_eq!(answer.wait(), Ok(499_500));
    assert_eq!(events.recv().unwrap(), "stopped");
    assert!(counter.send(Tally::Add(1)).is_err());
}

#[test]
fn an_ask_is_a_future_on_any_executor() {
    let theater = Theater::new().unwrap();
    let counter = theater.spawn(Counter::default());
    counter.send(Tally::Add(5)).unwrap();
    assert_eq!(pollster(counter.ask(Tally::Get)), Ok(5));
}

/// The smallest executor: polls on this thread, parks in between.
fn pollster<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}
