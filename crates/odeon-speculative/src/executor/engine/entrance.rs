//! Callers that handle their own messages, beside the other executors.

use super::{Engine, LOOK_EVERY, Scratch};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::quietly;
use crate::executor::engine::Executor;
use crate::executor::job::Job;
use odeon_core::ActorRef;
use odeon_core::extend::{Entrance, Lane};
use odeon_sync::atomic::Ordering;
use std::sync::Arc;

/// Of one actor.
pub(crate) struct CallersEntrance<A: SpeculativeActor> {
    pub(crate) engine: Arc<Engine<A>>,
    pub(crate) keeps_order: bool,
}

impl<A: SpeculativeActor> Entrance<A::Msg> for CallersEntrance<A> {
    fn is_open(&self) -> bool {
        // ORDERING: Relaxed: hints; the board says it under its lock.
        self.engine.width() > 1 && self.engine.copies.is_open.load(Ordering::Relaxed)
    }

    fn enter(&self, me: &ActorRef<A::Msg>, message: A::Msg, lane: Lane) -> Result<(), A::Msg> {
        // What panics here does so in the ordinary way, and is seen to there.
        let Some(access) = quietly(|| A::access(&message)) else { return Err(message) };
        let mailbox = lane.mailbox() as u8;
        let lane = self.keeps_order.then_some(lane);
        self.engine.handle_for_caller(me, Job { mailbox, ..Job::new(message, access, lane) })
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
        // A shard may have what the lane's sender has sent before.
        if job.lane.is_some_and(|lane| !shared.shards.rests(lane.place())) {
            return Err(job.message);
        }
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
}
