//! What a message does with the state of its actor.

/// How the handler of a message uses the state of an actor that may handle several messages at
/// once; see [`Message::access`](crate::Message::access). Other actors handle one after the other,
/// whatever it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Reads and writes; beside other messages of the actor, and repeated after a conflict.
    #[default]
    Update,
    /// Only reads, all as of one moment. Never repeated, and in nobody's way. A write fails the
    /// message.
    Snapshot,
    /// Only reads, each variable as it is at that instant, so that several reads may see parts of
    /// several states. For sums that need not be exact, looks and decisions by rule of thumb: it
    /// costs less than a snapshot, and likewise is never repeated and in nobody's way. A write
    /// fails the message. From its 65,537th read on it goes on as a snapshot.
    Relaxed,
    /// Alone on its actor, and exactly once: for input and output, and whatever else cannot be
    /// repeated.
    Exclusive,
}

impl Access {
    /// Whether the handler may not write.
    pub fn only_reads(self) -> bool {
        matches!(self, Self::Snapshot | Self::Relaxed)
    }
}
