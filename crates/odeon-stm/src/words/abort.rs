//! Why attempts roll back.

use std::fmt;

/// The engine's word that an attempt cannot go on; a closure passes it on with `?`.
///
/// Reads and writes answer `Result<_, Rollback>`. Who was given a `Rollback` cannot commit the
/// attempt any more: ignoring it changes nothing, the attempt rolls back when its closure ends. One
/// that is answered in another attempt than its own rolls that back too, like a conflict; a
/// snapshot panics. Why it happened is counted by [`Cause`] in the [statistics](crate::stats).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "pass it on with `?`: the attempt is to be rolled back"]
pub struct Rollback(());

impl Rollback {
    pub(crate) const NEW: Self = Self(());
}

impl fmt::Display for Rollback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the attempt has to be rolled back")
    }
}

impl std::error::Error for Rollback {}

/// How a closure with errors of its own ends without success.
///
/// `?` turns a [`Rollback`] into it; a user's error is `Err(Abort::Failed(error))`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abort<E> {
    /// The engine rolls the attempt back and, unless it is a snapshot, runs the closure again.
    Rollback(Rollback),
    /// The attempt is rolled back and the error handed to the caller.
    Failed(E),
}

impl<R: IsRollback, E> From<R> for Abort<E> {
    fn from(rollback: R) -> Self {
        Self::Rollback(rollback.into_rollback())
    }
}

mod sealed {
    /// [`Rollback`](super::Rollback): a trait, so that the compiler says what to do with other
    /// errors.
    #[diagnostic::on_unimplemented(
        label = "`?` passes on what the engine answers: an error of your own is `.or_else(fail)?` in a handler, \
                 `.map_err(Abort::Failed)?` elsewhere"
    )]
    pub trait IsRollback {
        #[doc(hidden)]
        fn into_rollback(self) -> super::Rollback;
    }
}
use sealed::IsRollback;

impl IsRollback for Rollback {
    fn into_rollback(self) -> Self {
        self
    }
}

/// What can end an attempt without a commit, and what to do then. [`atomically`](crate::atomically)
/// does it by itself; the causes are for who runs [stages](crate::staged) and for
/// [statistics](crate::stats).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// A variable that the attempt has read was written by another one before it could commit. Run
    /// the closure again; if it happens often, read less in one attempt, or see whether a
    /// [`TCounter`](crate::TCounter) or a collection does.
    ReadOverwritten,
    /// A variable was about to be written by another commit, which did not end for long. Run the
    /// closure again.
    WriteLocked,
    /// A variable is held by a prepared or direct attempt whose outcome is not known yet.
    /// [Wait](crate::staged::RolledBack::wake) for the decision, then run the closure again.
    Prepared,
    /// An irrevocable attempt runs. [Wait](crate::staged::RolledBack::wake) for its end, then run
    /// the closure again.
    Irrevocable,
    /// As many prepared attempts as the engine has room for, 2,047, protect a variable that this
    /// one has read. Prepare fewer at a time; run the closure again when some are decided.
    TooManyPrepared,
    /// The limit of values kept for this snapshot is reached, or it has met a variable that is
    /// younger, or that was written and moved while it ran. Take another snapshot, a shorter one or
    /// with [a greater limit](crate::snapshot_within).
    SnapshotExpired,
    /// The closure asked to wait until something it has read changes.
    /// [Wait](crate::staged::RolledBack::wake) for that, then run the closure again.
    Retry,
    /// The closure asked to wait in a [mode](crate::Mode) that does not remember what was read, so
    /// nobody would know for what. Run it in the logged mode.
    CannotWait,
    /// The closure answered with an error of its own. It is for the caller.
    Failed,
    /// The closure panicked, or its attempt was dropped. Nothing is to be done.
    Dropped,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 10] = [
        Self::ReadOverwritten,
        Self::WriteLocked,
        Self::Prepared,
        Self::Irrevocable,
        Self::TooManyPrepared,
        Self::SnapshotExpired,
        Self::Retry,
        Self::CannotWait,
        Self::Failed,
        Self::Dropped,
    ];

    /// Whether the same closure may succeed if it is run again in the same mode.
    pub fn is_transient(self) -> bool {
        !matches!(self, Self::SnapshotExpired | Self::CannotWait | Self::Failed | Self::Dropped)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOverwritten => "read overwritten",
            Self::WriteLocked => "write locked",
            Self::Prepared => "prepared",
            Self::Irrevocable => "irrevocable",
            Self::TooManyPrepared => "too many prepared",
            Self::SnapshotExpired => "snapshot expired",
            Self::Retry => "retry",
            Self::CannotWait => "cannot wait",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
