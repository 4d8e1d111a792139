//! What is under way at actors with lanes, and those who begin more of it.

use std::sync::Arc;

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::pressure::congestion;
use crate::messaging::pressure::congestion::Congestion;
use crate::runtime::theater::Theater;
use crate::vocabulary::message::Message;

/// What has been begun at the actors with lanes of a theater and is not over.
pub fn congestion(theater: &Theater) -> Arc<Congestion> {
    congestion::of(theater.shared()).clone()
}

/// As [`congestion()`], in the theater of an actor.
pub fn congestion_at<M: Message>(actor: &ActorRef<M>) -> Arc<Congestion> {
    congestion::of(actor.cell().header.stage.theater()).clone()
}

/// Has whoever calls this hold back, as for a receiver under pressure, if the actors with lanes of
/// the theater of `actor` are congested (S17).
pub fn heed_congestion<M: Message>(actor: &ActorRef<M>) {
    let theater = actor.cell().header.stage.theater();
    congestion::on_congestion(congestion::of(theater), theater, true);
}
