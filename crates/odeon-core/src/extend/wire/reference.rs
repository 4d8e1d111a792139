//! References in messages.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::inbound::{Inbound, LocalInbound};
use super::layout;
use super::native::native;
use super::outbound::Outbound;
use super::passage::{self, Arriving, Leaving, Reference};
use super::seat::Seat;
use super::stand_in::StandIn;
use crate::messaging::actor_ref::ActorRef;
use crate::process::submit::Submit;
use crate::vocabulary::message::Message;

/// Written as the address of its actor, within messages to other theaters.
///
/// # Errors
/// Anywhere else.
impl<M: Message + Serialize + DeserializeOwned> Serialize for ActorRef<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inbound = || Arc::new(LocalInbound::to(self.clone())) as Arc<dyn Inbound>;
        let stage = &*self.cell().header.stage;
        let has_lanes = self.cell().header.vtable.laned;
        let (actor, native) = (self.id().number(), native(self));
        let leaving = Leaving { actor, stage, has_lanes, inbound: &inbound, native };
        passage::with(|passage| passage.actor_leaves(&leaving))
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

/// Read within messages from other theaters: leads to the actor itself if that lives here.
///
/// # Errors
/// Anywhere else, and if the actor takes other messages.
impl<'de, M: Message + Serialize + DeserializeOwned> Deserialize<'de> for ActorRef<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let reference = Reference::deserialize(deserializer)?;
        layout::refers::<M>("actor");
        let arriving = Of::<M>(PhantomData);
        let actor = passage::with(|passage| passage.actor_arrives(reference, &arriving))
            .map_err(D::Error::custom)?;
        match actor.downcast::<Self>() {
            Ok(actor) => Ok(*actor),
            Err(_) => Err(D::Error::custom("the passage answers a reference of another type")),
        }
    }
}

/// A reference whose type of messages has been forgotten: written as the reference itself.
#[derive(Clone)]
pub struct Erased(pub Arc<dyn Inbound>);

impl Erased {
    /// The same actor.
    pub fn of<M: Message + Serialize + DeserializeOwned>(actor: &ActorRef<M>) -> Self {
        Self(Arc::new(LocalInbound::to(actor.clone())))
    }
}

impl Serialize for Erased {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inbound = || self.0.clone();
        let Self(actor) = self;
        let (stage, has_lanes, native) = (actor.stage(), actor.has_lanes(), actor.native());
        let leaving = Leaving { actor: actor.actor(), stage, has_lanes, inbound: &inbound, native };
        passage::with(|passage| passage.actor_leaves(&leaving))
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

/// References to actors that take `M`.
pub(super) struct Of<M>(pub(super) PhantomData<fn(M)>);

impl<M: Message + Serialize + DeserializeOwned> Arriving for Of<M> {
    fn message_type(&self) -> TypeId {
        TypeId::of::<M>()
    }

    fn seat(
        &self,
        stage: &Arc<dyn Submit>,
        outbound: Arc<dyn Outbound>,
        has_lanes: bool,
    ) -> (Box<dyn Any + Send + Sync>, Arc<dyn StandIn>) {
        let (actor, stands) = Seat::<M>::empty(stage, outbound, has_lanes);
        (Box::new(actor), Arc::new(stands))
    }
}

/// The number of an actor in its theater, as [`StandIn::actor`] and [`Inbound::actor`] say it.
pub fn number_of<M: Message>(actor: &ActorRef<M>) -> u64 {
    actor.id().number()
}
