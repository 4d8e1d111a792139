//! Plain tokio: an actor is a task that owns its state and the receiving half of an unbounded
//! channel; who may write to it has a clone of the sending half.
//!
//! Actors that know each other in a circle never see their channels close, so each sample spawns
//! them on a `JoinSet`, which aborts the idle tasks when the sample drops it.

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

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::peer::Runtime;

pub const RUNTIME: Runtime = Runtime {
    name: "tokio",
    version: env!("ODEON_PEERS_TOKIO"),
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

/// One channel for each of `actors` actors, so that their addresses exist before they do.
fn mailboxes<M>(actors: usize) -> (Vec<UnboundedSender<M>>, Vec<UnboundedReceiver<M>>) {
    (0..actors).map(|_| mpsc::unbounded_channel()).unzip()
}
