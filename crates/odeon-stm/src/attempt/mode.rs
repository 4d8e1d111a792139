//! The modes of attempts.

/// How an attempt runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Reads are remembered and checked at the commit; attempts of any number of threads at once.
    Logged,
    /// Reads are not remembered. The caller sees to it that nobody else writes what this attempt
    /// reads or writes, from its begin to its end; snapshots may look. If the caller does not,
    /// attempts are not isolated from each other.
    Direct,
    /// Reads see one moment; a write panics, for an attempt on a snapshot writes nothing.
    Snapshot,
    /// Each read answers the latest committed value of its variable, so several reads may see parts
    /// of several states: later ones never an earlier state than those before. It delays nobody and
    /// is in nobody's way, and waits for nothing but a commit that is at the very variable. A write
    /// panics.
    ///
    /// From its 65,537th read on it goes on as a [`Snapshot`](Mode::Snapshot) of that moment, which
    /// may [expire](crate::SnapshotExpired): so a walk along links ends, however others change them
    /// meanwhile.
    Relaxed,
}

impl Mode {
    /// Whether its attempts may write.
    #[inline(always)]
    pub(crate) fn writes(self) -> bool {
        matches!(self, Self::Logged | Self::Direct)
    }
}
