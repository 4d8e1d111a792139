//! An actor as a transaction meets it: its board, its exit, its executors.

use super::exit::Exit;
use super::transaction::{Transaction, Transactions};
use odeon_core::extend::Congestion;
use std::sync::Arc;

/// See the module.
pub(crate) trait Participant: Send + Sync {
    /// Tells participants apart.
    fn address(&self) -> usize;

    /// How often the state was made anew.
    fn generation(&self) -> u64;

    fn exit(&self) -> &Exit;

    /// Those of the actor's theater.
    fn transactions(&self) -> &Arc<dyn Transactions>;

    /// That of the actor's theater.
    fn congestion(&self) -> &Arc<Congestion>;

    /// Takes a place for a handler of the transaction.
    fn enter(&self, who: u64, is_reading: bool) -> ParticipantEntry;

    /// Gives the place back; `as_guest`: variables of the actor stay protected.
    fn leave(&self, who: u64, is_reading: bool, as_guest: bool);

    /// Nothing of the actor is protected any more.
    fn leave_as_guest(&self, who: u64);

    /// The transaction, of which a visit is here, is to be gone on with when the actor has a place;
    /// if it holds protected variables, also when that has to wait for an outcome. `false`: the
    /// actor has ended.
    fn defer(&self, transaction: Arc<dyn Transaction>, awaits: Awaits) -> bool;

    /// As [`defer`](Self::defer), if a visit is here; what it is to be gone on with for is news of
    /// it already. `false`: none is, or the actor has ended.
    fn defer_visitor(&self, transaction: Arc<dyn Transaction>, awaits: Awaits) -> bool;

    /// The transaction is not on its way any more: what is joined to others goes past its first
    /// messages.
    fn let_joined_pass(&self, who: u64);

    /// Whether the actor has ended.
    fn has_ended(&self) -> bool;

    /// The transaction has committed a message that ends the actor.
    fn stop(&self);
}

/// Whether a transaction may have a message handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParticipantEntry {
    /// It may, and has a place until it [leaves](Participant::leave).
    Entered,
    /// Not before somebody else has gone who goes in any case.
    Busy,
    /// Not before the outcome of another transaction.
    Blocked,
    /// The actor has ended.
    Closed,
}

/// What a transaction waits for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Awaits {
    /// Whether it will take the place at once.
    pub(crate) place: bool,
    /// Whether it may have protected variables in its hands, because somebody is to go in any case.
    pub(crate) holds: bool,
}
