//! Guards: whether a message may be handled in the state that its own attempt sees.
//!
//! A guard that refuses rolls the attempt back, and the message is parked until what the guard has
//! read has changed. Only a log remembers that: after another kind of attempt the guard is asked
//! once more, with a log.

use super::{Attempt, Calls, Handled};
use crate::actor::context::{SpeculativeContext, Wants};
use crate::actor::outcome::TxResult;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::contained;
use crate::executor::handling::discard;
use odeon_core::extend::Outbox;
use odeon_core::{Access, Message};
use odeon_stm::staged::{Attempted, attempt_here};
use odeon_stm::{Cause, Mode, ScopedTx, Tx};
use std::slice;

/// Asks the guard of the message's mailbox, and calls the handler if that admits it. An actor with
/// one mailbox has no guard.
#[inline(always)]
pub(crate) fn admit_and_handle<'t, A: SpeculativeActor>(
    state: &'t A,
    message: &'t A::Msg,
    tx: &mut Tx<'t>,
    ctx: &mut SpeculativeContext<'_, A>,
) -> TxResult {
    if A::Msg::MAILBOXES > 1 && !state.admits(ctx.mailbox(), tx)? {
        ctx.refused();
        return Ok(tx.retry()?);
    }
    state.handle(message, tx, ctx)
}

impl<'a, A: SpeculativeActor> Attempt<'a, A> {
    /// The guard of this message has refused it in an attempt without a log. `None`: it would not
    /// any more, and the message is to be attempted again.
    #[cold]
    pub(super) fn at_closed_guard(
        &self,
        calls: Calls<'a, A>,
        access: Access,
        outbox: &mut Outbox,
    ) -> Option<Handled> {
        let Calls::Handler(state, message, mailbox) = calls else { return None };
        let ask = |tx: &mut ScopedTx<'_, 'a>| -> TxResult {
            if state.admits(mailbox.into(), tx)? { Ok(()) } else { Ok(tx.retry()?) }
        };
        let asked = contained(|| outbox.hold_during(|| attempt_here(Mode::Logged, ask)));
        let handled = match asked {
            Ok(Attempted::Finished(admitted, ())) => {
                // What it has asked to have called after a rollback is called here.
                contained(move || drop(admitted)).err().map(|panic| self.failed(panic))
            }
            Ok(Attempted::RolledBack(rolled_back)) => {
                self.tally.rolled_back(&rolled_back, slice::from_ref(message));
                match rolled_back.cause() {
                    Cause::Retry => Some(Handled::Refused(rolled_back)),
                    Cause::Prepared => Some(Handled::Waits(rolled_back)),
                    _ => None,
                }
            }
            // A guard fails as a handler does.
            failed => self.decide(failed, Wants::Nothing, access, outbox).ok(),
        };
        discard(outbox);
        handled
    }
}
