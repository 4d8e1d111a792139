//! S34: an actor whose state panics while it is written, read or dropped, at each step of a move,
//! is where it was or where it was to come, and its theaters go on.

use super::hostile::{DROPPED, READ, Trap, WRITTEN, throw_a_bomb};
use super::support::{LONG, Place, World, until};
use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use odeon_theater::{MigrateError, Migrated, Mobile};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Nomad {
    /// Set for the next moves.
    trap: Trap,
    numbers: Vec<u64>,
    /// Panics when it has come.
    fails: bool,
}

#[derive(Serialize, Deserialize)]
enum Say {
    Be(u32),
    Fails,
    Add(u64),
    All(Reply<Vec<u64>>),
    In(u64, u64),
    /// Its mailbox is said with a panic where it comes to.
    Shy,
}

/// Messages that say their mailbox with a panic do so.
static SHY: AtomicBool = AtomicBool::new(false);

impl Message for Say {
    fn mailbox(&self) -> usize {
        if matches!(self, Self::Shy) && SHY.load(SeqCst) {
            throw_a_bomb();
        }
        0
    }
}

impl Actor for Nomad {
    type Msg = Say;

    fn handle(&mut self, msg: Say, ctx: &mut Context<'_, Self>) {
        match msg {
            Say::Be(trap) => self.trap.0 = trap,
            Say::Fails => self.fails = true,
            Say::Add(number) => self.numbers.push(number),
            Say::All(reply) => reply.send(self.numbers.clone()),
            Say::In(millis, 0) => drop(ctx.send_after(Duration::from_millis(millis), Say::Shy)),
            Say::In(millis, n) => drop(ctx.send_after(Duration::from_millis(millis), Say::Add(n))),
            Say::Shy => {}
        }
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "hostile nomad";

    fn arrived(&mut self, _: &mut Context<'_, Self>) {
        if self.fails {
            throw_a_bomb();
        }
    }
}

/// Two theaters to which it may come, and one of which it is.
fn places<const N: usize>(world: &World) -> [Place; N] {
    let mut number = 0;
    [(); N].map(|()| {
        number += 1;
        let place = world.theater(number);
        place.network.register_mobile::<Nomad>();
        place
    })
}

fn nomad(place: &Place) -> ActorRef<Say> {
    place.network.spawn_mobile(Nomad { trap: Trap(0), numbers: vec![1], fails: false })
}

#[track_caller]
fn migrate(from: &Place, nomad: &ActorRef<Say>, to: &Place) -> Result<Migrated, MigrateError> {
    from.network.migrate(nomad, to.network.id()).wait_timeout(LONG).expect("there is an answer")
}

#[track_caller]
fn all(nomad: &ActorRef<Say>) -> Vec<u64> {
    nomad.ask(Say::All).wait_timeout(LONG).unwrap()
}

/// The theaters still take in an actor from each other.
#[track_caller]
fn go_on(a: &Place, b: &Place) {
    let other = nomad(a);
    migrate(a, &other, b).unwrap();
    migrate(a, &other, a).unwrap();
    assert_eq!(all(&other), [1]);
}

#[test]
fn s34_a_state_that_panics_while_it_is_written_stays() {
    let world = World::new(1);
    let [a, b] = places(&world);
    let nomad = nomad(&a);
    nomad.send(Say::Be(WRITTEN | DROPPED)).unwrap();
    for number in 2..5 {
        assert!(matches!(migrate(&a, &nomad, &b), Err(MigrateError::State(_))));
        nomad.send(Say::Add(number)).unwrap();
    }
    assert_eq!(all(&nomad), [1, 2, 3, 4]);
    go_on(&a, &b);
}

#[test]
fn s34_a_state_that_panics_while_it_is_read_stays() {
    let world = World::new(2);
    let [a, b] = places(&world);
    let nomad = nomad(&a);
    nomad.send(Say::Be(READ)).unwrap();
    for number in 2..5 {
        assert!(matches!(migrate(&a, &nomad, &b), Err(MigrateError::State(_))));
        nomad.send(Say::Add(number)).unwrap();
    }
    assert_eq!(all(&nomad), [1, 2, 3, 4]);
    go_on(&a, &b);
}

#[test]
fn s34_a_state_that_panics_while_it_is_dropped_moves_all_the_same() {
    let world = World::new(3);
    let [a, b] = places(&world);
    let nomad = nomad(&a);
    nomad.send(Say::Be(DROPPED)).unwrap();
    for number in 2..5 {
        migrate(&a, &nomad, if number % 2 == 0 { &b } else { &a }).unwrap();
        nomad.send(Say::Add(number)).unwrap();
    }
    assert_eq!(all(&nomad), [1, 2, 3, 4]);
    go_on(&a, &b);
}

#[test]
fn s34_a_state_that_is_refused_and_panics_while_it_is_dropped_stays() {
    let world = World::new(4);
    let [a, b] = places(&world);
    // Knows no kind.
    let c = world.theater(3);
    let nomad = nomad(&a);
    nomad.send(Say::Be(DROPPED)).unwrap();
    for number in 2..5 {
        assert_eq!(migrate(&a, &nomad, &c), Err(MigrateError::UnknownKind));
        nomad.send(Say::Add(number)).unwrap();
    }
    assert_eq!(all(&nomad), [1, 2, 3, 4]);
    // It can still move, and what stood here before is dropped once more.
    migrate(&a, &nomad, &b).unwrap();
    assert_eq!(all(&nomad), [1, 2, 3, 4]);
}

#[test]
fn s34_a_state_that_panics_when_it_has_come_and_while_it_is_dropped_ends_and_nobody_else() {
    let world = World::new(5);
    let [a, b] = places(&world);
    let nomad = nomad(&a);
    nomad.send(Say::Be(DROPPED)).unwrap();
    nomad.send(Say::Fails).unwrap();
    let _ = a.network.migrate(&nomad, b.network.id()).wait_timeout(LONG);
    until("it has failed", || nomad.is_stopped());
    go_on(&a, &b);
    go_on(&b, &a);
}

#[test]
fn s34_the_timers_of_an_actor_whose_messages_panic_are_dead_letters() {
    let world = World::new(6);
    let [a, b] = places(&world);
    let nomad = nomad(&a);
    nomad.send(Say::In(20, 2)).unwrap();
    nomad.send(Say::In(600_000, 0)).unwrap();
    assert_eq!(all(&nomad), [1]);
    SHY.store(true, SeqCst);
    migrate(&a, &nomad, &b).unwrap();
    SHY.store(false, SeqCst);
    until("the other timer has come with it", || all(&nomad) == [1, 2]);
    assert_eq!(b.lost.lock().unwrap().len(), 1);
    go_on(&a, &b);
}

#[test]
fn s34_actors_that_move_on_and_on_are_drained_all_the_same() {
    let world = World::new(7);
    let [a, b] = places(&world);
    let nomads: Vec<_> = (0..8).map(|_| nomad(&a)).collect();
    let (there, here) = (b.network.id(), a.network.id());
    // To its own theater, to one that was never there, to itself again.
    let nowhere = odeon_theater::TheaterId::from_bits(99);
    let mut asked = Vec::new();
    for round in 0..50 {
        for nomad in &nomads {
            asked.push(a.network.migrate(nomad, [there, here, nowhere, there][round % 4]));
            nomad.send(Say::Add(round as u64)).unwrap();
        }
    }
    let drained = b.network.drain(Duration::MAX);
    for ask in asked {
        let _ = ask.wait_timeout(LONG).expect("each has an answer");
    }
    assert!(drained.wait_timeout(LONG).unwrap().is_empty());
    for nomad in &nomads {
        assert_eq!(all(nomad).len(), 51);
    }
    assert_eq!(a.network.overview().mobile.len(), 8);
}
