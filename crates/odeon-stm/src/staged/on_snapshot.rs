//! Several attempts on one snapshot, one after the other.

use super::here::AfterCommit;
use super::{Attempted, RolledBack};
use crate::attempt::scoped::ScopedTx;
use crate::attempt::snapshot;
use crate::attempt::snapshot::run::DEFAULT_LIMIT;
use crate::attempt::thread_cache::{self, Borrowed, Within};
use crate::attempt::{Attempt, Stopped};
use crate::words::abort::{Abort, Cause};
use crate::words::hooks::{self, Ended, Hooks};
use std::fmt;
use std::marker::PhantomData;

/// A snapshot on which closures run one after the other, as [`attempt_here`](super::attempt_here)
/// in the mode [`Snapshot`](crate::Mode::Snapshot) does with one: that one costs the begin and the
/// end of a snapshot, these share them. All see the moment at which the snapshot was begun, and
/// each succeeds, fails or panics for itself.
///
/// ```
/// use odeon_stm::staged::{Attempted, SharedSnapshot};
/// use odeon_stm::{Abort, TVar, atomically};
///
/// let stock = TVar::new(5);
/// let mut snapshot = SharedSnapshot::begin();
/// atomically(|tx| stock.set(tx, 6));
/// for _ in 0..3 {
///     let run = snapshot.attempt(|tx| Ok::<_, Abort<()>>(stock.get(tx)?));
///     let Attempted::Finished(finished, seen) = run else { panic!("it asks for nothing") };
///     finished.commit();
///     assert_eq!(seen, 5);
/// }
/// ```
///
/// Between two of them the thread may run other transactions. One that
/// [expires](crate::SnapshotExpired) is over for its closure, and begun anew for the next ones.
pub struct SharedSnapshot {
    /// There until the end.
    attempt: Option<Box<Attempt>>,
    _thread: PhantomData<*const ()>,
}

impl SharedSnapshot {
    /// Begins a snapshot of this moment.
    ///
    /// # Panics
    ///
    /// Panics at the caller's line within a transaction or snapshot, and if 4,094 attempts are
    /// under way or prepared.
    #[track_caller]
    pub fn begin() -> Self {
        let mut attempt = Borrowed::take();
        snapshot::begin(&mut attempt, DEFAULT_LIMIT);
        Self { attempt: Some(attempt.keep()), _thread: PhantomData }
    }

    /// Runs `closure` on the snapshot.
    ///
    /// # Panics
    ///
    /// Panics at the caller's line within a transaction or snapshot; and if the closure panics or
    /// writes, after which the snapshot can be used again.
    #[track_caller]
    pub fn attempt<'env, R, E>(
        &mut self,
        closure: impl for<'t> FnOnce(&mut ScopedTx<'t, 'env>) -> Result<R, Abort<E>>,
    ) -> Attempted<FinishedOnSnapshot, R, E> {
        let within = Within::begin();
        let attempt = self.attempt.as_mut().expect("there until the end");
        let mut running = RunningClosure { attempt, within: Some(within) };
        let outcome = closure(ScopedTx::of(running.attempt));
        match outcome {
            Ok(value) if running.attempt.stopped.is_none() => {
                Attempted::Finished(running.finish(), value)
            }
            Err(Abort::Failed(error)) if running.attempt.stopped.is_none() => {
                running.roll_back(Cause::Failed);
                Attempted::Failed(error)
            }
            _ => Attempted::RolledBack(running.roll_back(Cause::ReadOverwritten)),
        }
    }
}

impl Drop for SharedSnapshot {
    fn drop(&mut self) {
        if let Some(mut attempt) = self.attempt.take() {
            attempt.end();
            thread_cache::give_back(attempt);
        }
    }
}

impl fmt::Debug for SharedSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSnapshot").finish_non_exhaustive()
    }
}

/// A closure that runs.
struct RunningClosure<'a> {
    attempt: &'a mut Attempt,
    /// `None` once it has ended.
    within: Option<Within>,
}

impl RunningClosure<'_> {
    fn finish(mut self) -> FinishedOnSnapshot {
        self.within = None;
        self.attempt.slot.counters.committed(0, 0);
        self.attempt.forget_copies();
        FinishedOnSnapshot(self.attempt.hooks.take())
    }

    #[cold]
    fn roll_back(&mut self, otherwise: Cause) -> RolledBack {
        self.within = None;
        let attempt = &mut *self.attempt;
        let mut stopped =
            attempt.stopped.take().unwrap_or(Stopped { cause: otherwise, cell: None });
        if stopped.cause == Cause::Retry {
            stopped.cause = Cause::CannotWait;
        }
        let label = attempt.roll_back(stopped);
        if stopped.cause == Cause::SnapshotExpired {
            attempt.end();
            snapshot::begin(attempt, DEFAULT_LIMIT);
        } else {
            attempt.forget_copies();
        }
        if let Some(hooks) = attempt.hooks.take() {
            hooks::call(*hooks, Ended::RolledBack);
        }
        RolledBack { cause: stopped.cause, label, wait: None }
    }
}

impl Drop for RunningClosure<'_> {
    /// The closure has panicked, if it has not ended.
    fn drop(&mut self) {
        if self.within.is_some() {
            self.roll_back(Cause::Dropped);
        }
    }
}

/// A closure on a [`SharedSnapshot`] that has ended well. Nothing is in the way of its commit;
/// dropping it rolls back.
#[must_use = "dropping it rolls back"]
pub struct FinishedOnSnapshot(Option<Box<Hooks>>);

impl FinishedOnSnapshot {
    /// Whether something is to be called after the commit
    /// ([`Tx::on_commit`](crate::Tx::on_commit)).
    #[inline]
    pub fn has_hooks(&self) -> bool {
        self.0.is_some()
    }

    /// Commits.
    #[inline]
    pub fn commit(self) {
        self.commit_before_hooks().call();
    }

    /// As [`commit`](Self::commit), but what is to be called after the commit is left to the
    /// caller.
    #[inline]
    pub fn commit_before_hooks(mut self) -> AfterCommit {
        AfterCommit(self.0.take())
    }
}

impl Drop for FinishedOnSnapshot {
    fn drop(&mut self) {
        if let Some(hooks) = self.0.take() {
            hooks::call(*hooks, Ended::RolledBack);
        }
    }
}

impl fmt::Debug for FinishedOnSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinishedOnSnapshot").finish_non_exhaustive()
    }
}
