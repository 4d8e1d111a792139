#![doc = include_str!("../../../README.md")]
#![forbid(unsafe_code)]

pub use odeon_core::{
    Actor, ActorId, ActorRef, Ask, AskError, BuildError, Clock, Context, DeadLetter,
    DeadLetterReason, EndReason, Message, Observer, QueueOrder, Random, Reply, SendError, Stage,
    StageError, StopReport, SystemClock, Theater, TheaterBuilder, TrySendError, WeakRef,
};
pub use odeon_macros::Message;

pub mod prelude;

/// What the derive macros name; not for direct use.
#[doc(hidden)]
pub mod __private {
    pub use odeon_core::Message;
}
