//! Theaters in one thread, by virtual time, a millisecond at a step.
#![allow(unreachable_pub, dead_code, reason = "as in `support`")]

use odeon_core::{ActorRef, Ask, DeadLetterReason, Message, Random, Theater};
use odeon_testkit::Deterministic;
use odeon_theater::{
    Conditions, InMemoryNetwork, LinkConfig, MigrateError, Migrated, Network, TheaterId,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

thread_local! {
    /// The time of all theaters of this thread.
    pub static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

pub struct Place {
    pub run: Deterministic,
    pub network: Network,
    lost: Arc<AtomicU64>,
    failed: Arc<AtomicU64>,
    is_dead: bool,
}

pub struct Simulation {
    pub net: InMemoryNetwork,
    pub places: Vec<Place>,
    pub random: Random,
}

const STEP: Duration = ms(1);

pub fn id(place: usize) -> TheaterId {
    TheaterId::from_bits(place as u128 + 1)
}

pub fn bad() -> Conditions {
    Conditions {
        delay: (Duration::ZERO, ms(12)),
        loss: 0.15,
        duplication: 0.1,
        reordering: 0.1,
        ..Conditions::GOOD
    }
}

impl Simulation {
    /// `register` is called with all of these theaters but the last one, to which mobile actors may
    /// come then.
    pub fn of(seed: u64, theaters: usize, register: impl Fn(&Network)) -> Self {
        NOW.set(Duration::ZERO);
        let net = InMemoryNetwork::new(seed);
        let place = |number: usize| {
            let (lost, failed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
            let (loses, fails) = (lost.clone(), failed.clone());
            let builder = Theater::builder().on_dead_letter(move |letter| match letter.reason {
                DeadLetterReason::Failed => drop(fails.fetch_add(1, Relaxed)),
                _ => drop(loses.fetch_add(1, Relaxed)),
            });
            let run = Deterministic::with(seed + number as u64, builder);
            let config = LinkConfig::new("simulated", 65_000);
            let network = Network::join(run.theater(), id(number), config, |me, listener| {
                Ok::<_, Infallible>(Arc::new(net.join(me, listener)))
            });
            let network = network.unwrap();
            if number + 1 < theaters {
                register(&network);
            }
            Place { run, network, lost, failed, is_dead: false }
        };
        let places = (0..theaters).map(place).collect();
        let mut simulation = Self { net, places, random: Random::from_seed(seed) };
        simulation.steps(20);
        simulation
    }

    pub fn step(&mut self) {
        let now = NOW.get() + STEP;
        NOW.set(now);
        self.net.step(now);
        for place in self.places.iter().filter(|place| !place.is_dead) {
            place.run.clock().set(now);
            place.run.run_until_idle();
        }
        self.net.step(now);
    }

    pub fn steps(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    /// The answer, which is there after so many steps.
    #[track_caller]
    pub fn answer<T: Send + 'static>(&mut self, ask: Ask<T>, steps: usize) -> T {
        self.steps(steps);
        ask.wait_timeout(Duration::ZERO).expect("there is an answer")
    }

    pub fn kill(&mut self, place: usize) {
        self.net.crash(id(place));
        self.places[place].is_dead = true;
    }

    /// A reference to an actor of a theater, in another one.
    pub fn known_at<M>(&mut self, place: usize, of: usize, actor: &ActorRef<M>) -> ActorRef<M>
    where
        M: Message + Serialize + DeserializeOwned,
    {
        self.places[of].network.publish("known", actor);
        let found = self.places[place].network.at(id(of)).lookup("known");
        let found = self.answer(found, 10).unwrap();
        self.places[of].network.unpublish("known");
        found
    }

    /// Asks for it in the first theater.
    #[track_caller]
    pub fn migrate<M: Message>(
        &mut self,
        actor: &ActorRef<M>,
        to: usize,
    ) -> Result<Migrated, MigrateError> {
        // What was sent before is handled first.
        self.step();
        let asked = self.places[0].network.migrate(actor, id(to));
        self.answer(asked, 400)
    }

    /// How many messages were lost, and that no actor has failed.
    #[track_caller]
    pub fn lost(&self) -> u64 {
        assert!(self.places.iter().all(|place| place.failed.load(Relaxed) == 0), "one has failed");
        self.places.iter().map(|place| place.lost.load(Relaxed)).sum()
    }
}
