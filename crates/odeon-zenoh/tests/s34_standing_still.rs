//! S33 and S34 with a process that is really stopped, for longer than links wait, and continued,
//! while actors with names move between it and two others: nobody is lost or in two theaters, what
//! was answered has happened once, and every request ends.

#![cfg(unix)]

use crate::support::member::{self, Member};
use crate::support::place::{Place, cluster};
use crate::support::{LONG, until};
use odeon_core::{Actor, ActorRef, Ask, AskError, Context, Message, Random, Reply};
use odeon_theater::{
    LinkConfig, MigrateError, Migrated, Mobile, MobileId, NameSettings, Names, Network, TheaterId,
};
use odeon_zenoh::LARGEST_PACKET;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

const ACCOUNTS: usize = 12;

#[derive(Serialize, Deserialize)]
enum Use {
    Put(u64, Reply<()>),
    Numbers(Reply<Vec<u64>>),
}

impl Message for Use {}

#[derive(Default, Serialize, Deserialize)]
struct Account(Vec<u64>);

impl Actor for Account {
    type Msg = Use;

    fn handle(&mut self, msg: Use, _: &mut Context<'_, Self>) {
        match msg {
            Use::Put(number, reply) => {
                self.0.push(number);
                reply.send(());
            }
            Use::Numbers(reply) => reply.send(self.0.clone()),
        }
    }
}

impl Mobile for Account {
    const KIND: &'static str = "account of a process that stands still";
}

/// Keeps what its theater takes part by, and says who sits there.
struct Overseer {
    network: Network,
    _names: Names,
}

#[derive(Serialize, Deserialize)]
struct WhoSits(Reply<Vec<MobileId>>);

impl Message for WhoSits {}

impl Actor for Overseer {
    type Msg = WhoSits;

    fn handle(&mut self, WhoSits(reply): WhoSits, _: &mut Context<'_, Self>) {
        reply.send(sit(&self.network));
    }
}

fn sit(network: &Network) -> Vec<MobileId> {
    network.overview().mobile.iter().map(|actor| actor.id).collect()
}

/// Of three: who is alone gives no names away, and says of none that nobody has it.
fn take_part(place: &Place) -> Names {
    place.network.register_mobile::<Account>();
    let settings = NameSettings { least_servers: 2, ..NameSettings::default() };
    Names::join(&place.network, settings)
}

fn open(place: &Place, _: &Path) {
    let names = take_part(place);
    let overseer = Overseer { network: place.network.clone(), _names: names };
    place.network.publish("overseer", &place.theater.spawn(overseer));
}

fn name(account: usize) -> String {
    format!("account {account}")
}

/// What one has asked for.
#[derive(Default)]
struct Asked {
    moves: Vec<Ask<Result<Migrated, MigrateError>>>,
    /// The account, and the number.
    put: Vec<(usize, u64, Ask<()>)>,
}

/// Looks somebody up, tells it a number, and has it move, again and again.
fn goes_on(
    (place, names): (&Place, &Names),
    theaters: &[TheaterId],
    (numbers, ends): (&AtomicU64, &AtomicBool),
    seed: u64,
) -> Asked {
    let (mut random, mut asked) = (Random::from_seed(seed), Asked::default());
    while !ends.load(Relaxed) {
        let account = random.below(ACCOUNTS);
        // While a theater is not there, some of them are not to be found.
        let Ok(Ok(found)) = names.lookup::<Use>(&name(account)).wait_timeout(LONG) else {
            continue;
        };
        let number = numbers.fetch_add(1, Relaxed);
        asked.put.push((account, number, found.ask(|reply| Use::Put(number, reply))));
        asked.moves.push(place.network.migrate(&found, theaters[random.below(theaters.len())]));
        thread::sleep(Duration::from_millis(5));
    }
    asked
}

#[test]
fn s34_named_actors_bear_that_a_process_stands_still_while_they_move() {
    const NAME: &str = "s34_named_actors_bear_that_a_process_stands_still_while_they_move";
    if member::is_one() {
        return member::run_with(open);
    }
    let config = LinkConfig {
        heartbeat: Duration::from_millis(100),
        suspect_after: Duration::from_millis(400),
        dead_after: Duration::from_millis(1_500),
        ..LinkConfig::new(cluster("still-moving"), LARGEST_PACKET)
    };
    let (at_a, a) = Place::listening(&config, &[]);
    let (at_c, c) = Place::listening(&config, &[&at_a]);
    assert_eq!(a.meets(1), c.network.id());
    let (names_a, names_c) = (take_part(&a), take_part(&c));
    let member = Member::start(NAME, &config, &[&at_a, &at_c]);
    let b = a.meets(2);
    assert_eq!(c.meets(2), b);
    let overseer = |place: &Place| -> ActorRef<WhoSits> {
        let find = || place.network.at(b).lookup("overseer").wait_timeout(LONG).unwrap();
        until("it is published", || find().is_ok());
        find().unwrap()
    };
    let theaters = [a.network.id(), b, c.network.id()];
    drop(overseer(&a));
    let mut ids = BTreeSet::new();
    for account in 0..ACCOUNTS {
        let actor = a.network.spawn_mobile(Account::default());
        ids.insert(a.network.mobile_id(&actor).unwrap());
        until("it has a name", || {
            names_a.register(&name(account), &actor).wait_timeout(LONG).unwrap().is_ok()
        });
    }

    let (numbers, ends) = (AtomicU64::new(0), AtomicBool::new(false));
    let asked = thread::scope(|scope| {
        let (theaters, tools) = (&theaters, (&numbers, &ends));
        let (by_a, by_c) = ((&a, &names_a), (&c, &names_c));
        let by_a = scope.spawn(move || goes_on(by_a, theaters, tools, 1));
        let by_c = scope.spawn(move || goes_on(by_c, theaters, tools, 2));
        // Shorter than links wait, and longer.
        for (round, stands) in [300, 4_000, 3_000, 4_000].into_iter().enumerate() {
            thread::sleep(Duration::from_millis(700));
            let missed = [&a, &c].map(|place| place.events.lock().unwrap().len());
            member.signal("STOP");
            thread::sleep(Duration::from_millis(stands));
            member.signal("CONT");
            if round > 0 {
                for (place, missed) in [&a, &c].into_iter().zip(missed) {
                    until("it was missed, and is there again", || {
                        let is_there = place.network.members().iter().any(|(id, _)| *id == b);
                        is_there && place.events.lock().unwrap().len() >= missed + 2
                    });
                }
            }
        }
        thread::sleep(Duration::from_millis(700));
        ends.store(true, Relaxed);
        [by_a, by_c].map(|thread| thread.join().unwrap())
    });
    assert!(a.has_missed(b) && c.has_missed(b), "it stood still for long enough");

    // Every request ends.
    let (mut moved, mut put) = (0, Vec::new());
    for asked in asked {
        for ask in asked.moves {
            match ask.wait_timeout(LONG) {
                Err(AskError::Timeout) => panic!("a request to move hangs"),
                answer => moved += u64::from(matches!(answer, Ok(Ok(_)))),
            }
        }
        let answers = asked.put.into_iter().map(|(account, number, ask)| {
            let answer = ask.wait_timeout(LONG);
            assert_ne!(answer, Err(AskError::Timeout), "a question hangs");
            (account, number, answer.is_ok())
        });
        put.extend(answers);
    }
    // Nobody is lost, or in two theaters.
    let all_sit = || -> Vec<MobileId> {
        let there = overseer(&a).ask(WhoSits).wait_timeout(LONG).unwrap_or_default();
        [sit(&a.network), there, sit(&c.network)].concat()
    };
    let begun = Instant::now();
    loop {
        let all = all_sit();
        if all.len() == ACCOUNTS && all.iter().copied().collect::<BTreeSet<_>>() == ids {
            break;
        }
        assert!(begun.elapsed() < LONG, "they sit there: {all:?}; they are {ids:?}");
        thread::sleep(Duration::from_millis(20));
    }
    // Each has what it has answered, once, and is found by its name from everywhere.
    let mut answered = 0;
    for account in 0..ACCOUNTS {
        let kept = [&names_a, &names_c].map(|names| {
            let find = || names.lookup::<Use>(&name(account)).wait_timeout(LONG).unwrap();
            let tell = || find().ok()?.ask(Use::Numbers).wait_timeout(LONG).ok();
            let numbers = RefCell::new(None);
            until(&format!("{account} has its name again"), || {
                *numbers.borrow_mut() = tell();
                numbers.borrow().is_some()
            });
            numbers.take().unwrap()
        });
        let once: BTreeSet<u64> = kept[0].iter().copied().collect();
        assert_eq!(kept[0], kept[1], "it is one and the same");
        assert_eq!(once.len(), kept[0].len(), "{account} has handled one twice: {:?}", kept[0]);
        let of_it = || put.iter().filter(|(of, ..)| *of == account);
        for (_, number, is_answered) in of_it() {
            assert!(once.contains(number) || !is_answered, "{account} has lost {number}");
            answered += u64::from(*is_answered);
        }
        assert!(once.iter().all(|number| of_it().any(|(_, sent, _)| sent == number)));
    }
    println!("{moved} moves, {answered} numbers of {}", put.len());
    assert!(moved > 20 && answered > 20, "{moved} moves, {answered} numbers");
}
