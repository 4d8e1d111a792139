//! An attempt in parts, each on a state of its own, which travels from one to the next.

use super::{AfterCommit, Attempted, RolledBack, end};
use crate::attempt::between::{self, AttemptVerdict};
use crate::attempt::snapshot;
use crate::attempt::snapshot::run::DEFAULT_LIMIT;
use crate::attempt::thread_cache::{self, Borrowed, Within};
use crate::attempt::transaction::Tx;
use crate::attempt::{Attempt, Mode, PartStart};
use crate::words::abort::{Abort, Cause};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// One attempt whose parts run one after the other, on any thread, each on a state of its own; all
/// of them commit at once.
///
/// A part sees what those before it have written. One that fails is undone and leaves no trace, so
/// it can be run again. What was read and written so far can be [protected](Self::protect) at any
/// time: then nobody can come between it and the commit, and the journey goes on.
///
/// ```
/// use odeon_stm::staged::{Attempted, Journey};
/// use odeon_stm::{Abort, Mode, TVar};
/// use std::sync::Arc;
///
/// let (from, to) = (Arc::new(TVar::new(5_u64)), Arc::new(TVar::new(0_u64)));
/// let mut journey = Journey::begin(Mode::Logged);
/// let run = journey.part(&from, |from, tx| {
///     from.update(tx, |balance| balance - 2)?;
///     Ok::<_, Abort<()>>(from.get(tx)?)
/// });
/// assert!(matches!(run, Attempted::Finished((), 3)));
/// journey.protect().expect("nobody else is here");
///
/// let run = journey.part(&to, |to, tx| Ok::<_, Abort<()>>(to.update(tx, |balance| balance + 2)?));
/// assert!(matches!(run, Attempted::Finished((), ())));
/// assert_eq!((from.peek(), to.peek()), (5, 0));
/// journey.commit_before_hooks().expect("nobody else is here").call();
/// assert_eq!((from.peek(), to.peek()), (3, 2));
/// ```
///
/// Dropping it rolls back and lets go of all that is protected. It is never irrevocable: whether
/// one succeeds that is stopped again and again is up to its owner.
#[must_use = "dropping it rolls back"]
pub struct Journey {
    /// `None` once it has committed.
    attempt: Option<Box<Attempt>>,
    /// Those that can be undone, the last one last.
    parts: Vec<PartStart>,
    /// What the logs point into.
    states: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Journey {
    /// Begins, without a part. A logged journey reads and writes. A snapshot reads one moment in
    /// all parts and is in nobody's way; there is nothing to protect, and its commit has no effect.
    ///
    /// The thread is free for other transactions while no part runs.
    ///
    /// # Panics
    ///
    /// Panics in the direct mode, for one owner has not all the variables of a journey, and in the
    /// relaxed one; at the caller's line within a transaction; and if 4,094 attempts are under way
    /// or prepared.
    #[track_caller]
    pub fn begin(mode: Mode) -> Self {
        let is_snapshot = mode == Mode::Snapshot;
        assert!(is_snapshot || mode == Mode::Logged, "a journey is logged or a snapshot");
        let mut attempt = Borrowed::take().keep();
        if is_snapshot {
            snapshot::begin(&mut attempt, DEFAULT_LIMIT);
        } else {
            attempt.begin(mode);
        }
        Self { attempt: Some(attempt), parts: Vec::new(), states: Vec::new() }
    }

    #[track_caller]
    fn attempt(&mut self) -> &mut Attempt {
        self.attempt.as_mut().expect("this journey has committed")
    }

    /// Runs `closure` on `state`, which the journey keeps until its end, as the next part.
    ///
    /// If the part does not finish it is undone, with all that it has read and written: the journey
    /// is as it was before, and the same part or another one can be run. What stopped it may also
    /// be that something which an earlier part has read was overwritten; then no other part
    /// succeeds either, and [`still_stands`](Self::still_stands) says so. Of an undone part nothing
    /// but its [`on_rollback`](Tx::on_rollback) remains, which is called after the end of the
    /// journey.
    ///
    /// In the statistics a part that is undone is an attempt that was rolled back.
    ///
    /// # Panics
    ///
    /// Panics if the closure panics, after the part is undone; at the caller's line within a
    /// transaction; if the closure asks to retry and nothing was read in the whole journey; and if
    /// the journey has committed.
    #[track_caller]
    pub fn part<S, R, E>(
        &mut self,
        state: &Arc<S>,
        closure: impl for<'t> FnOnce(&'t S, &mut Tx<'t>) -> Result<R, Abort<E>>,
    ) -> Attempted<(), R, E>
    where
        S: Send + Sync + 'static,
    {
        let within = Within::begin();
        self.keep(state);
        let running = RunningPart::begin(self.attempt());
        let outcome = closure(state, Tx::of(running.attempt));
        match outcome {
            Ok(value) if running.attempt.stopped.is_none() => {
                let part = running.finish();
                self.parts.push(part);
                Attempted::Finished((), value)
            }
            Err(Abort::Failed(error)) if running.attempt.stopped.is_none() => {
                running.undo(Cause::Failed);
                Attempted::Failed(error)
            }
            _ => {
                let waits_for_nothing = between::waits_for_nothing(running.attempt);
                let AttemptVerdict { cause, label, event } = running.undo(Cause::ReadOverwritten);
                drop(within);
                assert!(!waits_for_nothing, "{}", between::WAITS_FOR_NOTHING);
                Attempted::RolledBack(RolledBack { cause, label, wait: event })
            }
        }
    }

    /// The same part is often run on its state again.
    fn keep<S: Send + Sync + 'static>(&mut self, state: &Arc<S>) {
        let last = self.states.last().map(|last| Arc::as_ptr(last).cast::<()>());
        if last != Some(Arc::as_ptr(state).cast()) {
            self.states.push(state.clone());
        }
    }

    /// Undoes the last part of those that have finished since the last [`protect`](Self::protect),
    /// as if it had not run; `false` if there is none.
    pub fn undo_last(&mut self) -> bool {
        let Some(part) = self.parts.pop() else { return false };
        self.attempt().undo_part(part);
        true
    }

    /// Whether all that was read and is not protected is there still, so that the journey has a
    /// chance. A snapshot always has.
    ///
    /// # Panics
    ///
    /// Panics if the journey has committed.
    #[track_caller]
    pub fn still_stands(&mut self) -> bool {
        self.attempt().all_stands()
    }

    /// Makes sure that nothing can come between what was read and written so far and the commit, as
    /// [`prepare`](super::Finished::prepare) does for an attempt that has run to its end. What was
    /// protected before stays so and costs nothing again; further parts may read and write all of
    /// it.
    ///
    /// Others that are in its way sleep until the journey ends. Two journeys that each protect what
    /// the other one wants would wait for each other, and so would two that protect the same
    /// variable and both want to write it: whoever waits for the outcome of an error here drops its
    /// journey before, but for one at a time.
    ///
    /// # Errors
    ///
    /// [`RolledBack`] says why, and can be waited for. The journey is as before: parts can be
    /// [undone](Self::undo_last) and run again. In the statistics this is an attempt that was
    /// rolled back.
    ///
    /// # Panics
    ///
    /// Panics if the journey has committed.
    #[track_caller]
    pub fn protect(&mut self) -> Result<(), RolledBack> {
        let attempt = self.attempt();
        if attempt.mode == Mode::Logged {
            if attempt.prepare_more().is_err() {
                return Err(step_back(attempt));
            }
            while let Some(part) = self.parts.pop() {
                self.attempt().keep_part(part);
            }
        }
        Ok(())
    }

    /// Whether all that was read and written is protected, so that the commit cannot fail. Of a
    /// snapshot it always is.
    pub fn is_protected(&self) -> bool {
        self.attempt.as_ref().is_none_or(|attempt| attempt.is_protected())
    }

    /// Whether it will write anything.
    pub fn has_written(&self) -> bool {
        self.attempt.as_ref().is_some_and(|attempt| !attempt.writes.is_empty())
    }

    /// Whether a log is told of it ([`Tx::log_to`]).
    pub fn is_journaled(&self) -> bool {
        self.attempt.as_ref().is_some_and(|attempt| attempt.told.log().is_some())
    }

    /// Whether something is to be called at its end ([`Tx::on_commit`], [`Tx::on_rollback`]).
    pub fn has_hooks(&self) -> bool {
        self.attempt.as_ref().is_some_and(|attempt| attempt.hooks.is_some())
    }

    /// Commits; what is to be called after that is left to the caller. The journey is over then.
    ///
    /// If nothing is protected that is the commit of any attempt. Otherwise the rest is protected
    /// first.
    ///
    /// # Errors
    ///
    /// As [`protect`](Self::protect), and with the same outcome: the journey is as before. Never if
    /// [all is protected](Self::is_protected).
    ///
    /// # Panics
    ///
    /// Panics if the journey has committed; and, with the journey as before, if it is journaled and
    /// `serde` refuses to write a value ([`Tx::log_to`]).
    #[track_caller]
    pub fn commit_before_hooks(&mut self) -> Result<AfterCommit, RolledBack> {
        let attempt = self.attempt();
        if attempt.commit_all().is_err() {
            return Err(step_back(attempt));
        }
        let mut attempt = self.attempt.take().expect("it has just committed");
        attempt.end();
        let hooks = attempt.hooks.take();
        thread_cache::give_back(attempt);
        self.parts.clear();
        self.states.clear();
        Ok(AfterCommit(hooks))
    }

    /// Rolls back.
    pub fn roll_back(self) {
        drop(self);
    }
}

/// Why `attempt`, whose logs are as before, could not take a step.
fn step_back(attempt: &mut Attempt) -> RolledBack {
    let AttemptVerdict { cause, label, event } =
        between::step_back(attempt, Cause::ReadOverwritten);
    RolledBack { cause, label, wait: event }
}

/// A part whose closure runs. Dropping it undoes it: the closure has panicked.
struct RunningPart<'a> {
    attempt: &'a mut Attempt,
    /// `None` once it is over.
    part: Option<PartStart>,
}

impl<'a> RunningPart<'a> {
    fn begin(attempt: &'a mut Attempt) -> Self {
        let part = Some(attempt.begin_part());
        Self { attempt, part }
    }

    fn finish(mut self) -> PartStart {
        self.part.take().expect("it runs")
    }

    /// What there is to wait for is entered before the part is undone, while its logs are there.
    fn undo(mut self, otherwise: Cause) -> AttemptVerdict {
        self.undo_in_place(otherwise).expect("it runs")
    }

    fn undo_in_place(&mut self, otherwise: Cause) -> Option<AttemptVerdict> {
        let part = self.part.take()?;
        let verdict = between::step_back(self.attempt, otherwise);
        self.attempt.undo_part(part);
        Some(verdict)
    }
}

impl Drop for RunningPart<'_> {
    fn drop(&mut self) {
        self.undo_in_place(Cause::Dropped);
    }
}

impl Drop for Journey {
    fn drop(&mut self) {
        if let Some(mut attempt) = self.attempt.take() {
            attempt.let_go_prepared();
            end(attempt, Cause::Dropped);
        }
    }
}

impl fmt::Debug for Journey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journey")
            .field("is_protected", &self.is_protected())
            .finish_non_exhaustive()
    }
}
