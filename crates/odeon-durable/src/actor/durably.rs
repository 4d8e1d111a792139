//! The actor around a user's one that logs what it commits.

use super::actor_log::{ActorLog, failure_text};
use super::held_effects::{AskedEffects, keep_empty_outbox, outbox_of};
use super::log_thread::LogThread;
use crate::state::Durable;
use odeon_core::extend::let_happen;
use odeon_core::{Access, Message};
use odeon_speculative::extend::{hold_on_to_reads, hold_outcome_by, takes_part, within};
use odeon_speculative::{SpeculativeActor, SpeculativeContext, TxResult, fail};
use odeon_stm::{Abort, Tx};
use std::mem;
use std::sync::Arc;

/// Why a message fails whose transaction has actors of several stores.
const OTHER_STORE: &str =
    "durable actors of different stores take no part in one transaction: no log has all of it";

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

    /// Has the attempt logged.
    fn log_of<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult {
        if let Some(failure) = self.log.failure() {
            return fail(failure_text(failure));
        }
        if !tx.can_log_to(&*self.log) {
            return fail(OTHER_STORE);
        }
        tx.log_to(&*self.log);
        if tx.logs() > 1 {
            if let Err(error) = self.log.begin_transactions() {
                return fail(format!("the log of transactions is not written: {error}"));
            }
        }
        Ok(())
    }

    /// Calls what may fail, and if it does, waits for the disk before: what a failure says is heard
    /// at once, and may tell of what has been seen, also at other actors of a transaction.
    fn failing_late<'t, R>(
        &'t self,
        tx: &mut Tx<'t>,
        call: impl FnOnce(&mut Tx<'t>) -> TxResult<R>,
    ) -> TxResult<R> {
        let failure = FailureWaits { log: &self.log, with_others: tx.logs() > 1 };
        let ended = call(tx);
        if !matches!(ended, Err(Abort::Failed(_))) {
            mem::forget(failure);
        }
        ended
    }

    /// Calls a handler, which commits into the log, and whose effects wait for that.
    fn logged<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
        handler: impl FnOnce(&'t A, &mut Tx<'t>, &mut SpeculativeContext<'_, A>) -> TxResult,
    ) -> TxResult {
        self.log_of(tx)?;
        if takes_part(ctx) {
            if tx.logs() == 0 {
                // What is told of one moment may come from commits of others that are not durable.
                return hold_on_to_reads(tx, ctx);
            }
            let (log, me) = (self.log.clone(), ctx.actor_ref());
            hold_outcome_by(ctx, move |effect| log.hold(&me, outbox_of(effect)));
        }
        self.log.wait_for_disk();
        let mut effects = AskedEffects::new();
        self.failing_late(tx, |tx| {
            effects.0.hold_during(|| within(ctx, |ctx| handler(&self.state, tx, ctx)))
        })?;
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

/// Dropped, by a failure or a panic, it waits for the disk.
struct FailureWaits<'a, M: Message> {
    log: &'a ActorLog<M>,
    /// For all of the store.
    with_others: bool,
}

impl<M: Message> Drop for FailureWaits<'_, M> {
    fn drop(&mut self) {
        match self.with_others {
            true => self.log.wait_for_store(),
            false => self.log.wait_for_all(),
        }
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
        self.log_of(tx)?;
        self.failing_late(tx, |tx| self.state.admits(mailbox, tx))
    }

    fn started<'t>(&'t self, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>) -> TxResult {
        self.logged(tx, ctx, |state, tx, ctx| state.started(tx, ctx))
    }

    fn stopped(&self) {
        self.state.stopped();
    }
}
