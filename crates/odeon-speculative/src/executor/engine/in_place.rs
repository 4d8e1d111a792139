//! Messages that are handled in a place without having been on the board: those of shards, and of
//! callers beside them.

use super::Engine;
use super::working::drop_handled;
use crate::actor::context::Me;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::executor::attempt::{Attempt, Handled};
use crate::executor::board::How;
use crate::executor::job::{Job, JobKind};
use odeon_core::ActorRef;
use odeon_core::extend;
use odeon_stm::staged::RolledBack;
use std::collections::VecDeque;
use std::sync::Arc;

/// How a message of this kind is attempted in such a place.
#[inline(always)]
pub(crate) fn how_in_place(place: How, kind: JobKind) -> How {
    match place {
        How::Logged if kind == JobKind::Read => How::Reading,
        how => how,
    }
}

impl<A: SpeculativeActor> Engine<A> {
    /// The circumstances of an attempt in a place.
    #[inline(always)]
    pub(crate) fn attempt_in_place<'a>(
        &'a self,
        me: &'a ActorRef<A::Msg>,
        how: How,
    ) -> Attempt<'a, A> {
        Attempt { exit: &self.exit, tally: &self.tally, me: Me::Beside(me), how }
    }

    /// A message has been attempted. Answers how many have been handled by that; `None`: it has
    /// been brought to the board, or waits for a change.
    #[inline(always)]
    pub(crate) fn after_attempt(
        self: &Arc<Self>,
        me: &ActorRef<A::Msg>,
        state: &Arc<A>,
        handled: Option<Handled>,
        job: Job<A::Msg>,
    ) -> Option<u64> {
        if let Some(handled) = handled {
            return self.after_rare_attempt(me, state, handled, job);
        }
        match drop_handled(job) {
            Ok(()) => Some(1),
            Err(panic) => {
                self.tally.failed_when_dropped::<A::Msg>();
                self.fail(panic);
                Some(0)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn after_rare_attempt(
        self: &Arc<Self>,
        me: &ActorRef<A::Msg>,
        state: &Arc<A>,
        handled: Handled,
        job: Job<A::Msg>,
    ) -> Option<u64> {
        if !handled.is_open() {
            return Some(self.over(handled, job));
        }
        match handled {
            Handled::TooLate => {
                extend::dead_letter(me, job.message);
                return Some(0);
            }
            Handled::Waits(until) | Handled::Refused(until) => {
                self.park_beside(me, state, job, until);
            }
            Handled::Joins => {
                let enlistment = Some(self.enlist());
                self.bring_one(me, Job { enlistment, ..job });
            }
            _ => self.bring_one(me, Job { kind: JobKind::Alone, ..job }),
        }
        None
    }

    fn bring_one(self: &Arc<Self>, me: &ActorRef<A::Msg>, job: Job<A::Msg>) {
        let mut jobs = VecDeque::from([job]);
        self.add(&mut jobs, || me.clone());
        for Job { message, enlistment, .. } in jobs {
            // The actor has ended.
            drop(enlistment);
            extend::dead_letter(me, message);
        }
    }

    /// A message waits for a change.
    fn park_beside(
        self: &Arc<Self>,
        me: &ActorRef<A::Msg>,
        state: &Arc<A>,
        job: Job<A::Msg>,
        until: RolledBack,
    ) {
        let lane = job.lane.expect("the messages of an actor with shards have lanes");
        let mut shared = self.lock();
        let is_parked = shared.board.park_beside(lane);
        if is_parked {
            shared.keeps.get_or_insert_with(|| me.clone());
        }
        self.unlock(shared);
        if !is_parked {
            return self.bring_one(me, job);
        }
        if let Err(message) = self.parking.park(self, job, until, false) {
            let mut shared = self.lock();
            shared.board.unpark_too_late();
            self.unlock(shared);
            extend::dead_letter(me, message);
        } else if !self.is_state(state) {
            // As in `handle_batch`.
            self.parking.wake_all(self);
        }
    }
}
