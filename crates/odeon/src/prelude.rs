//! The names a program needs: `use odeon::prelude::*;`.

#[cfg(feature = "speculative")]
pub use crate::Transactional;
#[cfg(feature = "speculative")]
pub use crate::speculative::{
    Coordinate, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult, fail,
};
#[cfg(feature = "speculative")]
pub use crate::stm::{TCounter, TList, TMap, TOrdMap, TQueue, TSet, TVar, TVec, Tx};
pub use odeon_core::extend::SendBorrowed as _;

pub use crate::{
    Access, Actor, ActorId, ActorRef, Ask, AskError, AskWithin, AsyncActor, AsyncContext, Bound,
    Bounded, Context, DeadLetter, DeadLetterReason, DeclaredGuards, Directive, Elapsed, EndReason,
    Ended, Failure, Group, Link, LookupError, MailboxRef, Mailboxes, Message, Observer, Pipe,
    QueueOrder, ReadContext, ReadSharing, ReadWrite, ReadWriteActor, ReadWritePolicy, ReadWriting,
    Ready, Reply, Routing, Selection, SelectionPolicy, SendError, Stage, StopReport, Supervision,
    Theater, TheaterBuilder, Timer, TrySendError, Watch, WeakRef, WhenAllClosed, WorkerPool,
    WriteContext, guards, when,
};
