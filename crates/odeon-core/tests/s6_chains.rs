//! S6: how long an actor in a worker's queue waits for two that keep waking each other. Time is
//! what the handlers say that they take.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::VirtualClock;

/// How long a turn may take.
const TURN: Duration = Duration::from_micros(100);
/// How often the one in the queue has its turn.
const ROUNDS: usize = 200;
/// Turns from which a worker has learnt how long they take: at first it reads the clock once in 64.
const LEARNT_AFTER: u64 = 200;

/// Has a message passed between two actors, each of whose turns takes `takes`.
struct Passes {
    other: Option<ActorRef<Pass>>,
    takes: Duration,
    clock: Arc<VirtualClock>,
    turns: Arc<AtomicU64>,
}

enum Pass {
    With(ActorRef<Pass>),
    On,
    /// Behind it there is nobody to pass a message on to.
    Over,
}
impl Message for Pass {}

impl Actor for Passes {
    type Msg = Pass;
    fn handle(&mut self, message: Pass, _: &mut Context<'_, Self>) {
        self.clock.advance(self.takes);
        // ORDERING: Relaxed, here and below: one worker touches it.
        self.turns.fetch_add(1, Ordering::Relaxed);
        match (message, &self.other) {
            (Pass::With(other), _) => self.other = Some(other),
            (Pass::On, Some(other)) => drop(other.send(Pass::On)),
            (Pass::On, None) => {}
            (Pass::Over, _) => self.other = None,
        }
    }
}

/// Always has one more message, and tells how many turns of the others there have been before each.
struct Waits {
    turns: Arc<AtomicU64>,
    tell: mpsc::Sender<u64>,
}

impl Actor for Waits {
    type Msg = ();
    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        if self.tell.send(self.turns.load(Ordering::Relaxed)).is_ok() {
            ctx.send_self(());
        }
    }
}

/// The turns of the two, each of which takes so long, between one turn of the third actor and the
/// next, for each of these.
fn turns_between(takes: Duration) -> Vec<u64> {
    let clock = Arc::new(VirtualClock::new());
    let builder = Theater::builder().workers(1).turn_messages(1).turn_time(TURN);
    let theater = builder.clock(clock.clone()).build().unwrap();
    let turns = Arc::new(AtomicU64::new(0));
    let (tell, told) = mpsc::channel();
    let passes = || Passes { other: None, takes, clock: clock.clone(), turns: turns.clone() };
    let two = [passes(), passes()].map(|passes| theater.spawn(passes));
    two[0].send(Pass::With(two[1].clone())).unwrap();
    two[1].send(Pass::With(two[0].clone())).unwrap();
    two[0].send(Pass::On).unwrap();
    while turns.load(Ordering::Relaxed) < LEARNT_AFTER {
        std::thread::sleep(Duration::from_micros(100));
    }
    // Kept: to be told that nobody can send to it any more would take it a turn.
    let waits = theater.spawn(Waits { turns, tell });
    waits.send(()).unwrap();
    let in_time = |_| told.recv_timeout(Duration::from_secs(60)).unwrap();
    let after: Vec<_> = (0..ROUNDS).map(in_time).collect();
    drop((waits, told));
    two[0].send(Pass::Over).unwrap();
    assert!(theater.shutdown(Duration::from_secs(60)).drained);
    after.windows(2).map(|two| two[1] - two[0]).collect()
}

/// Twice as long: short turns of others make the worker think those of the two shorter.
#[test]
fn s6_the_queue_waits_for_a_chain_of_long_turns_about_as_long_as_for_one_turn() {
    for takes in [TURN / 4, TURN / 2, TURN, 10 * TURN] {
        let longest = turns_between(takes).into_iter().max().unwrap();
        let within = 2 * (TURN.as_nanos() / takes.as_nanos()).max(1) as u64;
        println!("S6 chains: at most {longest} turns of {takes:?}, bound {within}");
        assert!(longest <= within, "{longest} turns of {takes:?}");
    }
}

#[test]
fn s6_a_chain_of_short_turns_goes_on_for_sixteen() {
    let longest = turns_between(Duration::from_nanos(100)).into_iter().max().unwrap();
    assert!((15..=16).contains(&longest), "{longest} turns in a row");
}
