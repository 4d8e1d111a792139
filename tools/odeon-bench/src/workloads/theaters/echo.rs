//! An actor that answers what it is asked.

use odeon::prelude::*;
use odeon_theater::Network;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const KIND: &str = "echo";

/// A question, which is its own answer.
#[derive(Message, Serialize, Deserialize)]
pub(super) struct EchoCall(pub(super) u64, pub(super) Reply<u64>);

struct Echo;

impl Actor for Echo {
    type Msg = EchoCall;

    fn handle(&mut self, EchoCall(number, reply): EchoCall, _: &mut Context<'_, Self>) {
        reply.send(number);
    }
}

pub(super) fn register(network: &Network, theater: &Arc<Theater>) {
    let theater = theater.clone();
    network.register(KIND, move |(): ()| theater.spawn(Echo));
}
