//! One run of random programs, and what has to hold of it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Deterministic, Trace};

use crate::actors::Errand;
use crate::population::populate;
use crate::scopes::{Numbering, in_scope};
use crate::world::World;

/// How long a shutdown may take for what is over in milliseconds.
const SOON: Duration = Duration::from_secs(20);

/// So often errands come from outside.
const ROUNDS: u64 = 150;

/// How deep those lead.
const DEPTH: u32 = 3;

/// What another run of the same seed has to repeat.
pub(crate) struct Run {
    pub(crate) trace: Trace,
    pub(crate) counts: [u64; 7],
}

/// Every second run has a tracer.
fn is_traced(seed: u64) -> bool {
    seed % 2 == 1
}

fn traced(seed: u64, world: &Arc<World>, builder: TheaterBuilder) -> TheaterBuilder {
    if is_traced(seed) { builder.tracer(Arc::new(Numbering::new(&world.values))) } else { builder }
}

/// A few errands, in a scope of this round if the run is traced.
fn round(seed: u64, number: u64, world: &World, random: &mut Random) {
    let mut send = || {
        for _ in 0..1 + random.below(3) {
            if let Some(peer) = world.peer(random) {
                world.send(&peer, random, DEPTH);
            }
        }
    };
    if is_traced(seed) { in_scope(1 + number, send) } else { send() }
}

/// All in one thread and in virtual time, in an order that the seed decides.
pub(crate) fn deterministic(seed: u64) -> Run {
    let (world, mut random) = (World::new(seed), Random::from_seed(!seed));
    let builder = world.builder().stats(true).asks_seen(true);
    let run = Deterministic::with(seed, traced(seed, &world, builder));
    populate(&world, run.theater(), None, &mut random);
    for number in 0..ROUNDS {
        if number % 15 == 14 {
            populate(&world, run.theater(), None, &mut random);
        }
        round(seed, number, &world, &mut random);
        run.run_steps(random.below(40));
        if random.below(3) == 0 {
            run.advance(Duration::from_micros(random.below(4000) as u64));
        }
    }
    run.advance(Duration::from_millis(100));
    check_quiet(&world, run.theater());
    let trace = run.trace();
    let counts = &world.counts;
    let counted = [
        &counts.handled,
        &counts.told,
        &counts.answered,
        &counts.spawned,
        &counts.ended,
        &counts.restarted,
        &counts.dead_letters,
    ];
    let counts = counted.map(|count| count.now());
    if seed % 3 == 0 {
        world.let_go();
        run.run_until_idle();
    }
    let report = run.shutdown();
    assert_eq!(report.stuck, 0);
    world.ledger.take_leftovers::<Errand>(report);
    world.let_go();
    world.check();
    Run { trace, counts }
}

/// What a theater says of itself when nothing is left to do.
fn check_quiet(world: &World, theater: &Theater) {
    if theater.failure().is_some() {
        assert_eq!(theater.live_actors(), 0, "a failure at the root ends all");
        return;
    }
    let (stats, counts) = (theater.stats().expect("they are counted"), &world.counts);
    assert_eq!(stats.stages[0].messages, counts.handled.now());
    assert_eq!(stats.actors.len(), theater.live_actors());
    assert_eq!(stats.dead_letters.total(), counts.dead_letters.now());
    // Of actors that live: those that have ended took theirs along.
    let restarts: u64 = stats.actors.iter().map(|actor| actor.restarts).sum();
    assert!(restarts <= counts.restarted.now());
    let waits = theater.waits().expect("they are seen");
    assert!(waits.waits.is_empty(), "nobody waits in a quiet theater: {waits:?}");
}

/// Two workers, a pinned stage, and dedicated stages; cut off in the middle or drained.
pub(crate) fn with_threads(seed: u64) {
    let (world, mut random) = (World::new(seed), Random::from_seed(!seed));
    let builder = world.builder().workers(2).random_seed(seed);
    let builder = builder.stats(seed % 2 == 0).asks_seen(seed % 3 == 0);
    let theater = traced(seed, &world, builder).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    populate(&world, &theater, Some(&stage), &mut random);
    for number in 0..ROUNDS {
        if number % 30 == 29 {
            populate(&world, &theater, Some(&stage), &mut random);
        }
        round(seed, number, &world, &mut random);
        if random.below(5) == 0 {
            thread::sleep(Duration::from_micros(300));
        }
    }
    if seed % 3 == 0 {
        world.let_go();
    }
    let since = Instant::now();
    let report = theater.shutdown(if seed % 2 == 0 { SOON } else { Duration::ZERO });
    assert!(since.elapsed() < SOON / 2, "the shutdown took {:?}", since.elapsed());
    assert_eq!(report.stuck, 0);
    world.ledger.take_leftovers::<Errand>(report);
    world.let_go();
    world.check();
}
