//! S33: whoever has just been told that a theater has joined finds the names that are known there;
//! from seeds.

use super::virtual_time::ms;
use odeon_core::{Actor, ActorRef, Ask, Context, Message, Random, Reply, Theater};
use odeon_testkit::{Deterministic, for_seeds};
use odeon_theater::{
    Conditions, InMemoryNetwork, LinkConfig, MembershipEvent, NameError, NameSettings, Names,
    Network, TheaterId,
};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Who(Reply<u64>);

impl Message for Who {}

struct Somebody(u64);

impl Actor for Somebody {
    type Msg = Who;

    fn handle(&mut self, Who(reply): Who, _: &mut Context<'_, Self>) {
        reply.send(self.0);
    }
}

type Found = Ask<Result<ActorRef<Who>, NameError>>;

/// Looks all names up whenever it is told that a theater has joined.
struct Early {
    names: Names,
    wanted: Vec<String>,
    found: Arc<Mutex<Vec<(String, Found)>>>,
}

impl Actor for Early {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, _: &mut Context<'_, Self>) {
        if let MembershipEvent::Joined(_) = event {
            let found = self.wanted.iter().map(|name| (name.clone(), self.names.lookup(name)));
            self.found.lock().unwrap().extend(found);
        }
    }
}

struct Place {
    run: Deterministic,
    network: Network,
    names: Option<Names>,
}

struct World {
    seed: u64,
    net: InMemoryNetwork,
    places: Vec<Place>,
    now: Duration,
}

fn id(seed: u64, place: usize) -> TheaterId {
    // Which servers a name has hangs on these.
    TheaterId::from_bits(u128::from(seed) << 64 | (place as u128 + 1))
}

impl World {
    fn new(seed: u64) -> Self {
        let net = InMemoryNetwork::new(seed);
        Self { seed, net, places: Vec::new(), now: Duration::ZERO }
    }

    /// One more theater, to which packets take as long as `delay` says for each other one.
    fn join(&mut self, takes_part: bool, mut delay: impl FnMut(usize) -> u64) {
        let number = self.places.len();
        let run = Deterministic::with(self.seed + number as u64, Theater::builder());
        let me = id(self.seed, number);
        for other in 0..number {
            let delay = ms(delay(other));
            let slow = Conditions { delay: (delay, delay), ..Conditions::GOOD };
            self.net.set(me, id(self.seed, other), slow);
            self.net.set(id(self.seed, other), me, slow);
        }
        let config = LinkConfig::new("early", 65_000);
        let network = Network::join(run.theater(), me, config, |me, listener| {
            Ok::<_, Infallible>(Arc::new(self.net.join(me, listener)))
        });
        let network = network.unwrap();
        let names = takes_part.then(|| Names::join(&network, NameSettings::default()));
        run.clock().set(self.now);
        self.places.push(Place { run, network, names });
    }

    fn steps(&mut self, steps: usize) {
        for _ in 0..steps {
            self.now += ms(1);
            self.net.step(self.now);
            for place in &self.places {
                place.run.clock().set(self.now);
                place.run.run_until_idle();
            }
            self.net.step(self.now);
        }
    }

    /// Has somebody in a theater look these names up whenever another one joins.
    fn hurries(&self, place: usize, wanted: &[String]) -> Arc<Mutex<Vec<(String, Found)>>> {
        let found = Arc::default();
        let Place { run, network, names } = &self.places[place];
        let names = names.clone().unwrap();
        let early = Early { names, wanted: wanted.to_vec(), found: Arc::clone(&found) };
        network.subscribe(&run.theater().spawn(early));
        found
    }
}

fn name(number: u64) -> String {
    format!("name {number}")
}

#[test]
fn s33_whoever_hears_that_a_theater_has_joined_finds_its_names() {
    for_seeds(40, |seed| {
        let mut random = Random::from_seed(seed);
        let mut world = World::new(seed);
        let theaters = 1 + random.below(6);
        (0..theaters).for_each(|_| world.join(true, |_| 1));
        world.steps(200);
        let mut kept = Vec::new();
        for number in 0..6 {
            let Place { run, names, .. } = &world.places[random.below(theaters)];
            let actor = run.theater().spawn(Somebody(number));
            let registered = names.as_ref().unwrap().register(&name(number), &actor);
            kept.push(actor);
            world.steps(30);
            registered.wait_timeout(Duration::ZERO).unwrap().unwrap();
        }
        // Some links come to be before others.
        world.join(true, |_| 1 + random.below(40) as u64);
        let wanted: Vec<String> = (0..6).map(name).collect();
        let found = world.hurries(theaters, &wanted);
        world.steps(3_000);
        let found = std::mem::take(&mut *found.lock().unwrap());
        assert_eq!(found.len(), 6 * theaters, "seed {seed}");
        for (name, found) in found {
            let found = found.wait_timeout(Duration::ZERO);
            assert!(matches!(found, Ok(Ok(_))), "seed {seed}: {name}: {found:?}");
        }
        let nobody = world.places[theaters].names.as_ref().unwrap().lookup::<Who>("nobody");
        world.steps(500);
        let nobody = nobody.wait_timeout(Duration::ZERO).unwrap();
        assert!(matches!(nobody, Err(NameError::NotFound)), "seed {seed}: {nobody:?}");
    });
}

#[test]
fn s33_who_takes_no_part_or_falls_silent_is_not_waited_for() {
    let mut world = World::new(7);
    world.join(true, |_| 1);
    world.join(false, |_| 20);
    let found = world.hurries(0, &[name(1)]);
    world.steps(500);
    let (_, found) = found.lock().unwrap().pop().unwrap();
    assert!(matches!(found.wait_timeout(Duration::ZERO), Ok(Err(NameError::NotFound))));

    // It is cut off before it can say whether it takes part.
    world.join(true, |_| 20);
    let [first, silent] = [0, 2].map(|place| id(7, place));
    let found = world.hurries(0, &[name(1)]);
    while !world.places[0].network.members().iter().any(|(member, _)| *member == silent) {
        world.steps(1);
    }
    world.net.cut(first, silent);
    world.steps(10_000);
    for (_, found) in std::mem::take(&mut *found.lock().unwrap()) {
        assert!(matches!(found.wait_timeout(Duration::ZERO), Ok(Err(NameError::NotFound))));
    }
}
