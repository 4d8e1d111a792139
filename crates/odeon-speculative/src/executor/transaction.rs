//! What a transaction of several actors hears of those that execute its messages. What it is they
//! do not know: `coordination/` has the one there is.

use super::enlistment::Role;
use super::visiting::Visiting;
use odeon_core::extend::Suspends;
use std::any::Any;
use std::sync::Arc;

/// A transaction that messages are part of.
pub(crate) trait Transaction: Send + Sync {
    /// Tells it from others in this process.
    fn number(&self) -> u64;

    /// Whether its first messages only wait for what is still to arrive: others, or those that a
    /// rollback has made void. Who waits behind one of them then may be waited for there.
    fn gathers(&self) -> bool;

    /// A message of it waits behind one that waits for a change itself: nobody may hold back until
    /// it has arrived.
    fn suspend(&self) -> Option<Suspends>;

    /// A message has arrived.
    fn arrive(self: Arc<Self>, round: u32, place: Role, visit: Box<dyn Visiting>);

    /// A message was lost: its actor has ended, or somebody has dropped it, wherever that was.
    fn lose(self: Arc<Self>, round: u32, place: Role);

    /// A message of this round waits behind one that waits itself. Not under the lock of a board.
    fn give_way(self: Arc<Self>, round: u32, place: Role);

    /// An actor ends where a message of it is.
    fn participant_ends(self: Arc<Self>);

    /// What it has waited for has happened.
    fn resume(self: Arc<Self>);
}

/// What the transactions of a theater have in common.
pub(crate) trait Transactions: Send + Sync {
    /// A transaction that begins with one message, which has become its first one by what the
    /// message's handler has joined to it.
    fn begin_with_one(&self) -> Arc<dyn Transaction>;

    /// Itself, for those who know what it is.
    fn as_any(&self) -> &dyn Any;
}
