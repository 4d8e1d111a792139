//! S34: a million messages to an actor that moves all the time: none is lost, doubled or overtaken.

mod support;

use odeon_theater::InMemoryNetwork as Net;

use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use odeon_theater::Mobile;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{LONG, Place, World};

const SENDERS: usize = 4;
const OF_EACH: u64 = 250_000;
/// A move comes behind what was sent before: so many messages at most of each sender.
const AHEAD: u64 = 2_500;

/// Counts the messages of each sender, and those that are not the next one.
#[derive(Default, Serialize, Deserialize)]
struct Toll {
    seen: [u64; SENDERS],
    wrong: u64,
    arrivals: u32,
}

#[derive(Serialize, Deserialize)]
enum Pass {
    Number(u8, u64),
    Count(Reply<([u64; SENDERS], u64, u32)>),
}

impl Message for Pass {}

impl Actor for Toll {
    type Msg = Pass;

    fn handle(&mut self, msg: Pass, _: &mut Context<'_, Self>) {
        match msg {
            Pass::Number(sender, number) => {
                let seen = &mut self.seen[usize::from(sender)];
                self.wrong += u64::from(*seen != number);
                *seen += 1;
            }
            Pass::Count(reply) => reply.send((self.seen, self.wrong, self.arrivals)),
        }
    }
}

impl Mobile for Toll {
    const KIND: &'static str = "toll";

    fn arrived(&mut self, _: &mut Context<'_, Self>) {
        self.arrivals += 1;
    }
}

#[test]
fn s34_a_million_messages_to_an_actor_that_moves_all_the_time() {
    let world = World::new(34);
    let mut number = 0;
    let places: [Place; SENDERS] = [(); SENDERS].map(|()| {
        number += 1;
        let place = world.theater(number);
        place.network.register_mobile::<Toll>();
        place
    });
    let toll = places[0].network.spawn_mobile(Toll::default());
    places[0].network.publish("toll", &toll);
    let home = places[0].network.id();
    let references: Vec<ActorRef<Pass>> = places
        .iter()
        .map(|place| {
            let found = place.network.at(home).lookup("toll");
            if place.network.id() == home {
                toll.clone()
            } else {
                found.wait_timeout(LONG).unwrap().unwrap()
            }
        })
        .collect();

    let sending = AtomicUsize::new(SENDERS);
    let moves = std::thread::scope(|scope| {
        for (sender, reference) in references.iter().enumerate() {
            let sending = &sending;
            scope.spawn(move || {
                for number in 0..OF_EACH {
                    reference.send(Pass::Number(sender as u8, number)).unwrap();
                    if number % AHEAD == AHEAD - 1 {
                        let _ = reference.ask(Pass::Count).wait_timeout(LONG * 6).unwrap();
                    }
                }
                sending.fetch_sub(1, Ordering::SeqCst);
            });
        }
        let mut moves = 0;
        for to in places.iter().cycle().skip(1) {
            if sending.load(Ordering::SeqCst) == 0 {
                break;
            }
            let moved = places[0].network.migrate(&toll, to.network.id());
            moved.wait_timeout(LONG * 6).unwrap().unwrap();
            moves += 1;
        }
        moves
    });

    // Each sender's own question comes behind all that it has sent.
    for reference in &references {
        let _ = reference.ask(Pass::Count).wait_timeout(LONG * 6).unwrap();
    }
    let (seen, wrong, arrivals) = toll.ask(Pass::Count).wait_timeout(LONG).unwrap();
    assert_eq!((seen, wrong), ([OF_EACH; SENDERS], 0), "after {moves} moves");
    assert_eq!(arrivals, moves, "each move was one");
    assert!(moves >= 10, "{moves} moves while a million messages were sent");
    for place in &places {
        assert!(place.lost.lock().unwrap().is_empty(), "nothing is a dead letter");
    }
}
