//! Commits in an order that was fixed before.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::task::Waker;

/// A sequence of tickets, each for one commit: the work of several tickets may be done at once, but
/// each waits with its commit for those before it.
///
/// ```
/// use odeon_stm::staged::{Attempted, attempt};
/// use odeon_stm::{Abort, Mode, TVar, Tickets};
/// use std::sync::Arc;
///
/// let tickets = Tickets::new();
/// let (first, second) = (tickets.issue(), tickets.issue());
/// let log = Arc::new(TVar::new(Vec::new()));
/// let write = |entry: u32| {
///     let run = attempt(log.clone(), Mode::Logged, move |log, tx| {
///         let mut entries: Vec<u32> = log.read(tx)?.clone();
///         entries.push(entry);
///         Ok::<_, Abort<()>>(log.set(tx, entries)?)
///     });
///     let Attempted::Finished(finished, ()) = run else { panic!("nobody else is here") };
///     finished
/// };
/// // The second does its work first, and has to do it again when its turn comes.
/// let early = write(2);
/// assert!(!second.is_up());
/// write(1).commit().unwrap();
/// first.pass();
/// assert!(second.is_up());
/// assert!(early.commit().is_err());
/// write(2).commit().unwrap();
/// second.pass();
/// assert_eq!(log.peek(), [1, 2]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tickets(Arc<Mutex<Sequence>>);

#[derive(Default)]
struct Sequence {
    issued: u64,
    /// The ticket whose turn it is.
    up: u64,
    /// Tickets that were passed before their turn.
    passed: std::collections::BTreeSet<u64>,
    wakers: BTreeMap<u64, Waker>,
}

impl Tickets {
    /// A new sequence.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next ticket.
    pub fn issue(&self) -> Ticket {
        let mut sequence = self.0.lock().expect("no panic happens under this lock");
        let number = sequence.issued;
        sequence.issued += 1;
        Ticket { sequence: self.0.clone(), number }
    }
}

/// A place in the order of [`Tickets`]. Dropping it [passes](Ticket::pass).
#[must_use = "dropping it gives its turn to the next"]
pub struct Ticket {
    sequence: Arc<Mutex<Sequence>>,
    number: u64,
}

impl Ticket {
    /// The place in the order, from 0.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether all tickets before this one have been passed.
    pub fn is_up(&self) -> bool {
        self.sequence.lock().expect("no panic happens under this lock").up == self.number
    }

    /// Has `waker` woken when the turn comes, at once if it is this ticket's; it replaces an
    /// earlier one. No thread is held.
    pub fn wake(&self, waker: Waker) {
        let mut sequence = self.sequence.lock().expect("no panic happens under this lock");
        if sequence.up == self.number {
            drop(sequence);
            waker.wake();
        } else {
            let replaced = sequence.wakers.insert(self.number, waker);
            // WHY: wakers are anybody's code, also when they are dropped: not under the lock.
            drop(sequence);
            drop(replaced);
        }
    }

    /// Its work is done, or will not be done: gives the turn on, at once or when it comes.
    pub fn pass(self) {
        drop(self);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut sequence = self.sequence.lock().expect("no panic happens under this lock");
        let own = sequence.wakers.remove(&self.number);
        sequence.passed.insert(self.number);
        while let Some(first) =
            sequence.passed.first().copied().filter(|first| *first == sequence.up)
        {
            sequence.passed.remove(&first);
            sequence.up += 1;
        }
        let up = sequence.up;
        let waker = sequence.wakers.remove(&up);
        drop(sequence);
        if let Some(waker) = waker {
            waker.wake();
        }
        // Not under the lock, and not before the next one knows.
        drop(own);
    }
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequence")
            .field("issued", &self.issued)
            .field("up", &self.up)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket").field("number", &self.number).finish_non_exhaustive()
    }
}
