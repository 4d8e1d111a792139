//! An actor as a coordinated transaction meets it: its board, its exit, its executors.

use super::{Coordination, Precedence};
use crate::board::{Awaits, Entry};
use crate::engine::Engine;
use crate::exit::Exit;
use crate::speculative_actor::SpeculativeActor;
use odeon_core::extend::Congestion;
use std::sync::Arc;

/// See the module.
pub(crate) trait Station: Send + Sync {
    /// Tells stations apart.
    fn address(&self) -> usize;

    /// How often the state was made anew.
    fn generation(&self) -> u64;

    fn exit(&self) -> &Exit;

    /// That of the actor's theater.
    fn precedence(&self) -> &Arc<Precedence>;

    /// Likewise.
    fn congestion(&self) -> &Arc<Congestion>;

    /// Takes a place for a handler of the transaction.
    fn enter(&self, who: u64, is_reading: bool) -> Entry;

    /// Gives the place back; `as_guest`: variables of the actor stay protected.
    fn leave(&self, who: u64, is_reading: bool, as_guest: bool);

    /// Nothing of the actor is protected any more.
    fn leave_as_guest(&self, who: u64);

    /// The transaction, of which a visit is here, is to be gone on with when the actor has a place; if it holds protected variables, also
    /// when that has to wait for an outcome. `false`: the actor has ended.
    fn defer(&self, coordination: Arc<Coordination>, awaits: Awaits) -> bool;

    /// As [`defer`](Self::defer), if a visit is here; what it is to be gone on with for is news of it already. `false`: none is, or the actor has ended.
    fn defer_visitor(&self, coordination: Arc<Coordination>, awaits: Awaits) -> bool;

    /// The transaction is not on its way any more: what is joined to others goes past its first messages.
    fn let_joined_pass(&self, who: u64);

    /// Whether the actor has ended.
    fn has_ended(&self) -> bool;

    /// The transaction has committed a message that ends the actor.
    fn stop(&self);
}

impl<A: SpeculativeActor> Station for Engine<A> {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn generation(&self) -> u64 {
        Self::generation(self)
    }

    fn exit(&self) -> &Exit {
        &self.exit
    }

    fn precedence(&self) -> &Arc<Precedence> {
        &self.precedence
    }

    fn congestion(&self) -> &Arc<Congestion> {
        &self.congestion
    }

    fn enter(&self, who: u64, is_reading: bool) -> Entry {
        Self::enter(self, who, is_reading)
    }

    fn leave(&self, who: u64, is_reading: bool, as_guest: bool) {
        self.with_board(|board| board.leave(who, is_reading, as_guest));
    }

    fn leave_as_guest(&self, who: u64) {
        self.with_board(|board| board.leave_as_guest(who));
    }

    fn defer(&self, coordination: Arc<Coordination>, awaits: Awaits) -> bool {
        self.with_board(|board| board.defer(coordination, awaits))
    }

    fn defer_visitor(&self, coordination: Arc<Coordination>, awaits: Awaits) -> bool {
        self.with_board(|board| {
            // Whoever sees to the last visit's end sees the news, too.
            board.is_visited_by(coordination.number()) && board.defer(coordination, awaits)
        })
    }

    fn let_joined_pass(&self, who: u64) {
        self.with_board(|board| board.let_joined_pass(who));
    }

    fn has_ended(&self) -> bool {
        Self::has_ended(self)
    }

    fn stop(&self) {
        Self::stop(self);
        // Has the actor's own turn see to it, which is not where this is called.
        self.with_board(|_| ());
    }
}
