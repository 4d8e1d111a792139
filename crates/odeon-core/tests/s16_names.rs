//! S16 names: one actor has a name at a time, is kept by it, and frees it by ending.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use odeon_core::extend::Outbox;
use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Event, Log, Probe};
use odeon_testkit::{Deterministic, for_seeds, silent_panic};

const SOON: Duration = Duration::from_secs(20);

fn probe() -> Probe {
    Probe::new(&Log::default())
}

/// Another message type.
struct Silent;

impl Actor for Silent {
    type Msg = u8;
    fn handle(&mut self, _: u8, _: &mut Context<'_, Self>) {}
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let since = Instant::now();
    while !condition() {
        assert!(since.elapsed() < SOON, "{what} does not come");
        std::thread::yield_now();
    }
}

fn not_found(name: &str) -> LookupError {
    LookupError::NotFound { name: name.into() }
}

#[test]
fn s16_a_name_leads_to_its_actor_and_to_no_other_type() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (one, other) = (theater.spawn(probe()), theater.spawn(probe()));
    assert_eq!(theater.lookup::<Do>("a"), Err(not_found("a")));
    theater.register("a", &one).unwrap();
    theater.register("also a", &one).unwrap();
    assert_eq!(theater.lookup("a"), Ok(one.clone()));
    assert_eq!(theater.lookup("also a"), Ok(one.clone()));

    let taken = theater.register("a", &other).unwrap_err();
    assert_eq!((taken.name(), taken.by()), ("a", Some(one.id())));
    assert_eq!(taken.to_string(), format!("the name `a` is taken by actor {}", one.id()));
    assert!(theater.register("a", &theater.spawn(Silent)).is_err());

    let Err(LookupError::OtherType(error)) = theater.lookup::<u8>("a") else { panic!("found") };
    assert_eq!((error.named(), error.asked()), (std::any::type_name::<Do>(), "u8"));
    assert_eq!(theater.actor().lookup_or_spawn("a", || Silent), Err(error));

    assert!(theater.unregister("a"));
    assert!(!theater.unregister("a"));
    assert_eq!(theater.lookup::<Do>("a"), Err(not_found("a")));
    theater.register("a", &other).unwrap();
    assert_eq!(theater.lookup("also a"), Ok(one));
    assert_eq!(not_found("b").to_string(), "nobody has the name `b`");
}

#[test]
fn s16_a_name_keeps_its_actor_until_it_is_taken_away() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let log = Log::default();
    theater.register("kept", &theater.spawn(Probe::new(&log))).unwrap();
    theater.lookup("kept").unwrap().send(Do::Note(1)).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    theater.lookup("kept").unwrap().send(Do::Note(2)).unwrap();
    assert!(theater.unregister("kept"));
    wait_until("the end", || log.has(Event::Dropped));
    assert_eq!(log.handled(), [1, 2]);
}

/// Whoever is told of the end, before or after the name's own watch, finds the name free.
#[test]
fn s16_a_name_is_free_before_watchers_are_told() {
    let theater = Arc::new(Theater::builder().workers(2).build().unwrap());
    let stage = theater.pinned("stage").unwrap();
    let actors = [
        theater.spawn(probe()),
        theater.actor().on(&stage).spawn(probe()),
        theater.actor().dedicated("own").spawn(probe()).unwrap(),
    ];
    for actor in actors {
        let (tell, told) = channel();
        let watch = || {
            let (theater, tell) = (theater.clone(), tell.clone());
            actor.on_end(move |_| {
                let found = theater.lookup::<Do>("held");
                let successor = theater.spawn(probe());
                let registered = theater.register("held", &successor);
                theater.unregister("held");
                tell.send((found, registered)).unwrap();
            });
        };
        watch();
        theater.register("held", &actor).unwrap();
        watch();
        actor.stop();
        for _ in 0..2 {
            let told = told.recv_timeout(SOON).unwrap();
            assert_eq!(told, (Err(not_found("held")), Ok(())));
        }
        theater.register("held", &actor).unwrap();
        assert_eq!(theater.lookup::<Do>("held"), Err(not_found("held")));
    }
}

#[test]
fn s16_an_actor_that_has_ended_gets_no_name_and_is_not_kept() {
    let run = Deterministic::new(9);
    let actor = run.theater().spawn(probe());
    actor.stop();
    run.run_until_idle();
    assert_eq!(run.theater().register("late", &actor), Ok(()));
    assert_eq!(run.theater().lookup::<Do>("late"), Err(not_found("late")));
    let group = Group::new();
    assert!(!group.join(&actor));
    let weak = actor.downgrade();
    drop(actor);
    assert_eq!(weak.upgrade(), None);
}

/// The name goes on to another before the name's own watch is told of the end.
#[test]
fn s16_an_end_takes_the_name_from_nobody_else() {
    let theater = Arc::new(Theater::builder().workers(1).build().unwrap());
    let (actor, heir) = (theater.spawn(probe()), theater.spawn(probe()));
    let inherit = {
        let (theater, heir) = (theater.clone(), heir.clone());
        move |_: &Ended| theater.register("crown", &heir).unwrap()
    };
    actor.on_end(inherit);
    theater.register("crown", &actor).unwrap();
    let (tell, told) = channel();
    actor.on_end(move |_| tell.send(()).unwrap());
    actor.stop();
    told.recv_timeout(SOON).unwrap();
    assert_eq!(theater.lookup("crown"), Ok(heir));
}

/// As fast as names become free.
#[test]
fn s16_a_successor_keeps_the_name() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let mut before = theater.spawn(probe());
    theater.register("crown", &before).unwrap();
    for _ in 0..2_000 {
        let successor = theater.spawn(probe());
        before.stop();
        while theater.register("crown", &successor).is_err() {
            std::hint::spin_loop();
        }
        assert_eq!(theater.lookup("crown"), Ok(successor.clone()));
        before = successor;
    }
    drop(before);
    wait_until("the end of the others", || theater.live_actors() == 1);
    assert!(theater.lookup::<Do>("crown").is_ok());
}

#[derive(Default)]
struct Spawns(AtomicUsize);

impl Observer for Spawns {
    fn actor_spawned(&self, _: ActorId) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn s16_racing_callers_spawn_one_actor() {
    const THREADS: usize = 4;
    const NAMES: usize = 500;
    let (spawns, made) = (Arc::new(Spawns::default()), Arc::new(AtomicUsize::new(0)));
    let theater = Arc::new(Theater::builder().workers(2).observer(spawns.clone()).build().unwrap());
    let start = Arc::new(Barrier::new(THREADS));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (theater, start, made) = (theater.clone(), start.clone(), made.clone());
            std::thread::spawn(move || {
                let mut found = Vec::new();
                for n in 0..NAMES {
                    if n % 50 == 0 {
                        start.wait();
                    }
                    let made = made.clone();
                    let make = move || {
                        made.fetch_add(1, Ordering::SeqCst);
                        probe()
                    };
                    found.push(
                        theater.actor().lookup_or_spawn(&format!("actor {n}"), make).unwrap(),
                    );
                }
                found
            })
        })
        .collect();
    let found: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(found.iter().all(|other| *other == found[0]));
    wait_until("the making", || made.load(Ordering::SeqCst) == NAMES);
    assert_eq!((spawns.0.load(Ordering::SeqCst), theater.live_actors()), (NAMES, NAMES));
}

/// The making of each looks the other one up, on the only worker.
#[test]
fn s16_making_an_actor_may_spawn_others_by_name() {
    let theater = Arc::new(Theater::builder().workers(1).build().unwrap());
    let (tell, told) = channel();
    let (one, two) = (theater.clone(), theater.clone());
    let left = move || {
        let right_theater = one.clone();
        let tell = tell.clone();
        let right = one.actor().lookup_or_spawn("right", move || {
            right_theater.actor().lookup_or_spawn("left", probe).unwrap();
            right_theater
                .actor()
                .lookup_or_spawn("right", probe)
                .unwrap()
                .send(Do::Note(0))
                .unwrap();
            tell.send(()).unwrap();
            probe()
        });
        right.unwrap().send(Do::Note(1)).unwrap();
        probe()
    };
    two.actor().lookup_or_spawn("left", left).unwrap();
    told.recv_timeout(SOON).unwrap();
    assert_eq!(theater.live_actors(), 2);
}

#[test]
fn s16_a_panic_while_making_ends_the_actor_and_frees_the_name() {
    let run = Deterministic::new(1);
    let theater = run.theater();
    let failing = || -> Probe { silent_panic("cannot be made") };
    let failed = theater.actor().lookup_or_spawn("hard", failing).unwrap();
    failed.send(Do::Note(1)).unwrap();
    run.run_until_idle();
    assert!(failed.is_stopped());
    assert_eq!(theater.dead_letters(), 1);
    let log = Log::default();
    let second = theater.actor().lookup_or_spawn("hard", {
        let log = log.clone();
        move || Probe::new(&log)
    });
    second.unwrap().send(Do::Note(2)).unwrap();
    run.run_until_idle();
    assert_eq!(log.events(), [Event::Started, Event::Handled(2)]);
}

#[test]
fn s16_a_restart_keeps_the_name() {
    let run = Deterministic::new(2);
    let theater = run.theater();
    let made = Arc::new(AtomicUsize::new(0));
    let log = Log::default();
    let find = || {
        let (made, log) = (made.clone(), log.clone());
        let make = move || {
            // The first attempt fails, and is followed by another as for any failure.
            match made.fetch_add(1, Ordering::SeqCst) {
                0 => silent_panic("not yet"),
                _ => Probe::new(&log),
            }
        };
        let policy = Supervision::new().pauses(Duration::ZERO, Duration::ZERO);
        theater.actor().supervised(policy).lookup_or_spawn("service", make).unwrap()
    };
    let service = find();
    service.send(Do::Note(1)).unwrap();
    service.send(Do::run(|_| silent_panic("asked to"))).unwrap();
    service.send(Do::Note(2)).unwrap();
    run.run_until_idle();
    assert_eq!((find(), made.load(Ordering::SeqCst)), (service, 3));
    assert_eq!((log.handled(), theater.dead_letters()), (vec![1, 2], 0));
}

#[test]
fn s16_actors_use_names_in_their_theater() {
    let run = Deterministic::new(3);
    let log = Log::default();
    let inner = log.clone();
    let actor = run.theater().spawn(probe());
    let work = Do::run(move |ctx| {
        ctx.register("me", &ctx.actor_ref()).unwrap();
        assert_eq!(ctx.lookup("me"), Ok(ctx.actor_ref()));
        let other = ctx.actor().lookup_or_spawn("other", move || Probe::new(&inner)).unwrap();
        other.send(Do::Note(1)).unwrap();
        assert!(ctx.unregister("me") && !ctx.unregister("me"));
        let make = || -> Probe { unreachable!("the name is taken") };
        assert_eq!(
            ctx.actor().supervised(Supervision::new()).lookup_or_spawn("other", make),
            Ok(other)
        );
    });
    actor.send(work).unwrap();
    run.run_until_idle();
    assert_eq!(log.handled(), [1]);
    assert!(!actor.is_stopped());
}

/// Naming against ending, from several threads: nothing stays behind.
#[test]
fn s16_naming_against_ending() {
    let theater = Arc::new(Theater::builder().workers(2).build().unwrap());
    let threads: Vec<_> = (0..3)
        .map(|thread| {
            let theater = theater.clone();
            std::thread::spawn(move || {
                let mut given = 0;
                for round in 0..3_000 {
                    let name = format!("name {}", round % 7);
                    let actor = theater.spawn(probe());
                    if round % 2 == 0 {
                        actor.stop();
                    }
                    given += usize::from(theater.register(&name, &actor).is_ok());
                    match round % 3 {
                        0 => actor.stop(),
                        1 => {
                            theater.unregister(&name);
                        }
                        _ => {
                            let found = theater.lookup::<Do>(&name);
                            if thread == 0 {
                                found.iter().for_each(ActorRef::stop);
                            }
                        }
                    }
                }
                given
            })
        })
        .collect();
    let given: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert!(given > 100, "{given}");
    for name in 0..7 {
        theater.unregister(&format!("name {name}"));
    }
    wait_until("the end of all actors", || theater.live_actors() == 0);
}

/// Random names, ends and spawns by actors: at rest, exactly the actors with a name are alive.
#[test]
fn s16_names_from_seeds() {
    const NAMES: usize = 5;
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        let mut random = Random::from_seed(seed);
        for _ in 0..60 {
            let name = format!("{}", random.below(NAMES));
            let order = match random.below(5) {
                0 => Do::run(move |ctx| drop(ctx.actor().lookup_or_spawn(&name, probe).unwrap())),
                1 => Do::run(move |ctx| drop(ctx.register(&name, &ctx.actor_ref()))),
                2 => Do::run(move |ctx| {
                    ctx.unregister(&name);
                }),
                3 => Do::run(move |ctx| {
                    let found = ctx.lookup::<Do>(&name);
                    found.iter().for_each(ActorRef::stop);
                    drop(ctx.register(&name, &ctx.actor_ref()));
                }),
                _ => Do::run(move |ctx| {
                    drop(ctx.register(&name, &ctx.actor_ref()));
                    silent_panic("asked to");
                }),
            };
            run.theater().spawn(probe()).send(order).unwrap();
            run.run_steps(random.below(4));
        }
        run.run_until_idle();
        let names = (0..NAMES).map(|name| format!("{name}"));
        let mut found: Vec<_> =
            names.filter_map(|name| run.theater().lookup::<Do>(&name).ok()).collect();
        assert!(found.iter().all(|actor| !actor.is_stopped()));
        found.sort_unstable_by_key(ActorRef::id);
        found.dedup();
        assert_eq!(found.len(), run.theater().live_actors());
    });
}

/// An attempt that is discarded leaves the names that it gave, but not the actors that it spawned.
#[test]
fn s16_names_are_given_at_once_also_in_an_attempt() {
    let run = Deterministic::new(11);
    let theater = run.theater();
    let actor = theater.spawn(probe());
    let mut attempt = Outbox::new();
    let found = attempt.hold_during(|| {
        theater.register("named", &actor).unwrap();
        theater.group("room").unwrap().join(&actor);
        theater
            .actor()
            .lookup_or_spawn("spawned", || -> Probe { unreachable!("discarded") })
            .unwrap()
    });
    assert_eq!(theater.lookup("spawned"), Ok(found.clone()));
    drop(attempt);
    run.run_until_idle();
    assert!(found.is_stopped());
    assert_eq!(theater.lookup::<Do>("spawned"), Err(not_found("spawned")));
    assert_eq!(theater.lookup("named"), Ok(actor.clone()));
    assert_eq!(theater.group::<Do>("room").unwrap().len(), 1);
    actor.stop();
    run.run_until_idle();
    assert!(theater.group::<u8>("room").is_ok(), "the group is gone with its member");

    let mut attempt = Outbox::new();
    let log = Log::default();
    let kept = log.clone();
    attempt.hold_during(|| {
        let actor = theater.actor().lookup_or_spawn("kept", move || Probe::new(&kept)).unwrap();
        actor.send(Do::Note(1)).unwrap();
    });
    run.run_until_idle();
    assert_eq!(log.events(), []);
    attempt.release();
    run.run_until_idle();
    assert_eq!(log.events(), [Event::Started, Event::Handled(1)]);
}

#[test]
fn s16_a_theater_that_ends_lets_go_of_actors_of_others() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let other = Theater::builder().workers(1).build().unwrap();
    let log = Log::default();
    let guest = theater.spawn(Probe::new(&log));
    other.register("guest", &guest).unwrap();
    other.group("guests").unwrap().join(&guest);
    // Knows the other theater also after its end.
    let inmate = other.spawn(probe());
    drop(guest);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(theater.live_actors(), 1);
    drop(other);
    wait_until("the end of the guest", || log.has(Event::Dropped));
    drop(inmate);
}
