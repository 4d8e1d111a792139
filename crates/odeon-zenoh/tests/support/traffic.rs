//! Numbers and questions that go from one actor to another until it is enough.

use super::place::{Place, count};
use super::says::{Said, Say};
use super::{LONG, until};
use odeon_core::{ActorRef, AskError};
use odeon_theater::TheaterId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A thread that says numbers to an actor, one after the other.
pub struct Numbers {
    is_enough: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl Numbers {
    pub fn to(actor: &ActorRef<Say>) -> Self {
        let (actor, is_enough) = (actor.clone(), Arc::new(AtomicBool::new(false)));
        let ends = is_enough.clone();
        let thread = thread::spawn(move || {
            let mut number = 0;
            while !ends.load(SeqCst) && actor.send(Say::Number(number)).is_ok() {
                number += 1;
                if number % 100 == 0 {
                    // Leaves something of the machine to others.
                    thread::sleep(Duration::from_millis(1));
                }
            }
            number
        });
        Self { is_enough, thread }
    }

    /// Ends it. Answers how many numbers the actor was sent.
    pub fn enough(self) -> u64 {
        self.is_enough.store(true, SeqCst);
        self.thread.join().unwrap()
    }

    /// Waits until the actor returns one. Answers how many it was sent before.
    pub fn returned(self) -> u64 {
        until("the actor returns a message", || self.thread.is_finished());
        self.thread.join().unwrap()
    }
}

/// A thread that asks an actor, one question after the other.
pub struct Questions {
    is_enough: Arc<AtomicBool>,
    thread: JoinHandle<(u64, Option<AskError>)>,
}

impl Questions {
    pub fn to(actor: &ActorRef<Say>) -> Self {
        let (actor, is_enough) = (actor.clone(), Arc::new(AtomicBool::new(false)));
        let ends = is_enough.clone();
        let thread = thread::spawn(move || {
            let mut answers = 0;
            while !ends.load(SeqCst) {
                match actor.ask(|reply| Say::Echo(answers, reply)).wait_timeout(LONG) {
                    Ok(echo) => assert_eq!(echo, answers, "an answer to another question"),
                    Err(error) => return (answers, Some(error)),
                }
                answers += 1;
            }
            (answers, None)
        });
        Self { is_enough, thread }
    }

    /// Ends it: all have been answered.
    pub fn enough(self) {
        self.is_enough.store(true, SeqCst);
        let (answers, error) = self.thread.join().unwrap();
        assert_eq!(error, None, "after {answers} answers");
    }

    /// Waits until one is not answered. Answers why, and how many were answered before.
    pub fn unanswered(self) -> (u64, AskError) {
        until("a question is not answered", || self.thread.is_finished());
        let (answers, error) = self.thread.join().unwrap();
        (answers, error.expect("it asks until then"))
    }
}

/// Numbers and questions between a place and a member, both ways.
pub struct Conversation {
    says_there: ActorRef<Say>,
    hears_there: ActorRef<Say>,
    hears_here: ActorRef<Say>,
    numbers: Numbers,
    questions: Questions,
}

impl Conversation {
    #[track_caller]
    pub fn begin(here: &Place, there: TheaterId) -> Self {
        let (hears_here, hears_there) = (here.speaks(), here.find(there, "hears one"));
        let says_there = here.find(there, "says to one");
        says_there.send(Say::SpeakTo(hears_here.clone())).unwrap();
        let (numbers, questions) = (Numbers::to(&hears_there), Questions::to(&says_there));
        Self { says_there, hears_there, hears_here, numbers, questions }
    }

    /// Waits until both have heard more.
    #[track_caller]
    pub fn goes_on(&self) {
        let heard = || [count(&self.hears_here), count(&self.hears_there)];
        let before = heard();
        until("both hear more", || {
            heard().iter().zip(before).all(|(now, then)| *now > then + 1_000)
        });
    }

    /// Ends it: what was said has been heard, and what was asked has been answered.
    #[track_caller]
    pub fn ends_well(self) {
        let numbers = self.numbers.enough();
        self.questions.enough();
        assert_eq!(count(&self.hears_there), numbers);
        self.says_there.send(Say::Enough).unwrap();
        let said = || self.says_there.ask(Say::Said).wait_timeout(LONG).unwrap();
        until("all is answered", || said().answered == said().asked);
        let Said { numbers, unanswered, .. } = said();
        assert_eq!((count(&self.hears_here), unanswered), (numbers, 0));
    }
}
