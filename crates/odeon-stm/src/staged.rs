//! Attempts in stages, for runtimes that decide themselves when a commit happens: run a closure,
//! and later, perhaps on another thread, commit, or prepare and decide still later.
//!
//! ```text
//!            run              commit
//!  state ────────► Finished ──────────► committed
//!                     │ prepare   commit / roll_back
//!                     └─────────► Prepared ──────────► committed / rolled back
//! ```
//!
//! An attempt may also have parts, each on a state and a thread of its own, between which it can be
//! prepared: a [`Journey`].
//!
//! Any stage but the last may answer [`RolledBack`], which says why and can be waited for. Dropping
//! a stage rolls back.

mod here;
mod journey;
mod on_snapshot;

pub use here::{AfterCommit, FinishedHere, attempt_here};
pub use journey::Journey;
pub use on_snapshot::{FinishedOnSnapshot, SharedSnapshot};

use crate::attempt::between::{self, AttemptVerdict};
use crate::attempt::snapshot;
use crate::attempt::snapshot::run::DEFAULT_LIMIT;
use crate::attempt::thread_cache::{self, Borrowed};
use crate::attempt::transaction::Tx;
use crate::attempt::{Attempt, Mode};
use crate::domain::wakeup::VariableWait;
use crate::words::abort::{Abort, Cause};
use crate::words::hooks::{self, Ended};
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::task::Waker;

/// How one run of a closure has ended; see [`attempt`].
#[derive(Debug)]
pub enum Attempted<F, R, E> {
    /// It can be committed.
    Finished(F, R),
    /// It has answered with an error of its own, and was rolled back.
    Failed(E),
    /// It met a conflict or asked to wait; in another than the logged mode the latter is
    /// [`Cause::CannotWait`].
    RolledBack(RolledBack),
}

/// Runs `closure` once on `state`, without committing.
///
/// A closure without errors of its own has to name some type of errors all the same, as in
/// `Ok::<_, Abort<()>>` here:
///
/// ```
/// use odeon_stm::staged::{Attempted, attempt};
/// use odeon_stm::{Abort, Mode, TVar};
/// use std::sync::Arc;
///
/// let balance = Arc::new(TVar::new(5_u64));
/// let run = attempt(balance.clone(), Mode::Logged, |balance, tx| {
///     balance.update(tx, |b| b + 1)?;
///     Ok::<_, Abort<()>>(balance.get(tx)?)
/// });
/// let Attempted::Finished(finished, seen) = run else { panic!("nobody else is here") };
/// assert_eq!((seen, balance.peek()), (6, 5));
/// finished.commit().unwrap();
/// assert_eq!(balance.peek(), 6);
/// ```
///
/// # Panics
///
/// Panics if the closure panics, after a rollback; and at the caller's line within a transaction,
/// or if the closure asks to retry in the logged mode and has read nothing. Panics if 4,094
/// attempts are under way or prepared: that is more than a runtime should have open, and no error
/// that a closure could do something about.
#[track_caller]
pub fn attempt<S, R, E>(
    state: Arc<S>,
    mode: Mode,
    closure: impl for<'t> FnOnce(&'t S, &mut Tx<'t>) -> Result<R, Abort<E>>,
) -> Attempted<Finished<S>, R, E> {
    let mut borrowed = Borrowed::take();
    match mode {
        Mode::Snapshot => snapshot::begin(&mut borrowed, DEFAULT_LIMIT),
        Mode::Logged | Mode::Direct | Mode::Relaxed => borrowed.begin(mode),
    }
    let mut running = RunningAttempt(ManuallyDrop::new(borrowed));
    let outcome = closure(&state, Tx::of(&mut running.0));
    match outcome {
        Ok(value) if running.0.stopped.is_none() => {
            let kept = running.finish().keep();
            Attempted::Finished(Finished { attempt: Some(kept), _state: state }, value)
        }
        Err(Abort::Failed(error)) if running.0.stopped.is_none() => {
            end(running.finish().keep(), Cause::Failed);
            Attempted::Failed(error)
        }
        _ => {
            let waits_for_nothing = between::waits_for_nothing(&running.0);
            let rolled_back = end(running.finish().keep(), Cause::ReadOverwritten);
            assert!(!waits_for_nothing, "{}", between::WAITS_FOR_NOTHING);
            Attempted::RolledBack(rolled_back)
        }
    }
}

/// An attempt whose closure runs.
struct RunningAttempt(ManuallyDrop<Borrowed>);

impl RunningAttempt {
    fn finish(self) -> Borrowed {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: taken once; `this` is not dropped.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

impl Drop for RunningAttempt {
    /// The closure has panicked.
    fn drop(&mut self) {
        // SAFETY: taken once, here.
        end(unsafe { ManuallyDrop::take(&mut self.0) }.keep(), Cause::Dropped);
    }
}

/// Rolls back and ends; answers why.
fn end(mut attempt: Box<Attempt>, otherwise: Cause) -> RolledBack {
    let AttemptVerdict { cause, label, event } = between::roll_back(&mut attempt, otherwise);
    let hooks = attempt.hooks.take();
    thread_cache::give_back(attempt);
    if let Some(hooks) = hooks {
        hooks::call(*hooks, Ended::RolledBack);
    }
    RolledBack { cause, label, wait: event }
}

/// The end after a success.
fn succeed(mut attempt: Box<Attempt>) {
    attempt.end();
    let hooks = attempt.hooks.take();
    thread_cache::give_back(attempt);
    if let Some(hooks) = hooks {
        hooks::call(*hooks, Ended::Committed);
    }
}

/// An attempt whose closure has ended well, and which has not committed. It may wait, and be sent
/// to another thread; the longer it waits the likelier is a conflict.
#[must_use = "dropping it rolls back"]
pub struct Finished<S> {
    /// `None` once it has gone on to the next stage.
    attempt: Option<Box<Attempt>>,
    _state: Arc<S>,
}

impl<S> Finished<S> {
    /// Commits.
    ///
    /// # Errors
    ///
    /// [`RolledBack`] if there is a conflict; the closure has to be run again.
    pub fn commit(mut self) -> Result<(), RolledBack> {
        let mut attempt = self.attempt.take().expect("once only");
        match attempt.commit() {
            Ok(()) => {
                succeed(attempt);
                Ok(())
            }
            Err(_) => Err(end(attempt, Cause::ReadOverwritten)),
        }
    }

    /// Makes sure that nothing can come between this attempt and its commit, without committing.
    /// Variables that it will write can be read by snapshots only until it is decided, variables
    /// that it has read cannot be written; nobody else is in its way, nor it in theirs.
    ///
    /// Transactions that are in its way sleep until it is decided. That includes transactions of
    /// the thread that is to decide: it must not use these variables before, or it sleeps for ever.
    /// With [`std::mem::forget`] of a [`Prepared`] they are lost for all.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    ///
    /// # Panics
    ///
    /// Panics if the attempt is not a logged one, or is [journaled](crate::Tx::log_to).
    #[track_caller]
    pub fn prepare(mut self) -> Result<Prepared<S>, RolledBack> {
        let unprepared = self.attempt.as_ref();
        let mode = unprepared.map(|attempt| attempt.mode);
        assert_eq!(mode, Some(Mode::Logged), "only logged attempts can be prepared");
        let is_journaled = unprepared.is_some_and(|attempt| attempt.told.log().is_some());
        assert!(!is_journaled, "an attempt that is journaled cannot be prepared");
        let mut attempt = self.attempt.take().expect("once only");
        match attempt.prepare() {
            Ok(()) => Ok(Prepared { attempt: Some(attempt), _state: self._state.clone() }),
            Err(_) => Err(end(attempt, Cause::ReadOverwritten)),
        }
    }

    /// Rolls back, for which `cause` is counted.
    pub fn roll_back(mut self) {
        end(self.attempt.take().expect("once only"), Cause::Dropped);
    }
}

impl<S> Drop for Finished<S> {
    fn drop(&mut self) {
        if let Some(attempt) = self.attempt.take() {
            end(attempt, Cause::Dropped);
        }
    }
}

impl<S> fmt::Debug for Finished<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished").finish_non_exhaustive()
    }
}

/// An attempt that will succeed if nobody decides otherwise: it may be committed or rolled back at
/// any time, on any thread, and neither can fail. Until then others [sleep](Finished::prepare) that
/// are in its way.
#[must_use = "dropping it rolls back"]
pub struct Prepared<S> {
    /// `None` once it is decided.
    attempt: Option<Box<Attempt>>,
    _state: Arc<S>,
}

impl<S> Prepared<S> {
    /// Commits.
    pub fn commit(mut self) {
        let mut attempt = self.attempt.take().expect("once only");
        attempt.commit_prepared(|| ());
        succeed(attempt);
    }

    /// Rolls back.
    pub fn roll_back(self) {
        drop(self);
    }
}

impl<S> Drop for Prepared<S> {
    fn drop(&mut self) {
        if let Some(mut attempt) = self.attempt.take() {
            attempt.let_go_prepared();
            end(attempt, Cause::Dropped);
        }
    }
}

impl<S> fmt::Debug for Prepared<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").finish_non_exhaustive()
    }
}

/// Why an attempt did not succeed, and what to wait for before another one.
#[derive(Debug)]
pub struct RolledBack {
    cause: Cause,
    label: Option<&'static str>,
    wait: Option<VariableWait<'static>>,
}

impl RolledBack {
    /// Why.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// The label of the variable at which it happened, if it happened at one that is
    /// [`Labelled`](crate::Labelled).
    ///
    /// ```
    /// use odeon_stm::staged::{Attempted, attempt_here};
    /// use odeon_stm::{Abort, Labelled, Mode, TVar, atomically};
    ///
    /// let total = Labelled::new("total", TVar::new(0_u64));
    /// let run = attempt_here(Mode::Logged, |tx| {
    ///     let seen = total.get(tx)?;
    ///     std::thread::scope(|scope| {
    ///         scope.spawn(|| atomically(|tx| total.update(tx, |n| n + 1)));
    ///     });
    ///     total.set(tx, seen + 1)?;
    ///     Ok::<_, Abort<()>>(())
    /// });
    /// let Attempted::Finished(finished, ()) = run else { panic!("the conflict is seen at the commit") };
    /// assert_eq!(finished.commit().unwrap_err().label(), Some("total"));
    /// ```
    pub fn label(&self) -> Option<&'static str> {
        self.label
    }

    /// Has `waker` woken when another attempt has a chance: when something that a retrying attempt
    /// has read has changed, or the prepared or irrevocable attempt in the way is over. At once, if
    /// there is nothing to wait for. No thread is held meanwhile; dropping the [`Awaited`] cancels.
    pub fn wake(self, waker: Waker) -> Awaited {
        match &self.wait {
            Some(wait) => wait.set_waker(waker),
            None => waker.wake(),
        }
        Awaited(self.wait)
    }
}

/// A wait that was asked for by [`RolledBack::wake`].
#[derive(Debug)]
#[must_use = "dropping it cancels the wait"]
pub struct Awaited(Option<VariableWait<'static>>);

impl Awaited {
    /// Whether the waker was woken.
    pub fn is_over(&self) -> bool {
        self.0.as_ref().is_none_or(VariableWait::is_over)
    }
}
