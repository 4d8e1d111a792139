//! Kameo: each actor is a type, each message a type, and each pair of them a handler.
//!
//! Mailboxes are unbounded, so that no circle of actors can block. Messages are told; only `list`,
//! `bank` and `front`, which wait for answers, ask. Kameo stops an actor when its last reference
//! goes, which never happens in a circle, so each sample stops its actors by name.

mod bank;
mod big;
mod chameneos;
mod count;
mod create;
mod fjthrput;
mod forward;
mod front;
mod idle;
mod list;
mod pingpong;
mod ring;

use kameo::mailbox;
use kameo::prelude::*;

use crate::peer::Runtime;

pub const RUNTIME: Runtime = Runtime {
    name: "kameo",
    version: env!("ODEON_PEERS_KAMEO"),
    ring: ring::run,
    pingpong: pingpong::run,
    fjthrput: fjthrput::run,
    create: create::run,
    chameneos: chameneos::run,
    big: big::run,
    count: count::run,
    forward: forward::run,
    list: list::run,
    bank: bank::run,
    front: front::run,
    idle_growth_bytes: idle::run,
};

/// An actor that has its address but does not run yet, as a circle of actors needs it.
fn prepare<A: Actor>() -> PreparedActor<A> {
    A::prepare_with_mailbox(mailbox::unbounded())
}

/// Lets a prepared actor run, and waits until it does.
async fn start_prepared<A: Actor<Args = A>>(prepared: PreparedActor<A>, actor: A) -> ActorRef<A> {
    let address = prepared.actor_ref().clone();
    prepared.spawn(actor);
    address.wait_for_startup().await;
    address
}

async fn start<A: Actor<Args = A>>(actor: A) -> ActorRef<A> {
    start_prepared(prepare(), actor).await
}

async fn stop<A: Actor>(actors: &[ActorRef<A>]) {
    for actor in actors {
        // An actor that has stopped already is as good.
        let _ = actor.stop_gracefully().await;
    }
}
