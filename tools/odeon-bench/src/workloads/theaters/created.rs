//! Actors that tell that they are there, who makes them, and who refers to them from elsewhere.

use crate::theater::Post;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_theater::{Mobile, Network};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const KIND: &str = "created";
pub(super) const MOBILE_KIND: &str = "mobile created";
pub(super) const HOLDER: &str = "holder";

/// What one is made of: its number, and whom it tells.
pub(super) type Birth = (u64, ActorRef<Started>);

/// The actor of this number is there.
#[derive(Message, Serialize, Deserialize)]
pub(super) struct Started(u64);

/// Tells once: when it starts, or when it has moved.
#[derive(Serialize, Deserialize)]
struct Created {
    birth: Birth,
    moves: bool,
}

impl Created {
    fn that_stays(birth: Birth) -> Self {
        Self { birth, moves: false }
    }

    fn that_moves(birth: Birth) -> Self {
        Self { birth, moves: true }
    }

    fn tell(&self) {
        let (number, master) = &self.birth;
        master.post(Started(*number));
    }
}

impl Actor for Created {
    type Msg = ();

    fn started(&mut self, _: &mut Context<'_, Self>) {
        if !self.moves {
            self.tell();
        }
    }

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

impl Mobile for Created {
    const KIND: &'static str = MOBILE_KIND;

    fn arrived(&mut self, _: &mut Context<'_, Self>) {
        self.tell();
    }
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
        self.finish.arrive_if(is_first, || format!("actor {number} told twice, or is none"));
    }
}

/// How actors are made in one's own theater.
pub(super) enum LocalMaking {
    Plain,
    Mobile(Network),
    /// They tell when they have moved.
    ThatMove(Network),
}

/// Make so many of them that tell the master, and answer with all.
#[derive(Message)]
pub(super) struct Create {
    pub(super) how: LocalMaking,
    pub(super) actors: u64,
    pub(super) master: ActorRef<Started>,
    pub(super) all: Reply<Vec<ActorRef<()>>>,
}

/// Makes them within one handler, as an actor that needs others does.
pub(super) struct Maker;

impl Actor for Maker {
    type Msg = Create;

    fn handle(&mut self, create: Create, ctx: &mut Context<'_, Self>) {
        let Create { how, actors, master, all } = create;
        let one = |number| {
            let birth = (number, master.clone());
            match &how {
                LocalMaking::Plain => ctx.spawn(Created::that_stays(birth)),
                LocalMaking::Mobile(network) => network.spawn_mobile(Created::that_stays(birth)),
                LocalMaking::ThatMove(network) => network.spawn_mobile(Created::that_moves(birth)),
            }
        };
        let created = (0..actors).map(one).collect();
        // Before anybody goes on: whoever drops the last one leaves the network.
        drop(how);
        all.send(created);
    }
}

/// Refer to these.
#[derive(Message, Serialize, Deserialize)]
pub(super) struct Hold(pub(super) Vec<ActorRef<()>>);

/// Refers to actors of another theater.
#[derive(Default)]
struct Holder(Vec<ActorRef<()>>);

impl Actor for Holder {
    type Msg = Hold;

    fn handle(&mut self, Hold(actors): Hold, _: &mut Context<'_, Self>) {
        self.0.extend(actors);
    }
}

/// What creates them, here and for others.
pub(super) fn make(theater: &Arc<Theater>) -> impl Fn(Birth) -> ActorRef<()> + use<> {
    let theater = theater.clone();
    move |birth| theater.spawn(Created::that_stays(birth))
}

pub(super) fn register(network: &Network, theater: &Arc<Theater>) {
    network.register(KIND, make(theater));
    network.register_mobile_by(MOBILE_KIND, Created::that_stays);
    let theater = theater.clone();
    network.register(HOLDER, move |(): ()| theater.spawn(Holder::default()));
}
