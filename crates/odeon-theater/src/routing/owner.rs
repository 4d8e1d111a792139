//! What a link to another theater needs of the theater at this end, and tells it.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend::Submit;
use odeon_core::wire::{Address, StandIn};

use crate::routing::peer::Peer;
use crate::{Event, Transport};

/// See the module. A [`Peer`] knows no more of its theater than this.
pub(crate) trait Owner: Send + Sync + 'static {
    fn now(&self) -> Duration;

    /// `None`: it is being made.
    fn transport(&self) -> Option<&dyn Transport>;

    /// Where what stands here for others lives. `None`: the theater has ended.
    fn pool(&self) -> Option<Arc<dyn Submit>>;

    /// A message has come on a channel.
    fn arrives(self: &Arc<Self>, peer: &Arc<Peer>, channel: u64, bytes: &[u8]);

    /// Something has happened to the link: told in its order, by one thread at a time.
    fn happens(self: &Arc<Self>, peer: &Arc<Peer>, event: Event);

    /// The seats from which messages go to one elsewhere.
    fn senders_to(&self, at: Address) -> Vec<Arc<dyn StandIn>>;
}
