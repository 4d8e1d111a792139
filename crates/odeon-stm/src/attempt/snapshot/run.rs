//! Running a closure on a snapshot.

use crate::attempt::between;
use crate::attempt::scoped::ScopedSnapshot;
use crate::attempt::snapshot;
use crate::attempt::thread_cache::Borrowed;
use crate::words::abort::{Cause, Rollback};
use std::fmt;

/// Old values that are kept for one snapshot unless the caller says otherwise.
pub(crate) const DEFAULT_LIMIT: usize = 1 << 20;

/// A snapshot cannot go on: more values were overwritten while it ran than were to be kept for it,
/// or it got to a variable that is younger than itself, or was written and moved while it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotExpired(());

impl fmt::Display for SnapshotExpired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the limit of old values is reached, or a variable is younger than the snapshot or was moved",
        )
    }
}

impl std::error::Error for SnapshotExpired {}

/// Runs `closure` once on the state of this moment: what it reads is consistent, and it is never
/// rolled back. It delays nobody.
///
/// Values that are overwritten while it runs are kept for it, each variable's once, up to
/// 1,048,576; [`snapshot_within`] takes another limit. Variables that are made while it runs are
/// not part of what it sees, and nothing is kept of them.
///
/// ```
/// use odeon_stm::{TVar, snapshot};
///
/// let accounts: Vec<TVar<u64>> = (0..10).map(TVar::new).collect();
/// let total = snapshot(|view| accounts.iter().map(|account| account.get(view)).sum::<Result<u64, _>>());
/// assert_eq!(total, Ok(45));
/// ```
///
/// # Errors
///
/// [`SnapshotExpired`] if the limit was reached and the closure then met a variable that was
/// overwritten meanwhile; and if the closure, by another way than through variables, got a
/// reference to one that was made meanwhile, or was written and moved meanwhile, and reads it.
///
/// # Panics
///
/// Panics at the caller's line within a transaction or snapshot, and if the closure answers a
/// [`Rollback`] that it has from elsewhere. Panics if 4,094 attempts are under way or prepared.
#[track_caller]
pub fn snapshot<'env, R>(
    closure: impl for<'t> FnOnce(&mut ScopedSnapshot<'t, 'env>) -> Result<R, Rollback>,
) -> Result<R, SnapshotExpired> {
    snapshot_within(DEFAULT_LIMIT, closure)
}

/// [`snapshot`] for which at most `limit` old values are kept.
///
/// # Errors
///
/// As [`snapshot`].
///
/// # Panics
///
/// As [`snapshot`].
#[track_caller]
pub fn snapshot_within<'env, R>(
    limit: usize,
    closure: impl for<'t> FnOnce(&mut ScopedSnapshot<'t, 'env>) -> Result<R, Rollback>,
) -> Result<R, SnapshotExpired> {
    let mut running = SnapshotRun(Borrowed::take());
    snapshot::begin(&mut running.0, limit);
    let outcome = closure(ScopedSnapshot::of(&mut running.0));
    match outcome {
        // Also a closure that has swallowed the error.
        _ if running.0.stopped.is_some() => Err(SnapshotExpired(())),
        Ok(value) => Ok(value),
        Err(_) => panic!("the closure answers a rollback that is not of this snapshot"),
    }
}

/// Ends the snapshot, also if the closure panics.
struct SnapshotRun(Borrowed);

impl Drop for SnapshotRun {
    fn drop(&mut self) {
        if self.0.stopped.is_some() {
            between::roll_back(&mut self.0, Cause::SnapshotExpired);
        } else {
            self.0.end();
        }
    }
}
