//! S33: names that all theaters know, each given once, whoever of them is lost.

use super::support::{self, Count, Counter, LONG, Place, World, numbers, until};
use odeon_core::{Actor, ActorRef, Context};
use odeon_theater::{LinkConfig, NameError, NameEvent, NameSettings, Names, TheaterId};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Notices the end of others early; not so early that one that gets no time for a while is taken
/// for dead.
fn hasty() -> LinkConfig {
    LinkConfig {
        heartbeat: Duration::from_millis(50),
        suspect_after: Duration::from_millis(300),
        dead_after: Duration::from_millis(1_500),
        ..LinkConfig::new("test", 65_000)
    }
}

fn settings() -> NameSettings {
    NameSettings { seek_every: Duration::from_millis(50), ..NameSettings::default() }
}

/// Theaters that take part in names, and see each other.
struct Cast {
    world: World,
    places: Vec<Place>,
    names: Vec<Names>,
}

impl Cast {
    fn new(seed: u64, theaters: u128, settings: &NameSettings) -> Self {
        let world = World::with(seed, hasty());
        let places: Vec<Place> = (1..=theaters).map(|number| world.theater(number)).collect();
        let join = |place: &Place| Names::join(&place.network, settings.clone());
        let names = places.iter().map(join).collect();
        let cast = Self { world, places, names };
        cast.all_see(theaters as usize);
        cast
    }

    #[track_caller]
    fn all_see(&self, servers: usize) {
        let see = || self.names.iter().all(|names| names.servers().len() == servers);
        until("all see each other", see);
    }

    /// One more theater, at the end.
    fn add(&mut self, settings: &NameSettings) {
        let place = self.world.theater(self.places.len() as u128 + 1);
        self.names.push(Names::join(&place.network, settings.clone()));
        self.places.push(place);
    }

    fn id(&self, place: usize) -> TheaterId {
        self.places[place].network.id()
    }

    fn counter(&self, place: usize, number: u64) -> ActorRef<Count> {
        self.places[place].theater.spawn(Counter { numbers: vec![number] })
    }

    /// A theater loses its power.
    fn kill(&mut self, place: usize) -> (Place, Names) {
        self.world.net.crash(self.id(place));
        (self.places.remove(place), self.names.remove(place))
    }

    #[track_caller]
    fn register(&self, place: usize, name: &str, number: u64) -> Result<(), NameError> {
        let asked = self.names[place].register(name, &self.counter(place, number));
        asked.wait_timeout(LONG).unwrap().map(drop)
    }

    #[track_caller]
    fn find(&self, place: usize, name: &str) -> Result<ActorRef<Count>, NameError> {
        self.names[place].lookup::<Count>(name).wait_timeout(LONG).unwrap()
    }

    /// What the actor of this name says it is.
    #[track_caller]
    fn who(&self, place: usize, name: &str) -> Result<u64, NameError> {
        self.find(place, name).map(|found| numbers(&found)[0])
    }
}

#[test]
fn s33_a_name_is_given_once_however_many_want_it() {
    let cast = Cast::new(1, 4, &settings());
    let asked: Vec<_> = (0..100)
        .map(|n| (n, cast.names[n % 4].register("bank", &cast.counter(n % 4, n as u64))))
        .collect();
    let mut given = Vec::new();
    let mut refused = Vec::new();
    for (n, ask) in asked {
        match ask.wait_timeout(LONG).unwrap() {
            Ok(registration) => given.push((n, registration)),
            Err(error) => refused.push(error),
        }
    }
    let [(winner, registration)] = &given[..] else { panic!("{given:?}") };
    assert_eq!(registration.theater(), cast.id(winner % 4));
    assert_eq!(refused, vec![NameError::AlreadyRegistered(cast.id(winner % 4)); 99]);
    for place in 0..4 {
        assert_eq!(cast.who(place, "bank"), Ok(*winner as u64));
    }
}

#[test]
fn s33_names_are_found_from_everywhere_and_taken_back() {
    let cast = Cast::new(2, 4, &settings());
    for n in 0..20 {
        assert_eq!(cast.register(n % 4, &format!("name {n}"), n as u64), Ok(()));
    }
    for n in 0..20 {
        for place in 0..4 {
            assert_eq!(cast.who(place, &format!("name {n}")), Ok(n as u64));
        }
    }
    assert_eq!(cast.who(0, "nobody"), Err(NameError::NotFound));
    let other = cast.names[1].lookup::<u32>("name 0").wait_timeout(LONG).unwrap();
    let Err(NameError::OtherMessages(messages)) = other else { panic!("{other:?}") };
    assert!(messages.ends_with("Count"), "{messages}");

    assert_eq!(cast.names[3].unregister("name 0").wait_timeout(LONG).unwrap(), Ok(true));
    assert_eq!(cast.names[2].unregister("name 0").wait_timeout(LONG).unwrap(), Ok(false));
    assert_eq!(cast.who(1, "name 0"), Err(NameError::NotFound));
    assert_eq!(cast.register(1, "name 0", 100), Ok(()));
    assert_eq!(cast.who(2, "name 0"), Ok(100));
}

#[test]
fn s33_a_registration_takes_back_its_own_name_and_no_other() {
    let cast = Cast::new(3, 3, &settings());
    let first = cast.names[0].register("x", &cast.counter(0, 1)).wait_timeout(LONG).unwrap();
    let first = first.unwrap();
    assert_eq!(first.unregister().wait_timeout(LONG).unwrap(), Ok(true));
    assert_eq!(cast.register(1, "x", 2), Ok(()));
    assert_eq!(first.unregister().wait_timeout(LONG).unwrap(), Ok(false));
    assert_eq!(cast.who(2, "x"), Ok(2));
}

#[test]
fn s33_an_actor_is_registered_from_elsewhere_and_kept_at_home() {
    let mut cast = Cast::new(4, 4, &settings());
    cast.places[1].network.publish("counter", &cast.counter(1, 7));
    let found = support::find(&cast.places[0], &cast.places[1], "counter");
    let registered = cast.names[0].register("seven", &found).wait_timeout(LONG).unwrap();
    assert_eq!(registered.unwrap().theater(), cast.id(1));
    cast.places[1].network.unpublish("counter");
    drop(found);
    // Who has registered it is lost: the name stays, and keeps the actor.
    let _lost = cast.kill(0);
    cast.all_see(3);
    assert_eq!(cast.who(2, "seven"), Ok(7));
}

#[test]
fn s33_losing_theaters_one_after_the_other_loses_no_name() {
    let two = NameSettings { replicas: 2, ..settings() };
    let mut cast = Cast::new(5, 6, &two);
    for n in 0..40 {
        assert_eq!(cast.register(0, &format!("name {n}"), n), Ok(()));
    }
    for left in [5, 4, 3] {
        let _lost = cast.kill(1);
        // Also before anybody has noticed.
        for n in 0..40 {
            let name = format!("name {n}");
            let place = n as usize % left;
            assert_eq!(cast.register(place, &name, 1_000), already(&cast, 0), "{name}");
            assert_eq!(cast.who(place, &name), Ok(n));
        }
        cast.all_see(left);
    }
}

fn already(cast: &Cast, place: usize) -> Result<(), NameError> {
    Err(NameError::AlreadyRegistered(cast.id(place)))
}

#[test]
fn s33_all_servers_of_a_name_are_lost_at_once_and_the_home_has_it_known_again() {
    let mut cast = Cast::new(6, 6, &NameSettings { replicas: 2, ..settings() });
    for n in 0..40 {
        assert_eq!(cast.register(0, &format!("name {n}"), n), Ok(()));
    }
    let _lost = [cast.kill(1), cast.kill(1), cast.kill(1)];
    cast.all_see(3);
    for n in 0..40 {
        let name = format!("name {n}");
        // The news of it may still be under way.
        until("it is known again", || cast.who(n as usize % 3, &name) == Ok(n));
        assert_eq!(cast.register(2, &name, 1_000), already(&cast, 0), "{name}");
    }
}

#[test]
fn s33_a_name_is_free_when_its_actor_ends_or_is_lost_with_its_theater() {
    let mut cast = Cast::new(7, 4, &settings());
    let actor = cast.counter(1, 1);
    let registered = cast.names[1].register("x", &actor).wait_timeout(LONG).unwrap();
    assert!(registered.is_ok());
    actor.stop();
    until("the name is free", || cast.find(2, "x") == Err(NameError::NotFound));
    assert_eq!(cast.register(1, "x", 2), Ok(()));
    assert_eq!(cast.who(3, "x"), Ok(2));
    let ended = cast.names[1].register("y", &actor).wait_timeout(LONG).unwrap();
    assert_eq!(ended.unwrap_err(), NameError::Ended);
    let stranger = cast.names[0].register("y", &actor).wait_timeout(LONG).unwrap();
    assert_eq!(stranger.unwrap_err(), NameError::TakesNoPart, "it is no actor of this network");

    let lost = cast.kill(1);
    // Until that is noticed the name is theirs, and whoever asks waits.
    assert_eq!(cast.who(0, "x"), Err(NameError::NotFound));
    assert_eq!(cast.register(2, "x", 3), Ok(()));
    for place in 0..3 {
        assert_eq!(cast.who(place, "x"), Ok(3));
    }
    drop(lost);
}

#[test]
fn s33_who_takes_part_no_longer_gives_its_names_back() {
    let cast = Cast::new(8, 3, &settings());
    assert_eq!(cast.register(0, "x", 1), Ok(()));
    assert_eq!(cast.register(1, "y", 2), Ok(()));
    cast.names[0].leave();
    until("the others know", || cast.names[1..].iter().all(|names| names.servers().len() == 2));
    assert_eq!(cast.who(1, "x"), Err(NameError::NotFound));
    assert_eq!(cast.who(2, "y"), Ok(2));
    assert!(cast.names[0].lookup::<Count>("y").wait_timeout(LONG).is_err());
    // It may take part again.
    let again = Names::join(&cast.places[0].network, settings());
    until("it is back", || cast.names[1..].iter().all(|names| names.servers().len() == 3));
    let found = again.lookup::<Count>("y").wait_timeout(LONG).unwrap().unwrap();
    assert_eq!(numbers(&found), [2]);
}

#[test]
fn s33_who_comes_later_knows_what_the_others_know() {
    let mut cast = Cast::new(9, 3, &settings());
    for n in 0..30 {
        assert_eq!(cast.register(n % 3, &format!("name {n}"), n as u64), Ok(()));
    }
    for last in [3, 4] {
        cast.add(&settings());
        for n in 0..30 {
            let name = format!("name {n}");
            if cast.names[last].servers().len() == last + 1 {
                assert_eq!(cast.register(last, &name, 1_000), already(&cast, n % 3), "{name}");
            }
        }
        cast.all_see(last + 1);
        for n in 0..30 {
            let name = format!("name {n}");
            assert_eq!(cast.register(last, &name, 1_000), already(&cast, n % 3), "{name}");
            assert_eq!(cast.who(last, &name), Ok(n as u64), "{name}");
        }
    }
}

#[test]
fn s33_who_comes_later_knows_names_also_of_theaters_that_it_cannot_see() {
    let mut cast = Cast::new(10, 3, &settings());
    for n in 0..30 {
        assert_eq!(cast.register(0, &format!("name {n}"), n), Ok(()));
    }
    let newcomer = TheaterId::from_bits(4);
    cast.world.net.cut(cast.id(0), newcomer);
    cast.add(&settings());
    until("the two others see the newcomer, and the newcomer them", || {
        [1, 2, 3].iter().all(|&place| cast.names[place].servers().contains(&newcomer))
            && cast.names[3].servers().len() == 3
    });
    for n in 0..30 {
        let name = format!("name {n}");
        assert_eq!(cast.who(1, &name), Ok(n), "{name}");
        // Whether it is taken, somebody has to say who sees the theater of its actor.
        assert_eq!(cast.register(1, &name, 1_000), already(&cast, 0), "{name}");
    }
}

#[test]
fn s33_one_is_spawned_however_many_look_for_it() {
    let cast = Cast::new(11, 4, &settings());
    let spawned = Arc::new(AtomicUsize::new(0));
    for round in 0..5 {
        let name = format!("tickets {round}");
        spawned.store(0, SeqCst);
        let asked: Vec<_> = (0..40)
            .map(|n| {
                let (counter, spawned) = (cast.counter(n % 4, n as u64), spawned.clone());
                cast.names[n % 4].lookup_or_spawn(&name, move || {
                    spawned.fetch_add(1, SeqCst);
                    thread::sleep(Duration::from_millis(20));
                    counter
                })
            })
            .collect();
        let found: Vec<u64> = asked
            .into_iter()
            .map(|ask| numbers(&ask.wait_timeout(LONG).unwrap().unwrap())[0])
            .collect();
        assert_eq!(spawned.load(SeqCst), 1);
        assert!(found.iter().all(|&it| it == found[0]), "{found:?}");
        assert_eq!(cast.who(round % 4, &name), Ok(found[0]));
    }
}

#[test]
fn s33_who_may_spawn_and_does_not_lets_the_next_one() {
    let quick = NameSettings { spawn_within: Duration::from_millis(200), ..settings() };
    let mut cast = Cast::new(12, 4, &quick);
    let panics = || -> ActorRef<Count> { panic!("no actor today") };
    let asked = cast.names[0].lookup_or_spawn("x", panics).wait_timeout(LONG).unwrap();
    assert_eq!(asked.unwrap_err(), NameError::Panicked);

    // One that is late: another one has its turn, and the late one finds it.
    let (one, other) = (cast.counter(0, 1), cast.counter(1, 2));
    let ((begin, begun), (end, ends)) = (std::sync::mpsc::channel(), std::sync::mpsc::channel());
    let late = cast.names[0].lookup_or_spawn("x", move || {
        begin.send(()).unwrap();
        ends.recv_timeout(LONG).unwrap();
        one
    });
    begun.recv_timeout(LONG).unwrap();
    let next = cast.names[1].lookup_or_spawn("x", move || other).wait_timeout(LONG).unwrap();
    assert_eq!(numbers(&next.unwrap()), [2]);
    end.send(()).unwrap();
    assert_eq!(numbers(&late.wait_timeout(LONG).unwrap().unwrap()), [2]);

    // One that panics while somebody else wants the name.
    let ((begin, begun), (end, ends)) = (std::sync::mpsc::channel(), std::sync::mpsc::channel());
    let fails = cast.names[0].lookup_or_spawn("z", move || -> ActorRef<Count> {
        begin.send(()).unwrap();
        ends.recv_timeout(LONG).unwrap();
        panic!("told to")
    });
    begun.recv_timeout(LONG).unwrap();
    let wants = cast.counter(1, 5);
    let waits = cast.names[1].register("z", &wants);
    thread::sleep(Duration::from_millis(50));
    end.send(()).unwrap();
    assert_eq!(fails.wait_timeout(LONG).unwrap().unwrap_err(), NameError::Panicked);
    assert!(waits.wait_timeout(LONG).unwrap().is_ok());

    // One whose theater is lost meanwhile.
    let (begin, begun) = std::sync::mpsc::channel();
    let (never, other) = (cast.counter(0, 3), cast.counter(1, 4));
    let _lost = cast.names[0].lookup_or_spawn("y", move || {
        begin.send(()).unwrap();
        never
    });
    begun.recv_timeout(LONG).unwrap();
    let _dead = cast.kill(0);
    let next = cast.names[0].lookup_or_spawn("y", move || other).wait_timeout(LONG).unwrap();
    assert_eq!(numbers(&next.unwrap()), [4]);
}

struct Hears(Arc<Mutex<Vec<NameEvent>>>);

impl Actor for Hears {
    type Msg = NameEvent;

    fn handle(&mut self, event: NameEvent, _: &mut Context<'_, Self>) {
        self.0.lock().unwrap().push(event);
    }
}

#[test]
fn s33_of_two_that_have_got_a_name_while_cut_off_the_earlier_one_keeps_it() {
    let cast = Cast::new(13, 4, &settings());
    let heard: Vec<_> = (0..4)
        .map(|place| {
            let heard = Arc::new(Mutex::new(Vec::new()));
            cast.names[place].subscribe(&cast.places[place].theater.spawn(Hears(heard.clone())));
            heard
        })
        .collect();
    assert_eq!(cast.register(0, "before", 10), Ok(()));
    for (one, other) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        cast.world.net.cut(cast.id(one), cast.id(other));
    }
    cast.all_see(2);
    // On the other side the name is free: its actor counts as lost.
    cast.places[2].network.publish("twelve", &cast.counter(2, 12));
    let twelve = support::find(&cast.places[3], &cast.places[2], "twelve");
    let registered = cast.names[3].register("before", &twelve).wait_timeout(LONG).unwrap();
    assert_eq!(registered.unwrap().theater(), cast.id(2));
    assert_eq!(cast.register(3, "meanwhile", 13), Ok(()));
    assert_eq!((cast.who(1, "before"), cast.who(3, "before")), (Ok(10), Ok(12)));
    assert_eq!(cast.who(0, "meanwhile"), Err(NameError::NotFound));

    for (one, other) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        cast.world.net.heal(cast.id(one), cast.id(other));
    }
    cast.all_see(4);
    let lost = NameEvent::Lost { name: "before".into(), to: cast.id(0) };
    until("the later one is told, and who has registered it", || {
        [2, 3].iter().all(|&place| *heard[place].lock().unwrap() == [lost.clone()])
    });
    for place in 0..4 {
        until("the earlier one is found", || cast.who(place, "before") == Ok(10));
        assert_eq!(cast.who(place, "meanwhile"), Ok(13));
        assert_eq!(cast.register(place, "before", 99), already(&cast, 0));
    }
    assert_eq!(numbers(&twelve), [12], "its actor lives on");
    for (place, losses) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        assert_eq!(heard[place].lock().unwrap().len(), losses, "{place}");
    }
}

#[test]
fn s33_with_too_few_servers_in_sight_nothing_is_given_away() {
    let three = NameSettings { least_servers: 3, ..settings() };
    let world = World::with(14, hasty());
    let places: Vec<Place> = (1..=3).map(|number| world.theater(number)).collect();
    let one = Names::join(&places[0].network, three.clone());
    let other = Names::join(&places[1].network, three.clone());
    let asked: Vec<_> = [(&one, 0), (&other, 1)]
        .map(|(names, place)| names.register("x", &places[place].theater.spawn(Counter::default())))
        .into();
    let impatient = NameSettings { give_up_after: Duration::from_millis(100), ..three.clone() };
    until("two see each other", || one.servers().len() == 2 && other.servers().len() == 2);
    // All these wait; the third server decides.
    let last = Names::join(&places[2].network, impatient);
    let given: Vec<_> = asked.into_iter().map(|ask| ask.wait_timeout(LONG).unwrap()).collect();
    assert_eq!(given.iter().filter(|given| given.is_ok()).count(), 1, "{given:?}");
    drop((one, other));
    until("the last one is alone", || last.servers().len() == 1);
    let alone = last.register("y", &places[2].theater.spawn(Counter::default()));
    assert_eq!(alone.wait_timeout(LONG).unwrap().unwrap_err(), NameError::Unavailable);
    let unknown = last.lookup::<Count>("y").wait_timeout(LONG).unwrap();
    assert_eq!(unknown.unwrap_err(), NameError::Unavailable);
}

#[test]
fn s33_the_greatest_number_of_replicas_counts() {
    let mut cast = Cast::new(15, 4, &NameSettings { replicas: 1, ..settings() });
    for n in 0..20 {
        assert_eq!(cast.register(0, &format!("name {n}"), n), Ok(()));
    }
    cast.add(&NameSettings { replicas: 4, ..settings() });
    cast.all_see(5);
    for n in 20..40 {
        assert_eq!(cast.register(4, &format!("name {n}"), n), Ok(()));
    }
    for n in 0..40 {
        for place in 0..5 {
            assert_eq!(cast.who(place, &format!("name {n}")), Ok(n));
        }
    }
}

#[test]
#[should_panic(expected = "takes part in names already")]
fn s33_a_theater_takes_part_once() {
    let cast = Cast::new(16, 1, &settings());
    let _second = Names::join(&cast.places[0].network, settings());
}
