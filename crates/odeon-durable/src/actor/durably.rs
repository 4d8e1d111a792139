//! The actor around a user's one that logs what it commits.

use super::actor_log::{ActorLog, failure_text};
use super::held_effects::{AskedEffects, keep_empty_outbox};
use super::log_thread::LogThread;
use crate::state::Durable;
use odeon_core::extend::let_happen;
use odeon_core::{Access, Message};
use odeon_speculative::extend::{takes_part, within};
use odeon_speculative::{SpeculativeActor, SpeculativeContext, TxResult, fail};
use odeon_stm::{Abort, Tx};
use std::mem;
use std::sync::Arc;

/// Why a message fails that is part of a coordinated transaction.
const TAKES_NO_PART: &str =
    "a durable actor takes no part in coordinated transactions: they are not logged as one";

/// See the module.
pub(super) struct Durably<A: SpeculativeActor> {
    /// Where it is, for the journal knows its variables by their places.
    state: Arc<A>,
    log: Arc<ActorLog<A::Msg>>,
    /// Ends with this, when all is durable.
    _thread: LogThread<A::Msg>,
}

impl<A: SpeculativeActor + Durable> Durably<A> {
    pub(super) fn new(
        state: Arc<A>,
        log: Arc<ActorLog<A::Msg>>,
        thread: LogThread<A::Msg>,
    ) -> Self {
        Self { state, log, _thread: thread }
    }

    /// Calls a handler, which commits into the log, and whose effects wait for that.
    fn logged<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
        handler: impl FnOnce(&'t A, &mut Tx<'t>, &mut SpeculativeContext<'_, A>) -> TxResult,
    ) -> TxResult {
        if let Some(failure) = self.log.failure() {
            return fail(failure_text(failure));
        }
        if takes_part(ctx) {
            return fail(TAKES_NO_PART);
        }
        self.log.wait_for_disk();
        tx.log_to(&*self.log);
        let mut effects = AskedEffects::new();
        let failure = FailureWaits(&self.log);
        let ended = effects.0.hold_during(|| within(ctx, |ctx| handler(&self.state, tx, ctx)));
        if !matches!(ended, Err(Abort::Failed(_))) {
            mem::forget(failure);
        }
        ended?;
        let effects = effects.take();
        if effects.is_empty() {
            keep_empty_outbox(effects);
        } else {
            let (log, me) = (self.log.clone(), ctx.actor_ref());
            let_happen(move || log.hold(&me, effects));
        }
        Ok(())
    }
}

/// Dropped, by a failure or a panic of a handler, it waits for the disk: what a failure says is
/// heard at once, and may tell of what the handler has seen.
struct FailureWaits<'a, M: Message>(&'a ActorLog<M>);

impl<M: Message> Drop for FailureWaits<'_, M> {
    fn drop(&mut self) {
        self.0.wait_for_all();
    }
}

impl<A: SpeculativeActor + Durable> SpeculativeActor for Durably<A> {
    type Msg = A::Msg;

    #[inline]
    fn access(msg: &Self::Msg) -> Access {
        A::access(msg)
    }

    fn handle<'t>(
        &'t self,
        msg: &'t Self::Msg,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        self.logged(tx, ctx, |state, tx, ctx| state.handle(msg, tx, ctx))
    }

    fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        if let Some(failure) = self.log.failure() {
            return fail(failure_text(failure));
        }
        tx.log_to(&*self.log);
        self.state.admits(mailbox, tx)
    }

    fn started<'t>(&'t self, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>) -> TxResult {
        self.logged(tx, ctx, |state, tx, ctx| state.started(tx, ctx))
    }

    fn stopped(&self) {
        self.state.stopped();
    }
}
