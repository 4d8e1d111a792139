//! S35: actors are moved to where there is less to do; in virtual time, from seeds.

use odeon_core::{Actor, ActorRef, Context, Message, Theater};
use odeon_testkit::Deterministic;
use odeon_theater::{
    ByLoad, Conditions, InMemoryNetwork, LinkConfig, Mobile, MobileId, Network, Policy,
    RebalanceSettings, Rebalancer, Situation, TheaterId, Transport,
};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Counts.
#[derive(Default, Serialize, Deserialize)]
struct Worker {
    handled: u64,
}

#[derive(Serialize, Deserialize)]
struct Work;

impl Message for Work {}

impl Actor for Worker {
    type Msg = Work;

    fn handle(&mut self, _: Work, _: &mut Context<'_, Self>) {
        self.handled += 1;
    }
}

impl Mobile for Worker {
    const KIND: &'static str = "worker";
}

struct Place {
    run: Deterministic,
    network: Network,
    rebalancer: Option<Rebalancer>,
    known: Vec<ActorRef<Work>>,
    is_dead: bool,
}

struct Simulation {
    net: InMemoryNetwork,
    places: Vec<Place>,
    now: Duration,
}

const STEP: Duration = Duration::from_millis(5);
/// The steps of one period.
const PERIOD: usize = 100;

fn settings() -> RebalanceSettings {
    RebalanceSettings { every: STEP * PERIOD as u32, most_moves: 2, rest: Duration::from_secs(2) }
}

fn id(place: usize) -> TheaterId {
    TheaterId::from_bits(place as u128 + 1)
}

impl Simulation {
    /// All actors are born in the first theater, and known in all.
    fn new(seed: u64, theaters: usize, actors: usize) -> Self {
        let net = InMemoryNetwork::new(seed);
        let place = |number: usize| {
            let run = Deterministic::with(seed * 100 + number as u64, Theater::builder());
            let mut config = LinkConfig::new("simulated", 65_000);
            config.dead_after = Duration::from_millis(500);
            config.suspect_after = Duration::from_millis(250);
            config.heartbeat = Duration::from_millis(50);
            let network = Network::join(run.theater(), id(number), config, |me, listener| {
                Ok::<_, Infallible>(Arc::new(net.join(me, listener)) as Arc<dyn Transport>)
            });
            let network = network.unwrap();
            network.register_mobile::<Worker>();
            Place { run, network, rebalancer: None, known: Vec::new(), is_dead: false }
        };
        let places = (0..theaters).map(place).collect();
        let mut it = Self { net, places, now: Duration::ZERO };
        let first = &it.places[0].network;
        let born: Vec<_> = (0..actors).map(|_| first.spawn_mobile(Worker::default())).collect();
        born.iter().enumerate().for_each(|(n, actor)| first.publish(&n.to_string(), actor));
        it.places[0].known = born;
        it.steps(20);
        for place in 1..theaters {
            let at = it.places[place].network.clone();
            let asks: Vec<_> = (0..actors).map(|n| at.at(id(0)).lookup(&n.to_string())).collect();
            it.steps(20);
            let found = |ask: odeon_core::Ask<_>| -> Result<ActorRef<Work>, _> {
                ask.wait_timeout(Duration::ZERO).unwrap()
            };
            it.places[place].known = asks.into_iter().map(|ask| found(ask).unwrap()).collect();
        }
        (0..actors).for_each(|n| assert!(it.places[0].network.unpublish(&n.to_string())));
        it
    }

    fn rebalance<P: Policy>(&mut self, policy: impl Fn() -> P) {
        for place in &mut self.places {
            // They do not all begin at once.
            let rebalancer = Rebalancer::spawn(&place.network, policy(), settings());
            place.rebalancer = Some(rebalancer);
            place.run.advance(STEP);
        }
    }

    fn step(&mut self) {
        self.now += STEP;
        self.net.step(self.now);
        for place in self.places.iter().filter(|place| !place.is_dead) {
            place.run.advance(STEP);
        }
        self.net.step(self.now);
    }

    fn steps(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    /// One period, in each step of which every living theater sends as many messages as `work` says
    /// of it and an actor.
    fn period(&mut self, work: impl Fn(usize, usize) -> u64) {
        for _ in 0..PERIOD {
            for (number, place) in self.places.iter().enumerate().filter(|(_, it)| !it.is_dead) {
                for (actor, known) in place.known.iter().enumerate() {
                    // It may have been lost with its theater.
                    (0..work(number, actor)).for_each(|_| _ = known.send(Work));
                }
            }
            self.step();
        }
    }

    fn moved(&self) -> Vec<u64> {
        let moved = |place: &Place| place.rebalancer.as_ref().map_or(0, Rebalancer::moved);
        self.places.iter().map(moved).collect()
    }

    fn all_moved(&self) -> u64 {
        self.moved().iter().sum()
    }

    /// Where each actor sits, in the order of their birth.
    fn places_of(&self) -> Vec<usize> {
        let mut sits: Vec<(MobileId, usize)> = Vec::new();
        for (number, place) in self.places.iter().enumerate().filter(|(_, it)| !it.is_dead) {
            sits.extend(place.network.overview().mobile.iter().map(|actor| (actor.id, number)));
        }
        sits.sort_unstable();
        sits.into_iter().map(|(_, place)| place).collect()
    }

    fn counts(&self) -> Vec<usize> {
        let of = self.places_of();
        (0..self.places.len()).map(|n| of.iter().filter(|place| **place == n).count()).collect()
    }
}

fn somewhat_bad() -> Conditions {
    Conditions {
        delay: (Duration::ZERO, Duration::from_millis(20)),
        loss: 0.05,
        duplication: 0.05,
        ..Conditions::GOOD
    }
}

#[test]
fn s35_by_load_all_theaters_come_to_have_as_much_to_do_and_then_nobody_moves() {
    for seed in 0..6 {
        let mut simulation = Simulation::new(seed, 4, 16);
        simulation.net.set_everywhere(somewhat_bad());
        simulation.rebalance(ByLoad::default);
        let mut before = simulation.moved();
        for period in 0..40 {
            simulation.period(|place, _| u64::from(place == 0));
            let now = simulation.moved();
            for (now, before) in now.iter().zip(&before) {
                assert!(now - before <= 2, "seed {seed}, period {period}: more than may move");
            }
            before = now;
        }
        assert_eq!(simulation.counts(), [4, 4, 4, 4], "seed {seed}");
        assert_eq!(simulation.all_moved(), 12, "seed {seed}: some have moved in vain");
        for _ in 0..20 {
            simulation.period(|place, _| u64::from(place == 0));
        }
        assert_eq!(simulation.all_moved(), 12, "seed {seed}: it does not come to rest");
    }
}

#[test]
fn s35_a_theater_that_dies_takes_along_what_is_there_and_the_others_go_on() {
    for seed in 60..66 {
        let mut simulation = Simulation::new(seed, 4, 16);
        simulation.rebalance(ByLoad::default);
        for period in 0..60 {
            if period == 7 {
                simulation.net.crash(id(3));
                simulation.places[3].is_dead = true;
            }
            simulation.period(|place, _| u64::from(place == 0));
        }
        let counts = simulation.counts();
        let (least, most) = (counts[..3].iter().min().unwrap(), counts[..3].iter().max().unwrap());
        // With as many in each, or one that none can get rid of.
        assert!(most - least <= 1, "seed {seed}: {counts:?}");
        assert!(counts.iter().sum::<usize>() >= 12, "seed {seed}: {counts:?}");
        let moved = simulation.all_moved();
        for _ in 0..10 {
            simulation.period(|place, _| u64::from(place == 0));
        }
        assert_eq!(simulation.all_moved(), moved, "seed {seed}: it does not come to rest");
    }
}

/// Sends all to one theater, also those that may not go, also to where nobody is.
struct All(TheaterId);

impl Policy for All {
    fn choose(&mut self, situation: &Situation) -> Vec<(MobileId, TheaterId)> {
        let nowhere = TheaterId::from_bits(77);
        let stranger = MobileId { born: nowhere, number: 1 };
        let all = situation.actors.iter().map(|actor| (actor.id, self.0));
        let mut all: Vec<_> = [(stranger, self.0)].into_iter().chain(all).collect();
        all.extend(situation.actors.iter().map(|actor| (actor.id, nowhere)));
        all
    }
}

#[test]
fn s35_a_policy_is_held_to_the_limits() {
    let mut simulation = Simulation::new(80, 3, 9);
    // The third theater takes no part until later.
    for place in &mut simulation.places[..2] {
        place.rebalancer = Some(Rebalancer::spawn(&place.network, All(id(2)), settings()));
    }
    for _ in 0..10 {
        simulation.period(|_, _| 1);
    }
    assert_eq!(simulation.all_moved(), 0, "who takes no part gets nobody");
    let last = &mut simulation.places[2];
    last.rebalancer = Some(Rebalancer::spawn(&last.network, All(id(2)), settings()));
    let mut before = 0;
    for _ in 0..8 {
        simulation.period(|_, _| 1);
        let moved = simulation.all_moved();
        assert!(moved - before <= 2);
        before = moved;
    }
    assert_eq!(simulation.counts(), [0, 0, 9]);
    // Whoever does not work any more moves nobody, and is given nobody.
    simulation.places[2].rebalancer = None;
    simulation.places[2].network.overview();
    let [first, ..] = &mut simulation.places[..] else { unreachable!() };
    first.rebalancer = None;
    first.rebalancer = Some(Rebalancer::spawn(&first.network, All(id(1)), settings()));
    for _ in 0..10 {
        simulation.period(|_, _| 1);
    }
    assert_eq!(simulation.counts(), [0, 0, 9]);
}

#[test]
fn s35_an_actor_rests_where_it_has_come_to() {
    let mut simulation = Simulation::new(81, 2, 1);
    // Each sends it to the other one.
    let mut place = |place: usize, to: usize| {
        let it = &mut simulation.places[place];
        it.rebalancer = Some(Rebalancer::spawn(&it.network, All(id(to)), settings()));
    };
    place(0, 1);
    place(1, 0);
    // Four periods are its rest; the one in which it comes and the one in which that is seen come
    // on top.
    let periods = 30;
    for _ in 0..periods {
        simulation.period(|place, _| u64::from(place == 0));
    }
    let moved = simulation.all_moved();
    assert!((3..=periods / 4).contains(&moved), "{moved}");
}
