#![doc = include_str!("../../../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "coordination")]
pub use odeon_coordination as coordination;
pub use odeon_core::patterns;
pub use odeon_core::{
    Access, Actor, ActorId, ActorRef, Ask, AskError, AskWithin, AsyncActor, AsyncContext, Bound,
    Bounded, Call, Context, DeclaredGuards, Directive, EndReason, Ended, Failure, Group,
    MailboxName, MailboxOf, MailboxRef, Mailboxes, Message, Pipe, QueueOrder, Reply, Routing,
    Selection, SendError, Stage, StopReport, Supervision, Theater, TheaterBuilder, Timer,
    TrySendError, WeakRef, WorkerPool, as_task, broadcast,
};
#[cfg(feature = "cuda")]
pub use odeon_cuda as cuda;
#[cfg(feature = "device")]
pub use odeon_device as device;
#[cfg(feature = "durable")]
pub use odeon_durable as durable;
#[cfg(feature = "durable")]
pub use odeon_durable::state::Durable;
#[cfg(feature = "energy")]
pub use odeon_energy as energy;
#[cfg(feature = "gpu")]
pub use odeon_gpu as gpu;
#[cfg(feature = "durable")]
pub use odeon_macros::Durable;
#[cfg(feature = "speculative")]
pub use odeon_macros::Transactional;
pub use odeon_macros::{Mailboxes, Message, guards, when};
#[cfg(feature = "rabbitmq")]
pub use odeon_rabbitmq as rabbitmq;
#[cfg(feature = "sight")]
pub use odeon_sight as sight;
#[cfg(feature = "speculative")]
pub use odeon_speculative as speculative;
#[cfg(feature = "speculative")]
pub use odeon_stm as stm;
#[cfg(feature = "stream")]
pub use odeon_stream as stream;
#[cfg(feature = "theaters")]
pub use odeon_theater as theaters;
#[cfg(feature = "tokio")]
pub use odeon_tokio as tokio;
#[cfg(feature = "zenoh")]
pub use odeon_zenoh as zenoh;

pub mod prelude;

/// The source of a theater's time ([`TheaterBuilder::clock`]).
pub mod clock {
    pub use odeon_core::{Clock, SystemClock};
}

/// Messages that were accepted and not handled ([`TheaterBuilder::on_dead_letter`]).
pub mod dead_letter {
    pub use odeon_core::{DeadLetter, DeadLetterCounts, DeadLetterReason};
}

/// Why something was refused, or failed; the errors of messages are at the root.
pub mod error {
    pub use odeon_core::{
        BuildError, Elapsed, FailureText, LookupError, NameTaken, OtherType, RootFailure,
        StageError,
    };
}

/// Actors whose reads run at once, beside each other.
pub mod read_write {
    pub use odeon_core::{
        ReadContext, ReadSharing, ReadWrite, ReadWriteActor, ReadWritePolicy, ReadWriting,
        WriteContext,
    };
}

/// Policies by which an actor with several mailboxes selects its next message.
pub mod selection {
    pub use odeon_core::{
        Ageing, LeastRecentlyUsed, Random, RandomMailbox, Ready, RoundRobin, SelectionPolicy,
        Weighted, WhenAllClosed,
    };
}

/// How and where an actor is created: what [`Theater::actor`] and [`Context::actor`] give, and what
/// can be spawned.
pub mod spawn {
    pub use odeon_core::extend::{Asynchronous, Plain, Spawnable};
    pub use odeon_core::{ActorBuilder, DedicatedBuilder, SupervisedBuilder};
}

/// What can be seen of a running theater: numbers ([`Theater::stats`]), who waits for whom
/// ([`Theater::waits`]), events ([`TheaterBuilder::observer`]), and what a tracer of your own is
/// made of ([`TheaterBuilder::tracer`]): it is told where messages come from, and may surround
/// their handling. `odeon::sight::Spans` (feature `sight`) is one.
pub mod telemetry {
    pub use odeon_core::extend::{Cause, Followed, Handling, Scope, Tracer};
    pub use odeon_core::{
        ActorStats, Observer, SpeculationReport, StageKind, StageStats, Stats, StatsSource, Wait,
        WaitsView,
    };
}

/// What an actor, a thread or a task learns of the end of another actor.
pub mod watch {
    pub use odeon_core::{Link, UntilEnded, Watch, Watching};
}

/// What the derive macros name; not for direct use.
#[doc(hidden)]
pub mod __private {
    pub use odeon_core::{Access, DeclaredGuards, MailboxName, MailboxOf, Mailboxes, Message};
    #[cfg(feature = "speculative")]
    pub use odeon_speculative::TxResult;
    #[cfg(feature = "speculative")]
    pub use odeon_stm::Tx;

    /// Whether a mailbox has this name.
    ///
    /// # Panics
    /// If the actor has no mailbox of that name.
    #[cfg(feature = "speculative")]
    #[inline(always)]
    pub fn names<A: odeon_speculative::SpeculativeActor>(
        name: impl MailboxOf<A::Msg>,
        mailbox: usize,
    ) -> bool {
        let (number, mailboxes) = (name.number(), A::Msg::MAILBOXES);
        assert!(
            number < mailboxes,
            "a guard of mailbox {number}: the actor has {mailboxes} (numbered from 0)"
        );
        number == mailbox
    }
}

/// The programs in the pages of the documentation.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/selectors.md")]
    struct Selectors;
    #[doc = include_str!("../../../docs/from-actix.md")]
    struct FromActix;
    #[doc = include_str!("../../../docs/from-kameo.md")]
    struct FromKameo;
    #[doc = include_str!("../../../docs/from-ractor.md")]
    struct FromRactor;
    #[doc = include_str!("../../../docs/readers-and-writers.md")]
    struct ReadersAndWriters;
    #[cfg(all(feature = "device", feature = "energy"))]
    #[doc = include_str!("../../../docs/heterogeneous-actors.md")]
    struct HeterogeneousActors;
    #[cfg(feature = "theaters")]
    #[doc = include_str!("../../../docs/theaters.md")]
    struct Theaters;
}
