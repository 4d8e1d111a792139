//! Tasks of other runtimes, as far as they are known.

/// A task of an asynchronous runtime beside Odeon, as far as it is known to
/// [`TheaterBuilder::foreign_tasks`](crate::TheaterBuilder::foreign_tasks).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignTask {
    /// A task with a number that no other task of the process has: a sender of its own.
    Numbered(u64),
    /// Some task: as a sender it is the thread that it runs on.
    Unnumbered,
}
