//! The names a program needs: `use odeon::prelude::*;`.

pub use crate::{
    Actor, ActorRef, Ask, AskError, Context, DeadLetter, Message, QueueOrder, Reply, SendError,
    Stage, StopReport, Theater, TheaterBuilder, TrySendError, WeakRef,
};
