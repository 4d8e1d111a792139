//! The common case of a message that is handled beside others, in a straight line: its first
//! attempt ends well, wants nothing besides, and has no effects.

use super::{Attempt, First, Handled, admit_and_handle};
use crate::actor::context::{SpeculativeContext, Wants};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::contained;
use crate::executor::job::Job;
use odeon_core::Access;
use odeon_core::extend::Outbox;
use odeon_stm::staged::{Attempted, FinishedHere, attempt_here};
use std::slice;

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
        let otherwise = contained(|| {
            let attempt =
                || attempt_here(mode, |tx| admit_and_handle(state, message, tx, &mut ctx));
            match outbox.hold_during(attempt) {
                Attempted::Finished(finished, ())
                    if ctx.wants() == Wants::Nothing
                        && outbox.is_empty()
                        && self.is_straight(&finished, access) =>
                {
                    commits = true;
                    finished.commit_before_hooks().err().map(Attempted::RolledBack)
                }
                other => Some(other),
            }
        });
        let ended = match otherwise {
            Ok(None) => return None,
            // A user's destructor.
            Err(panic) if commits => return Some(Handled::Failed(panic)),
            Ok(Some(ended)) => Ok(ended),
            Err(panic) => Err(panic),
        };
        let first = First { ended, wants: ctx.wants() };
        Some(self.after_first(Some(first), state, message, access, job.mailbox, outbox))
    }

    /// Whether nothing but the commit is to be done for an attempt without effects.
    #[inline(always)]
    fn is_straight(&self, finished: &FinishedHere<'_>, access: Access) -> bool {
        let may_write = !finished.has_written() || !access.only_reads();
        may_write && !finished.has_hooks() && !self.exit.is_closing()
    }
}
