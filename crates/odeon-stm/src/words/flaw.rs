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
    /// Variables are made in the epoch after the running one.
    BornTooLate,
    /// What was kept of a variable is found under its address when that is another one's.
    OlderValuesStay,
    /// Commits beside a snapshot stamp all that they write with one epoch.
    SharedStamps,
    /// Preparing does not protect what was read.
    ReadsUnprotected,
    /// Who protects a variable may take it to write, whoever else protects it.
    UpgradeOverOthers,
    /// Commits take their number before they lock what they write.
    EarlyNumber,
    /// Commits take their number when they have let go of what they have written.
    LateNumber,
    /// Overwritten values are freed without a look at the attempts.
    EarlyFree,
}
