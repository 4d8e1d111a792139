//! S31: a message whose code panics, waits, or comes back into the theater while it is written or
//! read harms nobody but itself.

use super::hostile::{Bomb, READ, Trap, WRITTEN, throw_a_bomb};
use super::support::{Count, Counter, LARGEST_PACKET, LONG, Place, World, find, numbers, until};
use odeon_core::{Actor, ActorRef, Context, DeadLetterReason, Message, Reply, Theater};
use odeon_theater::{LinkConfig, Listener, Network, RemoteError, TheaterId, Transport};
use serde::{Deserialize, Serialize, Serializer};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Something to be done while a message is written.
type Work = Box<dyn Fn() + Send>;

#[derive(Serialize, Deserialize)]
enum Say {
    Number(u64),
    Trap(Trap),
    Works(Working),
    All(Reply<Vec<u64>>),
}

impl Message for Say {}

#[derive(Deserialize)]
struct Working {
    #[serde(skip)]
    work: Option<Work>,
}

impl Serialize for Working {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(work) = &self.work {
            work();
        }
        serializer.serialize_unit()
    }
}

#[derive(Default)]
struct Ear(Vec<u64>);

impl Actor for Ear {
    type Msg = Say;

    fn handle(&mut self, msg: Say, _: &mut Context<'_, Self>) {
        match msg {
            Say::Number(number) => self.0.push(number),
            Say::Trap(_) | Say::Works(_) => self.0.push(0),
            Say::All(reply) => reply.send(self.0.clone()),
        }
    }
}

/// Two theaters, and an ear of the second one known in the first one.
fn ear(world: &World) -> (Place, Place, ActorRef<Say>) {
    let (here, there) = (world.theater(1), world.theater(2));
    there.network.publish("ear", &there.theater.spawn(Ear::default()));
    let found = here.network.at(there.network.id()).lookup("ear");
    let ear = found.wait_timeout(LONG).unwrap().unwrap();
    (here, there, ear)
}

fn works(ear: &ActorRef<Say>, work: impl Fn() + Send + 'static) {
    ear.send(Say::Works(Working { work: Some(Box::new(work)) })).unwrap();
}

#[track_caller]
fn heard(ear: &ActorRef<Say>) -> Vec<u64> {
    ear.ask(Say::All).wait_timeout(LONG).unwrap()
}

#[test]
fn s31_messages_that_panic_with_bombs_are_dead_letters_and_others_go_on() {
    let world = World::new(1);
    let (here, there, ear) = ear(&world);
    for number in 1..=20 {
        ear.send(Say::Trap(Trap(WRITTEN))).unwrap();
        ear.send(Say::Trap(Trap(READ))).unwrap();
        ear.send(Say::Number(number)).unwrap();
    }
    assert_eq!(heard(&ear), (1..=20).collect::<Vec<_>>());
    let unwritable = vec![DeadLetterReason::Unwritable; 20];
    assert_eq!(
        (&*here.lost.lock().unwrap(), &*there.lost.lock().unwrap()),
        (&unwritable, &unwritable)
    );
}

#[test]
fn s31_a_message_that_sends_while_it_is_written_is_one_before_what_it_sends() {
    let world = World::new(2);
    let (_here, _there, ear) = ear(&world);
    let (other, asks) = (ear.clone(), ear.clone());
    works(&ear, move || other.send(Say::Number(7)).unwrap());
    // The answer comes when this is written, which it is not while the question waits.
    works(&ear, move || drop(asks.ask(Say::All)));
    until("it has come", || heard(&ear) == [0, 0, 7] || heard(&ear) == [0, 7, 0]);
}

#[test]
fn s31_a_message_may_leave_the_network_while_it_is_written() {
    let world = World::new(3);
    let (here, _there, ear) = ear(&world);
    let (network, has_left) = (here.network.clone(), Arc::new(AtomicBool::new(false)));
    let leaves = has_left.clone();
    works(&ear, move || {
        network.leave(Duration::ZERO);
        leaves.store(true, SeqCst);
    });
    until("it has left", || has_left.load(SeqCst));
    until("the message is lost", || !here.lost.lock().unwrap().is_empty());
    assert_eq!(*here.lost.lock().unwrap(), [DeadLetterReason::Unreachable]);
}

#[test]
fn s31_a_message_may_look_at_the_theater_join_others_and_ask_them_while_it_is_written() {
    let world = World::new(4);
    let (here, there, ear) = ear(&world);
    let (network, there, net) = (here.network.clone(), there.network.id(), world.net.clone());
    let done = Arc::new(AtomicBool::new(false));
    let (does, joins) = (done.clone(), Mutex::new(Some(Theater::new().unwrap())));
    works(&ear, move || {
        let theater = joins.lock().unwrap().take().unwrap();
        let overview = network.overview();
        assert_eq!((overview.theater, overview.mobile.len()), (network.id(), 0));
        drop(network.at(there).lookup::<Say>("ear"));
        let me = TheaterId::from_bits(9);
        let joined =
            Network::join(&theater, me, LinkConfig::new("test", LARGEST_PACKET), |id, ears| {
                Ok::<_, Infallible>(Arc::new(net.join(id, ears)))
            });
        drop(joined);
        does.store(true, SeqCst);
    });
    ear.send(Say::Number(1)).unwrap();
    assert_eq!(heard(&ear), [0, 1]);
    assert!(done.load(SeqCst));
}

#[test]
fn s31_a_kind_that_panics_with_a_bomb_or_replaces_itself_by_one_creates_others_still() {
    let world = World::new(5);
    let (here, there) = (world.theater(1), world.theater(2));
    let (network, bomb) = (there.network.clone(), Mutex::new(Bomb));
    there.network.register("counter", move |arguments: u8| {
        let _ = &bomb;
        let another = |_: u8| Err::<ActorRef<Count>, _>("nor this one");
        match arguments {
            0 => throw_a_bomb(),
            // The last reference to this function, and what it has with it, is dropped when it
            // returns.
            1 => network.register("counter", another),
            _ => {}
        }
        Err::<ActorRef<Count>, _>("not yet")
    });
    let spawn = |arguments: u8| {
        let made = here.network.at(there.network.id()).spawn::<u8, Count>("counter", &arguments);
        made.unwrap().wait_timeout(LONG).unwrap()
    };
    assert_eq!(spawn(0), Err(RemoteError::Panicked));
    assert_eq!(spawn(2), Err(RemoteError::Refused("not yet".into())));
    assert_eq!(spawn(1), Err(RemoteError::Refused("not yet".into())));
    assert_eq!(spawn(2), Err(RemoteError::Refused("nor this one".into())));
}

/// Panics at each third packet, doubles and returns to sender others.
struct Bad {
    inner: Arc<dyn Transport>,
    listener: Arc<dyn Listener>,
    me: TheaterId,
    sent: AtomicUsize,
}

impl Transport for Bad {
    fn send(&self, to: TheaterId, packet: Vec<u8>) {
        match self.sent.fetch_add(1, SeqCst) % 6 {
            0 => throw_a_bomb(),
            // Against what is asked of transports: the sender's listener is called.
            1 => self.listener.packet(self.me, &packet),
            2 => self.listener.packet(to, &packet),
            3 => self.inner.send(self.me, packet.clone()),
            4 => self.inner.send(to, packet.clone()),
            _ => {}
        }
        self.inner.send(to, packet);
    }

    fn largest_packet(&self) -> usize {
        self.inner.largest_packet()
    }
}

#[test]
fn s31_a_transport_that_panics_doubles_and_calls_back_loses_packets_and_nothing_else() {
    let world = World::new(6);
    let there = world.theater(2);
    let theater = Theater::builder().workers(2).build().unwrap();
    let config = LinkConfig::new("test", LARGEST_PACKET);
    let network = Network::join(&theater, TheaterId::from_bits(1), config, |me, listener| {
        let inner = Arc::new(world.net.join(me, listener.clone()));
        listener.appeared(me);
        Ok::<_, Infallible>(Arc::new(Bad { inner, listener, me, sent: AtomicUsize::new(0) }))
    });
    let lost = there.lost.clone();
    let here = Place { theater, network: network.unwrap(), lost };
    there.network.publish("counter", &there.theater.spawn(Counter::default()));
    let counter = find(&here, &there, "counter");
    for number in 0..300 {
        counter.send(Count::Add(number)).unwrap();
        if number % 10 == 0 {
            assert_eq!(numbers(&counter).len() as u64, number + 1);
        }
    }
    assert_eq!(numbers(&counter), (0..300).collect::<Vec<_>>());
    assert_eq!(here.network.members().len(), 1, "nobody is its own neighbour");
}

#[test]
fn s31_names_are_of_any_length_and_letters() {
    let world = World::new(7);
    let (here, there) = (world.theater(1), world.theater(2));
    let counter = there.theater.spawn(Counter::default());
    for name in ["", "\0", "ä \u{202e}\n/../*", &"n".repeat(3 << 20)] {
        there.network.publish(name, &counter);
        assert!(numbers(&find(&here, &there, name)).is_empty());
        assert!(there.network.unpublish(name));
    }
}
