//! What is counted of an actor elsewhere.

use std::sync::Weak;

use crate::messaging::actor_ref::ActorRef;
use crate::runtime::theater::Theater;
use crate::telemetry::Reporter;
use crate::vocabulary::message::Message;

/// Has `reporter` asked about `actor` whenever the theater's numbers are collected
/// ([`Theater::stats`]). Nothing happens in a theater that does not count.
pub fn report_by<M: Message>(theater: &Theater, actor: &ActorRef<M>, reporter: Weak<dyn Reporter>) {
    if let Some(telemetry) = theater.shared().telemetry().filter(|telemetry| telemetry.counts) {
        telemetry.reporters.add(actor.id(), reporter);
    }
}
