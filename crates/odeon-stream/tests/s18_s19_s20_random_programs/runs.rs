//! One run of programs, and what has to hold of it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::*;
use odeon_testkit::{Deterministic, Trace};

use crate::population::populate;
use crate::program::program;
use crate::world::{Mode, Msg, World, returned, taken};

/// How long threads may take for what is over in milliseconds.
const SOON: Duration = Duration::from_secs(20);

/// More than any timer of a program takes.
const LATER: Duration = Duration::from_secs(10);

/// What another run of the same seed has to repeat.
pub(crate) struct Run {
    pub(crate) trace: Trace,
    pub(crate) counts: Vec<u64>,
}

/// All in one thread, in an order that the seed decides.
pub(crate) fn deterministic(seed: u64, mode: Mode) -> Run {
    let mut random = Random::from_seed(seed);
    let world = World::new(mode);
    let run = Deterministic::with(seed, world.builder());
    let peers = populate(run.theater(), None, &world, &mut random);
    for _ in 0..5 + random.below(60) {
        let to = &peers[random.below(peers.len())];
        let program = program(&mut random, mode);
        returned(to.send(world.run(random.below(2), &program)));
        run.run_steps(random.below(10));
    }
    // One wild run in three is cut off in the middle.
    if mode != Mode::Wild || seed % 3 > 0 {
        run.run_through_timers(LATER);
    }
    if mode != Mode::Wild {
        if let Err(missing) = world.is_complete() {
            panic!("{mode:?}: {missing}\n{}", state(run.theater()));
        }
        let stats = run.theater().stats().expect("they are counted");
        let waiting: u64 = stats.actors.iter().map(|actor| actor.waiting as u64).sum();
        assert_eq!(waiting, 0, "{mode:?}: nothing waits in a quiet theater: {stats:#?}");
    }
    let trace = run.trace();
    world.ledger.take_leftovers::<Msg>(run.shutdown());
    drop(peers);
    world.values.check();
    Run { trace, counts: counts(&world) }
}

/// Checks the account of messages, and gives all numbers of the run.
fn counts(world: &World) -> Vec<u64> {
    let account = world.ledger.check();
    let counts = &world.counts;
    let of_counts = [
        &counts.handled,
        &counts.asked,
        &counts.answered,
        &counts.pipes,
        &counts.gone_on,
        &counts.cancelled,
        &counts.streams,
        &counts.items,
        &counts.streams_ended,
    ];
    let of_account =
        [account.handled, account.failed, account.returned, account.dead_lettered].into_iter();
    of_account.chain(of_counts.map(|count| count.now())).collect()
}

fn state(theater: &Theater) -> String {
    format!("{:#?}\nwaits: {:?}", theater.stats(), theater.waits())
}

/// Two workers, a pinned stage, dedicated stages, and two threads that send.
pub(crate) fn with_threads(seed: u64, mode: Mode) {
    let mut random = Random::from_seed(seed);
    let world = World::new(mode);
    let theater = world.builder().workers(2).random_seed(seed).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let peers = populate(&theater, Some(&stage), &world, &mut random);
    let senders: Vec<_> = (0..2)
        .map(|_| {
            let (world, peers) = (world.clone(), peers.clone());
            let random = Random::from_seed(random.next_u64());
            thread::spawn(move || send(&world, &peers, random))
        })
        .collect();
    if mode == Mode::Wild {
        thread::sleep(Duration::from_micros(random.below(3000) as u64));
    } else {
        let all_sent = || {
            let busy = senders.iter().filter(|sender| !sender.is_finished()).count();
            if busy == 0 { Ok(()) } else { Err(format!("{busy} senders are held back")) }
        };
        let no_timers = || match theater.pending_timers() {
            0 => Ok(()),
            pending => Err(format!("{pending} timers are pending")),
        };
        until(&theater, || all_sent().and_then(|()| no_timers()).and(world.is_complete()));
    }
    let patience = match (mode, seed % 2) {
        (Mode::Wild, 0) => Duration::ZERO,
        (Mode::Wild, _) => Duration::from_millis(30),
        _ => SOON,
    };
    let report = theater.shutdown(patience);
    for sender in senders {
        sender.join().unwrap();
    }
    // One that is stuck (S4) waits for its processor, or asks somebody who has stopped a question
    // that is in the report. Both end.
    world.ledger.take_leftovers::<Msg>(report);
    drop(peers);
    // What a stage's thread had in its hands when the theater stopped.
    let has_ended = || {
        let account = world.ledger.account();
        taken(&account) == account.sent && world.values.alive() == 0
    };
    let since = Instant::now();
    while !has_ended() && since.elapsed() < SOON {
        thread::sleep(Duration::from_millis(1));
    }
    world.ledger.check();
    world.values.check();
}

fn send(world: &Arc<World>, peers: &[ActorRef<Msg>], mut random: Random) {
    for _ in 0..20 {
        let to = &peers[random.below(peers.len())];
        let program = program(&mut random, world.mode);
        let msg = world.run(random.below(2), &program);
        if random.below(3) == 0 {
            returned(to.try_send(msg));
        } else {
            returned(to.send(msg));
        }
    }
}

#[track_caller]
fn until(theater: &Theater, done: impl Fn() -> Result<(), String>) {
    let since = Instant::now();
    while let Err(missing) = done() {
        assert!(since.elapsed() < SOON, "{missing}\n{}", state(theater));
        thread::sleep(Duration::from_micros(300));
    }
}
