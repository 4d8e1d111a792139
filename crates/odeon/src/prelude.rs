//! The names a program needs: `use odeon::prelude::*;`.

pub use crate::{
    Actor, ActorRef, Ask, AskError, Context, Message, Reply, SendError, Theater, TrySendError,
    WeakRef,
};
