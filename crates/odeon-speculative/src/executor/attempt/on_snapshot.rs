//! Messages that read one moment, which those of a batch share: what is not decided by the first
//! attempt.

use super::{ATTEMPTS, Attempt, Calls, First, Handled, WAITS, admit_and_handle};
use crate::actor::context::{SpeculativeContext, Wants};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::contained;
use crate::executor::handling::discard;
use crate::executor::job::Job;
use odeon_core::Access;
use odeon_core::extend::Outbox;
use odeon_stm::Cause;
use odeon_stm::staged::{FinishedOnSnapshot, SharedSnapshot};
use odeon_sync::Backoff;
use std::slice;

impl<'a, A: SpeculativeActor> Attempt<'a, A> {
    /// Goes on with a message that reads, until it is decided.
    #[cold]
    #[inline(never)]
    pub(super) fn after_first_on(
        &self,
        snapshot: &mut SharedSnapshot,
        first: First<FinishedOnSnapshot>,
        state: &'a A,
        job: &'a Job<A::Msg>,
        outbox: &mut Outbox,
    ) -> Handled {
        let mut first = Some(first);
        let mut backoff = Backoff::new();
        for _ in 0..ATTEMPTS {
            let message = &job.message;
            let (ended, wants) = match first.take() {
                Some(first) => (first.ended, first.wants),
                None => {
                    let messages = slice::from_ref(message);
                    let mut ctx = SpeculativeContext::new(self.me, messages, job.mailbox);
                    let attempt =
                        || snapshot.attempt(|tx| admit_and_handle(state, message, tx, &mut ctx));
                    let ended = contained(|| outbox.hold_during(attempt));
                    (ended, ctx.wants())
                }
            };
            let ended = self.decide(ended, wants, Access::Snapshot, outbox);
            discard(outbox);
            match ended {
                Ok(handled) => return handled,
                Err(_) if wants == Wants::Admission => {
                    let calls = Calls::Handler(state, message, job.mailbox);
                    let closed = self.at_closed_guard(calls, Access::Snapshot, outbox);
                    // This moment is over: it goes on with one of its own.
                    return closed.unwrap_or_else(|| {
                        self.until_decided(None, calls, Access::Snapshot, outbox)
                    });
                }
                Err(rolled_back) => {
                    self.tally.rolled_back(&rolled_back, slice::from_ref(&job.message));
                    if rolled_back.cause() == Cause::CannotWait {
                        return Handled::Failed(Box::new(WAITS));
                    }
                    // It has expired, and was begun anew.
                    backoff.wait();
                }
            }
        }
        Handled::Contended
    }
}
