//! A client of the bank that writes down what it asks and is told, where it can be read after its
//! process has been killed.
#![allow(unreachable_pub, reason = "as in `support`")]

use crate::bank::{ACCOUNTS, Answer, BRANCHES, Call, Order};
use odeon_core::{Actor, ActorRef, Context, Message, Random, Reply};
use odeon_testkit::History;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// TUNE: ms, guessed 2026-11: a few thousand calls in a run of some seconds, which are judged in
/// less.
const REST: Duration = Duration::from_millis(4);

#[derive(Serialize, Deserialize)]
pub enum Tell {
    /// Ask these, one question after the other.
    Begin(Vec<ActorRef<Order>>),
    Next,
    /// The answer to the question of this number, if there is one.
    Told(u64, Option<Answer>),
    /// No more questions.
    Enough,
    /// Is there one under way?
    Waits(Reply<bool>),
    /// How many other theaters are there?
    Sees(Reply<usize>),
}

impl Message for Tell {}

/// One line of a journal.
#[derive(Serialize, Deserialize)]
struct Line {
    number: u64,
    at: u64,
    what: What,
}

#[derive(Serialize, Deserialize)]
enum What {
    Called(Call),
    Answered(Answer),
    /// It did not go.
    Undone,
}

/// WHY this clock: it is the one that all processes of a machine have in common.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap().as_nanos().try_into().unwrap()
}

/// See the module.
pub struct Teller {
    journal: File,
    random: Random,
    sees: Box<dyn Fn() -> usize + Send>,
    branches: Vec<ActorRef<Order>>,
    number: u64,
    waits: bool,
    is_enough: bool,
}

impl Teller {
    pub fn new(journal: &Path, sees: impl Fn() -> usize + Send + 'static) -> Self {
        Self {
            journal: File::create(journal).unwrap(),
            random: Random::from_seed(now()),
            sees: Box::new(sees),
            branches: Vec::new(),
            number: 0,
            waits: false,
            is_enough: false,
        }
    }

    fn note(&mut self, what: What) {
        let line = Line { number: self.number, at: now(), what };
        let mut line = serde_json::to_vec(&line).unwrap();
        line.push(b'\n');
        self.journal.write_all(&line).unwrap();
    }

    fn call(&mut self) -> Call {
        let mut below = |limit| self.random.below(limit);
        let (branch, account, amount) = (below(BRANCHES), below(ACCOUNTS), below(6) as u64 + 1);
        match below(10) {
            0..5 => {
                let to = (account + 1 + below(ACCOUNTS - 1)) % ACCOUNTS;
                Call::Transfer { branch, from: account, to, amount }
            }
            5..9 => {
                let to = (branch + 1 + below(BRANCHES - 1)) % BRANCHES;
                Call::Remit { branch, to, account, amount }
            }
            _ => Call::Audit { branch },
        }
    }

    fn asks(&mut self, ctx: &mut Context<'_, Self>) {
        if self.is_enough || self.waits {
            return;
        }
        let call = self.call();
        self.number += 1;
        self.note(What::Called(call));
        let number = self.number;
        let reply = ctx.reply_to(move |answer| Tell::Told(number, answer.ok()));
        if self.branches[call.branch()].send(Order::Do(call, reply)).is_ok() {
            self.waits = true;
        } else {
            self.note(What::Undone);
            // What is told of it is of a question before.
            self.number += 1;
            ctx.send_after(REST, Tell::Next);
        }
    }
}

impl Actor for Teller {
    type Msg = Tell;

    fn handle(&mut self, tell: Tell, ctx: &mut Context<'_, Self>) {
        match tell {
            Tell::Begin(branches) => {
                self.branches = branches;
                self.asks(ctx);
            }
            Tell::Next => self.asks(ctx),
            Tell::Told(number, _) if number != self.number => {}
            Tell::Told(_, answer) => {
                answer.into_iter().for_each(|answer| self.note(What::Answered(answer)));
                self.waits = false;
                ctx.send_after(REST, Tell::Next);
            }
            Tell::Enough => self.is_enough = true,
            Tell::Waits(reply) => reply.send(self.waits),
            Tell::Sees(reply) => reply.send((self.sees)()),
        }
    }
}

/// Adds what a teller has written down. What it was writing when it was killed it had not sent, or
/// was not to know.
pub fn read(journal: &Path, history: &mut History<Call, Answer>) {
    let text = fs::read_to_string(journal).unwrap();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let mut calls = BTreeMap::new();
    for line in text[..whole].lines() {
        let Line { number, at, what } = serde_json::from_str(line).unwrap();
        match what {
            What::Called(call) => drop(calls.insert(number, history.called(at, call))),
            What::Answered(answer) => history.answered(calls[&number], at, answer),
            What::Undone => history.undone(calls[&number]),
        }
    }
}
