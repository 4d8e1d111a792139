//! The common case of a message that is handled beside others, in a straight line: its first
//! attempt ends well, and wants nothing besides effects.

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
use odeon_stm::staged::{Attempted, FinishedHere, RolledBack, attempt_here};
use odeon_sync::interruption;
use std::slice;

/// How the straight line has ended.
enum Straight<'a> {
    Committed,
    /// The actor has ended meanwhile.
    TooLate,
    /// The attempt has ended otherwise.
    Otherwise(Attempted<FinishedHere<'a>, (), HandlerError>),
}

impl Straight<'_> {
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
    #[inline(always)]
    pub(crate) fn of_message(
        &self,
        state: &'a A,
        job: &'a Job<A::Msg>,
        outbox: &mut Outbox,
    ) -> Option<Handled> {
        let (message, access, mode) = (&job.message, job.access, self.first_mode(job.access));
        let mut ctx = SpeculativeContext::new(self.me, slice::from_ref(message), job.mailbox);
        let mut commits = false;
        let ended = contained(|| {
            let attempt =
                || attempt_here(mode, |tx| admit_and_handle(state, message, tx, &mut ctx));
            let finished = match outbox.hold_during(attempt) {
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
        let first = First { ended, wants: ctx.wants() };
        Some(self.after_first(Some(first), state, message, access, job.mailbox, outbox))
    }

    /// Whether nothing but the commit and effects are to be done for an attempt.
    #[inline(always)]
    fn is_straight(&self, finished: &FinishedHere<'_>, access: Access) -> bool {
        let may_write = !finished.has_written() || !access.only_reads();
        may_write && !finished.has_hooks() && !self.exit.is_closing()
    }
}
