//! What a theater that runs by itself can have created in it: counters, mobile actors to try theaters with.

use odeon_core::{Actor, ActorRef, Context, Message, Reply, Theater};
use odeon_theater::{Mobile, MobileId, Network};
use serde::{Deserialize, Serialize};

/// Under which name each theater publishes who creates and finds its counters.
pub(super) const COUNTERS: &str = "odeon/counters/1";

/// Counts, wherever it is. Keeps itself: nobody else refers to it between two commands.
#[derive(Default, Serialize, Deserialize)]
struct Counter {
    count: u64,
    itself: Option<ActorRef<Count>>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Count {
    /// What it has come to then is answered.
    Add(u64, Reply<u64>),
    Keep(ActorRef<Count>),
}

impl Message for Count {}

impl Actor for Counter {
    type Msg = Count;

    fn handle(&mut self, count: Count, _: &mut Context<'_, Self>) {
        match count {
            Count::Add(n, reply) => {
                self.count = self.count.saturating_add(n);
                reply.send(self.count);
            }
            Count::Keep(itself) => self.itself = Some(itself),
        }
    }
}

impl Mobile for Counter {
    const KIND: &'static str = "counter";
}

#[derive(Serialize, Deserialize)]
pub(super) enum ToCounters {
    /// `None`: the theater is drained.
    New(Reply<Option<MobileId>>),
    /// `None`: it does not sit in this theater, or is none.
    Find(MobileId, Reply<Option<ActorRef<Count>>>),
}

impl Message for ToCounters {}

/// Serves counters in its theater, until it is dropped.
pub(super) struct Counters {
    network: Network,
    serves: ActorRef<ToCounters>,
}

struct Serves(Network);

impl Actor for Serves {
    type Msg = ToCounters;

    fn handle(&mut self, asked: ToCounters, _: &mut Context<'_, Self>) {
        let Self(network) = self;
        match asked {
            ToCounters::New(reply) if network.is_drained() => reply.send(None),
            ToCounters::New(reply) => {
                let counter = network.spawn_mobile(Counter::default());
                // It has just been made, and takes what it is sent.
                let _ = counter.send(Count::Keep(counter.clone()));
                reply.send(network.mobile_id(&counter));
            }
            ToCounters::Find(id, reply) => reply.send(network.resident(id)),
        }
    }
}

impl Counters {
    pub(super) fn serve(network: &Network, theater: &Theater) -> Self {
        network.register_mobile::<Counter>();
        let serves = theater.spawn(Serves(network.clone()));
        network.publish(COUNTERS, &serves);
        Self { network: network.clone(), serves }
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        self.network.unpublish(COUNTERS);
        self.serves.stop();
    }
}
