//! Messages that read one moment: those of a batch share it.

use super::{ATTEMPTS, Attempt, Calls, Handled, WAITS, admit_and_handle};
use crate::actor::context::{SpeculativeContext, Wants};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::contained;
use crate::executor::handling::discard;
use crate::executor::job::Job;
use odeon_core::Access;
use odeon_core::extend::Outbox;
use odeon_stm::Cause;
use odeon_stm::staged::SharedSnapshot;
use odeon_sync::Backoff;
use std::slice;

impl<'a, A: SpeculativeActor> Attempt<'a, A> {
    /// Has the handler called for a message that reads, on a snapshot that was begun after its
    /// batch was taken: so all that its sender has sent before is in it.
    pub(crate) fn on_snapshot(
        &self,
        snapshot: &mut SharedSnapshot,
        state: &'a A,
        job: &'a Job<A::Msg>,
        outbox: &mut Outbox,
    ) -> Handled {
        let mut backoff = Backoff::new();
        for _ in 0..ATTEMPTS {
            let message = &job.message;
            let mut ctx = SpeculativeContext::new(self.me, slice::from_ref(message), job.mailbox);
            let attempt = || snapshot.attempt(|tx| admit_and_handle(state, message, tx, &mut ctx));
            let ended = contained(|| outbox.hold_during(attempt));
            let wants = ctx.wants();
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
