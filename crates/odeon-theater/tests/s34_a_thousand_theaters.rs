//! S34 with a thousand theaters in one thread, from seeds: actors wander among theaters that lose
//! packets, are cut off from each other, and are killed. Nobody sits twice at any step, nothing is
//! doubled, and what need not be lost is not.

use super::log::{Heard, Log, Say};
use super::neighbours;
use odeon_core::{ActorRef, Random, Theater};
use odeon_testkit::Deterministic;
use odeon_theater::{Conditions, InMemoryNetwork, LinkConfig, MobileId, Network, TheaterId};
use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::time::Duration;

struct Place {
    run: Deterministic,
    network: Network,
    is_dead: bool,
}

/// A theater's reference to an actor.
struct Known {
    place: usize,
    actor: ActorRef<Say>,
    said: u64,
}

struct Simulation {
    seed: u64,
    net: InMemoryNetwork,
    places: Vec<Place>,
    /// Who refers to each actor.
    actors: Vec<Vec<Known>>,
    random: Random,
    now: Duration,
    asked: Vec<odeon_core::Ask<Result<odeon_theater::Migrated, odeon_theater::MigrateError>>>,
    moved: usize,
}

const STEP: Duration = Duration::from_millis(5);
const THEATERS: usize = 1_000;
const ACTORS: usize = 250;
/// How far from each other an actor, its references and where it goes to may be.
const NEAR: usize = 3;

fn id(place: usize) -> TheaterId {
    TheaterId::from_bits(place as u128 + 1)
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let net = InMemoryNetwork::new(seed);
        let place = |number: usize| {
            let run = Deterministic::with(seed + number as u64, Theater::builder());
            let config = LinkConfig::new("simulated", 65_000);
            let near: Vec<_> =
                (1..=NEAR).flat_map(|by| [number + by, number + THEATERS - by]).collect();
            let near = near.into_iter().map(|near| id(near % THEATERS)).collect();
            let network = Network::join(run.theater(), id(number), config, |me, listener| {
                Ok::<_, Infallible>(neighbours::join(&net, me, near, listener))
            });
            let network = network.unwrap();
            network.register_mobile::<Log>();
            Place { run, network, is_dead: false }
        };
        let places = (0..THEATERS).map(place).collect();
        let random = Random::from_seed(seed);
        let (actors, asked) = (Vec::new(), Vec::new());
        let now = Duration::ZERO;
        let mut simulation = Self { seed, net, places, actors, random, now, asked, moved: 0 };
        simulation.create();
        simulation
    }

    /// Each actor is referred to where it is created and from two theaters near by.
    fn create(&mut self) {
        let mut found = Vec::new();
        for number in 0..ACTORS {
            let at = number * (THEATERS / ACTORS);
            let born = &self.places[at].network;
            let actor = born.spawn_mobile(Log::default());
            born.publish("log", &actor);
            self.actors.push(vec![Known { place: at, actor, said: 0 }]);
            for by in 1..NEAR {
                let place = (at + by) % THEATERS;
                found.push((number, place, self.places[place].network.at(id(at)).lookup("log")));
            }
        }
        self.steps(60);
        for (number, place, ask) in found {
            let actor = ask.wait_timeout(Duration::ZERO).unwrap().unwrap();
            self.actors[number].push(Known { place, actor, said: 0 });
        }
        for number in 0..ACTORS {
            self.places[number * (THEATERS / ACTORS)].network.unpublish("log");
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn steps(&mut self, steps: usize) {
        for _ in 0..steps {
            self.now += STEP;
            self.net.step(self.now);
            for place in self.places.iter().filter(|place| !place.is_dead) {
                place.run.advance(STEP);
            }
            self.net.step(self.now);
            self.sitting();
        }
    }

    /// How many sit somewhere; nobody does so twice.
    #[track_caller]
    fn sitting(&self) -> usize {
        let mut sitting: HashMap<MobileId, usize> = HashMap::new();
        for (number, place) in self.places.iter().enumerate().filter(|(_, place)| !place.is_dead) {
            for actor in place.network.overview().mobile {
                let another = sitting.insert(actor.id, number);
                assert_eq!(another, None, "seed {}: {actor:?} sits in {number} too", self.seed);
            }
        }
        sitting.len()
    }

    /// Somebody says something to an actor, or has it move.
    fn act(&mut self) {
        let (number, by) = (self.below(ACTORS), self.below(2 * NEAR + 1));
        let (which, moves) = (self.below(NEAR), self.below(3) == 0);
        let to = (number * (THEATERS / ACTORS) + THEATERS + by - NEAR) % THEATERS;
        let Some(known) = self.actors[number].get_mut(which) else { return };
        let place = &self.places[known.place];
        if place.is_dead {
            return;
        }
        if known.actor.send(Say::Number { from: known.place, number: known.said }).is_ok() {
            known.said += 1;
        }
        if moves {
            self.asked.push(place.network.migrate(&known.actor, id(to)));
        }
    }

    fn bad(&mut self) -> Conditions {
        let delay = (Duration::ZERO, Duration::from_millis(1 + self.below(30) as u64));
        Conditions { delay, loss: 0.1, duplication: 0.1, reordering: 0.1, ..Conditions::GOOD }
    }

    /// Two that may have to do with each other.
    fn two(&mut self) -> (TheaterId, TheaterId) {
        let (one, by) = (self.below(THEATERS), 1 + self.below(2 * NEAR));
        (id(one), id((one + by) % THEATERS))
    }

    fn look_at_answers(&mut self) {
        for ask in std::mem::take(&mut self.asked) {
            let moved = ask.wait_timeout(Duration::ZERO);
            self.moved += usize::from(matches!(moved, Ok(Ok(moved)) if moved.bytes > 0));
        }
    }

    /// What those who can still reach each actor hear of it, which is the same.
    fn heard(&mut self) -> Vec<Option<Heard>> {
        let places = &self.places;
        let asks: Vec<Vec<_>> = (self.actors.iter())
            .map(|known| {
                let living = known.iter().filter(|known| !places[known.place].is_dead);
                living.map(|known| (known.actor.clone(), known.actor.ask(Say::Heard))).collect()
            })
            .collect();
        self.steps(60);
        let seed = self.seed;
        let of_one = |asks: Vec<(ActorRef<Say>, odeon_core::Ask<Heard>)>| {
            let mut all = Vec::new();
            for (actor, ask) in asks {
                match ask.wait_timeout(Duration::ZERO) {
                    Ok(heard) => all.push(heard),
                    Err(_) => assert!(actor.is_stopped(), "seed {seed}: it leads nowhere"),
                }
            }
            assert!(all.windows(2).all(|two| two[0] == two[1]), "seed {seed}: {all:?}");
            all.pop()
        };
        asks.into_iter().map(of_one).collect()
    }
}

#[test]
fn s34_a_thousand_theaters_lose_and_double_nothing_by_a_bad_network() {
    let mut simulation = Simulation::new(1);
    let bad = simulation.bad();
    simulation.net.set_everywhere(bad);
    for round in 0..100 {
        (0..100).for_each(|_| simulation.act());
        let (one, other) = simulation.two();
        simulation.net.cut(one, other);
        simulation.steps(1);
        if round % 10 == 9 {
            simulation.net.set_everywhere(bad);
        }
    }
    simulation.net.set_everywhere(Conditions::GOOD);
    simulation.steps(400);
    simulation.look_at_answers();
    assert!(simulation.moved > 1_000, "{}", simulation.moved);
    assert_eq!(simulation.sitting(), ACTORS, "all of them sit somewhere");
    for (number, heard) in simulation.heard().into_iter().enumerate() {
        let said = simulation.actors[number].iter().filter(|known| known.said > 0);
        let said: Heard = said.map(|known| (known.place, (0..known.said).collect())).collect();
        assert_eq!(heard, Some(said), "{number}");
    }
}

#[test]
fn s34_of_a_thousand_theaters_that_are_cut_off_and_killed_nobody_has_an_actor_twice() {
    for seed in [2, 3] {
        let mut simulation = Simulation::new(seed);
        for round in 0..200 {
            (0..40).for_each(|_| simulation.act());
            let (one, other) = simulation.two();
            let bad = simulation.bad();
            simulation.net.set(one, other, bad);
            let (one, other) = simulation.two();
            simulation.net.cut(one, other);
            if round % 10 == 5 {
                let dies = simulation.below(THEATERS);
                simulation.net.crash(id(dies));
                simulation.places[dies].is_dead = true;
            }
            simulation.steps(1);
        }
        // Longer than it takes to hold each other for dead.
        simulation.steps(500);
        simulation.net.set_everywhere(Conditions::GOOD);
        simulation.steps(1_000);
        simulation.look_at_answers();
        let dead: BTreeSet<_> = (0..THEATERS).filter(|&at| simulation.places[at].is_dead).collect();
        assert!(dead.len() > 10 && simulation.moved > 500, "{dead:?}, {}", simulation.moved);
        let heard = simulation.heard();
        for heard in heard.iter().flatten() {
            for (from, numbers) in heard {
                let once: BTreeSet<_> = numbers.iter().collect();
                assert_eq!(once.len(), numbers.len(), "seed {seed}: doubled, of {from}");
            }
        }
        let reached = heard.iter().flatten().count();
        assert!(reached > ACTORS / 2, "seed {seed}: {reached}");
        // Whom nobody can reach any more is let go.
        assert_eq!(simulation.sitting(), reached, "seed {seed}");
    }
}
