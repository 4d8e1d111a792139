//! The actors of a run: supervised ones of both kinds, on all stages that there are, and a worker
//! pool.

use std::sync::Arc;

use odeon_core::*;

use crate::actors::{Errand, Plain, State, Waiting};
use crate::world::World;

/// How many are spawned at a time.
const NEWCOMERS: usize = 8;

/// Spawns more actors, watches them, and has a new worker pool in the place of the last; with a
/// stage also there, and on stages of their own.
pub(crate) fn populate(
    world: &Arc<World>,
    theater: &Theater,
    stage: Option<&Stage>,
    random: &mut Random,
) {
    for number in 0..NEWCOMERS {
        let newcomer = spawn(world, theater, stage, number, random);
        world.on_end(&newcomer);
        world.add_peer(newcomer);
    }
    let (policy, seed) = (world.policy(random), random.next_u64());
    let routing = match random.below(3) {
        0 => Routing::RoundRobin,
        1 => Routing::LeastLoaded,
        _ => Routing::ByKey(|errand: &Errand| errand.seed % 7),
    };
    let employer = world.clone();
    let pool = theater.actor().supervised(policy).pool(random.below(4), routing, move |member| {
        let life = employer.counts.handled.now();
        Plain(employer.state(seed.wrapping_add(member as u64 + life)))
    });
    let last = world.pool.lock().unwrap().replace(pool);
    drop(last);
}

fn spawn(
    world: &Arc<World>,
    theater: &Theater,
    stage: Option<&Stage>,
    number: usize,
    random: &mut Random,
) -> ActorRef<Errand> {
    let (policy, mut state) = (world.policy(random), states(world, random));
    match (number, stage) {
        (0 | 4, Some(stage)) => {
            theater.actor().on(stage).supervised(policy).spawn(move || Plain(state()))
        }
        (1 | 5, Some(stage)) => {
            theater.actor().on(stage).supervised(policy).spawn(move || Waiting(state()))
        }
        // Refused once a failure has ended the theater: then the actor ends at once on the pool.
        (2, Some(_)) => {
            let own = theater.actor().dedicated("own").spawn(Plain(state()));
            own.unwrap_or_else(|_| theater.spawn(Plain(world.state(0))))
        }
        (3, Some(_)) => {
            let own = theater.actor().dedicated("own").spawn(Waiting(state()));
            own.unwrap_or_else(|_| theater.spawn(Waiting(world.state(0))))
        }
        (number, _) if number % 2 == 0 => {
            theater.actor().supervised(policy).spawn(move || Plain(state()))
        }
        _ => theater.actor().supervised(policy).spawn(move || Waiting(state())),
    }
}

/// The states of one actor's lives. To make the first one never fails.
fn states(world: &Arc<World>, random: &mut Random) -> impl FnMut() -> State + Send + use<> {
    let (world, seed, mut life) = (world.clone(), random.next_u64(), 0);
    move || {
        life += 1;
        if life == 1 { State::new(&world, false) } else { world.state(seed.wrapping_add(life)) }
    }
}
