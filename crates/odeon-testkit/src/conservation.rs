//! The account of messages: sent = handled + failed + returned + dead-lettered.
//!
//! Every counted message carries a [`Ticket`]. Whoever ends up with the message says so on its
//! ticket. One that a panic drops is a message that its handler failed with; one that is dropped
//! without a word is a message that vanished.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use odeon_core::{ActorRef, DeadLetter, Message, ReadWrite, StopReport};

/// Where the messages of one test went.
#[derive(Clone, Default)]
pub struct Ledger {
    counters: Arc<Counters>,
}

#[derive(Default)]
struct Counters {
    sent: AtomicU64,
    handled: AtomicU64,
    failed: AtomicU64,
    returned: AtomicU64,
    dead_lettered: AtomicU64,
    vanished: AtomicU64,
}

/// The totals of a ledger at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Account {
    /// Tickets made.
    pub sent: u64,
    /// Messages that an actor began to handle.
    pub handled: u64,
    /// Messages that a panic dropped before anybody said that they were handled.
    pub failed: u64,
    /// Messages that `send` gave back.
    pub returned: u64,
    /// Messages that came to the dead-letter hook or back from the shutdown.
    pub dead_lettered: u64,
    /// Messages that were dropped without any of these.
    pub vanished: u64,
}

/// One message in the ledger. Part of the message.
#[must_use = "a ticket that is dropped counts as a vanished message"]
pub struct Ticket {
    counters: Option<Arc<Counters>>,
}

/// A message type whose messages carry tickets.
pub trait Counted: Message {
    /// The ticket, if this message is one that counts.
    fn into_ticket(self) -> Option<Ticket>;
}

impl<R: Counted, W: Counted> Counted for ReadWrite<R, W> {
    fn into_ticket(self) -> Option<Ticket> {
        match self {
            Self::Read(read) => read.into_ticket(),
            Self::Write(write) => write.into_ticket(),
        }
    }
}

/// Adds one. ORDERING: Relaxed, here and below: the test joins or shuts down before it looks.
fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Ledger {
    /// An empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// A ticket for one message; counts it as sent.
    pub fn ticket(&self) -> Ticket {
        count(&self.counters.sent);
        Ticket { counters: Some(self.counters.clone()) }
    }

    /// Sends a message that `message` makes around a new ticket; notes it as returned if it comes
    /// back. Returns whether it was accepted.
    pub fn send<M: Counted>(&self, to: &ActorRef<M>, message: impl FnOnce(Ticket) -> M) -> bool {
        match to.send(message(self.ticket())) {
            Ok(()) => true,
            Err(error) => {
                if let Some(ticket) = error.into_message().into_ticket() {
                    ticket.returned();
                }
                false
            }
        }
    }

    /// For [`TheaterBuilder::on_dead_letter`](odeon_core::TheaterBuilder::on_dead_letter), where
    /// all counted messages are of type `M`; letters of other types are dropped.
    pub fn dead_letter_hook<M: Counted>(&self) -> impl Fn(DeadLetter) + Send + Sync + 'static {
        |letter| note_dead_letter::<M>(letter)
    }

    /// Notes what a shutdown has returned, as [`dead_letter_hook`](Self::dead_letter_hook) does.
    pub fn take_leftovers<M: Counted>(&self, report: StopReport) {
        report.leftovers.into_iter().for_each(note_dead_letter::<M>);
    }

    /// The totals at this moment.
    pub fn account(&self) -> Account {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &self.counters;
        Account {
            sent: read(&counters.sent),
            handled: read(&counters.handled),
            failed: read(&counters.failed),
            returned: read(&counters.returned),
            dead_lettered: read(&counters.dead_lettered),
            vanished: read(&counters.vanished),
        }
    }

    /// # Panics
    /// If any message is unaccounted for.
    #[track_caller]
    pub fn check(&self) -> Account {
        let account = self.account();
        let taken = account.handled + account.failed;
        let known = taken + account.returned + account.dead_lettered;
        assert!(
            account.sent == known && account.vanished == 0,
            "sent {} is not handled + failed + returned + dead-lettered = {known}: {account:?}",
            account.sent
        );
        account
    }
}

fn note_dead_letter<M: Counted>(letter: DeadLetter) {
    if let Ok(message) = letter.message.downcast::<M>() {
        if let Some(ticket) = (*message).into_ticket() {
            ticket.dead_lettered();
        }
    }
}

impl Ticket {
    /// An actor begins to handle the message.
    pub fn handled(self) {
        self.close(|counters| &counters.handled);
    }

    /// `send` gave the message back.
    pub fn returned(self) {
        self.close(|counters| &counters.returned);
    }

    /// The message came to the dead-letter hook or back from the shutdown.
    pub fn dead_lettered(self) {
        self.close(|counters| &counters.dead_lettered);
    }

    fn close(mut self, counter: impl FnOnce(&Counters) -> &AtomicU64) {
        if let Some(counters) = self.counters.take() {
            count(counter(&counters));
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(counters) = &self.counters {
            let in_a_panic = std::thread::panicking();
            count(if in_a_panic { &counters.failed } else { &counters.vanished });
        }
    }
}

impl Message for Ticket {}

impl Counted for Ticket {
    fn into_ticket(self) -> Option<Ticket> {
        Some(self)
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket")
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.account().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_out_is_counted() {
        let ledger = Ledger::new();
        ledger.ticket().handled();
        ledger.ticket().handled();
        ledger.ticket().returned();
        ledger.ticket().dead_lettered();
        let account = ledger.check();
        assert_eq!((account.sent, account.handled), (4, 2));
    }

    #[test]
    fn what_a_panic_drops_has_failed() {
        let ledger = Ledger::new();
        let ticket = ledger.ticket();
        let handler = std::panic::AssertUnwindSafe(move || {
            let _dropped_by_the_panic = ticket;
            crate::silent_panic("in a handler");
        });
        std::panic::catch_unwind(handler).unwrap_err();
        assert_eq!(ledger.check().failed, 1);
    }

    #[test]
    #[should_panic(expected = "vanished: 1")]
    fn a_message_that_is_just_dropped_is_found() {
        let ledger = Ledger::new();
        drop(ledger.ticket());
        ledger.check();
    }

    #[test]
    #[should_panic(expected = "sent 1 is not handled + failed + returned + dead-lettered = 0")]
    fn a_message_that_never_arrives_is_found() {
        let ledger = Ledger::new();
        std::mem::forget(ledger.ticket());
        ledger.check();
    }
}
