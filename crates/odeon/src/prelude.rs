//! The names a program needs: `use odeon::prelude::*;`.

#[cfg(feature = "durable")]
pub use crate::Durable;
#[cfg(feature = "speculative")]
pub use crate::Transactional;
#[cfg(feature = "durable")]
pub use crate::durable::{DurableRef, SpawnDurable, Store};
#[cfg(feature = "speculative")]
pub use crate::speculative::{
    Coordinate, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult, fail,
};
#[cfg(feature = "speculative")]
pub use crate::stm::{TCounter, TList, TMap, TOrdMap, TQueue, TSet, TVar, TVec, Tx};
pub use odeon_core::extend::SendBorrowed as _;

pub use crate::dead_letter::{DeadLetter, DeadLetterReason};
pub use crate::error::{Elapsed, LookupError};
pub use crate::read_write::{
    ReadContext, ReadSharing, ReadWrite, ReadWriteActor, ReadWritePolicy, ReadWriting, WriteContext,
};
pub use crate::selection::{Ready, SelectionPolicy, WhenAllClosed};
pub use crate::telemetry::Observer;
pub use crate::watch::{Link, Watch};
pub use crate::{
    Access, Actor, ActorId, ActorRef, Ask, AskError, AskWithin, AsyncActor, AsyncContext, Bound,
    Bounded, Context, DeclaredGuards, Directive, EndReason, Ended, Failure, Group, MailboxRef,
    Mailboxes, Message, Pipe, QueueOrder, Reply, Routing, Selection, SendError, Stage, StopReport,
    Supervision, Theater, TheaterBuilder, Timer, TrySendError, WeakRef, WorkerPool, guards, when,
};
