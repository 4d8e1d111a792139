//! What a message does with the state of its actor.

/// How the handler of a message uses the actor's variables; see [`SpeculativeActor::access`](crate::SpeculativeActor::access).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Reads and writes; beside other messages of the actor, and repeated after a conflict.
    #[default]
    Update,
    /// Only reads, all as of one moment. Never repeated, and in nobody's way. A write panics.
    Snapshot,
    /// Alone on its actor, and exactly once: for input and output, and whatever else cannot be repeated.
    Exclusive,
}
