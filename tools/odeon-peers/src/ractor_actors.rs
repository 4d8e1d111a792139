//! Ractor: an actor is a handler without data, a state, and one type for all its messages.
//!
//! Messages are cast; only `list`, `bank` and `front`, which wait for answers, call. Mailboxes are
//! always unbounded. An actor that must know one that is spawned later is told by a `Connect`
//! message before the measured part. Ractor's actors outlive their references, so each sample stops
//! them.

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

use ractor::{Actor, ActorRef};

use crate::peer::Runtime;

pub const RUNTIME: Runtime = Runtime {
    name: "ractor",
    version: env!("ODEON_PEERS_RACTOR"),
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

async fn start<A: Actor>(handler: A, arguments: A::Arguments) -> ActorRef<A::Msg> {
    let (actor, _) = Actor::spawn(None, handler, arguments).await.expect("the actor starts");
    actor
}

fn stop<M>(actors: &[ActorRef<M>]) {
    for actor in actors {
        actor.stop(None);
    }
}
