//! S34 and S35: whoever cannot move an actor is told at once what is the case.

use super::support::{LONG, Place, World, until};
use odeon_core::{Actor, ActorRef, AskError, Context, Message, Reply, Theater};
use odeon_theater::{Kept, Migrate, MigrateError, Migrated, Mobile, TheaterId};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

#[derive(Serialize, Deserialize)]
struct Nomad;

#[derive(Serialize, Deserialize)]
enum Say {
    Hear(Reply<()>),
    Stop,
}

impl Message for Say {}

impl Actor for Nomad {
    type Msg = Say;

    fn handle(&mut self, say: Say, ctx: &mut Context<'_, Self>) {
        match say {
            Say::Hear(reply) => reply.send(()),
            Say::Stop => ctx.stop(),
        }
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "nomad that is over";
}

type Moved = Result<Result<Migrated, MigrateError>, AskError>;

/// Asks at once for a move, and says how long the answer has taken.
fn moves(at: &Place, actor: &ActorRef<Say>, to: &Place) -> (Moved, Duration) {
    let begun = Instant::now();
    let moved = at.network.migrate(actor, to.network.id()).wait_timeout(LONG);
    (moved, begun.elapsed())
}

/// What is told without waiting for anybody. Long for a machine with other things to do, and short
/// beside what it was.
const AT_ONCE: Duration = Duration::from_secs(10);

fn find(at: &Place, of: &Place) -> ActorRef<Say> {
    at.network.at(of.network.id()).lookup("nomad").wait_timeout(LONG).unwrap().unwrap()
}

#[test]
fn s34_who_asks_by_a_reference_that_leads_to_nobody_is_told_so() {
    let world = World::new(1);
    let [a, b, c] = [1, 2, 3].map(|number| {
        let place = world.theater(number);
        place.network.register_mobile::<Nomad>();
        place
    });
    let nomad = a.network.spawn_mobile(Nomad);
    a.network.publish("nomad", &nomad);
    let (from_b, from_c) = (find(&b, &a), find(&c, &a));
    from_b.ask(Say::Hear).wait_timeout(LONG).unwrap();
    nomad.send(Say::Stop).unwrap();
    until("it has ended", || nomad.is_stopped() && from_b.is_stopped() && from_c.is_stopped());
    for (at, actor) in [(&a, &nomad), (&b, &from_b), (&c, &from_c)] {
        let (moved, took) = moves(at, actor, &c);
        assert_eq!(moved, Ok(Err(MigrateError::Stopped)));
        assert!(took < AT_ONCE, "{took:?}");
    }

    // The theater of this one goes.
    let nomad = a.network.spawn_mobile(Nomad);
    a.network.publish("nomad", &nomad);
    let from_b = find(&b, &a);
    a.network.leave(Duration::from_secs(5));
    until("its theater has left", || from_b.is_stopped());
    let (moved, took) = moves(&b, &from_b, &c);
    assert_eq!(moved, Ok(Err(MigrateError::Stopped)));
    assert!(took < AT_ONCE, "{took:?}");
}

#[test]
fn s34_who_asks_in_a_theater_that_has_been_stopped_is_told_so() {
    let world = World::new(2);
    let (a, b) = (world.theater(1), world.theater(2));
    b.network.register_mobile::<Nomad>();
    let nomad = a.network.spawn_mobile(Nomad);
    a.network.publish("nomad", &nomad);
    let from_b = find(&b, &a);
    let idle = a.network.spawn_mobile(Nomad);
    let id = a.network.mobile_id(&idle).unwrap();
    let Place { theater, network, .. } = a;
    drop(theater.shutdown(Duration::from_secs(5)));
    for (network, actor) in [(&network, &nomad), (&network, &idle), (&b.network, &from_b)] {
        let begun = Instant::now();
        let moved = network.migrate(actor, b.network.id()).wait_timeout(LONG);
        assert_eq!(moved, Ok(Err(MigrateError::Stopped)));
        assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    }
    assert_eq!(network.resident::<Say>(id), None);
}

#[test]
fn s34_who_asks_where_no_network_was_joined_is_told_so() {
    let theater = Theater::new().unwrap();
    let nomad = theater.spawn(Nomad);
    let asked = || nomad.migrate(TheaterId::from_bits(7)).wait_timeout(LONG).unwrap();
    assert!(matches!(asked(), Err(MigrateError::NotMobile)));
    nomad.send(Say::Stop).unwrap();
    until("it has stopped", || nomad.is_stopped());
    assert!(matches!(asked(), Err(MigrateError::Stopped)));
}

#[test]
fn s35_a_theater_that_takes_in_nobody_is_none_for_a_drain() {
    let world = World::new(3);
    let (a, visitor) = (world.theater(1), world.theater(2));
    let _nomad = a.network.spawn_mobile(Nomad);
    until("they have met", || a.network.members().len() == 1);
    let drained = a.network.drain(Duration::from_secs(30)).wait_timeout(LONG).unwrap();
    let kept: Vec<_> = drained.kept.into_iter().map(|(_, why)| why).collect();
    assert_eq!(kept, [Kept::NoTheater]);
    drop(visitor);
}
