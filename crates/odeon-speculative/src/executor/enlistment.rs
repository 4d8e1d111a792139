//! What comes with each message of a transaction of several actors.

use super::transaction::Transaction;
use super::visiting::Visiting;
use odeon_core::extend::Suspends;
use std::sync::Arc;

/// A message's part in a transaction. Dropped before its message has [arrived](Self::arrive), it
/// tells that the message is lost.
pub(crate) struct Enlistment {
    transaction: Arc<dyn Transaction>,
    /// The round of the transaction in which it was sent: those of earlier ones are void.
    round: u32,
    place: Role,
    has_arrived: bool,
    /// Whether it was sent from another theater.
    is_from_abroad: bool,
    /// Those who hold back may be on its way.
    suspends: Option<Suspends>,
}

/// Where a message belongs among those of its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Of those with which it was begun.
    First(usize),
    /// A handler has joined it.
    Joined,
    /// A handler in another theater has, in this round of all theaters.
    JoinedElsewhere(u32),
}

/// Visits that share a lane without an order among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Company {
    /// First messages of the transaction with this number: their handlers are called in order
    /// anyhow.
    First(u64),
    /// Messages that the sender's handlers have joined to transactions of others. Which of these
    /// the sender has handled first is decided by their commits, not by when the messages were
    /// sent.
    Joined,
}

/// A transaction that has to let go of what it holds before it waits, unless it has gone on
/// meanwhile.
pub(crate) struct GivesWay {
    transaction: Arc<dyn Transaction>,
    round: u32,
    place: Role,
}

impl Enlistment {
    pub(crate) fn new(transaction: Arc<dyn Transaction>, round: u32, place: Role) -> Self {
        Self {
            transaction,
            round,
            place,
            has_arrived: false,
            is_from_abroad: false,
            suspends: None,
        }
    }

    /// Of a message with which this transaction begins, the only one.
    pub(crate) fn alone(transaction: Arc<dyn Transaction>) -> Box<Self> {
        Box::new(Self::new(transaction, 0, Role::First(0)))
    }

    /// The same, on a way of its own.
    pub(crate) fn on_its_way(mut self, suspends: Suspends) -> Self {
        self.suspends = Some(suspends);
        self
    }

    /// The same, sent from another theater.
    pub(crate) fn sent_from_abroad(mut self) -> Self {
        self.is_from_abroad = true;
        self
    }

    /// Whether messages of its lane go past it once it has arrived: all that comes from one theater
    /// has one lane, and two transactions may be behind each other in lanes of different actors.
    pub(crate) fn is_passed(&self) -> bool {
        self.is_from_abroad
    }

    /// It stands behind one that waits for a change.
    pub(crate) fn stands_behind_parked(&mut self) {
        if self.suspends.is_none() {
            self.suspends = self.transaction.suspend();
        }
    }

    pub(crate) fn number(&self) -> u64 {
        self.transaction.number()
    }

    pub(crate) fn company(&self) -> Company {
        match self.place {
            Role::First(_) => Company::First(self.number()),
            Role::Joined | Role::JoinedElsewhere(_) => Company::Joined,
        }
    }

    pub(crate) fn transaction(&self) -> &Arc<dyn Transaction> {
        &self.transaction
    }

    /// Its transaction, if that may have something in its hands: not while its first messages are
    /// under way.
    pub(crate) fn gives_way(&self) -> Option<GivesWay> {
        let Self { round, place, .. } = *self;
        let is_joined = !matches!(place, Role::First(_));
        is_joined.then(|| GivesWay { transaction: self.transaction.clone(), round, place })
    }

    /// The message has arrived at its actor.
    pub(crate) fn arrive(mut self, visit: Box<dyn Visiting>) {
        self.has_arrived = true;
        self.transaction.clone().arrive(self.round, self.place, visit);
    }
}

impl Drop for Enlistment {
    fn drop(&mut self) {
        if !self.has_arrived {
            self.transaction.clone().lose(self.round, self.place);
        }
    }
}

impl GivesWay {
    /// Not under the lock of a board.
    pub(crate) fn now(self) {
        self.transaction.give_way(self.round, self.place);
    }
}
