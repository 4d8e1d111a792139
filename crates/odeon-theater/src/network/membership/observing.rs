//! Who asks which theaters are there.

use odeon_core::ActorRef;

use crate::network::handle::Network;
use crate::network::membership::members::{Membership, MembershipEvent};
use crate::{Refusal, TheaterId};

impl Network {
    /// The other theaters that are there.
    pub fn members(&self) -> Vec<(TheaterId, Membership)> {
        self.inner.members.present()
    }

    /// The theaters that are there, each with a number that is another one when it joins again:
    /// known before anybody is told that it has joined.
    pub(crate) fn joined(&self) -> Vec<(TheaterId, u64)> {
        self.inner.members.joined()
    }

    /// The theaters that could be reached and to which there is no link, and why: as
    /// [`MembershipEvent::Refused`] has told, and as long as they can be reached.
    pub fn refused(&self) -> Vec<(TheaterId, Refusal)> {
        self.inner.members.all_refused()
    }

    /// Has an actor told whenever that changes; at once of those that are there already. It is told
    /// until it stops.
    pub fn subscribe(&self, subscriber: &ActorRef<MembershipEvent>) {
        self.inner.members.subscribe(subscriber);
    }
}
