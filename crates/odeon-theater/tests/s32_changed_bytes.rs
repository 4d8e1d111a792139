//! S32: whoever has joined may say anything. Packets of one theater are changed on their way, also
//! where no link finds that out: then numbers, marks, references, actors that move and what
//! theaters tell each other are not what they were. Nobody panics, and theaters that are left alone
//! by that go on.

use odeon_core::{Actor, ActorRef, Context, DeadLetterReason, Message, Random, Reply, Theater};
use odeon_testkit::{Deterministic, for_seeds};
use odeon_theater::{
    InMemoryNetwork, InMemoryTransport, LinkConfig, Mobile, Network, TheaterId, Transport,
};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Waker};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
enum Say {
    Add(u64),
    Text(String),
    Sum(Reply<u64>),
    Meet(ActorRef<Say>),
    Ask(ActorRef<Say>, Reply<u64>),
}

impl Message for Say {}

#[derive(Default, Serialize, Deserialize)]
struct Nomad {
    sum: u64,
    friends: Vec<ActorRef<Say>>,
}

impl Actor for Nomad {
    type Msg = Say;

    fn handle(&mut self, msg: Say, _: &mut Context<'_, Self>) {
        match msg {
            Say::Add(n) => self.sum = self.sum.wrapping_add(n),
            Say::Text(text) => self.sum = self.sum.wrapping_add(text.chars().count() as u64),
            Say::Sum(reply) => reply.send(self.sum),
            Say::Meet(friend) => {
                self.friends.truncate(3);
                self.friends.push(friend);
            }
            Say::Ask(other, reply) => drop(other.send(Say::Sum(reply))),
        }
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "nomad";
}

/// Changes packets of the theater that has it.
struct Changing {
    transport: InMemoryTransport,
    random: Mutex<Random>,
    /// One of so many packets; 0: none.
    one_of: usize,
    changed: Arc<AtomicUsize>,
}

impl Transport for Changing {
    fn send(&self, to: TheaterId, mut packet: Vec<u8>) {
        let mut random = self.random.lock().unwrap();
        if self.one_of > 0 && random.below(self.one_of) == 0 {
            self.changed.fetch_add(1, Relaxed);
            // Behind magic, version, kind and route in three of four: the link is that of the
            // theater.
            let from = if random.below(4) == 0 { 0 } else { 19.min(packet.len() - 1) };
            for _ in 0..=random.below(3) {
                let at = from + random.below(packet.len() - from);
                packet[at] = match random.below(3) {
                    0 => random.next_u64() as u8,
                    1 => packet[at] ^ 1 << random.below(8),
                    _ => packet[at].wrapping_add(1),
                };
            }
        }
        drop(random);
        self.transport.send(to, packet);
    }

    fn largest_packet(&self) -> usize {
        self.transport.largest_packet()
    }
}

struct Place {
    run: Deterministic,
    network: Network,
    own: ActorRef<Say>,
}

const CHANGING: usize = 2;

/// How many packets were changed, and messages that nobody could read then.
#[derive(Default)]
struct Seen {
    changed: Arc<AtomicUsize>,
    unreadable: Arc<AtomicUsize>,
}

fn places(net: &InMemoryNetwork, seed: u64, seen: &Seen) -> Vec<Place> {
    (0..3)
        .map(|number| {
            let unreadable = seen.unreadable.clone();
            let builder = Theater::builder().on_dead_letter(move |letter| {
                let is_unreadable = letter.reason == DeadLetterReason::Unwritable;
                unreadable.fetch_add(usize::from(is_unreadable), Relaxed);
            });
            let run = Deterministic::with(seed * 10 + number as u64, builder);
            let config = LinkConfig {
                largest_message: 100_000,
                assembly: 200_000,
                ..LinkConfig::new("changed", 20_000)
            };
            let id = TheaterId::from_bits(number as u128 + 1);
            let network = Network::join(run.theater(), id, config, |me, listener| {
                Ok::<_, Infallible>(Arc::new(Changing {
                    transport: net.join(me, listener),
                    random: Mutex::new(Random::from_seed(seed)),
                    one_of: if number == CHANGING { 5 } else { 0 },
                    changed: seen.changed.clone(),
                }))
            });
            let network = network.unwrap();
            network.register_mobile::<Nomad>();
            let own = network.spawn_mobile(Nomad::default());
            network.publish("nomad", &own);
            Place { run, network, own }
        })
        .collect()
}

fn tick(net: &InMemoryNetwork, places: &[Place], now: &mut Duration) {
    let step = Duration::from_millis(1);
    *now += step;
    net.step(*now);
    places.iter().for_each(|place| {
        place.run.advance(step);
    });
    net.step(*now);
}

fn look<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    match Pin::new(future).poll(&mut task::Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

#[test]
fn s32_changed_bytes_of_one_theater_break_no_other() {
    let seen = Seen::default();
    for_seeds(100, |seed| {
        let net = InMemoryNetwork::new(seed);
        let places = places(&net, seed, &seen);
        let (mut now, mut random) = (Duration::ZERO, Random::from_seed(seed));
        let mut known: Vec<ActorRef<Say>> = places.iter().map(|place| place.own.clone()).collect();
        let (mut lookups, mut asks, mut moves) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..300 {
            let (from, to) = (random.below(3), random.below(3));
            match random.below(6) {
                0 => lookups
                    .push(places[from].network.at(places[to].network.id()).lookup::<Say>("nomad")),
                1 => {
                    let friend = known[random.below(known.len())].clone();
                    let _ = known[random.below(known.len())].send(Say::Meet(friend));
                }
                2 => asks.push(known[random.below(known.len())].ask(Say::Sum)),
                3 => {
                    let (one, other) = (random.below(known.len()), random.below(known.len()));
                    let (reply, ask) = odeon_core::extend::question();
                    asks.push(ask);
                    let _ = known[one].send(Say::Ask(known[other].clone(), reply));
                }
                4 => moves
                    .push(places[from].network.migrate(&places[from].own, places[to].network.id())),
                _ => {
                    let text = "odeon".repeat(random.below(40));
                    let _ = known[random.below(known.len())].send(Say::Text(text));
                    let _ = known[random.below(known.len())].send(Say::Add(1));
                }
            }
            tick(&net, &places, &mut now);
            lookups.retain_mut(|found| match look(found) {
                Some(Ok(Ok(found))) => {
                    known.push(found);
                    false
                }
                Some(_) => false,
                None => true,
            });
            known.truncate(12);
        }
        // Those that change nothing understand each other as ever.
        let [a, b, _] = &places[..] else { unreachable!() };
        let plain = a.run.theater().spawn(Nomad::default());
        a.network.publish("plain", &plain);
        let mut found = b.network.at(a.network.id()).lookup::<Say>("plain");
        let wait = |now: &mut Duration, is_there: &mut dyn FnMut() -> bool| {
            for _ in 0..20_000 {
                if is_there() {
                    return;
                }
                tick(&net, &places, now);
            }
            panic!("seed {seed}: it does not come");
        };
        let mut from_b = None;
        wait(&mut now, &mut || {
            from_b = look(&mut found);
            from_b.is_some()
        });
        let from_b = from_b.unwrap().unwrap().unwrap();
        (0..100).for_each(|_| from_b.send(Say::Add(1)).unwrap());
        let (mut asked, mut sum) = (from_b.ask(Say::Sum), None);
        wait(&mut now, &mut || {
            sum = look(&mut asked);
            sum.is_some()
        });
        assert_eq!(sum, Some(Ok(100)), "seed {seed}");
    });
    let Seen { changed, unreadable } = seen;
    let (changed, unreadable) = (changed.load(Relaxed), unreadable.load(Relaxed));
    println!("{changed} packets changed, {unreadable} messages unreadable");
    assert!(changed > 1_000 && unreadable > 50, "{changed} {unreadable}");
}
