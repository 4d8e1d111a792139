//! S34 with many theaters in one thread, from seeds: actors move while others send to them, by a
//! bad network, and while theaters are killed.

use odeon_core::{Actor, ActorRef, Context, DeadLetterReason, Message, Random, Reply, Theater};
use odeon_testkit::Deterministic;
use odeon_theater::{
    Conditions, InMemoryNetwork, LinkConfig, MigrateError, Migrated, Mobile, MobileId, Network,
    TheaterId,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The log goes with the actor: were there two of it, or one that was left half behind, a number
/// would be missing or come twice.
#[derive(Default, Serialize, Deserialize)]
struct Log {
    /// The last number of each sender.
    last: BTreeMap<usize, u64>,
    heard: u64,
    /// Messages may be missing: theaters are killed.
    gaps: bool,
}

#[derive(Serialize, Deserialize)]
enum Say {
    Number { from: usize, number: u64 },
    Heard(Reply<u64>),
}

impl Message for Say {}

impl Actor for Log {
    type Msg = Say;

    fn handle(&mut self, msg: Say, _: &mut Context<'_, Self>) {
        match msg {
            Say::Number { from, number } => {
                let last = self.last.insert(from, number);
                let expected = last.map_or(0, |last| last + 1);
                assert!(number >= expected, "{from}: {number} instead of {expected}");
                assert!(number == expected || self.gaps, "{from}: {number}, {expected}");
                self.heard += 1;
            }
            Say::Heard(reply) => reply.send(self.heard),
        }
    }
}

impl Mobile for Log {
    const KIND: &'static str = "log";
}

struct Place {
    run: Deterministic,
    network: Network,
    failed: Arc<AtomicU64>,
    lost: Arc<AtomicU64>,
    /// A reference to each actor, and the next number for it.
    known: Vec<Option<(ActorRef<Say>, u64)>>,
    is_dead: bool,
}

type Asked = odeon_core::Ask<Result<Migrated, MigrateError>>;

struct Simulation {
    seed: u64,
    net: InMemoryNetwork,
    places: Vec<Place>,
    random: Random,
    now: Duration,
    asked: Vec<Asked>,
    moved: u64,
    refused: u64,
    /// In which theater each actor sits, if it is not between two.
    sitting: BTreeMap<MobileId, usize>,
}

const STEP: Duration = Duration::from_millis(2);

fn id(place: usize) -> TheaterId {
    TheaterId::from_bits(place as u128 + 1)
}

impl Simulation {
    fn new(seed: u64, gaps: bool) -> Self {
        let (theaters, actors) = (7, 10);
        let net = InMemoryNetwork::new(seed);
        let place = |number: usize| {
            let (failed, lost) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
            let (fails, loses) = (failed.clone(), lost.clone());
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
            network.register_mobile::<Log>();
            Place { run, network, failed, lost, known: Vec::new(), is_dead: false }
        };
        let places = (0..theaters).map(place).collect();
        let random = Random::from_seed(seed);
        let mut simulation = Self {
            seed,
            net,
            places,
            random,
            now: Duration::ZERO,
            asked: Vec::new(),
            moved: 0,
            refused: 0,
            sitting: BTreeMap::new(),
        };
        simulation.steps(20);
        for actor in 0..actors {
            let born = &simulation.places[actor % theaters];
            born.network.publish(
                &actor.to_string(),
                &born.network.spawn_mobile(Log { gaps, ..Log::default() }),
            );
        }
        for place in 0..theaters {
            let network = simulation.places[place].network.clone();
            let asks: Vec<_> = (0..actors)
                .map(|actor| network.at(id(actor % theaters)).lookup::<Say>(&actor.to_string()))
                .collect();
            simulation.steps(60);
            let found = asks.into_iter().map(|ask| ask.wait_timeout(Duration::ZERO));
            let known = found.map(|found| Some((found.ok()?.ok()?, 0))).collect();
            simulation.places[place].known = known;
        }
        simulation
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn step(&mut self) {
        self.now += STEP;
        self.net.step(self.now);
        for place in self.places.iter().filter(|place| !place.is_dead) {
            place.run.advance(STEP);
        }
        self.net.step(self.now);
        self.look_where_they_sit();
    }

    /// Nobody sits in two theaters.
    #[track_caller]
    fn look_where_they_sit(&mut self) {
        self.sitting.clear();
        for (number, place) in self.places.iter().enumerate().filter(|(_, place)| !place.is_dead) {
            for actor in place.network.overview().mobile {
                let another = self.sitting.insert(actor.id, number);
                assert_eq!(another, None, "seed {}: {actor:?} sits in {number} too", self.seed);
            }
        }
    }

    fn steps(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    /// Somebody says something to somebody, or has somebody move.
    fn act(&mut self) {
        let (from, actor) = (self.below(self.places.len()), self.below(self.places[0].known.len()));
        let (to, messages, moves) =
            (self.below(self.places.len()), self.below(6), self.below(4) == 0);
        let place = &mut self.places[from];
        if place.is_dead {
            return;
        }
        let Some((actor, number)) = &mut place.known[actor] else { return };
        for _ in 0..messages {
            if actor.send(Say::Number { from, number: *number }).is_ok() {
                *number += 1;
            }
        }
        if moves {
            self.asked.push(place.network.migrate(actor, id(to)));
        }
    }

    fn look_at_answers(&mut self) {
        for ask in std::mem::take(&mut self.asked) {
            match ask.wait_timeout(Duration::ZERO) {
                Ok(Ok(moved)) => self.moved += u64::from(moved.bytes > 0),
                Ok(Err(_)) => self.refused += 1,
                Err(_) => {}
            }
        }
    }

    #[track_caller]
    fn check(&self) {
        let failed: u64 = self.places.iter().map(|place| place.failed.load(Relaxed)).sum();
        assert_eq!(failed, 0, "seed {}: an actor has heard something wrong", self.seed);
    }
}

fn bad() -> Conditions {
    Conditions {
        delay: (Duration::ZERO, Duration::from_millis(12)),
        loss: 0.15,
        duplication: 0.1,
        reordering: 0.1,
        ..Conditions::GOOD
    }
}

#[test]
fn s34_actors_that_move_lose_double_and_mix_up_nothing() {
    for seed in 0..12 {
        let mut simulation = Simulation::new(seed, false);
        simulation.net.set_everywhere(bad());
        for _ in 0..400 {
            (0..3).for_each(|_| simulation.act());
            simulation.step();
        }
        simulation.net.set_everywhere(Conditions::GOOD);
        simulation.steps(1_500);
        simulation.look_at_answers();
        simulation.check();
        assert_eq!(simulation.refused, 0, "seed {seed}");
        assert!(simulation.moved > 100, "seed {seed}: {}", simulation.moved);
        let lost: u64 = simulation.places.iter().map(|place| place.lost.load(Relaxed)).sum();
        assert_eq!(lost, 0, "seed {seed}");
        assert_eq!(simulation.sitting.len(), 10, "seed {seed}: all of them sit somewhere");
        // Everybody hears the same of each actor, and all that was ever sent.
        for actor in 0..10 {
            let known = |place: &Place| place.known[actor].clone();
            let known: Vec<_> = simulation.places.iter().filter_map(known).collect();
            assert_eq!(known.len(), 7, "seed {seed}");
            let sent: u64 = known.iter().map(|(_, number)| number).sum();
            let asks: Vec<_> = known.iter().map(|(actor, _)| actor.ask(Say::Heard)).collect();
            simulation.steps(60);
            for ask in asks {
                assert_eq!(ask.wait_timeout(Duration::ZERO), Ok(sent), "seed {seed}: {actor}");
            }
        }
        simulation.steps(500);
        // Who refers to whom: each actor is referred to from the six others at most, and nobody
        // stands between any more.
        let of = |place: &Place| place.network.references();
        let (held, out) =
            simulation.places.iter().map(of).fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
        assert!(held <= 10, "seed {seed}: {held} seats are referred to");
        assert_eq!(out, 60, "seed {seed}");
    }
}

#[test]
fn s34_theaters_that_are_killed_take_along_what_is_there_and_nothing_else() {
    for seed in 100..112 {
        let mut simulation = Simulation::new(seed, true);
        simulation.net.set_everywhere(bad());
        for round in 0..300 {
            (0..3).for_each(|_| simulation.act());
            if round == 150 || round == 155 {
                let dies = simulation.below(7);
                simulation.net.crash(id(dies));
                simulation.places[dies].is_dead = true;
            }
            simulation.step();
        }
        simulation.net.set_everywhere(Conditions::GOOD);
        simulation.steps(12_000);
        simulation.look_at_answers();
        simulation.check();
        assert!(simulation.moved > 5, "seed {seed}: {}", simulation.moved);
        // An actor is there for all that still refer to it, or for nobody.
        for actor in 0..10 {
            let known = |place: &Place| place.known[actor].clone();
            let living = simulation.places.iter().filter(|place| !place.is_dead);
            let known: Vec<_> = living.filter_map(known).collect();
            let asks: Vec<_> = known.iter().map(|(actor, _)| actor.ask(Say::Heard)).collect();
            simulation.steps(60);
            let heard: Vec<_> =
                asks.into_iter().filter_map(|ask| ask.wait_timeout(Duration::ZERO).ok()).collect();
            assert!(heard.windows(2).all(|two| two[0] == two[1]), "seed {seed}: {heard:?}");
            for (actor, _) in &known {
                assert!(actor.is_stopped() || !heard.is_empty(), "seed {seed}");
            }
        }
    }
}
