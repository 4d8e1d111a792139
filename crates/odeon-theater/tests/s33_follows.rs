//! S33 and S34: the names of an actor that moves go with it.

use super::support::{self, LONG, Place, World, until};
use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use odeon_theater::{
    LinkConfig, Mobile, NameError, NameSettings, Names, Network, Registration, TheaterId,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Nomad(u64);

#[derive(Serialize, Deserialize)]
enum Say {
    Who(Reply<u64>),
    Stop,
}

impl Message for Say {}

impl Actor for Nomad {
    type Msg = Say;

    fn handle(&mut self, msg: Say, ctx: &mut Context<'_, Self>) {
        match msg {
            Say::Who(reply) => reply.send(self.0),
            Say::Stop => ctx.stop(),
        }
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "named nomad";
}

/// Notices the end of others early; not so early that one that gets no time for a while is taken
/// for dead.
fn hasty() -> LinkConfig {
    LinkConfig {
        heartbeat: Duration::from_millis(50),
        suspect_after: Duration::from_millis(300),
        dead_after: Duration::from_secs(3),
        ..LinkConfig::new("test", support::LARGEST_PACKET)
    }
}

fn settings() -> NameSettings {
    NameSettings { seek_every: Duration::from_millis(50), ..NameSettings::default() }
}

/// Theaters that take part in names, and see each other.
struct Cast {
    world: World,
    places: Vec<Option<(Place, Names)>>,
}

impl Cast {
    fn new(seed: u64, theaters: usize) -> Self {
        let world = World::with(seed, hasty());
        let mut cast = Self { world, places: Vec::new() };
        (0..theaters).for_each(|_| cast.add());
        cast.all_see(theaters);
        cast
    }

    fn add(&mut self) {
        let place = self.place();
        let names = Names::join(&place.network, settings());
        self.places.push(Some((place, names)));
    }

    /// A theater that does not take part.
    fn place(&self) -> Place {
        let place = self.world.theater(self.places.len() as u128 + 1);
        place.network.register_mobile::<Nomad>();
        place
    }

    #[track_caller]
    fn all_see(&self, servers: usize) {
        let living = || self.places.iter().flatten();
        until("all see each other", || living().all(|(_, it)| it.servers().len() == servers));
    }

    fn network(&self, place: usize) -> &Network {
        &self.places[place].as_ref().unwrap().0.network
    }

    fn names(&self, place: usize) -> &Names {
        &self.places[place].as_ref().unwrap().1
    }

    fn id(&self, place: usize) -> TheaterId {
        TheaterId::from_bits(place as u128 + 1)
    }

    /// A theater loses its power.
    fn kill(&mut self, place: usize) -> Option<(Place, Names)> {
        self.world.net.crash(self.id(place));
        self.places[place].take()
    }

    /// An actor that has a name.
    #[track_caller]
    fn registered(&self, place: usize, name: &str) -> (ActorRef<Say>, Registration) {
        let nomad = self.network(place).spawn_mobile(Nomad(place as u64));
        let registered = self.names(place).register(name, &nomad).wait_timeout(LONG).unwrap();
        (nomad, registered.unwrap())
    }

    /// What a theater publishes.
    #[track_caller]
    fn published(&self, here: usize, there: usize, name: &str) -> ActorRef<Say> {
        let asked = self.network(here).at(self.id(there)).lookup(name);
        asked.wait_timeout(LONG).unwrap().unwrap()
    }

    #[track_caller]
    fn moves(&self, from: usize, nomad: &ActorRef<Say>, to: usize) {
        let moved = self.network(from).migrate(nomad, self.id(to)).wait_timeout(LONG).unwrap();
        assert!(moved.unwrap().bytes > 0);
    }

    /// Whom one who wants the name finds in the way.
    #[track_caller]
    fn refused(&self, place: usize, name: &str) -> TheaterId {
        let rival = self.network(place).spawn_mobile(Nomad(1_000));
        let registered = self.names(place).register(name, &rival).wait_timeout(LONG).unwrap();
        let Err(NameError::AlreadyRegistered(at)) = registered else { panic!("{registered:?}") };
        at
    }

    #[track_caller]
    fn is_at_home(&self, place: usize, name: &str, at: usize) {
        until("the name follows", || self.refused(place, name) == self.id(at));
    }

    /// What the actor of this name says it is, or that it has ended meanwhile.
    #[track_caller]
    fn who(&self, place: usize, name: &str) -> Result<u64, NameError> {
        let found = self.names(place).lookup::<Say>(name).wait_timeout(LONG).unwrap()?;
        found.ask(Say::Who).wait_timeout(LONG).map_err(|_| NameError::Ended)
    }

    #[track_caller]
    fn is_free(&self, place: usize, name: &str) {
        until("the name is free", || self.who(place, name) == Err(NameError::NotFound));
        drop(self.registered(place, name));
        assert_eq!(self.who(place, name), Ok(place as u64));
    }
}

#[test]
fn s33_a_name_goes_with_its_actor_and_outlives_the_theater_where_it_was_given() {
    let mut cast = Cast::new(1, 5);
    for name in 0..10 {
        let (nomad, _) = cast.registered(0, &format!("name {name}"));
        cast.moves(0, &nomad, 1);
    }
    for name in 0..10 {
        cast.is_at_home(2, &format!("name {name}"), 1);
    }
    let _lost = cast.kill(0);
    cast.all_see(4);
    for name in 0..10 {
        let name = format!("name {name}");
        for place in 1..5 {
            assert_eq!(cast.who(place, &name), Ok(0), "{name} from {place}");
            assert_eq!(cast.refused(place, &name), cast.id(1), "{name} from {place}");
        }
    }
}

#[test]
fn s33_a_name_goes_with_its_actor_when_the_theater_where_it_was_given_leaves() {
    let mut cast = Cast::new(2, 3);
    let (nomad, _) = cast.registered(0, "x");
    cast.moves(0, &nomad, 1);
    cast.is_at_home(2, "x", 1);
    drop(nomad);
    let (place, names) = cast.places[0].take().unwrap();
    names.leave();
    assert!(place.network.leave(LONG));
    cast.all_see(2);
    assert_eq!((cast.who(1, "x"), cast.who(2, "x")), (Ok(0), Ok(0)));
    assert_eq!(cast.refused(2, "x"), cast.id(1));
}

#[test]
fn s33_a_name_stays_with_an_actor_that_moves_on_and_on() {
    let cast = Cast::new(3, 4);
    let (nomad, _) = cast.registered(0, "x");
    let (ends, found) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for place in 0..4 {
            let (cast, ends, found) = (&cast, &ends, &found);
            scope.spawn(move || {
                while !ends.load(SeqCst) {
                    assert_eq!(cast.who(place, "x"), Ok(0));
                    // Nobody else ever gets it.
                    cast.refused(place, "x");
                    found.fetch_add(1, SeqCst);
                }
            });
        }
        // At some the name follows, at others the actor is gone before.
        for (step, to) in [1, 2, 0, 3, 0, 1, 0, 2, 3, 1, 0, 3].into_iter().enumerate() {
            cast.moves(0, &nomad, to);
            if step % 2 == 0 {
                cast.is_at_home(3, "x", to);
            }
        }
        ends.store(true, SeqCst);
    });
    assert!(found.load(SeqCst) > 0);
    for place in 0..4 {
        cast.is_at_home(place, "x", 3);
        assert_eq!(cast.who(place, "x"), Ok(0));
    }
}

#[test]
fn s33_a_name_that_has_moved_is_free_when_its_actor_ends_or_is_lost() {
    let mut cast = Cast::new(4, 4);
    for (name, stays) in [("ends", true), ("is lost", false)] {
        let (nomad, _) = cast.registered(0, name);
        cast.moves(0, &nomad, 1);
        cast.is_at_home(2, name, 1);
        if stays {
            nomad.send(Say::Stop).unwrap();
            cast.is_free(3, name);
        }
    }
    let _lost = cast.kill(1);
    cast.is_free(2, "is lost");
}

#[test]
fn s33_a_name_that_has_moved_is_taken_back_by_its_registration_and_by_anybody() {
    let mut cast = Cast::new(5, 5);
    let registrations = [("own", 0), ("anybody's", 3), ("an orphan's", 2)].map(|(name, by)| {
        let nomad = cast.network(0).spawn_mobile(Nomad(0));
        cast.network(0).publish(name, &nomad);
        let known = match by {
            0 => nomad.clone(),
            _ => cast.published(by, 0, name),
        };
        let registered = cast.names(by).register(name, &known).wait_timeout(LONG).unwrap();
        cast.network(0).unpublish(name);
        for to in [1, 4] {
            cast.moves(0, &nomad, to);
            cast.is_at_home(2, name, to);
        }
        registered.unwrap()
    });
    let [own, anybodys, orphans] = registrations;
    assert_eq!(own.theater(), cast.id(0));
    assert_eq!(own.unregister().wait_timeout(LONG).unwrap(), Ok(true));
    assert_eq!(cast.who(4, "own"), Err(NameError::NotFound));
    drop(cast.registered(3, "own"));
    assert_eq!(own.unregister().wait_timeout(LONG).unwrap(), Ok(false));
    assert_eq!(cast.who(4, "own"), Ok(3));

    assert_eq!(cast.names(1).unregister("anybody's").wait_timeout(LONG).unwrap(), Ok(true));
    assert_eq!(cast.who(4, "anybody's"), Err(NameError::NotFound));
    assert_eq!(anybodys.unregister().wait_timeout(LONG).unwrap(), Ok(false));

    // Nobody is left who could pass it on.
    let _lost = [cast.kill(0), cast.kill(1)];
    cast.all_see(3);
    assert_eq!(cast.who(3, "an orphan's"), Ok(0));
    assert_eq!(orphans.unregister().wait_timeout(LONG).unwrap(), Ok(true));
    assert_eq!(cast.who(3, "an orphan's"), Err(NameError::NotFound));
}

#[test]
fn s33_a_name_follows_as_soon_as_the_theater_of_its_actor_takes_part() {
    let mut cast = Cast::new(6, 2);
    let place = cast.place();
    let (nomad, _) = cast.registered(0, "x");
    cast.moves(0, &nomad, 2);
    for from in [0, 1] {
        assert_eq!(cast.who(from, "x"), Ok(0));
        assert_eq!(cast.refused(from, "x"), cast.id(0));
    }
    let names = Names::join(&place.network, settings());
    cast.places.push(Some((place, names)));
    cast.is_at_home(1, "x", 2);
    let _lost = cast.kill(0);
    cast.all_see(2);
    assert_eq!(cast.who(1, "x"), Ok(0));
}

#[test]
fn s33_nobody_is_spawned_for_a_name_that_has_moved() {
    let cast = Arc::new(Cast::new(7, 3));
    let (nomad, _) = cast.registered(0, "x");
    cast.moves(0, &nomad, 1);
    for _ in 0..2 {
        for place in 0..3 {
            let kept = cast.clone();
            let make = move || kept.network(place).spawn_mobile(Nomad(1_000));
            let found = cast.names(place).lookup_or_spawn("x", make).wait_timeout(LONG).unwrap();
            assert_eq!(found.unwrap().ask(Say::Who).wait_timeout(LONG), Ok(0));
        }
        cast.is_at_home(2, "x", 1);
    }
}
