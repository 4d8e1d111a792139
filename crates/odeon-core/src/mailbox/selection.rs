//! Which of an actor's mailboxes the next message is taken from.
//!
//! A mailbox is *ready* if it is open and not empty. The owner asks the policy once for each
//! message. Before, it sorts what has arrived, unless nothing of that could go before the first
//! message: so all that was sent before a selection takes part in it.

mod policies;
mod ready;

use std::fmt;

use crate::mailbox::SelectionOrder;
pub use policies::{Ageing, LeastRecentlyUsed, RandomMailbox, RoundRobin, Weighted};
pub use ready::Ready;
pub(crate) use ready::WaitingCounts;

/// How an actor with several mailboxes selects its next message; what
/// [`Actor::selection`](crate::Actor::selection) and
/// [`AsyncActor::selection`](crate::AsyncActor::selection) return.
///
/// | policy | the next message is of | a ready mailbox waits |
/// |---|---|---|
/// | [`priority`](Self::priority), the default | the lowest number that is ready | for ever, if lower ones never run empty |
/// | [`as_they_come`](Self::as_they_come) | what arrives; if something waits already that is ready, the next ready one behind the last | for one message of each other mailbox, once it has been taken out of the order of arrival |
/// | [`round_robin`](Self::round_robin) | the next ready one behind the last | for one message of each other mailbox |
/// | [`least_recently_used`](Self::least_recently_used) | the last one, until that is not ready; then the next ready one | for ever, if another one never runs empty |
/// | [`weighted`](Self::weighted) | the last one, up to as many times as it weighs; then the next ready one | for at most the sum of the other weights |
/// | [`random`](Self::random) | any ready one, all equally likely | for *k* messages with a probability of (1 − 1/*n*)^*k* among *n* |
/// | [`ageing(a)`](Self::ageing) | the lowest number that is ready, unless one has waited for *a* messages | for at most *a* + *n* − 1 messages with *n* mailboxes |
/// | [`by`](Self::by) | what a [`SelectionPolicy`] of yours says | as that sees to |
///
/// The last column counts handled messages from the moment at which the mailbox's oldest message
/// can be selected until it is; tests hold it.
///
/// ```
/// # use odeon_core::*;
/// struct Desk { served: Vec<u32> }
/// enum Visit { Express(u32), Usual(u32), Served(Reply<Vec<u32>>) }
/// impl Message for Visit {
///     const MAILBOXES: usize = 3;
///     fn mailbox(&self) -> usize { match self { Visit::Express(_) => 0, Visit::Usual(_) => 1, Visit::Served(_) => 2 } }
/// }
/// impl Actor for Desk {
///     type Msg = Visit;
///     /// Express first; but nobody waits for more than ten others.
///     fn selection(&self) -> Selection { Selection::ageing(10) }
///     fn handle(&mut self, visit: Visit, _ctx: &mut Context<'_, Self>) {
///         match visit {
///             Visit::Express(number) | Visit::Usual(number) => self.served.push(number),
///             Visit::Served(reply) => reply.send(self.served.clone()),
///         }
///     }
/// }
/// # let theater = Theater::new()?;
/// # let desk = theater.spawn(Desk { served: Vec::new() });
/// # desk.send(Visit::Usual(1))?;
/// # while desk.ask(Visit::Served).wait()? != [1] {}
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Selection {
    pub(crate) order: SelectionOrder,
    pub(crate) when_all_closed: WhenAllClosed,
}

/// What becomes of an actor that has closed all its mailboxes, when the handler has returned and
/// nothing else is under way that could open one: no [pipe](crate::Context::pipe) of it. Also of
/// one that has failed otherwise, and is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum WhenAllClosed {
    /// It fails: its supervision decides, as after a panic whose text says what has happened. One
    /// that is resumed goes on with all mailboxes open.
    #[default]
    Fail,
    /// It stops, as if it had asked for that.
    Stop,
}

impl Selection {
    /// The ready mailbox with the lowest number goes first: the multilevel queue of *Selectors:
    /// Actors with Multiple Guarded Mailboxes* (Imam and Sarkar, AGERE 2014).
    pub fn priority() -> Self {
        Self::in_order(SelectionOrder::Priority)
    }

    /// Messages of open mailboxes as they arrive: for an actor that only cares which mailboxes are
    /// open. While something waits that is ready, because its mailbox was closed before, arrivals
    /// wait too, and one message of each ready mailbox goes in turn. The cheapest policy: nothing
    /// is sorted that could be handled.
    ///
    /// An asynchronous actor puts all arrivals into their mailboxes: it takes one of each ready one
    /// in turn.
    pub fn as_they_come() -> Self {
        Self::in_order(SelectionOrder::AsTheyCome(RoundRobin::default()))
    }

    fn in_order(order: SelectionOrder) -> Self {
        Self { order, when_all_closed: WhenAllClosed::Fail }
    }

    /// One message of each ready mailbox in turn.
    pub fn round_robin() -> Self {
        Self::by(RoundRobin::default())
    }

    /// The mailbox of the last message goes on until it is empty or closed, then the next one: the
    /// policy that the paper calls least recently used round robin. Few changes between mailboxes;
    /// a mailbox that never runs empty starves all others.
    pub fn least_recently_used() -> Self {
        Self::by(LeastRecentlyUsed::default())
    }

    /// Round robin with up to `weights[n]` messages of mailbox *n* in a row.
    ///
    /// # Panics
    /// If a weight is 0. If there are not as many weights as mailboxes, the actor fails when it
    /// starts.
    #[track_caller]
    pub fn weighted(weights: impl IntoIterator<Item = u32>) -> Self {
        Self::by(Weighted::new(weights))
    }

    /// Any ready mailbox, all equally likely. The theater's seed decides, so that runs can be
    /// repeated.
    pub fn random() -> Self {
        Self::by(RandomMailbox::default())
    }

    /// Priority; but a message that could have been selected and was passed over `after` times goes
    /// before all others.
    ///
    /// # Panics
    /// If `after` is 0.
    #[track_caller]
    pub fn ageing(after: u32) -> Self {
        Self::by(Ageing::new(after))
    }

    /// A policy of your own.
    pub fn by(policy: impl SelectionPolicy) -> Self {
        Self::in_order(SelectionOrder::By(Box::new(policy)))
    }

    /// What becomes of the actor if all its mailboxes are closed and nothing could open one.
    #[must_use]
    pub fn when_all_closed(mut self, then: WhenAllClosed) -> Self {
        self.when_all_closed = then;
        self
    }
}

impl Selection {
    /// What becomes of the actor if all its mailboxes are closed and nothing could open one.
    pub fn all_closed(&self) -> WhenAllClosed {
        self.when_all_closed
    }
}

impl Default for Selection {
    fn default() -> Self {
        Self::priority()
    }
}

impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection")
            .field("when_all_closed", &self.when_all_closed)
            .finish_non_exhaustive()
    }
}

/// Chooses among ready mailboxes.
///
/// ```
/// use odeon_core::{Ready, Selection, SelectionPolicy};
///
/// /// The mailbox in which most is waiting.
/// struct Longest;
/// impl SelectionPolicy for Longest {
///     fn select(&mut self, ready: Ready<'_>) -> usize {
///         ready.iter().max_by_key(|mailbox| ready.waiting(*mailbox)).unwrap_or_else(|| ready.first())
///     }
/// }
/// let selection = Selection::by(Longest);
/// ```
pub trait SelectionPolicy: Send + 'static {
    /// Called once, when the actor has started, also anew: then it finds the messages that wait
    /// already. How many mailboxes there are, and a number to seed
    /// decisions by chance with, so that a theater with the same seed makes the same ones. A panic
    /// is a failure of the actor.
    fn begin(&mut self, mailboxes: usize, seed: u64) {
        let _ = (mailboxes, seed);
    }

    /// The mailbox whose oldest message is handled next: one that is ready. Called once for each
    /// message. A panic, or a mailbox that is not ready, is a failure of the actor; the messages
    /// stay where they are. So a policy that always fails handles nothing: an actor that is resumed
    /// each time asks it over and over, and keeps its worker busy. Restarts are limited (S15).
    fn select(&mut self, ready: Ready<'_>) -> usize;
}
