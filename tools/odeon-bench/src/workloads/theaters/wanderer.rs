//! An actor that moves from theater to theater.

use crate::theater::Post;
use odeon::prelude::*;
use odeon_theater::{Migrate, Mobile, Network, TheaterId};
use serde::{Deserialize, Serialize};

use super::ring_member::Ended;

#[derive(Message, Serialize, Deserialize)]
pub(super) enum Walk {
    /// Go on to the next theater.
    On,
    /// How often have you arrived, and how long is your luggage?
    Arrived(Reply<(u64, usize)>),
}

/// What it takes along.
#[derive(Serialize, Deserialize)]
pub(super) struct Wanderer {
    pub(super) number: u64,
    /// How often it still moves by itself.
    pub(super) left: u64,
    pub(super) arrived: u64,
    /// Where it goes, in a circle.
    pub(super) theaters: Vec<u128>,
    pub(super) umpire: ActorRef<Ended>,
    pub(super) luggage: Vec<u8>,
}

impl Wanderer {
    fn go_on(&mut self, ctx: &mut Context<'_, Self>) {
        if self.left == 0 {
            return self.umpire.post(Ended(self.number));
        }
        self.left -= 1;
        self.theaters.rotate_left(1);
        // Nobody waits for the answer: if it cannot move, the run does not end.
        drop(ctx.migrate(TheaterId::from_bits(self.theaters[0])));
    }
}

impl Actor for Wanderer {
    type Msg = Walk;

    fn handle(&mut self, walk: Walk, ctx: &mut Context<'_, Self>) {
        match walk {
            Walk::On => self.go_on(ctx),
            Walk::Arrived(reply) => reply.send((self.arrived, self.luggage.len())),
        }
    }
}

impl Mobile for Wanderer {
    const KIND: &'static str = "wanderer";

    fn arrived(&mut self, ctx: &mut Context<'_, Self>) {
        self.arrived += 1;
        self.go_on(ctx);
    }
}

pub(super) fn register(network: &Network) {
    network.register_mobile::<Wanderer>();
}
