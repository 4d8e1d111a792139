//! S3: an actor that waits for an answer handles nothing else, and no thread waits.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds};

/// Doubles; but only when it is told to, and drops the question at 13.
struct Doubler {
    questions: Vec<(u32, Reply<u32>)>,
}

enum Double {
    It(u32, Reply<u32>),
    Answer,
}

impl Message for Double {}

impl Actor for Doubler {
    type Msg = Double;
    fn handle(&mut self, msg: Double, _: &mut Context<'_, Self>) {
        match msg {
            Double::It(13, reply) => drop(reply),
            Double::It(n, reply) => self.questions.push((n, reply)),
            Double::Answer => {
                let (n, reply) = self.questions.remove(0);
                reply.send(2 * n);
            }
        }
    }
}

#[derive(Debug, PartialEq)]
enum Event {
    /// Asks so many questions at once, the first of which is this.
    Ask(u32, u32),
    Within(Duration),
    Tell(u32),
    /// Would go to mailbox 0 if nobody said otherwise.
    Answer(Result<u32, AskError>),
}

impl Message for Event {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        if let Self::Tell(_) = self { 1 } else { 0 }
    }
}

const ANSWERS: usize = 2;

struct Asker {
    doubler: ActorRef<Double>,
    told: Sender<Event>,
}

impl Actor for Asker {
    type Msg = Event;
    fn handle(&mut self, msg: Event, ctx: &mut Context<'_, Self>) {
        match msg {
            Event::Ask(first, questions) => {
                for n in first..first + questions {
                    let reply = ctx.reply_blocked(ANSWERS, Event::Answer);
                    self.doubler.send(Double::It(n, reply)).unwrap();
                }
            }
            Event::Within(limit) => {
                let reply = ctx.reply_blocked_within(limit, ANSWERS, Event::Answer);
                self.doubler.send(Double::It(1, reply)).unwrap();
            }
            other => {
                if let Event::Answer(_) = other {
                    assert_eq!(ctx.mailbox(), ANSWERS);
                }
                self.told.send(other).unwrap();
            }
        }
    }
}

#[test]
fn s3_until_the_answer_comes_everything_else_waits() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let (told, events) = channel();
        let doubler = run.theater().spawn(Doubler { questions: Vec::new() });
        let asker = run.theater().spawn(Asker { doubler: doubler.clone(), told });
        asker.send(Event::Ask(20, 2)).unwrap();
        asker.send(Event::Tell(1)).unwrap();
        asker.send(Event::Ask(30, 1)).unwrap();
        run.run_until_idle();
        doubler.send(Double::Answer).unwrap();
        run.run_until_idle();
        assert_eq!(events.try_iter().collect::<Vec<_>>(), [Event::Answer(Ok(40))]);
        doubler.send(Double::Answer).unwrap();
        run.run_until_idle();
        // The next question is in mailbox 0 and goes before what was told.
        assert_eq!(events.try_iter().collect::<Vec<_>>(), [Event::Answer(Ok(42))]);
        doubler.send(Double::Answer).unwrap();
        run.run_until_idle();
        assert_eq!(events.try_iter().collect::<Vec<_>>(), [Event::Answer(Ok(60)), Event::Tell(1)]);
    });
}

#[test]
fn s3_who_is_never_answered_goes_on() {
    let theater = Theater::new().unwrap();
    let (told, events) = channel();
    let doubler = theater.spawn(Doubler { questions: Vec::new() });
    let asker = theater.spawn(Asker { doubler, told });
    asker.send(Event::Ask(13, 1)).unwrap();
    asker.send(Event::Tell(1)).unwrap();
    assert_eq!(events.recv(), Ok(Event::Answer(Err(AskError::NoReply))));
    assert_eq!(events.recv(), Ok(Event::Tell(1)));
    asker.send(Event::Within(Duration::from_millis(2))).unwrap();
    asker.send(Event::Tell(2)).unwrap();
    assert_eq!(events.recv(), Ok(Event::Answer(Err(AskError::Timeout))));
    assert_eq!(events.recv(), Ok(Event::Tell(2)));
}

#[test]
fn s3_a_failure_ends_the_wait() {
    let theater = Theater::new().unwrap();
    let (told, events) = channel();
    let doubler = theater.spawn(Doubler { questions: Vec::new() });
    struct Failing(Asker);
    impl Actor for Failing {
        type Msg = Event;
        fn handle(&mut self, msg: Event, ctx: &mut Context<'_, Self>) {
            if let Event::Ask(n, _) = msg {
                let reply = ctx.reply_blocked(ANSWERS, Event::Answer);
                self.0.doubler.send(Double::It(n, reply)).unwrap();
                std::panic::resume_unwind(Box::new("after the question"));
            }
            self.0.told.send(msg).unwrap();
        }
    }
    let asked = doubler.clone();
    let make = move || Failing(Asker { doubler: asked.clone(), told: told.clone() });
    let supervision = Supervision::new().pauses(Duration::ZERO, Duration::ZERO);
    let asker = theater.actor().supervised(supervision).spawn(make);
    asker.send(Event::Ask(1, 1)).unwrap();
    asker.send(Event::Tell(1)).unwrap();
    assert_eq!(events.recv(), Ok(Event::Tell(1)));
    doubler.send(Double::Answer).unwrap();
    // The answer to the life before is a message like any other.
    assert_eq!(events.recv(), Ok(Event::Answer(Ok(2))));
}

#[test]
fn s3_a_stepped_actor_waits_for_its_answer() {
    let run = Deterministic::new(3);
    let (told, events) = channel();
    let doubler = run.theater().spawn(Doubler { questions: Vec::new() });
    let asker = run.spawn_stepped(Asker { doubler: doubler.clone(), told });
    asker.send(Event::Ask(4, 1)).unwrap();
    asker.send(Event::Tell(1)).unwrap();
    asker.expect(|event| matches!(event, Event::Ask(..)));
    asker.expect_nothing();
    run.run_until_idle();
    doubler.send(Double::Answer).unwrap();
    run.run_until_idle();
    // However often it is looked at.
    for _ in 0..3 {
        assert_eq!(asker.waiting(), ["Answer(Ok(8))"]);
    }
    asker.expect(|event| *event == Event::Answer(Ok(8)));
    assert_eq!(asker.waiting(), ["Tell(1)"]);
    asker.expect(|event| *event == Event::Tell(1));
    assert_eq!(events.try_iter().count(), 2);
}

#[test]
fn s3_no_answer_is_waited_for_where_it_could_be_dropped_for_a_newer_message() {
    let run = Deterministic::new(1);
    let (told, events) = channel();
    let doubler = run.theater().spawn(Doubler { questions: Vec::new() });
    let asked_by = |event, bound| {
        let asker = Asker { doubler: doubler.clone(), told: told.clone() };
        let asker = run.theater().spawn(Bounded::new(asker).mailbox(ANSWERS, bound));
        asker.send(event).unwrap();
        run.run_until_idle();
        asker
    };
    for event in [Event::Ask(1, 1), Event::Within(Duration::from_secs(60))] {
        let ended = asked_by(event, Bound::drop_oldest(1)).ended().wait();
        let said = ended.failure().unwrap_or_default();
        assert!(said.starts_with("mailbox 2 drops its oldest message when it is full"), "{said}");
    }
    // Any other bound is none for answers.
    let _asker = asked_by(Event::Ask(1, 1), Bound::wait(1));
    doubler.send(Double::Answer).unwrap();
    run.run_until_idle();
    assert_eq!(events.try_iter().collect::<Vec<_>>(), [Event::Answer(Ok(2))]);
}
