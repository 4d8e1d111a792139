//! A member of a worker pool: an actor, made in its first turn, and its load if somebody asks for
//! it.

use std::convert::identity;
use std::sync::Arc;

use super::load::{Load, Loaded};
use crate::lifecycle::lazy::Lazy;
use crate::lifecycle::spawn;
use crate::messaging::actor_ref::ActorRef;
use crate::process::submit::Submit;
use crate::process::supervision::Supervision;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::asynchronous;
use crate::turn::behavior::Behavior;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

/// What kind of actor members of type `A` are.
pub(crate) trait Kind<A>: 'static {
    type Msg: Message;

    /// A new actor. `make` runs in its own turns, so nothing of the user's runs here.
    fn spawn(
        stage: &Arc<dyn Submit>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> ActorRef<Self::Msg>;
}

/// Members are [`Actor`](crate::Actor)s.
pub(crate) struct Plain;

/// Members are [`AsyncActor`](crate::AsyncActor)s.
pub(crate) struct Asynchronous;

impl<A: Behavior> Kind<A> for Plain {
    type Msg = A::Msg;

    fn spawn(
        stage: &Arc<dyn Submit>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> ActorRef<A::Msg> {
        let lazy = Box::new(move || Lazy::new(make.clone()));
        spawn::supervised_on(stage, None, supervision, lazy, identity)
    }
}

impl<A: AsyncBehavior> Kind<A> for Asynchronous {
    type Msg = A::Msg;

    fn spawn(
        stage: &Arc<dyn Submit>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> ActorRef<A::Msg> {
        let lazy = Box::new(move || Lazy::new(make.clone()));
        spawn::supervised_on(stage, None, supervision, lazy, asynchronous::new_actor)
    }
}

pub(super) struct Member<M: Message> {
    pub(super) actor: ActorRef<M>,
    load: Option<Arc<Load>>,
}

impl<M: Message> Member<M> {
    /// A new actor, as [`Kind::spawn`] makes it.
    pub(super) fn new<A, K: Kind<A, Msg = M>>(
        stage: &Arc<dyn Submit>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> Self {
        Self { actor: K::spawn(stage, supervision, make), load: None }
    }

    /// As [`new`](Self::new), and its load is counted.
    pub(super) fn with_load<A: 'static, K: Kind<Loaded<A>, Msg = M>>(
        stage: &Arc<dyn Submit>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> Self {
        let load = Arc::new(Load::default());
        let make_loaded = {
            let load = load.clone();
            move || Loaded::new(make(), load.clone())
        };
        Self { load: Some(load), ..Self::new::<_, K>(stage, supervision, make_loaded) }
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

impl<M: Message> Clone for Member<M> {
    fn clone(&self) -> Self {
        Self { actor: self.actor.clone(), load: self.load.clone() }
    }
}
