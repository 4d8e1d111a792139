//! The names a program needs: `use odeon::prelude::*;`.

pub use crate::{
    Actor, ActorRef, Ask, AskError, AskWithin, AsyncActor, AsyncContext, Bound, Bounded, Context,
    DeadLetter, Directive, EndReason, Ended, Failure, Group, Message, QueueOrder, Reply, Routing,
    SendError, Stage, StopReport, Supervision, Theater, TheaterBuilder, Timer, TrySendError,
    WeakRef, WorkerPool,
};
