//! The common case of a message that is handled beside others, in a straight line: its first
//! attempt ends well, and wants nothing besides effects.

use super::finished::Finished;
use super::{Attempt, First, Handled, admit_and_handle};
use crate::actor::context::{SpeculativeContext, Wants};
use crate::actor::outcome::HandlerError;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::contained;
use crate::executor::exit::Closed;
use crate::executor::handling::discard;
use crate::executor::job::Job;
use odeon_core::Access;
use odeon_core::extend::Outbox;
use odeon_stm::staged::{Attempted, RolledBack, SharedSnapshot, attempt_here};
use odeon_sync::interruption;
use std::slice;

/// How the straight line has ended.
enum Straight<F> {
    Committed,
    /// The actor has ended meanwhile.
    TooLate,
    /// The attempt has ended otherwise.
    Otherwise(Attempted<F, (), HandlerError>),
}

impl<F> Straight<F> {
    fn of(committed: Result<(), RolledBack>) -> Self {
        match committed {
            Ok(()) => Self::Committed,
            Err(rolled_back) => Self::Otherwise(Attempted::RolledBack(rolled_back)),
        }
    }
}

impl<'a, A: SpeculativeActor> Attempt<'a, A> {
    /// Has the handler called for a message until that is decided. `None`: it has committed, and
    /// nothing is left to be done.
    ///
    /// WHY not in line: with [`on_snapshot`](Self::on_snapshot) beside it in one function a message
    /// costs thirty instructions more, which move what is in the registers of one for the other.
    #[inline(never)]
    pub(crate) fn of_message(
        &self,
        state: &'a A,
        job: &'a Job<A::Msg>,
        outbox: &mut Outbox,
    ) -> Option<Handled> {
        let (message, access, mode) = (&job.message, job.access, self.first_mode(job.access));
        let mut ctx = SpeculativeContext::new(self.me, slice::from_ref(message), job.mailbox);
        self.straight(
            access,
            (&mut ctx, outbox, ()),
            |ctx, ()| attempt_here(mode, |tx| admit_and_handle(state, message, tx, ctx)),
            |first, outbox, ()| {
                self.after_first(Some(first), state, message, access, job.mailbox, outbox)
            },
        )
    }

    /// As [`of_message`](Self::of_message) of one that reads, on a snapshot that was begun after
    /// its batch was taken: so all that its sender has sent before is in it.
    #[inline(always)]
    pub(crate) fn on_snapshot(
        &self,
        snapshot: &mut SharedSnapshot,
        state: &'a A,
        job: &'a Job<A::Msg>,
        outbox: &mut Outbox,
    ) -> Option<Handled> {
        let message = &job.message;
        let mut ctx = SpeculativeContext::new(self.me, slice::from_ref(message), job.mailbox);
        self.straight(
            Access::Snapshot,
            (&mut ctx, outbox, snapshot),
            |ctx, snapshot| snapshot.attempt(|tx| admit_and_handle(state, message, tx, ctx)),
            |first, outbox, snapshot| self.after_first_on(snapshot, first, state, job, outbox),
        )
    }

    /// `attempt` is the first one of a message: `None`: it has committed, and nothing is left to be
    /// done. `otherwise` goes on from there if it is not decided.
    #[inline(always)]
    fn straight<F: Finished, S>(
        &self,
        access: Access,
        (ctx, outbox, mut on): (&mut SpeculativeContext<'_, A>, &mut Outbox, S),
        attempt: impl FnOnce(&mut SpeculativeContext<'_, A>, &mut S) -> Attempted<F, (), HandlerError>,
        otherwise: impl FnOnce(First<F>, &mut Outbox, &mut S) -> Handled,
    ) -> Option<Handled> {
        let mut commits = false;
        let ended = contained(|| {
            let finished = match outbox.hold_during(|| attempt(ctx, &mut on)) {
                Attempted::Finished(finished, ())
                    if ctx.wants() == Wants::Nothing && self.is_straight(&finished, access) =>
                {
                    finished
                }
                other => return Straight::Otherwise(other),
            };
            if outbox.is_empty() {
                commits = true;
                return Straight::of(finished.commit());
            }
            // Between what effects tell and when they tell it others may commit.
            interruption::point();
            let passed = self.exit.pass(false, || {
                commits = true;
                finished.commit().map(|()| self.as_actor(|| outbox.release()))
            });
            match passed {
                Ok(committed) => Straight::of(committed),
                Err(Closed) => Straight::TooLate,
            }
        });
        let ended = match ended {
            Ok(Straight::Committed) => return None,
            Ok(Straight::TooLate) => {
                discard(outbox);
                return Some(Handled::TooLate);
            }
            // A user's destructor, or an effect.
            Err(panic) if commits => {
                discard(outbox);
                return Some(Handled::Failed(panic));
            }
            Ok(Straight::Otherwise(ended)) => Ok(ended),
            Err(panic) => Err(panic),
        };
        Some(otherwise(First { ended, wants: ctx.wants() }, outbox, &mut on))
    }

    /// Whether nothing but the commit and effects are to be done for an attempt.
    #[inline(always)]
    fn is_straight<F: Finished>(&self, finished: &F, access: Access) -> bool {
        let may_write = !finished.has_written() || !access.only_reads();
        may_write && !finished.has_hooks() && !self.exit.is_closing()
    }
}
