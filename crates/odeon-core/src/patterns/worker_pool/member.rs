//! A member of a worker pool: an actor, made in its first turn, and its load if somebody asks for
//! it.

use std::sync::Arc;

use super::load::{Load, Loaded};
use crate::lifecycle::spawn::Location;
use crate::lifecycle::spawnable::Spawnable;
use crate::messaging::actor_ref::ActorRef;
use crate::process::supervision::Supervision;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

/// An actor that can be a member of a pool: everything that is [`Spawnable`].
pub trait PoolMember<Kind>: Spawnable<Kind> {
    /// One that counts what it has handled.
    type Counting: Spawnable<Kind, Msg = Self::Msg>;

    /// Takes what it has handled off its load.
    fn counting(self, load: Arc<Load>) -> Self::Counting;
}

impl<Kind, A: Spawnable<Kind>> PoolMember<Kind> for A
where
    Loaded<A>: Spawnable<Kind, Msg = A::Msg>,
{
    type Counting = Loaded<A>;

    fn counting(self, load: Arc<Load>) -> Loaded<A> {
        Loaded::new(self, load)
    }
}

pub(super) struct LoadedMember<M: Message> {
    pub(super) actor: ActorRef<M>,
    load: Option<Arc<Load>>,
}

impl<M: Message> LoadedMember<M> {
    /// A new actor. `make` runs in its own turns, so nothing of the user's runs here.
    pub(super) fn new<Kind, A: Spawnable<Kind, Msg = M>>(
        location: Location<'_>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> Self {
        Self { actor: A::create_lazily_supervised(location, supervision, make), load: None }
    }

    /// As [`new`](Self::new), and its load is counted.
    pub(super) fn with_load<Kind, A: PoolMember<Kind, Msg = M>>(
        location: Location<'_>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> Self {
        let load = Arc::new(Load::default());
        let make_counting = {
            let load = load.clone();
            move || make().counting(load.clone())
        };
        Self { load: Some(load), ..Self::new(location, supervision, make_counting) }
    }

    /// Has `send` send the actor a message, and counts it if it has been sent.
    #[inline]
    #[track_caller]
    pub(super) fn send<E>(
        &self,
        message: M,
        send: impl FnOnce(&ActorRef<M>, M) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.load {
            None => send(&self.actor, message),
            Some(load) => {
                let counted = load.count();
                send(&self.actor, message)?;
                std::mem::forget(counted);
                Ok(())
            }
        }
    }

    /// Sends once there is room. The message counts from the beginning.
    pub(super) async fn send_async(&self, message: M) -> Result<(), SendError<M>> {
        let counted = self.load.as_ref().and_then(|load| load.count());
        self.actor.send_async(message).await?;
        std::mem::forget(counted);
        Ok(())
    }

    /// Its load; more than any other's if it has ended.
    pub(super) fn load(&self) -> usize {
        match &self.load {
            Some(load) if !self.actor.is_stopped() => load.now(),
            _ => usize::MAX,
        }
    }
}

impl<M: Message> Clone for LoadedMember<M> {
    fn clone(&self) -> Self {
        Self { actor: self.actor.clone(), load: self.load.clone() }
    }
}
