//! Callers that handle their own messages, beside the other executors.
//!
//! If the actor has shards, a caller does what a shard does, for one message: it takes a place, and
//! its job never is on the board. Otherwise it takes a batch of one, whose lane is its own.

use super::shards::TIMED;
use super::{Engine, EngineState, LOOK_EVERY, Scratch, how_in_place};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::quietly;
use crate::executor::engine::Executor;
use crate::executor::job::Job;
use odeon_core::ActorRef;
use odeon_core::extend::{Entrance, Lane, Outbox};
use odeon_sync::atomic::Ordering;
use std::sync::Arc;

/// Of one actor.
pub(crate) struct CallersEntrance<A: SpeculativeActor> {
    pub(crate) engine: Arc<Engine<A>>,
    pub(crate) keeps_order: bool,
}

impl<A: SpeculativeActor> Entrance<A::Msg> for CallersEntrance<A> {
    fn is_open(&self) -> bool {
        let is_wide = self.engine.is_divided() || self.engine.width() > 1;
        // ORDERING: Relaxed: hints; the board says it under its lock.
        is_wide && self.engine.copies.is_open.load(Ordering::Relaxed)
    }

    fn enter(&self, me: &ActorRef<A::Msg>, message: A::Msg, lane: Lane) -> Result<(), A::Msg> {
        // What panics here does so in the ordinary way, and is seen to there.
        let Some(access) = quietly(|| A::access(&message)) else { return Err(message) };
        let mailbox = lane.mailbox() as u8;
        let lane = self.keeps_order.then_some(lane);
        let job = Job { mailbox, ..Job::new(message, access, lane) };
        if self.engine.is_divided() {
            self.engine.handle_beside_shards(me, job)
        } else {
            self.engine.handle_for_caller(me, job)
        }
    }
}

impl<A: SpeculativeActor> Engine<A> {
    /// The actor's own turn says whether callers may enter: it does not handle messages by itself
    /// while they may.
    pub(crate) fn set_open(&self, is_open: bool) {
        let mut shared = self.lock();
        shared.board.set_open(is_open);
        // ORDERING: Relaxed: a hint.
        self.copies.is_open.store(is_open, Ordering::Relaxed);
        self.unlock(shared);
    }

    fn handle_for_caller(
        self: &Arc<Self>,
        me: &ActorRef<A::Msg>,
        job: Job<A::Msg>,
    ) -> Result<(), A::Msg> {
        let mut shared = self.lock();
        let (job, how) = shared.board.begin_callers(job).map_err(|job| job.message)?;
        let state = shared.state.clone().expect("nothing is taken after the end");
        shared.keeps.get_or_insert_with(|| me.clone());
        self.unlock(shared);
        let mut scratch = Scratch::new();
        scratch.batch.push_back(job);
        self.handle_batch(&state, me, how, self.clock.now(), &mut scratch);
        self.finish(&Executor::Caller, me, state, how, false, &mut scratch);
        if self.commits() % u64::from(LOOK_EVERY) == 0 {
            self.adapt(0);
        }
        Ok(())
    }

    fn handle_beside_shards(
        self: &Arc<Self>,
        me: &ActorRef<A::Msg>,
        job: Job<A::Msg>,
    ) -> Result<(), A::Msg> {
        let mut shared = self.lock();
        let EngineState { board, shards, state, until_look, .. } = &mut *shared;
        let Some(how) = shards.begin_callers(&job, board) else { return Err(job.message) };
        let state = state.clone().expect("nothing is taken after the end");
        let is_timed = *until_look % TIMED == 0;
        // ORDERING: Relaxed: as in `unlock`. Nothing else of that is to be done for a place that is
        // taken.
        self.copies.busy_shards.store(shards.under_way(), Ordering::Relaxed);
        drop(shared);
        let begun = is_timed.then(|| self.clock.now());
        let attempt = self.attempt_in_place(me, how_in_place(how, job.kind));
        let handled = attempt.of_message(&*state, &job, &mut Outbox::new());
        let handled = self.after_attempt(me, &state, handled, job);
        let took = begun.map(|begun| self.clock.now().saturating_sub(begun));
        self.finish_callers(me, state, how, handled, took);
        Ok(())
    }
}
