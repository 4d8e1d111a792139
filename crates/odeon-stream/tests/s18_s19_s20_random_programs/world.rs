//! What is known of one whole run: the messages, the accounts, and who is there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

use odeon_core::*;
use odeon_testkit::{Account, Counted, DropTracker, Ledger, Ticket};

use crate::program::Program;

/// What may happen in a run; `main.rs` says what is checked in each.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub(crate) enum Mode {
    Calm,
    Fragile,
    Wild,
}

/// Messages without a ticket are those that may be dropped without a word: questions, copies for a
/// group, what timers or futures hold.
pub(crate) enum Msg {
    Run { mailbox: usize, program: Program, ticket: Option<Ticket> },
    Question { reply: Reply<()>, program: Program, ticket: Option<Ticket> },
    Answer,
    Item { stream: u64, number: u32 },
    End { stream: u64, items: u32 },
}

impl Msg {
    pub(crate) fn without_ticket(mailbox: usize, program: &Program) -> Self {
        Self::Run { mailbox, program: program.clone(), ticket: None }
    }
}

impl Message for Msg {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        match self {
            Self::Run { mailbox, .. } => *mailbox,
            Self::Question { .. } | Self::Item { .. } | Self::End { .. } => 1,
            Self::Answer => 0,
        }
    }
}

impl Counted for Msg {
    fn into_ticket(self) -> Option<Ticket> {
        match self {
            Self::Run { ticket, .. } | Self::Question { ticket, .. } => ticket,
            Self::Answer | Self::Item { .. } | Self::End { .. } => None,
        }
    }
}

/// For groups, which copy what is published.
impl Clone for Msg {
    fn clone(&self) -> Self {
        match self {
            Self::Run { mailbox, program, .. } => Self::without_ticket(*mailbox, program),
            _ => unreachable!("only programs are published"),
        }
    }
}

/// How often something has happened.
#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, SeqCst);
    }

    pub(crate) fn now(&self) -> u64 {
        self.0.load(SeqCst)
    }

    /// The number of this time, from 0 on.
    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, SeqCst)
    }
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) handled: Count,
    pub(crate) asked: Count,
    pub(crate) answered: Count,
    pub(crate) pipes: Count,
    pub(crate) gone_on: Count,
    pub(crate) cancelled: Count,
    pub(crate) streams: Count,
    /// Streams whose end has to be told, and those of which it was.
    pub(crate) streams_kept: Count,
    pub(crate) streams_ended: Count,
    pub(crate) items: Count,
    pub(crate) items_wrong: Count,
}

pub(crate) struct World {
    pub(crate) mode: Mode,
    pub(crate) ledger: Ledger,
    pub(crate) values: DropTracker,
    pub(crate) counts: Counts,
    pub(crate) peers: OnceLock<Vec<ActorRef<Msg>>>,
    pub(crate) group: Group<Msg>,
    pub(crate) pool: OnceLock<WorkerPool<Msg>>,
}

impl World {
    pub(crate) fn new(mode: Mode) -> Arc<Self> {
        Arc::new(Self {
            mode,
            ledger: Ledger::new(),
            values: DropTracker::new(),
            counts: Counts::default(),
            peers: OnceLock::new(),
            group: Group::new(),
            pool: OnceLock::new(),
        })
    }

    pub(crate) fn builder(&self) -> TheaterBuilder {
        let hook = self.ledger.dead_letter_hook::<Msg>();
        Theater::builder().stats(true).asks_seen(true).on_dead_letter(hook)
    }

    /// A message with a ticket.
    pub(crate) fn run(&self, mailbox: usize, program: &Program) -> Msg {
        Msg::Run { mailbox, program: program.clone(), ticket: Some(self.ledger.ticket()) }
    }

    pub(crate) fn peer(&self, number: usize) -> Option<&ActorRef<Msg>> {
        let peers = self.peers.get()?;
        Some(&peers[number % peers.len()])
    }

    /// One of those with higher numbers than this one.
    pub(crate) fn higher_peer(&self, than: Option<usize>, number: usize) -> Option<&ActorRef<Msg>> {
        let higher = self.peers.get()?.get(than? + 1..)?;
        (!higher.is_empty()).then(|| &higher[number % higher.len()])
    }

    /// Whether all that has begun has come to its end; what is missing, if not.
    pub(crate) fn is_complete(&self) -> Result<(), String> {
        let account = self.ledger.account();
        if taken(&account) != account.sent || account.vanished > 0 {
            return Err(format!("messages: {account:?}"));
        }
        if self.mode != Mode::Calm {
            return Ok(());
        }
        let counts = &self.counts;
        let expect = |what, begun: u64, over: u64| {
            if begun == over { Ok(()) } else { Err(format!("{what}: {begun} begun, {over} over")) }
        };
        expect("pipes", counts.pipes.now(), counts.gone_on.now() + counts.cancelled.now())?;
        expect("questions", counts.asked.now(), counts.answered.now())?;
        expect("streams", counts.streams_kept.now(), counts.streams_ended.now())?;
        expect("items in wrong places", counts.items_wrong.now(), 0)
    }
}

/// Messages of which it is known what became of them.
pub(crate) fn taken(account: &Account) -> u64 {
    account.handled + account.failed + account.returned + account.dead_lettered
}

/// Notes that a message came back.
pub(crate) fn returned(result: Result<(), impl Into<Returned>>) {
    if let Err(error) = result {
        if let Some(ticket) = error.into().0.into_ticket() {
            ticket.returned();
        }
    }
}

/// A message that came back, with whatever error.
pub(crate) struct Returned(Msg);

impl From<SendError<Msg>> for Returned {
    fn from(error: SendError<Msg>) -> Self {
        Self(error.into_message())
    }
}

impl From<TrySendError<Msg>> for Returned {
    fn from(error: TrySendError<Msg>) -> Self {
        Self(error.into_message())
    }
}

/// What one actor does at present: one thing at a time (S1), whatever awaits and pipes.
pub(crate) struct OneAtATime(Arc<AtomicBool>);

impl OneAtATime {
    pub(crate) fn begin(busy: &Arc<AtomicBool>) -> Self {
        assert!(!busy.swap(true, SeqCst), "two things at a time");
        Self(busy.clone())
    }
}

impl Drop for OneAtATime {
    fn drop(&mut self) {
        self.0.store(false, SeqCst);
    }
}

/// The items that an actor has seen of its streams.
#[derive(Default)]
pub(crate) struct Seen(HashMap<u64, u32>);

impl Seen {
    /// Whether this was the next one.
    pub(crate) fn item(&mut self, stream: u64, number: u32) -> bool {
        let next = self.0.entry(stream).or_default();
        let right = *next == number;
        *next = number + 1;
        right
    }

    /// Whether all items have come.
    pub(crate) fn end(&mut self, stream: u64, items: u32) -> bool {
        self.0.remove(&stream).unwrap_or(0) == items
    }
}
