//! The one door for the sibling crates of Odeon, not for applications.

use std::any::Any;
use std::sync::{Arc, Weak};

use odeon_core::wire::{Address, Erased, Guest, Kind, OfKind};
use odeon_core::{ActorRef, Message, Theater};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::network::{Companions, WeakNetwork};

use crate::Network;

/// A network, not kept in it.
pub fn downgrade(network: &Network) -> WeakNetwork {
    network.downgrade()
}

/// Whether this theater has joined others by this network.
pub fn is_joined_by(network: &Network, theater: &Theater) -> bool {
    network.is_of(theater)
}

/// Whether a theater leaves, or has left: then all others are out of reach, and alive.
pub fn leaves(network: &Network) -> bool {
    network.leaves()
}

/// Whether a theater publishes an actor under a name that has not ended.
pub fn publishes(network: &Network, name: &str) -> bool {
    network.publishes(name)
}

/// Publishes an actor of the runtime, under a name that begins with `odeon/`.
pub fn publish_own<M>(network: &Network, name: &str, actor: &ActorRef<M>)
where
    M: Message + Serialize + DeserializeOwned,
{
    network.publish_erased(name, Erased::of(actor));
}

/// Publishes it no longer.
pub fn unpublish_own(network: &Network, name: &str) {
    network.unpublish_any(name);
}

/// Has somebody know of the companions of messages, in place of who did before.
pub fn accompany_by(network: &Network, companions: Weak<dyn Companions>) {
    network.accompany_by(companions);
}

/// Where the actor lives for which the actor with this number stands here.
pub fn leads_to(network: &Network, actor: u64) -> Option<Address> {
    network.leads_to(actor)
}

/// Creates a mobile actor whose messages come with lanes.
///
/// # Panics
/// If the theater has been dropped.
pub fn spawn_guest<M, G>(network: &Network, guest: G) -> ActorRef<M>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    network.spawn_guest(guest)
}

/// Lets actors of a kind come to a theater.
pub fn register_kind(network: &Network, kind: Arc<dyn Kind>) {
    network.register_kind(kind);
}

/// Sends a message to the actor for which this one stands, with a companion, behind all that was
/// sent to it.
///
/// # Errors
/// The message, if the actor does not stand for another one, has ended, or takes other messages.
pub fn send_accompanied(
    network: &Network,
    actor: u64,
    mailbox: usize,
    message: Box<dyn Any + Send>,
    companion: Vec<u8>,
) -> Result<(), Box<dyn Any + Send>> {
    network.send_accompanied(actor, mailbox, message, companion)
}
