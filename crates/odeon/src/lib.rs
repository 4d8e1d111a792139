#![doc = include_str!("../../../README.md")]
#![forbid(unsafe_code)]

pub use odeon_core::{
    Access, Actor, ActorId, ActorRef, ActorStats, Ask, AskError, AskWithin, AsyncActor,
    AsyncContext, Bound, Bounded, BuildError, Clock, Context, DeadLetter, DeadLetterCounts,
    DeadLetterReason, Directive, Elapsed, EndReason, Ended, Failure, Group, Link, LookupError,
    Message, NameTaken, Observer, OtherType, Pipe, QueueOrder, Random, ReadContext, ReadSharing,
    ReadWrite, ReadWriteActor, ReadWritePolicy, ReadWriting, Reply, RootFailure, Routing,
    SendError, SpeculationReport, Stage, StageError, StageKind, StageStats, Stats, StatsSource,
    StopReport, Supervision, SystemClock, Theater, TheaterBuilder, Timer, TrySendError, UntilEnded,
    Wait, WaitsView, Watch, WeakRef, WorkerPool, WriteContext, broadcast,
};
pub use odeon_macros::Message;
#[cfg(feature = "sight")]
pub use odeon_sight as sight;
#[cfg(feature = "speculative")]
pub use odeon_speculative as speculative;
#[cfg(feature = "speculative")]
pub use odeon_stm as stm;
#[cfg(feature = "stream")]
pub use odeon_stream as stream;
#[cfg(feature = "tokio")]
pub use odeon_tokio as tokio;

pub mod prelude;

/// What a tracer of your own is made of, for [`TheaterBuilder::tracer`]: it is told where messages come from,
/// and may surround their handling. `odeon::sight::Spans` (feature `sight`) is one.
pub mod follow {
    pub use odeon_core::extend::{Cause, Followed, Handling, Scope, Tracer};
}

/// What the derive macros name; not for direct use.
#[doc(hidden)]
pub mod __private {
    pub use odeon_core::{Access, Message};
}

/// The programs in the pages for those who come from elsewhere.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/from-actix.md")]
    struct FromActix;
    #[doc = include_str!("../../../docs/from-kameo.md")]
    struct FromKameo;
    #[doc = include_str!("../../../docs/from-ractor.md")]
    struct FromRactor;
    #[doc = include_str!("../../../docs/readers-and-writers.md")]
    struct ReadersAndWriters;
}
