//! An actor that keeps references to actors of another theater.

use super::ring_member::RingStep;
use odeon::prelude::*;
use odeon_theater::Network;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const KIND: &str = "keeper";

/// Keep these, and send them back.
#[derive(Message, Serialize, Deserialize)]
pub(super) struct Keep(
    pub(super) Vec<ActorRef<RingStep>>,
    pub(super) Reply<Vec<ActorRef<RingStep>>>,
);

#[derive(Default)]
struct ReferenceKeeper(Vec<ActorRef<RingStep>>);

impl Actor for ReferenceKeeper {
    type Msg = Keep;

    fn handle(&mut self, Keep(actors, reply): Keep, _: &mut Context<'_, Self>) {
        reply.send(actors.clone());
        self.0.extend(actors);
    }
}

pub(super) fn register(network: &Network, theater: &Arc<Theater>) {
    let theater = theater.clone();
    network.register(KIND, move |(): ()| theater.spawn(ReferenceKeeper::default()));
}
