//! Ways in which tests break the engine, to show that they would notice.

/// One deliberate defect; outside of tests no engine has any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Commits do not look whether what they have read still stands.
    NoValidation,
    /// An attempt that meets a younger value goes on without looking at what it has read before.
    UncheckedExtension,
    /// Writes are visible at once.
    WriteThrough,
    /// Commits wake nobody.
    NoWakeUp,
    /// Commits keep nothing for snapshots.
    NothingKept,
    /// Preparing does not protect what was read.
    ReadsUnprotected,
    /// Overwritten values are freed without a look at the attempts.
    EarlyFree,
}
