//! Actors that say numbers to each other, and notice if one is missing, doubled or out of order.

use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
pub enum Say {
    /// The next number, from 0 on.
    Number(u64),
    /// How many numbers have come?
    Count(Reply<u64>),
    Echo(u64, Reply<u64>),
    /// Not answered.
    Keep(Reply<u64>),
    /// Says numbers to this actor, and asks it for an echo after each hundred of them, until it is
    /// enough.
    SpeakTo(ActorRef<Say>),
    Echoed,
    NotEchoed,
    Enough,
    /// What has it said?
    Said(Reply<Said>),
}

impl Message for Say {}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub numbers: u64,
    pub asked: u64,
    /// How many of its questions were answered.
    pub answered: u64,
    /// And how many not.
    pub unanswered: u64,
    /// Whether what it was to say these to has returned one.
    pub is_returned: bool,
}

/// See the module. One that hears a wrong number fails.
#[derive(Default)]
pub struct Speaks {
    heard: u64,
    said: Said,
    is_enough: bool,
    kept: Vec<Reply<u64>>,
    journal: Option<File>,
}

impl Speaks {
    /// One that writes down what it has heard, where it can be read after the process has been
    /// killed.
    pub fn with_journal(journal: &Path) -> Self {
        Self { journal: Some(File::create(journal).unwrap()), ..Self::default() }
    }
}

/// How many numbers have been written down: all from 0 on, each once.
#[track_caller]
pub fn heard_by(journal: &Path) -> u64 {
    let bytes = fs::read(journal).unwrap_or_default();
    let numbers =
        bytes.chunks_exact(8).map(|number| u64::from_le_bytes(number.try_into().unwrap()));
    let count = numbers.clone().count() as u64;
    assert!(numbers.eq(0..count), "what was heard in {}", journal.display());
    count
}

impl Actor for Speaks {
    type Msg = Say;

    fn handle(&mut self, say: Say, ctx: &mut Context<'_, Self>) {
        match say {
            Say::Number(number) => {
                assert_eq!(number, self.heard, "a number is missing, doubled or out of order");
                self.heard += 1;
                if let Some(journal) = &mut self.journal {
                    journal.write_all(&number.to_le_bytes()).unwrap();
                }
            }
            Say::Count(reply) => reply.send(self.heard),
            Say::Echo(number, reply) => reply.send(number),
            Say::Keep(reply) => self.kept.push(reply),
            Say::SpeakTo(_) if self.is_enough => {}
            Say::SpeakTo(to) => {
                for _ in 0..100 {
                    if to.send(Say::Number(self.said.numbers)).is_err() {
                        self.said.is_returned = true;
                        return;
                    }
                    self.said.numbers += 1;
                }
                let reply = ctx.reply_to(|echo| echo.map_or(Say::NotEchoed, |_| Say::Echoed));
                self.said.asked += 1;
                if to.send(Say::Echo(self.said.numbers, reply)).is_err() {
                    self.said.is_returned = true;
                    return;
                }
                // Leaves something of the machine to others.
                ctx.send_after(Duration::from_millis(1), Say::SpeakTo(to));
            }
            Say::Echoed => self.said.answered += 1,
            Say::NotEchoed => self.said.unanswered += 1,
            Say::Enough => self.is_enough = true,
            Say::Said(reply) => reply.send(self.said),
        }
    }
}
