//! The end of an engine, with its actor's.

use super::{Engine, drop_contained};
use crate::coordination::{Coordination, CoordinationError};
use crate::job::Job;
use crate::speculative_actor::SpeculativeActor;
use odeon_core::extend;
use std::sync::Arc;

impl<A: SpeculativeActor> Engine<A> {
    /// The actor ends: hands over what has not been handled. What is under way commits no effects any more.
    pub(crate) fn close(&self, take: &mut dyn FnMut(A::Msg)) {
        self.exit.close();
        let mut left = Vec::new();
        let mut shared = self.lock();
        let left_behind = shared.board.close(|job| left.push(job));
        left.append(&mut shared.left);
        let (state, runners) = (shared.state.take(), std::mem::take(&mut shared.runners));
        let parked = self.parking.close();
        parked.iter().for_each(|_| shared.board.unpark_too_late());
        self.unlock(shared);
        // Users' code may run with each of them.
        drop(runners);
        drop_contained(state);
        for Job { message, enlisted, .. } in left {
            drop(enlisted);
            take(message);
        }
        parked.into_iter().for_each(take);
        left_behind.present.iter().for_each(|of| of.fail(CoordinationError::Stopped));
        // Those that have let go of all, and have no message here any more, find out in their next rounds whether they need the actor.
        left_behind.deferred.iter().for_each(Coordination::resume);
    }
}

/// Ends an engine with the way to make its actor anew: an actor may end while it has no state that could.
pub(crate) struct EndsWithMaker<A: SpeculativeActor>(pub(crate) Arc<Engine<A>>);

impl<A: SpeculativeActor> Drop for EndsWithMaker<A> {
    fn drop(&mut self) {
        let keeps = self.0.lock().keeps.clone();
        self.0.close(&mut |message| match &keeps {
            Some(me) => extend::dead_letter(me, message),
            None => drop(message),
        });
    }
}
