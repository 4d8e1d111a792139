//! S5: a waker of an asker's that panics is the asker's trouble, and not the answerer's.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context as Cx, Poll, Wake, Waker};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::silent_panic;

const PATIENCE: Duration = Duration::from_secs(30);

struct Panics(AtomicU32);

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        silent_panic("a waker");
    }
}

enum Question {
    Wait(std::sync::mpsc::Receiver<()>),
    Answer(Reply<u32>),
    /// Panics with the reply in its hand.
    Fall(Reply<u32>),
}
impl Message for Question {}

struct Answerer;

fn answer(question: Question) {
    match question {
        Question::Wait(until) => drop(until.recv()),
        Question::Answer(reply) => reply.send(1),
        Question::Fall(reply) => {
            let _reply = reply;
            silent_panic("the answerer")
        }
    }
}

impl Actor for Answerer {
    type Msg = Question;
    fn handle(&mut self, question: Question, _: &mut Context<'_, Self>) {
        answer(question);
    }
}

struct Asynchronous;
impl AsyncActor for Asynchronous {
    type Msg = Question;
    async fn handle(&mut self, question: Question, _: &mut AsyncContext<'_, Self>) {
        answer(question);
    }
}

#[test]
fn s5_an_askers_waker_that_panics_harms_no_answerer() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let again =
        || Supervision::new().restarts(100, PATIENCE).pauses(Duration::ZERO, Duration::ZERO);
    let answerers = [
        theater.actor().supervised(again()).spawn(|| Answerer),
        theater.actor().on(&stage).supervised(again()).spawn(|| Answerer),
        theater.actor().dedicated("own").supervised(again()).spawn(|| Answerer).unwrap(),
        theater.actor().supervised(again()).spawn(|| Asynchronous),
    ];
    for answerer in &answerers {
        for question in [Question::Answer, Question::Fall] {
            let panics = Arc::new(Panics(AtomicU32::new(0)));
            let waker = Waker::from(panics.clone());
            let (go, until) = std::sync::mpsc::channel();
            answerer.send(Question::Wait(until)).unwrap();
            let mut asked = answerer.ask(question);
            assert!(Pin::new(&mut asked).poll(&mut Cx::from_waker(&waker)).is_pending());
            go.send(()).unwrap();
            assert_eq!(answerer.ask(Question::Answer).wait_timeout(PATIENCE), Ok(1));
            assert_eq!(panics.0.load(Ordering::SeqCst), 1, "it was woken");
            let answer = Pin::new(&mut asked).poll(&mut Cx::from_waker(Waker::noop()));
            assert!(matches!(answer, Poll::Ready(_)), "and can poll again");
        }
    }
}

#[test]
fn s5_a_waker_that_waits_for_an_end_harms_nobody() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (ends, stays) = (theater.spawn(Answerer), theater.spawn(Answerer));
    let panics = Arc::new(Panics(AtomicU32::new(0)));
    let mut ended = ends.ended();
    let waker = Waker::from(panics.clone());
    assert!(Pin::new(&mut ended).poll(&mut Cx::from_waker(&waker)).is_pending());
    ends.stop();
    let begun = std::time::Instant::now();
    while panics.0.load(Ordering::SeqCst) == 0 && begun.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
    assert_eq!(ended.wait_timeout(PATIENCE).unwrap().reason(), EndReason::Stopped);
    assert_eq!(stays.ask(Question::Answer).wait_timeout(PATIENCE), Ok(1));
    assert_eq!(panics.0.load(Ordering::SeqCst), 1);
}
