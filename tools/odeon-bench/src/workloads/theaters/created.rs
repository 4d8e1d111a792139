//! An actor that tells that it has been created.

use crate::finish::Finish;
use crate::theater::Post;
use odeon::prelude::*;
use odeon_theater::Network;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const KIND: &str = "created";

/// What one is made of: its number, and whom it tells.
pub(super) type Birth = (u64, ActorRef<Started>);

/// The actor of this number is there.
#[derive(Message, Serialize, Deserialize)]
pub(super) struct Started(u64);

struct Created(Birth);

impl Actor for Created {
    type Msg = ();

    fn started(&mut self, _: &mut Context<'_, Self>) {
        let (number, master) = &self.0;
        master.post(Started(*number));
    }

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

/// Arrives once for each actor that tells.
pub(super) struct Master {
    told: Vec<bool>,
    finish: Finish,
}

impl Master {
    pub(super) fn new(actors: usize, finish: Finish) -> Self {
        Self { told: vec![false; actors], finish }
    }
}

impl Actor for Master {
    type Msg = Started;

    fn handle(&mut self, Started(number): Started, _: &mut Context<'_, Self>) {
        let known = usize::try_from(number).ok().and_then(|number| self.told.get_mut(number));
        let is_first = known.is_some_and(|told| !std::mem::replace(told, true));
        self.finish.arrive_if(is_first, || format!("actor {number} started twice, or is none"));
    }
}

/// What creates them, here and for others.
pub(super) fn make(theater: &Arc<Theater>) -> impl Fn(Birth) -> ActorRef<()> + use<> {
    let theater = theater.clone();
    move |birth| theater.spawn(Created(birth))
}

pub(super) fn register(network: &Network, theater: &Arc<Theater>) {
    network.register(KIND, make(theater));
}
