//! S34, judged, by Zenoh: the bank of `crates/odeon-theater/tests/s34_bank.rs` over four theaters
//! in three processes, of which one is killed.

#![cfg(unix)]

use crate::bank::{BRANCHES, Bank, Branch, Call, Fault, OPENING, Order};
use crate::support::member::{self, Member};
use crate::support::place::{Place, cluster};
use crate::support::{LONG, until};
use crate::teller::{self, Tell, Teller, now};
use odeon_core::{ActorRef, AskError, Random};
use odeon_testkit::History;
use odeon_theater::{LinkConfig, TheaterId};
use odeon_zenoh::LARGEST_PACKET;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

const TELLERS: [&str; 2] = ["teller one", "teller other"];

/// What each theater of the bank has.
fn open(place: &Place, journals: &Path) {
    place.network.register_mobile::<Branch>();
    for name in TELLERS {
        let network = place.network.clone();
        let teller = Teller::new(&journals.join(name), move || network.members().len());
        place.network.publish(name, &place.theater.spawn(teller));
    }
}

/// References to the tellers of a theater.
fn tellers(place: &Place, there: TheaterId) -> [ActorRef<Tell>; 2] {
    TELLERS.map(|name| {
        let find = || place.network.at(there).lookup::<Tell>(name).wait_timeout(LONG).unwrap();
        until("a teller is published", || find().is_ok());
        find().unwrap()
    })
}

#[test]
fn s34_what_is_left_of_a_bank_when_a_process_is_killed_is_one_bank() {
    const NAME: &str = "s34_what_is_left_of_a_bank_when_a_process_is_killed_is_one_bank";
    if member::is_one() {
        return member::run_with(open);
    }
    let folder = std::env::temp_dir().join(format!("odeon-{}", cluster("bank")));
    let folders = ["a", "c"].map(|name| folder.join(name));
    folders.iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
    let config = LinkConfig::new(cluster("bank"), LARGEST_PACKET);
    let (at_a, a) = Place::listening(&config, &[]);
    let (at_c, c) = Place::listening(&config, &[&at_a]);
    open(&a, &folders[0]);
    open(&c, &folders[1]);
    assert_eq!(a.meets(1), c.network.id());
    let mut dies = Member::start_to_meet(NAME, &config, &[&at_a, &at_c]);
    let b = a.meets(2);
    let stays = Member::start_to_meet(NAME, &config, &[&at_a, &at_c]);
    let theaters = [a.network.id(), b, c.network.id(), a.meets(3)];
    let all: Vec<_> = theaters
        .iter()
        .map(|&there| tellers(if there == a.network.id() { &c } else { &a }, there))
        .collect();
    until("all theaters see each other", || {
        let sees = |teller: &ActorRef<Tell>| teller.ask(Tell::Sees).wait_timeout(LONG);
        all.iter().flatten().all(|teller| sees(teller) == Ok(theaters.len() - 1))
    });

    let branches: Vec<ActorRef<Order>> =
        (0..BRANCHES).map(|_| a.network.spawn_mobile(Branch::new(Fault::None))).collect();
    branches.iter().for_each(|branch| branch.send(Order::Know(branches.clone())).unwrap());
    all.iter().flatten().for_each(|teller| teller.send(Tell::Begin(branches.clone())).unwrap());
    let mut random = Random::from_seed(now());
    let mut moves = Vec::new();
    let mut move_for_a_while = |rounds| {
        for _ in 0..rounds {
            let (branch, to) = (random.below(BRANCHES), random.below(theaters.len()));
            moves.push(a.network.migrate(&branches[branch], theaters[to]));
            thread::sleep(Duration::from_millis(10));
        }
    };
    move_for_a_while(100);
    dies.kill();
    move_for_a_while(100);
    a.misses(b);
    c.misses(b);

    let living: Vec<_> = [0, 2, 3].iter().flat_map(|&place| &all[place]).collect();
    living.iter().for_each(|teller| teller.send(Tell::Enough).unwrap());
    until("all tellers have been told", || {
        living.iter().all(|teller| teller.ask(Tell::Waits).wait_timeout(LONG) == Ok(false))
    });
    let mut history = History::new();
    for (branch, reference) in branches.iter().enumerate() {
        let call = Call::Audit { branch };
        let called = history.called(now(), call);
        // One that is lost does not answer.
        if let Ok(answer) = reference.ask(|reply| Order::Do(call, reply)).wait_timeout(LONG) {
            history.answered(called, now(), answer);
        }
    }
    // Whoever has asked is told, whatever becomes of it.
    let moves = moves.into_iter().map(|ask| ask.wait_timeout(LONG));
    let moves: Vec<_> = moves.inspect(|moved| assert_ne!(*moved, Err(AskError::Timeout))).collect();
    let moved = moves.iter().filter(|moved| matches!(moved, Ok(Ok(_)))).count();
    let journals = |name: &str| -> [PathBuf; 4] {
        [folders[0].join(name), dies.journal(name), folders[1].join(name), stays.journal(name)]
    };
    TELLERS.iter().flat_map(|name| journals(name)).for_each(|it| teller::read(&it, &mut history));
    let (answered, lost) = history.counts();
    println!("{answered} calls were answered, {lost} were not; {moved} moves");
    assert!(answered > 50 && moved > 20, "{answered}, {moved}");
    if let Some(unexplained) = history.unexplained(&Bank, OPENING) {
        panic!("{unexplained}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
