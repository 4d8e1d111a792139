//! S12 and S10: answers with a deadline, for actors and for futures.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use odeon_core::extend::Outbox;
use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

type Question = Reply<u64>;

/// Does with each question what it says, at once or later.
struct Oracle(Vec<Question>);
enum ToOracle {
    Answer(u64, Question),
    AnswerAfter(Duration, u64, Question),
    Keep(Question),
    Drop(Question),
}
impl Message for ToOracle {}
impl Actor for Oracle {
    type Msg = ToOracle;
    fn handle(&mut self, msg: ToOracle, ctx: &mut Context<'_, Self>) {
        match msg {
            ToOracle::Answer(n, question) => question.send(n),
            ToOracle::AnswerAfter(delay, n, question) => {
                drop(ctx.send_after(delay, ToOracle::Answer(n, question)));
            }
            ToOracle::Keep(question) => self.0.push(question),
            ToOracle::Drop(question) => drop(question),
        }
    }
}

type Answers = Arc<Mutex<Vec<Result<u64, AskError>>>>;

/// Asks as it is told and notes every answer.
struct Asker {
    oracle: ActorRef<ToOracle>,
    answers: Answers,
}
enum ToAsker {
    Ask(Duration, fn(Question) -> ToOracle),
    Answer(Result<u64, AskError>),
}
impl Message for ToAsker {}
impl Actor for Asker {
    type Msg = ToAsker;
    fn handle(&mut self, msg: ToAsker, ctx: &mut Context<'_, Self>) {
        match msg {
            ToAsker::Ask(limit, question) => {
                let reply = ctx.reply_within(limit, ToAsker::Answer);
                let _ = self.oracle.send(question(reply));
            }
            ToAsker::Answer(answer) => self.answers.lock().unwrap().push(answer),
        }
    }
}

fn ask(
    seed: u64,
    limit: Duration,
    question: fn(Question) -> ToOracle,
) -> Vec<Result<u64, AskError>> {
    let run = Deterministic::new(seed);
    let answers = Answers::default();
    let oracle = run.theater().spawn(Oracle(Vec::new()));
    let asker = run.theater().spawn(Asker { oracle, answers: answers.clone() });
    asker.send(ToAsker::Ask(limit, question)).unwrap();
    run.advance(Duration::from_secs(1));
    assert_eq!(run.theater().pending_timers(), 0);
    answers.lock().unwrap().clone()
}

#[test]
fn s12_an_asker_gets_exactly_one_message() {
    for_seeds(50, |seed| {
        assert_eq!(ask(seed, ms(10), |q| ToOracle::Answer(1, q)), [Ok(1)]);
        assert_eq!(ask(seed, ms(10), |q| ToOracle::AnswerAfter(ms(9), 2, q)), [Ok(2)]);
        assert_eq!(
            ask(seed, ms(10), |q| ToOracle::AnswerAfter(ms(11), 3, q)),
            [Err(AskError::Timeout)]
        );
        assert_eq!(ask(seed, ms(10), ToOracle::Keep), [Err(AskError::Timeout)]);
        assert_eq!(ask(seed, ms(10), ToOracle::Drop), [Err(AskError::NoReply)]);
        let race = ask(seed, ms(10), |q| ToOracle::AnswerAfter(ms(10), 4, q));
        assert!(race == [Ok(4)] || race == [Err(AskError::Timeout)], "{race:?}");
    });
}

#[test]
fn s12_the_deadline_of_an_answered_question_does_not_linger() {
    let run = Deterministic::new(1);
    let answers = Answers::default();
    let oracle = run.theater().spawn(Oracle(Vec::new()));
    let asker = run.theater().spawn(Asker { oracle, answers: answers.clone() });
    for _ in 0..100 {
        asker.send(ToAsker::Ask(Duration::from_secs(60), |q| ToOracle::Answer(1, q))).unwrap();
    }
    run.run_until_idle();
    assert_eq!((answers.lock().unwrap().len(), run.theater().pending_timers()), (100, 0));
}

/// S8: the deadline of a question that is asked in an attempt begins with its release.
#[test]
fn s12_s8_a_deadline_is_held_back_with_its_question() {
    let run = Deterministic::new(1);
    let oracle = run.theater().spawn(Oracle(Vec::new()));
    let mut outbox = Outbox::new();
    let mut answer = pin!(outbox.hold_during(|| oracle.ask_within(ms(10), ToOracle::Keep)));
    run.advance(ms(100));
    assert!(poll_once(answer.as_mut()).is_pending());
    outbox.release();
    run.advance(ms(9));
    assert!(poll_once(answer.as_mut()).is_pending());
    run.advance(ms(1));
    assert_eq!(poll_once(answer.as_mut()), Poll::Ready(Err(AskError::Timeout)));

    let mut answer = pin!(outbox.hold_during(|| oracle.ask_within(ms(10), ToOracle::Keep)));
    drop(outbox);
    assert_eq!(poll_once(answer.as_mut()), Poll::Ready(Err(AskError::NoReply)));
}

/// A theater that stops answers everybody who waits with a deadline; also if it was stopped before
/// an attempt armed one.
#[test]
fn s12_a_theater_that_stops_keeps_nobody_waiting() {
    let run = Deterministic::new(1);
    let oracle = run.theater().spawn(Oracle(Vec::new()));
    let mut answer = pin!(oracle.ask_within(ms(10), ToOracle::Keep));
    run.run_until_idle();
    let mut outbox = Outbox::new();
    let mut held = pin!(outbox.hold_during(|| oracle.ask_within(ms(10), ToOracle::Keep)));
    let report = run.shutdown();
    assert_eq!(report.leftovers.len(), 0);
    assert_eq!(poll_once(answer.as_mut()), Poll::Ready(Err(AskError::NoReply)));
    outbox.release();
    assert_eq!(poll_once(held.as_mut()), Poll::Ready(Err(AskError::NoReply)));
    let late = pin!(oracle.ask_within(ms(10), ToOracle::Keep));
    assert_eq!(poll_once(late), Poll::Ready(Err(AskError::Stopped)));
}

struct Unpark(std::thread::Thread);
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn poll_once<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Task::from_waker(Waker::noop()))
}

/// The simplest executor.
fn wait_for<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        match future.as_mut().poll(&mut Task::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn s12_a_future_with_a_deadline_needs_no_runtime_of_its_own() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let oracle = theater.spawn(Oracle(Vec::new()));
    let asked = Instant::now();
    assert_eq!(wait_for(oracle.ask_within(ms(20), ToOracle::Keep)), Err(AskError::Timeout));
    assert!(asked.elapsed() >= ms(20));
    let minute = Duration::from_secs(60);
    assert_eq!(wait_for(oracle.ask_within(minute, |q| ToOracle::Answer(7, q))), Ok(7));
    let delayed = |q| ToOracle::AnswerAfter(ms(5), 8, q);
    assert_eq!(wait_for(oracle.ask_within(minute, delayed)), Ok(8));
    assert_eq!(wait_for(oracle.ask_within(minute, ToOracle::Drop)), Err(AskError::NoReply));
    oracle.stop();
    while !oracle.is_stopped() {
        std::thread::yield_now();
    }
    assert_eq!(wait_for(oracle.ask_within(minute, ToOracle::Keep)), Err(AskError::Stopped));
    assert_eq!(theater.pending_timers(), 0);
}
