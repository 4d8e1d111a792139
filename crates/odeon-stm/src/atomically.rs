//! The retry loop: runs attempts until one commits, and decides what to do between two of them.
//!
//! One attempt is [`TransactionRun::attempt`]; what a failed one has to wait for is decided in
//! `attempt/between.rs`.

use crate::attempt::Mode;
use crate::attempt::between::{self, AttemptVerdict};
use crate::attempt::scoped::ScopedTx;
use crate::attempt::thread_cache::{self, Borrowed};
use crate::domain::wakeup::VariableWait;
use crate::words::abort::{Abort, Cause, Rollback};
use crate::words::hooks::{self, Ended};
use std::convert::Infallible;
use std::mem::ManuallyDrop;

/// Runs `closure` as one atomic step and answers its result.
///
/// The closure may run several times: it should do nothing but compute, read and write variables.
/// Other effects belong into [`Tx::on_commit`](crate::Tx::on_commit). An attempt that meets a
/// conflict is rolled back and run again; after some rollbacks it runs alone, so it ends. Within
/// the closure everything that is read belongs to one state of all variables (opacity), also in
/// attempts that will roll back.
///
/// The closure must not wait for what another thread does in a transaction: while an attempt runs
/// alone, nobody else commits, so both would wait for ever, and with them all transactions of the
/// process. Whether it happens depends on conflicts, so tests may not show it. To wait for a change
/// there is [`Tx::retry`](crate::Tx::retry).
///
/// ```
/// use odeon_stm::{TVar, atomically};
///
/// let (from, to) = (TVar::new(10_u64), TVar::new(0_u64));
/// atomically(|tx| {
///     from.update(tx, |balance| balance - 3)?;
///     to.update(tx, |balance| balance + 3)
/// });
/// assert_eq!((from.peek(), to.peek()), (7, 3));
/// ```
///
/// # Panics
///
/// Panics if the closure panics: the attempt is rolled back, then the panic goes on. Panics at the
/// caller's line if this thread is within a transaction or snapshot already, and if the closure
/// asks to [`retry`](crate::Tx::retry) without having read anything. Panics if 4,094 attempts are
/// under way or prepared.
#[inline]
#[track_caller]
pub fn atomically<'env, R>(
    mut closure: impl for<'t> FnMut(&mut ScopedTx<'t, 'env>) -> Result<R, Rollback>,
) -> R {
    match try_atomically(|tx| closure(tx).map_err(Abort::<Infallible>::Rollback)) {
        Ok(value) => value,
    }
}

/// [`atomically`] with errors of its own: `Err(Abort::Failed(error))` rolls back and answers
/// `error`.
///
/// ```
/// use odeon_stm::{Abort, TVar, try_atomically};
///
/// #[derive(Debug, PartialEq)]
/// struct NotCovered;
///
/// let (from, to) = (TVar::new(2_u64), TVar::new(0_u64));
/// let outcome = try_atomically(|tx| {
///     to.update(tx, |balance| balance + 3)?;
///     let left = from.get(tx)?.checked_sub(3).ok_or(Abort::Failed(NotCovered))?;
///     Ok(from.set(tx, left)?)
/// });
/// assert_eq!(outcome, Err(NotCovered));
/// assert_eq!(to.peek(), 0);
/// ```
///
/// # Errors
///
/// The closure's.
///
/// # Panics
///
/// As [`atomically`].
#[inline]
#[track_caller]
pub fn try_atomically<'env, R, E>(
    mut closure: impl for<'t> FnMut(&mut ScopedTx<'t, 'env>) -> Result<R, Abort<E>>,
) -> Result<R, E> {
    let mut run = TransactionRun::new();
    loop {
        match run.attempt(&mut closure) {
            AttemptOutcome::Committed(value) => {
                run.finish();
                return Ok(value);
            }
            AttemptOutcome::Failed(error) => {
                run.finish();
                return Err(error);
            }
            AttemptOutcome::RolledBack(event) => run.wait(event),
        }
    }
}

/// How one attempt has ended.
enum AttemptOutcome<R, E> {
    Committed(R),
    Failed(E),
    /// With the event to wait for, if it is not just a conflict.
    RolledBack(Option<VariableWait<'static>>),
}

/// A transaction under way; dropping it rolls a running attempt back.
struct TransactionRun {
    attempt: ManuallyDrop<Borrowed>,
    state: RunState,
    is_irrevocable: bool,
    rollbacks: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunState {
    /// No attempt is under way.
    Between,
    Attempting,
    /// The memory is given back.
    Over,
}

impl TransactionRun {
    #[inline(always)]
    #[track_caller]
    fn new() -> Self {
        Self {
            attempt: ManuallyDrop::new(Borrowed::take()),
            state: RunState::Between,
            is_irrevocable: false,
            rollbacks: 0,
        }
    }

    /// Begin, closure, commit or rollback: once.
    #[inline(always)]
    #[track_caller]
    fn attempt<'env, R, E>(
        &mut self,
        closure: &mut impl for<'t> FnMut(&mut ScopedTx<'t, 'env>) -> Result<R, Abort<E>>,
    ) -> AttemptOutcome<R, E> {
        self.attempt.begin_loose(Mode::Logged);
        self.state = RunState::Attempting;
        match closure(ScopedTx::of(&mut self.attempt)) {
            Ok(value) if self.attempt.commit().is_ok() => {
                self.attempt.end();
                self.state = RunState::Between;
                AttemptOutcome::Committed(value)
            }
            Err(Abort::Failed(error)) if self.attempt.stopped.is_none() => {
                self.roll_back(Cause::Failed);
                AttemptOutcome::Failed(error)
            }
            // Also a closure that has swallowed a rollback, or brings one from elsewhere.
            _ => {
                let waits_for_nothing = between::waits_for_nothing(&self.attempt);
                let event = self.roll_back(Cause::ReadOverwritten);
                assert!(!waits_for_nothing, "{}", between::WAITS_FOR_NOTHING);
                AttemptOutcome::RolledBack(event)
            }
        }
    }

    /// Ends the attempt under way without effect; answers what to wait for before another one.
    #[cold]
    fn roll_back(&mut self, otherwise: Cause) -> Option<VariableWait<'static>> {
        self.state = RunState::Between;
        let AttemptVerdict { event, .. } = between::roll_back(&mut self.attempt, otherwise);
        if self.is_irrevocable {
            self.open_gate();
        }
        if let Some(hooks) = self.attempt.hooks.take() {
            thread_cache::outside(|| hooks::call(*hooks, Ended::RolledBack));
        }
        if self.attempt.writes.has_left() {
            let left = self.attempt.writes.take_left();
            thread_cache::outside(|| drop(left));
        }
        event
    }

    #[cold]
    fn open_gate(&mut self) {
        self.is_irrevocable = false;
        let domain = self.attempt.domain;
        domain.gate.open(self.attempt.slot.number(), &domain.waits);
    }

    /// Waits before another attempt, and sees to it that one of them succeeds.
    #[cold]
    fn wait(&mut self, event: Option<VariableWait<'static>>) {
        match event {
            // No sign that this transaction starves.
            Some(event) => between::sleep_until(&event),
            None => {
                self.rollbacks += 1;
                between::pause(self.rollbacks);
            }
        }
        if self.rollbacks >= between::ROLLBACKS_UNTIL_IRREVOCABLE {
            between::close_gate(&self.attempt);
            self.is_irrevocable = true;
        }
        self.attempt.point();
    }

    /// The end of the transaction.
    #[inline(always)]
    fn finish(&mut self) {
        if self.is_irrevocable {
            self.open_gate();
        }
        if self.attempt.hooks.is_some() {
            self.call_on_commit();
        }
        self.give_back();
    }

    #[inline(always)]
    fn give_back(&mut self) {
        self.state = RunState::Over;
        // SAFETY: once, as the state says; nobody uses it afterwards.
        unsafe { ManuallyDrop::drop(&mut self.attempt) };
    }

    /// The end of a transaction that panics.
    #[cold]
    fn abandon(&mut self) {
        if self.state == RunState::Attempting {
            self.roll_back(Cause::Dropped);
        }
        if self.is_irrevocable {
            self.open_gate();
        }
        self.give_back();
    }

    #[cold]
    fn call_on_commit(&mut self) {
        if let Some(hooks) = self.attempt.hooks.take() {
            thread_cache::outside(|| hooks::call(*hooks, Ended::Committed));
        }
    }
}

impl Drop for TransactionRun {
    #[inline(always)]
    fn drop(&mut self) {
        if self.state != RunState::Over {
            self.abandon();
        }
    }
}
