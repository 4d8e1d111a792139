//! Attempts on borrowed variables, which stay on their thread from begin to end.

use super::{Attempted, RolledBack};
use crate::attempt::Mode;
use crate::attempt::between::{self, AttemptVerdict};
use crate::attempt::scoped::ScopedTx;
use crate::attempt::snapshot;
use crate::attempt::snapshot::run::DEFAULT_LIMIT;
use crate::attempt::thread_cache::{self, Borrowed, Escaping};
use crate::words::abort::{Abort, Cause};
use crate::words::hooks::{self, Ended, Hooks};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

/// As [`attempt`](super::attempt), for variables that are only borrowed: cheaper, but the attempt
/// cannot leave the thread, and the thread begins no other one until it has ended.
///
/// ```
/// use odeon_stm::staged::{Attempted, attempt_here};
/// use odeon_stm::{Abort, Mode, TVar};
///
/// let balance = TVar::new(5_u64);
/// let run = attempt_here(Mode::Logged, |tx| {
///     balance.update(tx, |b| b + 1)?;
///     Ok::<_, Abort<()>>(balance.get(tx)?)
/// });
/// let Attempted::Finished(finished, seen) = run else { panic!("nobody else is here") };
/// assert_eq!((seen, balance.peek()), (6, 5));
/// finished.commit().unwrap();
/// assert_eq!(balance.peek(), 6);
/// ```
///
/// A relaxed attempt sees what is there at each read, and is never rolled back by others:
///
/// ```
/// # use odeon_stm::staged::{Attempted, attempt_here};
/// # use odeon_stm::{Abort, Mode, TList};
/// let list: TList<u64> = (0..10).collect();
/// let run = attempt_here(Mode::Relaxed, |tx| Ok::<_, Abort<()>>(list.fold(tx, 0, |sum, n| sum + n)?));
/// let Attempted::Finished(finished, about) = run else { panic!("it asks for nothing") };
/// finished.commit().unwrap();
/// assert_eq!(about, 45);
/// ```
///
/// A direct attempt that asks to retry waits for nothing.
///
/// # Panics
///
/// As [`attempt`](super::attempt).
#[inline(always)]
#[track_caller]
pub fn attempt_here<'env, R, E>(
    mode: Mode,
    closure: impl for<'t> FnOnce(&mut ScopedTx<'t, 'env>) -> Result<R, Abort<E>>,
) -> Attempted<FinishedHere<'env>, R, E> {
    let mut running = FinishedHere {
        attempt: Escaping::new(Borrowed::take()),
        is_running: true,
        _env: PhantomData,
        _thread: PhantomData,
    };
    match mode {
        Mode::Snapshot => snapshot::begin(&mut running.attempt, DEFAULT_LIMIT),
        // The variables are borrowed for longer than the attempt runs (I3).
        Mode::Logged | Mode::Direct | Mode::Relaxed => running.attempt.begin_loose(mode),
    }
    let outcome = closure(ScopedTx::of(&mut running.attempt));
    match outcome {
        Ok(value) if running.attempt.stopped.is_none() => Attempted::Finished(running, value),
        Err(Abort::Failed(error)) if running.attempt.stopped.is_none() => {
            running.end(Cause::Failed);
            Attempted::Failed(error)
        }
        _ => {
            // Of a direct attempt it is not known what it has read: the caller runs a logged one.
            let waits_for_nothing =
                mode != Mode::Direct && between::waits_for_nothing(&running.attempt);
            let rolled_back = running.end(Cause::ReadOverwritten);
            assert!(!waits_for_nothing, "{}", between::WAITS_FOR_NOTHING);
            Attempted::RolledBack(rolled_back)
        }
    }
}

/// An attempt of [`attempt_here`] whose closure has ended well, and which has not committed.
/// Dropping it rolls back.
///
/// One that is given to [`std::mem::forget`] is under way for ever: its thread can begin no other
/// transaction, and what it holds, as a snapshot each old value since, is not freed any more.
#[must_use = "dropping it rolls back"]
pub struct FinishedHere<'env> {
    attempt: Escaping,
    is_running: bool,
    _env: PhantomData<fn(&'env ()) -> &'env ()>,
    _thread: PhantomData<*const ()>,
}

impl FinishedHere<'_> {
    /// Whether it will write anything.
    #[inline]
    pub fn has_written(&self) -> bool {
        !self.attempt.writes.is_empty()
    }

    /// Whether something is to be called after the commit
    /// ([`Tx::on_commit`](crate::Tx::on_commit)).
    #[inline]
    pub fn has_hooks(&self) -> bool {
        self.attempt.hooks.is_some()
    }

    /// Commits.
    ///
    /// # Errors
    ///
    /// [`RolledBack`] if there is a conflict; the closure has to be run again.
    #[inline]
    pub fn commit(self) -> Result<(), RolledBack> {
        self.commit_before_hooks().map(AfterCommit::call)
    }

    /// As [`commit`](Self::commit), but what is to be called after the commit is left to the
    /// caller: who contains its panics knows that the attempt has committed.
    ///
    /// # Errors
    ///
    /// As [`commit`](Self::commit).
    #[inline]
    pub fn commit_before_hooks(mut self) -> Result<AfterCommit, RolledBack> {
        if self.attempt.commit().is_err() {
            return Err(self.end(Cause::ReadOverwritten));
        }
        self.attempt.end();
        let hooks = self.attempt.hooks.take();
        self.give_back();
        Ok(AfterCommit(hooks))
    }

    /// [`commit`](Self::commit) for the common case, in a straight line: a direct attempt that has
    /// no hooks and writes at most one number, to a variable that nobody waits for, while no
    /// snapshot runs.
    ///
    /// # Errors
    ///
    /// The attempt as it was, in all other cases.
    #[inline(always)]
    pub fn commit_if_simple(mut self) -> Result<(), Self> {
        if self.attempt.hooks.is_some() || !self.attempt.commit_if_simple() {
            return Err(self);
        }
        self.attempt.end_direct();
        self.give_back();
        Ok(())
    }

    /// The drop of one whose attempt has ended. WHY not that itself: the compiler does not put it
    /// in line, which costs each commit some thirty instructions.
    #[inline(always)]
    fn give_back(self) {
        let this = ManuallyDrop::new(self);
        // SAFETY: once; `this` is neither used nor dropped.
        drop(unsafe { std::ptr::read(&this.attempt) });
    }

    #[cold]
    fn end(&mut self, otherwise: Cause) -> RolledBack {
        self.is_running = false;
        let AttemptVerdict { cause, label, event } =
            between::roll_back(&mut self.attempt, otherwise);
        if let Some(hooks) = self.attempt.hooks.take() {
            thread_cache::outside(|| hooks::call(*hooks, Ended::RolledBack));
        }
        RolledBack { cause, label, wait: event }
    }
}

/// What is to be called after a commit.
#[derive(Debug)]
#[must_use = "dropped, it is not called"]
pub struct AfterCommit(pub(super) Option<Box<Hooks>>);

impl AfterCommit {
    /// Whether there is nothing to call.
    #[inline]
    pub fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    /// Calls it.
    #[inline]
    pub fn call(self) {
        if let Some(hooks) = self.0 {
            thread_cache::outside(|| hooks::call(*hooks, Ended::Committed));
        }
    }
}

impl Drop for FinishedHere<'_> {
    /// Also if the closure has panicked.
    #[inline]
    fn drop(&mut self) {
        if self.is_running {
            self.end(Cause::Dropped);
        }
    }
}

impl fmt::Debug for FinishedHere<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinishedHere").finish_non_exhaustive()
    }
}
