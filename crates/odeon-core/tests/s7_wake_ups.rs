//! S7 no wake-up is lost: rounds of falling asleep and being woken, between every two kinds of
//! threads. A lost wake-up shows as a test that runs out of patience.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use odeon_core::*;

/// For thousands of wake-ups, each of which may take its time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);
const ROUNDS: u32 = 3_000;

enum Ball {
    Partner(ActorRef<Ball>),
    /// Goes to and fro until it is 0.
    Hits(u32),
}
impl Message for Ball {}

struct Player {
    partner: Option<ActorRef<Ball>>,
    done: Sender<()>,
    /// Looks away for a moment before each hit, so that the partner's thread falls asleep.
    pauses: bool,
}

impl Actor for Player {
    type Msg = Ball;
    fn handle(&mut self, msg: Ball, _ctx: &mut Context<'_, Self>) {
        match msg {
            Ball::Partner(partner) => self.partner = Some(partner),
            Ball::Hits(0) => {
                self.partner = None;
                let _ = self.done.send(());
            }
            Ball::Hits(left) => {
                if self.pauses && left % 16 == 0 {
                    std::thread::sleep(Duration::from_micros(u64::from(left % 256)));
                }
                let partner = self.partner.as_ref().expect("partners are told first");
                partner.send(Ball::Hits(left - 1)).unwrap();
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Pool,
    Pinned,
    Dedicated,
}

const PLACES: [Place; 3] = [Place::Pool, Place::Pinned, Place::Dedicated];

fn spawn(theater: &Theater, place: Place, player: Player) -> ActorRef<Ball> {
    match place {
        Place::Pool => theater.spawn(player),
        Place::Pinned => theater.actor().on(&theater.pinned("stage").unwrap()).spawn(player),
        Place::Dedicated => theater.actor().dedicated("own").spawn(player).unwrap(),
    }
}

#[test]
fn s7_two_players_on_any_two_kinds_of_stages() {
    for one in PLACES {
        for other in PLACES {
            for pauses in [false, true] {
                let theater = Theater::builder().workers(2).build().unwrap();
                let (done, is_done) = channel();
                let player = || Player { partner: None, done: done.clone(), pauses };
                let pair = [spawn(&theater, one, player()), spawn(&theater, other, player())];
                pair[0].send(Ball::Partner(pair[1].clone())).unwrap();
                pair[1].send(Ball::Partner(pair[0].clone())).unwrap();
                pair[0].send(Ball::Hits(ROUNDS)).unwrap();
                let finished = is_done.recv_timeout(PATIENCE);
                assert!(finished.is_ok(), "{one:?} and {other:?} have lost the ball");
            }
        }
    }
}

/// The outside thread blocks on each answer; the stage falls asleep on each.
#[test]
fn s7_an_outside_thread_wakes_a_sleeping_stage() {
    struct Echo;
    impl Actor for Echo {
        type Msg = Box<Reply<()>>;
        fn handle(&mut self, reply: Self::Msg, _ctx: &mut Context<'_, Self>) {
            reply.send(());
        }
    }
    for workers in [1, 2, 4] {
        let theater = Theater::builder().workers(workers).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let actors = [
            theater.spawn(Echo),
            theater.actor().on(&stage).spawn(Echo),
            theater.actor().dedicated("own").spawn(Echo).unwrap(),
        ];
        for round in 0..ROUNDS {
            let actor = &actors[round as usize % actors.len()];
            assert_eq!(actor.ask(Box::new).wait_timeout(PATIENCE), Ok(()), "round {round}");
            if round % 8 == 0 {
                // Everybody sleeps now.
                std::thread::sleep(Duration::from_micros(u64::from(round % 128)));
            }
        }
    }
}

/// Bursts from several threads at once, silence in between.
#[test]
fn s7_bursts_are_handled_to_the_last_message() {
    struct Counter {
        left: u32,
        done: Sender<()>,
    }
    impl Actor for Counter {
        type Msg = ();
        fn handle(&mut self, _msg: (), _ctx: &mut Context<'_, Self>) {
            self.left -= 1;
            if self.left == 0 {
                let _ = self.done.send(());
            }
        }
    }
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    for burst in 0..300 {
        let each = 1 + burst % 100;
        let (done, is_done) = channel();
        let new = || Counter { left: 3 * each, done: done.clone() };
        let actors = [theater.spawn(new()), theater.actor().on(&stage).spawn(new())];
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let actors = &actors;
                scope.spawn(move || {
                    for _ in 0..each {
                        actors.iter().for_each(|actor| actor.send(()).unwrap());
                    }
                });
            }
        });
        for _ in &actors {
            assert!(is_done.recv_timeout(PATIENCE).is_ok(), "burst {burst} is stuck");
        }
    }
}
