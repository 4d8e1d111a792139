//! S37: actors that are kept by their names alone are let go on request, and no others.

use super::support::{Count, Counter, LONG, Place, World, find, numbers, until};
use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use odeon_theater::{Conditions, LinkConfig, Mobile, NameError, NameSettings, Names, RemoteError};
use serde::{Deserialize, Serialize};
use std::time::Duration;

fn stopped(place: &Place) -> Vec<String> {
    place.network.stop_unreferenced(|_| true)
}

fn is_found(here: &Place, there: &Place, name: &str) -> bool {
    let found = here.network.at(there.network.id()).lookup::<Count>(name);
    match found.wait_timeout(LONG).unwrap() {
        Ok(_) => true,
        Err(RemoteError::NotFound) => false,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn s37_only_those_to_which_nobody_refers_are_let_go() {
    let world = World::new(1);
    let [a, b] = [1, 2].map(|number| world.theater(number));
    let names = ["here", "there", "nowhere", "other"];
    let mut counters: Vec<_> = names.map(|_| a.theater.spawn(Counter::default())).into();
    counters.iter().zip(names).for_each(|(counter, name)| a.network.publish(name, counter));
    let there = find(&b, &a, "there");
    let here = counters.swap_remove(0);
    // What is sent to one before is handled.
    counters.iter().for_each(|counter| counter.send(Count::Sleep(20)).unwrap());
    let living = a.theater.live_actors();
    drop(counters);
    assert_eq!(a.network.stop_unreferenced(|name| name != "other"), ["nowhere"]);
    assert!(!is_found(&b, &a, "nowhere") && is_found(&b, &a, "other"));
    until("it ends", || a.theater.live_actors() < living);
    assert!(!here.is_stopped());
    there.send(Count::Add(1)).unwrap();
    assert_eq!(numbers(&there), [1]);
    // References that are given back count no more.
    drop((here, there));
    until("all are let go", || {
        stopped(&a);
        a.network.references().0 == 0
            && !["here", "there", "other"].iter().any(|name| is_found(&b, &a, name))
    });
    assert_eq!(stopped(&a), [""; 0]);
    assert!(a.lost.lock().unwrap().is_empty());
}

/// Keeps what it is given.
#[derive(Default, Serialize, Deserialize)]
struct Keeper {
    kept: Option<ActorRef<Count>>,
}

#[derive(Serialize, Deserialize)]
enum Keep {
    This(ActorRef<Count>),
    /// Hands on what it keeps, and has it no longer.
    HandOn(ActorRef<Keep>),
    Has(Reply<bool>),
    GiveUp,
}

impl Message for Keep {}

impl Actor for Keeper {
    type Msg = Keep;

    fn handle(&mut self, keep: Keep, _: &mut Context<'_, Self>) {
        match keep {
            Keep::This(counter) => self.kept = Some(counter),
            Keep::HandOn(to) => to.send(Keep::This(self.kept.take().unwrap())).unwrap(),
            Keep::Has(reply) => reply.send(self.kept.is_some()),
            Keep::GiveUp => self.kept = None,
        }
    }
}

impl Mobile for Keeper {
    const KIND: &'static str = "keeper";
}

fn keeper(here: &Place, there: &Place, name: &str) -> ActorRef<Keep> {
    there.network.publish(name, &there.theater.spawn(Keeper::default()));
    let found = here.network.at(there.network.id()).lookup(name);
    found.wait_timeout(LONG).unwrap().unwrap()
}

#[test]
fn s37_a_reference_that_is_under_way_is_one() {
    let world = World::new(2);
    let [a, b, c] = [1, 2, 3].map(|number| world.theater(number));
    let (at_b, at_c) = (keeper(&a, &b, "keeper"), keeper(&a, &c, "keeper"));
    let is_kept = |by: &ActorRef<Keep>| by.ask(Keep::Has).wait_timeout(LONG) == Ok(true);
    let counter = a.theater.spawn(Counter::default());
    a.network.publish("counter", &counter);
    let delay = Duration::from_millis(60);
    world.net.set_everywhere(Conditions { delay: (delay, delay), ..Conditions::GOOD });
    // From its own theater, between two others, and home again.
    at_b.send(Keep::This(counter.clone())).unwrap();
    drop(counter);
    let mut looks = 0;
    let mut stays_until = |arrives: &(dyn Fn() -> bool + Sync)| {
        let arrived = std::thread::scope(|scope| {
            let asked = scope.spawn(|| {
                // Asked behind the message: it comes later than that.
                until("it arrives", arrives);
            });
            while !asked.is_finished() {
                assert!(stopped(&a).is_empty(), "somebody is to get it");
                looks += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
            asked.join()
        });
        arrived.unwrap();
    };
    stays_until(&|| is_kept(&at_b));
    at_b.send(Keep::HandOn(at_c.clone())).unwrap();
    stays_until(&|| is_kept(&at_c));
    let home = a.theater.spawn(Keeper::default());
    at_c.send(Keep::HandOn(home.clone())).unwrap();
    stays_until(&|| is_kept(&home));
    assert!(looks > 0, "{looks}");
    assert!(is_found(&b, &a, "counter"));
    home.send(Keep::GiveUp).unwrap();
    until("nobody has it any more", || stopped(&a) == ["counter"]);
}

#[test]
fn s37_what_a_dead_theater_referred_to_is_let_go_and_not_before() {
    let mut config = LinkConfig::new("test", 60_000);
    // So long gets none that lives no time.
    config.dead_after = Duration::from_secs(3);
    config.suspect_after = Duration::from_millis(300);
    config.heartbeat = Duration::from_millis(50);
    let world = World::with(3, config);
    let [a, b] = [1, 2].map(|number| world.theater(number));
    a.network.publish("counter", &a.theater.spawn(Counter::default()));
    let from_b = find(&b, &a, "counter");
    assert!(stopped(&a).is_empty());
    world.net.crash(b.network.id());
    while a.network.references().0 > 0 {
        // It may have been counted as gone in between.
        let gone = stopped(&a);
        assert!(gone.is_empty() || a.network.references().0 == 0, "{gone:?}");
        if !gone.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // Its references are forgotten first.
    until("the theater is dead", || a.network.members().is_empty());
    until("it is let go", || stopped(&a) == ["counter"]);
    drop(from_b);
}

#[test]
fn s37_a_mobile_actor_that_only_its_first_theater_keeps_is_let_go_where_it_is() {
    let world = World::new(4);
    let [a, b] = [1, 2].map(|number| world.theater(number));
    [&a, &b].iter().for_each(|place| place.network.register_mobile::<Keeper>());
    let mobile = a.network.spawn_mobile(Keeper::default());
    a.network.publish("keeper", &mobile);
    a.network.migrate(&mobile, b.network.id()).wait_timeout(LONG).unwrap().unwrap();
    assert!(stopped(&a).is_empty());
    drop(mobile);
    until("its seat is let go", || stopped(&a) == ["keeper"]);
    until("it ends", || b.network.overview().mobile.is_empty());
}

#[test]
fn s37_names_of_the_network_keep_until_they_are_asked_too() {
    let world = World::new(5);
    let [a, b] = [1, 2].map(|number| world.theater(number));
    let [names_a, names_b] =
        [&a, &b].map(|place| Names::join(&place.network, NameSettings::default()));
    until("servers meet", || names_a.servers().len() == 2 && names_b.servers().len() == 2);
    let counters = ["one", "other"].map(|name| {
        let counter = a.theater.spawn(Counter::default());
        names_a.register(name, &counter).wait_timeout(LONG).unwrap().unwrap();
        counter
    });
    let found = |name: &str| names_b.lookup::<Count>(name).wait_timeout(LONG).unwrap();
    let one = found("one").unwrap();
    drop(counters);
    let gone = |names: &Names| names.stop_unreferenced(|_| true).wait_timeout(LONG).unwrap();
    until("the other one is let go", || gone(&names_a) == ["other"]);
    assert!(stopped(&a).is_empty(), "names of the network are another thing");
    assert_eq!(found("other").unwrap_err(), NameError::NotFound);
    one.send(Count::Add(4)).unwrap();
    assert_eq!(numbers(&found("one").unwrap()), [4]);
    assert_eq!(gone(&names_a), [""; 0], "somebody refers to it");
    drop(one);
    until("the one too", || gone(&names_a) == ["one"]);
    assert_eq!(found("one").unwrap_err(), NameError::NotFound);
}
