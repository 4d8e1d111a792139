//! What a theater that runs by itself can have created in it, by this command and by any program:
//! counters, mobile actors to try theaters with.

use odeon_core::{Actor, ActorRef, Context, Message, Reply, Theater};
use odeon_theater::{Mobile, MobileId, Network};
use serde::{Deserialize, Serialize};

/// Under which name each theater publishes who finds its counters.
pub(super) const COUNTERS: &str = "odeon-cli/counters/2";

/// As what counters are created.
pub(super) const COUNTER: &str = "counter";

/// Counts, wherever it is. Keeps itself if it is told to: nobody else refers to it between two
/// commands.
#[derive(Default, Serialize, Deserialize)]
struct TheaterCounter {
    count: u64,
    itself: Option<ActorRef<Count>>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Count {
    /// What it has come to then is answered.
    Add(u64, Reply<u64>),
    /// Answered when it has itself.
    Keep(ActorRef<Count>, Reply<()>),
}

impl Message for Count {}

impl Actor for TheaterCounter {
    type Msg = Count;

    fn handle(&mut self, count: Count, _: &mut Context<'_, Self>) {
        match count {
            Count::Add(n, reply) => {
                self.count = self.count.saturating_add(n);
                reply.send(self.count);
            }
            Count::Keep(itself, reply) => {
                self.itself = Some(itself);
                reply.send(());
            }
        }
    }
}

impl Mobile for TheaterCounter {
    const KIND: &'static str = COUNTER;
}

#[derive(Serialize, Deserialize)]
pub(super) enum ToCounters {
    /// `None`: it does not sit in this theater, or is none.
    Find(MobileId, Reply<Option<ActorRef<Count>>>),
}

impl Message for ToCounters {}

/// Has counters created in its theater, and found there until it is dropped.
pub(super) struct Counters {
    network: Network,
    serves: ActorRef<ToCounters>,
}

struct Serves(Network);

impl Actor for Serves {
    type Msg = ToCounters;

    fn handle(&mut self, asked: ToCounters, _: &mut Context<'_, Self>) {
        let ToCounters::Find(id, reply) = asked;
        reply.send(self.0.resident(id));
    }
}

impl Counters {
    pub(super) fn serve(network: &Network, theater: &Theater) -> Self {
        network.register_mobile_by(COUNTER, |()| TheaterCounter::default());
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
