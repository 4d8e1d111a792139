//! A theater of the test's own process, and what it learns.

use super::says::{Say, Speaks};
use super::{LONG, until};
use odeon_core::{Actor, ActorRef, Context, DeadLetterReason, Theater};
use odeon_theater::{
    LinkConfig, Membership, MembershipEvent, Network, RemoteError, TheaterId, Transport,
};
use odeon_zenoh::{LARGEST_PACKET, ZenohError, ZenohSettings, ZenohTransport};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub struct Place {
    pub theater: Theater,
    pub network: Network,
    pub events: Arc<Mutex<Vec<MembershipEvent>>>,
    pub lost: Arc<Mutex<Lost>>,
}

/// Dead letters, but questions that did not come to another theater: who asked knows.
#[derive(Debug, Default)]
pub struct Lost {
    /// Numbers that did not come to another theater: those that had been sent when its end was
    /// known (`Unreachable`), and those that were sent while their receiver's seat ended
    /// (`Stopped`).
    pub numbers: Vec<u64>,
    pub others: Vec<DeadLetterReason>,
}

struct Notes(Arc<Mutex<Vec<MembershipEvent>>>);

impl Actor for Notes {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, _: &mut Context<'_, Self>) {
        self.0.lock().unwrap().push(event);
    }
}

/// The name of a cluster that no other test has on this machine.
pub fn cluster(test: &str) -> String {
    format!("{test}-{}", std::process::id())
}

/// Suspects others early, and takes nobody for dead.
pub fn patient(cluster: &str) -> LinkConfig {
    LinkConfig {
        suspect_after: Duration::from_millis(500),
        heartbeat: Duration::from_millis(100),
        dead_after: 10 * LONG,
        ..LinkConfig::new(cluster, LARGEST_PACKET)
    }
}

impl Place {
    /// # Errors
    /// What Zenoh does not allow.
    pub fn join(settings: &ZenohSettings, config: LinkConfig) -> Result<Self, ZenohError> {
        let lost: Arc<Mutex<Lost>> = Arc::default();
        let noted = lost.clone();
        let theater = Theater::builder().workers(2).on_dead_letter(move |letter| {
            let mut lost = noted.lock().unwrap();
            use DeadLetterReason::{Stopped, Unreachable};
            match (letter.reason, letter.message.downcast().map(|say| *say)) {
                (Unreachable | Stopped, Ok(Say::Number(number))) => lost.numbers.push(number),
                (Unreachable | Stopped, Ok(Say::Echo(..) | Say::Keep(_) | Say::Count(_))) => {}
                (reason, _) => lost.others.push(reason),
            }
        });
        let theater = theater.build().unwrap();
        let cluster = config.cluster.clone();
        let network = Network::join(&theater, TheaterId::random(), config, |me, listener| {
            ZenohTransport::open(settings, &cluster, me, listener)
                .map(|transport| transport as Arc<dyn Transport>)
        })?;
        let events: Arc<Mutex<Vec<_>>> = Arc::default();
        network.subscribe(&theater.spawn(Notes(events.clone())));
        Ok(Self { theater, network, events, lost })
    }

    /// One that listens. Answers where.
    #[track_caller]
    pub fn listening(config: &LinkConfig, connect: &[&str]) -> (String, Self) {
        super::endpoint::listening(|endpoint| {
            let settings = ZenohSettings {
                listen: vec![endpoint.into()],
                connect: connect.iter().map(|&to| to.into()).collect(),
                ..Default::default()
            };
            Self::join(&settings, config.clone())
        })
    }

    /// The theater that has joined as the first one, second, ..; waits for that.
    #[track_caller]
    pub fn meets(&self, number: usize) -> TheaterId {
        let joined = |event: &MembershipEvent| match *event {
            MembershipEvent::Joined(theater) => Some(theater),
            _ => None,
        };
        let met = || self.events.lock().unwrap().iter().filter_map(joined).nth(number - 1);
        until("another theater joins", || met().is_some());
        met().unwrap()
    }

    /// Waits until another theater is this, as far as is known here.
    #[track_caller]
    pub fn finds(&self, theater: TheaterId, is: Membership) {
        until("a theater is found to be there, or silent", || {
            self.network.members().contains(&(theater, is))
        });
    }

    /// Waits until another theater is gone.
    #[track_caller]
    pub fn misses(&self, theater: TheaterId) {
        until("a theater is missed", || self.has_missed(theater));
    }

    /// Whether a subscriber has been told that another theater is gone.
    pub fn has_missed(&self, theater: TheaterId) -> bool {
        let is_it = |event: &_| matches!(event, MembershipEvent::Gone(gone, _) if *gone == theater);
        self.events.lock().unwrap().iter().any(is_it)
    }

    /// What the other theater publishes under a name, or will.
    #[track_caller]
    pub fn find(&self, there: TheaterId, name: &str) -> ActorRef<Say> {
        let find = || self.network.at(there).lookup::<Say>(name).wait_timeout(LONG).unwrap();
        until("the actor is published", || find() != Err(RemoteError::NotFound));
        find().unwrap()
    }

    /// How many numbers have been acknowledged, of those that were sent to a theater that is gone:
    /// waits until each other one is a dead letter, and once.
    #[track_caller]
    pub fn acknowledged_of(&self, sent: u64) -> u64 {
        let lost = || {
            let mut lost = self.lost.lock().unwrap().numbers.clone();
            lost.sort_unstable();
            lost
        };
        let first = |lost: &[u64]| lost.first().copied().unwrap_or(sent);
        until("each number is acknowledged or a dead letter", || {
            let lost = lost();
            !lost.is_empty() && lost.iter().copied().eq(first(&lost)..sent)
        });
        first(&lost())
    }

    /// An actor that hears numbers, and says some if it is told to.
    pub fn speaks(&self) -> ActorRef<Say> {
        self.theater.spawn(Speaks::default())
    }
}

/// How many numbers an actor has heard.
#[track_caller]
pub fn count(actor: &ActorRef<Say>) -> u64 {
    actor.ask(Say::Count).wait_timeout(LONG).expect("it has heard nothing wrong")
}
