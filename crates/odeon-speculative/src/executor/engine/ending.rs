//! The end of an engine, with its actor's.

use super::Engine;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{Panic, drop_quietly, forget};
use crate::executor::board::LeftBehind;
use crate::executor::job::Job;
use crate::executor::transaction::Transaction;
use odeon_core::extend::{self, Pause};
use std::sync::Arc;

impl<A: SpeculativeActor> Engine<A> {
    /// The actor ends: hands over what has not been handled. What is under way commits no effects
    /// any more.
    pub(crate) fn close(&self, take: &mut dyn FnMut(A::Msg)) {
        let Left { state, waiting, left_behind, failures } = self.leave_all();
        // Users' code may run with each of them.
        drop_quietly(state);
        failures.into_iter().for_each(forget);
        for Job { message, enlistment, .. } in waiting {
            drop(enlistment);
            take(message);
        }
        left_behind.present.into_iter().for_each(Transaction::participant_ends);
        // Those that have let go of all, and have no message here any more, find out in their next
        // rounds whether they need the actor.
        left_behind.deferred.into_iter().for_each(Transaction::resume);
    }

    /// The actor leaves its theater, and [rests](Self::comes_to_rest): its state, and what has not
    /// been handled, that of each lane in its order. Nothing more comes of this engine.
    pub(crate) fn take_along(&self) -> (Option<Arc<A>>, Vec<Job<A::Msg>>) {
        let Left { state, waiting, left_behind, failures } = self.leave_all();
        failures.into_iter().for_each(forget);
        debug_assert!(left_behind.present.is_empty(), "no transaction is where an actor rests");
        (state, waiting)
    }

    fn leave_all(&self) -> Left<A> {
        self.exit.close();
        let mut shared = self.lock();
        // What is parked holds its lane: it was before all that waits there.
        let mut waiting = self.parking.close();
        waiting.iter().for_each(|_| shared.board.unpark_too_late());
        let left_behind = shared.board.close(|job| waiting.push(job));
        waiting.extend(shared.left.drain(..));
        let (state, runners) = (shared.state.take(), std::mem::take(&mut shared.runners));
        let (waiting_shards, members) =
            (shared.shards.close(), std::mem::take(&mut shared.members));
        let failures = shared.board.failures.drain(..).collect();
        self.unlock(shared);
        drop(runners);
        waiting_shards.iter().for_each(Pause::end);
        Self::end_shards(members);
        self.end_adapting();
        Left { state, waiting, left_behind, failures }
    }
}

/// What an engine leaves.
struct Left<A: SpeculativeActor> {
    state: Option<Arc<A>>,
    waiting: Vec<Job<A::Msg>>,
    left_behind: LeftBehind,
    /// Those that nobody has seen to.
    failures: Vec<Panic>,
}

/// Ends an engine with the way to make its actor anew: an actor may end while it has no state that
/// could.
pub(crate) struct EndsWithMaker<A: SpeculativeActor>(pub(crate) Arc<Engine<A>>);

impl<A: SpeculativeActor> Drop for EndsWithMaker<A> {
    fn drop(&mut self) {
        let keeps = self.0.lock().keeps.clone();
        self.0.close(&mut |message| match &keeps {
            Some(me) => extend::dead_letter(me, message),
            None => drop_quietly(message),
        });
    }
}
