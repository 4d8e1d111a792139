//! An actor that counts and checks what it is sent from another theater.

use super::payload::{NUMBER, Payload, StreamCount, number_of};
use odeon::prelude::*;
use odeon_theater::Network;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const KIND: &str = "tally";

#[derive(Message, Serialize, Deserialize)]
pub(super) enum ToTally {
    /// A message of eight bytes.
    Number([u8; NUMBER]),
    /// A longer one.
    Bytes(Payload),
    /// What has come?
    Total(Reply<StreamCount>),
}

impl ToTally {
    /// The message of that number, with so many bytes.
    pub(super) fn of(number: u64, bytes: usize) -> Self {
        match bytes {
            NUMBER => Self::Number(number.to_le_bytes()),
            _ => Self::Bytes(Payload::of(number, bytes)),
        }
    }
}

#[derive(Default)]
struct StreamTally(StreamCount);

impl Actor for StreamTally {
    type Msg = ToTally;

    fn handle(&mut self, message: ToTally, _: &mut Context<'_, Self>) {
        match message {
            ToTally::Number(number) => self.0.add(u64::from_le_bytes(number), NUMBER),
            // One that is too short shows in the bytes.
            ToTally::Bytes(Payload(bytes)) => {
                self.0.add(number_of(&bytes).unwrap_or_default(), bytes.len());
            }
            ToTally::Total(reply) => reply.send(self.0),
        }
    }
}

pub(super) fn register(network: &Network, theater: &Arc<Theater>) {
    let theater = theater.clone();
    network.register(KIND, move |(): ()| theater.spawn(StreamTally::default()));
}
