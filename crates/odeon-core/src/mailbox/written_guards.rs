//! Guards as they go to another theater with an actor that moves.

/// Guards as they can be written down: see `mailbox/guards.rs` for what the numbers mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenGuards {
    /// The open mailboxes, one bit each.
    pub open: u64,
    /// Those in which the actor waits for answers.
    pub awaited: u64,
    /// What will be open when they have come.
    pub afterwards: u64,
    /// How many answers are missing.
    pub answers: u32,
}

impl WrittenGuards {
    /// Of an actor that waits for nothing and has closed nothing.
    pub const ALL_OPEN: Self = Self { open: u64::MAX, awaited: 0, afterwards: 0, answers: 0 };
}
