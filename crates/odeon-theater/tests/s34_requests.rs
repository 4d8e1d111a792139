//! S34: every request to move ends, also if theaters do not see each other for a while; by virtual
//! time, from seeds.

use super::virtual_time::{Simulation, id};
use odeon_core::{Actor, ActorRef, Ask, AskError, Context, Message, Reply};
use odeon_testkit::for_seeds;
use odeon_theater::{MigrateError, Migrated, Mobile};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Nomad(u64);

#[derive(Serialize, Deserialize)]
struct Who(Reply<u64>);

impl Message for Who {}

impl Actor for Nomad {
    type Msg = Who;

    fn handle(&mut self, Who(reply): Who, _: &mut Context<'_, Self>) {
        reply.send(self.0);
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "nomad that is asked to move";
}

const NOMADS: usize = 8;

type Asked = Ask<Result<Migrated, MigrateError>>;

struct Tribe {
    world: Simulation,
    theaters: usize,
    /// By the theater, and the actor.
    known: Vec<Vec<ActorRef<Who>>>,
    asked: Vec<(Duration, usize, Asked)>,
    seed: u64,
}

impl Tribe {
    fn new(seed: u64, theaters: usize) -> Self {
        // The last one takes in nobody.
        let mut world = Simulation::of(seed, theaters + 1, |network| {
            network.register_mobile::<Nomad>();
        });
        let nomads: Vec<_> = (0..NOMADS)
            .map(|nomad| world.places[nomad % theaters].network.spawn_mobile(Nomad(nomad as u64)))
            .collect();
        let known = (0..=theaters)
            .map(|place| {
                let known = nomads.iter().enumerate().map(|(nomad, actor)| {
                    let home = nomad % theaters;
                    if place == home { actor.clone() } else { world.known_at(place, home, actor) }
                });
                known.collect()
            })
            .collect();
        Self { world, theaters, known, asked: Vec::new(), seed }
    }

    /// Somebody asks somebody to move.
    fn ask(&mut self) {
        let (theaters, random) = (self.theaters, &mut self.world.random);
        let (by, to) = (random.below(theaters + 1), random.below(theaters));
        let actor = &self.known[by][random.below(NOMADS)];
        let asked = self.world.places[by].network.migrate(actor, id(to));
        self.asked.push((super::virtual_time::NOW.get(), by, asked));
    }

    fn go_on(&mut self, steps: usize) {
        for step in 0..steps {
            if step % 16 == 0 {
                self.ask();
            }
            self.world.step();
        }
    }

    /// All requests have been answered, one way or the other.
    #[track_caller]
    fn all_have_ended(&mut self) {
        let seed = self.seed;
        let asked = std::mem::take(&mut self.asked);
        let is_open = |ask: Asked| ask.wait_timeout(Duration::ZERO) == Err(AskError::Timeout);
        let open = asked.into_iter().filter_map(|(at, by, ask)| is_open(ask).then_some((at, by)));
        let open: Vec<_> = open.collect();
        assert!(open.is_empty(), "seed {seed}: {open:?}");
    }
}

#[test]
fn s34_requests_end_when_two_theaters_have_been_cut_off_from_each_other() {
    for_seeds(16, |seed| {
        let mut tribe = Tribe::new(seed, 3);
        tribe.go_on(400);
        tribe.world.net.cut(id(0), id(1));
        tribe.go_on(6_000);
        tribe.world.net.heal(id(0), id(1));
        tribe.go_on(1_000);
        tribe.world.steps(20_000);
        tribe.all_have_ended();
    });
}

#[test]
fn s34_requests_end_while_two_theaters_are_cut_off_from_each_other() {
    for_seeds(8, |seed| {
        let mut tribe = Tribe::new(seed, 3);
        tribe.go_on(400);
        tribe.world.net.cut(id(0), id(1));
        tribe.go_on(4_000);
        tribe.world.steps(20_000);
        tribe.all_have_ended();
    });
}
