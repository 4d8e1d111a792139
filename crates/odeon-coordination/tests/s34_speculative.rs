//! S34 of speculative actors: what is being handled is finished first, and what waits goes with
//! them.

use crate::till::{LONG, Place, SLOW, Till, UNWRITABLE, Use, World, balance, migrate, until};
use odeon_core::{ActorRef, Ask};
use odeon_speculative::{Coordinate, CoordinationError, Ordering, Processing, SpawnSpeculative};
use odeon_theater::{Conditions, Migrate, MigrateError};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::Duration;

/// Tests that look at what this process handles, one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[test]
fn s34_a_speculative_actor_moves_and_its_references_lead_to_it() {
    let world = World::new(1);
    let [a, b, c] = [1, 2, 3].map(|number| world.place(number));
    let till = a.till(Processing::default());
    let from_c = c.find(&a);
    till.send(Use::Add(1)).unwrap();
    assert!(migrate(&till, &b).unwrap().bytes > 0);
    till.send(Use::Add(2)).unwrap();
    assert_eq!(balance(&till), 3);
    from_c.send(Use::Add(3)).unwrap();
    assert_eq!(balance(&from_c), 6);
    for round in 0..6 {
        migrate(&from_c, [&c, &a, &b][round % 3]).unwrap();
        till.send(Use::Add(10)).unwrap();
        assert_eq!(balance(&till), 16 + 10 * round as i64);
        assert_eq!(balance(&from_c), balance(&till));
    }
    till.send(Use::Stop).unwrap();
    until("it ends everywhere", || till.is_stopped() && from_c.is_stopped());
}

#[test]
fn s34_its_handlers_can_have_it_move_with_the_commit() {
    let world = World::new(2);
    let (a, b) = (world.place(1), world.place(2));
    let till = a.till(Processing::default());
    till.send(Use::Go(2)).unwrap();
    till.send(Use::Add(1)).unwrap();
    assert_eq!(balance(&till), 1);
    until("it is there", || b.network.overview().mobile.len() == 1);
    assert_eq!(a.network.overview().mobile.len(), 0);
}

#[test]
fn s34_what_it_handles_is_finished_first_and_happens_once() {
    let _alone = alone();
    let world = World::new(3);
    let (a, b) = (world.place(1), world.place(2));
    // Two senders may share a place for lanes, and a message that shares one with another does not
    // begin.
    let till = a.till(Processing::concurrent().width(2).ordering(Ordering::Unordered));
    let slow = |millis| {
        let till = till.clone();
        thread::spawn(move || till.send(Use::Slow(millis, 1)).unwrap()).join().unwrap();
    };
    // Both are still handled when the second one has begun, and much longer than a move takes, also
    // on a loaded machine.
    slow(2_000);
    slow(2_500);
    until("both are being handled", || SLOW.load(SeqCst) == 2);
    let moved = till.migrate(b.network.id());
    let later = till.ask(Use::Balance);
    let moved = moved.wait_timeout(LONG).unwrap().unwrap();
    assert_eq!(SLOW.load(SeqCst), 0, "nobody is left behind");
    assert!(moved.pause < Duration::from_secs(1), "it did not stand still: {moved:?}");
    // A question that only reads may be handled beside what others have sent, but not before the
    // end of what was under way where it was.
    assert_eq!(later.wait_timeout(LONG).unwrap(), 2);
    assert_eq!(balance(&till), 2);
}

#[test]
fn s34_messages_that_wait_for_a_change_or_a_guard_go_with_it() {
    let world = World::new(4);
    let (a, b, c) = (world.place(1), world.place(2), world.place(3));
    let till = a.till(Processing::default());
    let from_c = c.find(&a);
    let taken = till.ask(|reply| Use::Take(5, reply));
    let taken_from_c = from_c.ask(|reply| Use::Take(7, reply));
    let guarded: Vec<Ask<i64>> = (0..5).map(|_| till.ask(Use::Guarded)).collect();
    until("all wait there", || a.network.overview().mobile[0].handled >= 7);
    // Behind those that wait, by the same sender.
    till.send(Use::Add(1)).unwrap();
    migrate(&till, &b).unwrap();
    let other = till.clone();
    thread::spawn(move || other.send(Use::Add(20)).unwrap()).join().unwrap();
    taken.wait_timeout(LONG).unwrap();
    taken_from_c.wait_timeout(LONG).unwrap();
    assert_eq!(balance(&till), 9);
    till.send(Use::Open).unwrap();
    for guarded in guarded {
        assert_eq!(guarded.wait_timeout(LONG), Ok(9));
    }
}

#[test]
fn s34_its_timers_go_with_it_and_outlive_the_theater_where_they_were_begun() {
    let world = World::new(14);
    let (a, b, c) = (world.place(1), world.place(2), world.place(3));
    let till = a.till(Processing::default());
    let from_c = c.find(&a);
    till.send(Use::Later(0, 1)).unwrap();
    till.send(Use::Later(2_000, 2)).unwrap();
    until("it has handled both, and the first timer", || balance(&till) >= 1);
    migrate(&till, &b).unwrap();
    from_c.send(Use::Add(4)).unwrap();
    until("all send to where it is", || {
        a.network.drain(LONG).wait_timeout(LONG).unwrap().is_empty()
    });
    drop(till);
    world.net.crash(a.network.id());
    until("the timer of the theater that is gone rings", || balance(&from_c) == 7);
}

/// Whether two of its messages, of different senders, can be handled at once. If that is
/// `expected`, they have a long time for it.
fn meet(one: &ActorRef<Use>, other: &ActorRef<Use>, expected: bool) -> bool {
    let within = if expected { 20_000 } else { 1_000 };
    let asks = [one.clone(), other.clone()].map(|till| {
        // Another thread is another sender.
        thread::spawn(move || till.ask(|reply| Use::Meet(within, reply))).join().unwrap()
    });
    asks.map(|ask| ask.wait_timeout(LONG).unwrap()).into_iter().all(|met| met)
}

#[test]
fn s34_how_it_is_processed_goes_with_it() {
    let _alone = alone();
    let world = World::new(5);
    let (a, b) = (world.place(1), world.place(2));
    // As above: lanes would keep two that share a place from being handled at once.
    let wide = Processing::concurrent().non_blocking().width(2).ordering(Ordering::Unordered);
    for (processing, at_once) in [(wide, true), (Processing::sequential(), false)] {
        let till = a.till(processing);
        assert_eq!(meet(&till, &till, at_once), at_once);
        migrate(&till, &b).unwrap();
        assert_eq!(meet(&till, &till, at_once), at_once, "as it was");
    }
}

#[test]
fn s34_senders_of_one_theater_are_different_ones_in_another() {
    let _alone = alone();
    let world = World::new(6);
    let (a, b) = (world.place(1), world.place(2));
    let fixed =
        a.theater.spawn_speculative(Till::default(), Processing::concurrent().width(2)).actor_ref();
    a.network.publish("till", &fixed);
    let from_b = b.find(&a);
    // Others each time: two may share a place for lanes.
    let meet = || meet(&from_b, &from_b, true);
    assert!((0..3).any(|_| meet()), "of one theater, and not of one lane");
}

#[test]
fn s36_a_message_of_a_transaction_comes_after_what_its_sender_has_sent_there() {
    let _alone = alone();
    let world = World::new(13);
    let (a, b) = (world.place(1), world.place(2));
    let processing = Processing::concurrent().non_blocking().width(3);
    let there = a.theater.spawn_speculative(Till::default(), processing).actor_ref();
    a.network.publish("till", &there);
    let from_b = b.find(&a);
    from_b.send(Use::Slow(200, 1)).unwrap();
    from_b.send(Use::Number(0, 0)).unwrap();
    let outcome = b.theater.coordinate(|co| co.send(&from_b, Use::Number(0, 1)));
    outcome.wait_timeout(LONG).unwrap().unwrap();
    let numbers = from_b.ask(Use::Numbers).wait_timeout(LONG).unwrap();
    assert_eq!(numbers, [(0, 0), (0, 1)]);
}

#[test]
fn s34_nothing_is_lost_doubled_or_overtaken_while_a_speculative_actor_moves() {
    const EACH: u64 = 500;
    let world = World::new(7);
    let places = [1, 2, 3].map(|number| world.place(number));
    let till = places[0].till(Processing::concurrent().width(3));
    let everywhere = [till.clone(), places[1].find(&places[0]), places[2].find(&places[0])];
    let delay = (Duration::ZERO, Duration::from_micros(500));
    world.net.set_everywhere(Conditions { delay, loss: 0.01, ..Conditions::GOOD });
    thread::scope(|scope| {
        for sender in 0..6 {
            let till = &everywhere[sender as usize % 3];
            scope.spawn(move || {
                for number in 0..EACH {
                    till.send(Use::Number(sender, number)).unwrap();
                }
            });
        }
        for round in 1..30 {
            migrate(&till, &places[round % 3]).unwrap();
        }
    });
    let mut last = BTreeMap::new();
    until("all have come", || {
        till.ask(Use::Numbers).wait_timeout(LONG).unwrap().len() as u64 == 6 * EACH
    });
    for (sender, number) in till.ask(Use::Numbers).wait_timeout(LONG).unwrap() {
        let next = last.entry(sender).or_insert(0);
        assert_eq!(number, *next, "of sender {sender}");
        *next += 1;
    }
}

#[test]
fn s34_a_coordinated_transaction_is_finished_first() {
    let _alone = alone();
    let world = World::new(8);
    let (a, b) = (world.place(1), world.place(2));
    let till = a.till(Processing::concurrent().non_blocking().width(2));
    let other = a
        .theater
        .spawn_speculative(Till::default(), Processing::concurrent().non_blocking())
        .actor_ref();
    let transfer = a.theater.coordinate(|co| {
        co.send(&till, Use::Add(-3));
        co.send(&other, Use::Slow(2_000, 3));
    });
    until("it is under way", || SLOW.load(SeqCst) == 1);
    let moved = till.migrate(b.network.id());
    moved.wait_timeout(LONG).unwrap().unwrap();
    assert_eq!(SLOW.load(SeqCst), 0, "the actor has waited for it");
    transfer.wait_timeout(LONG).unwrap().unwrap();
    assert_eq!((balance(&till), balance(&other)), (-3, 3));
    // From here on it is one of two theaters.
    let transfer = a.theater.coordinate(|co| {
        co.send(&till, Use::Add(-4));
        co.send(&other, Use::Add(4));
    });
    transfer.wait_timeout(LONG).unwrap().unwrap();
    assert_eq!((balance(&till), balance(&other)), (-7, 7));
}

#[test]
fn s34_transfers_among_actors_that_move_happen_wholly_or_not_at_all() {
    let world = World::new(9);
    let places = [1, 2, 3].map(|number| world.place(number));
    let tills: Vec<ActorRef<Use>> =
        places.iter().map(|place| place.till(Processing::concurrent().non_blocking())).collect();
    let known: Vec<Vec<ActorRef<Use>>> = (0..3)
        .map(|here| {
            let find = |there: usize| match here == there {
                true => tills[there].clone(),
                false => places[here].find(&places[there]),
            };
            (0..3).map(find).collect()
        })
        .collect();
    let (mut happened, mut begun) = (0, 0);
    thread::scope(|scope| {
        let movers = scope.spawn(|| {
            for round in 0..40 {
                migrate(&tills[round % 3], &places[(round / 2) % 3]).unwrap();
                thread::sleep(Duration::from_millis(2));
            }
        });
        // One begins as soon as another one is over: actors that move do not wait until there is
        // none.
        while !movers.is_finished() || begun < 60 {
            begun += 1;
            let number = begun;
            let (place, known) = (&places[number % 3], &known[number % 3]);
            let outcome = place.theater.coordinate(|co| {
                co.send(&known[number % 2], Use::Add(-1));
                co.send(&known[2], Use::Add(1));
            });
            match outcome.wait_timeout(LONG).unwrap() {
                Ok(()) => happened += 1,
                // It has met an actor on its way.
                Err(CoordinationError::Stopped | CoordinationError::Unreachable) => {}
                Err(why) => panic!("{why}"),
            }
        }
    });
    let balances: Vec<i64> = tills.iter().map(balance).collect();
    assert_eq!(balances.iter().sum::<i64>(), 0, "{balances:?}");
    assert_eq!(balances[2], happened);
    assert!(happened > 20, "{happened}");
    until("nobody remembers anything that is under way", || {
        places.iter().all(|place| place.coordination.under_way() == 0)
    });
}

#[test]
fn s34_one_that_cannot_leave_goes_on_with_what_waits() {
    let world = World::new(10);
    let (a, b, stranger) = (world.place(1), world.place(2), world.stranger(3));
    let till = a.till(Processing::default());
    let taken = till.ask(|reply| Use::Take(5, reply));
    until("it waits there", || a.network.overview().mobile[0].handled > 0);
    assert_eq!(migrate(&till, &stranger), Err(MigrateError::UnknownKind));
    let add = |amount| {
        let till = till.clone();
        thread::spawn(move || till.send(Use::Add(amount)).unwrap()).join().unwrap();
    };
    add(UNWRITABLE);
    taken.wait_timeout(LONG).unwrap();
    add(5);
    until("as it was", || balance(&till) == UNWRITABLE);
    assert!(matches!(migrate(&till, &b), Err(MigrateError::State(why)) if why.contains("stay")));
    add(1);
    until("it goes on", || balance(&till) == UNWRITABLE + 1);
    world.net.crash(b.network.id());
    assert_eq!(migrate(&till, &b), Err(MigrateError::Unreachable));
    add(1);
    until("it goes on", || balance(&till) == UNWRITABLE + 2);
}

#[test]
fn s34_a_message_that_fails_vanishes_also_where_the_actor_has_come() {
    let world = World::new(11);
    let (a, b) = (world.place(1), world.place(2));
    let till = a.till(Processing::concurrent().non_blocking().width(2));
    let fail_twice = |till: &ActorRef<Use>| {
        till.send(Use::Fail(100)).unwrap();
        till.send(Use::Add(1)).unwrap();
        till.send(Use::Fail(100)).unwrap();
    };
    fail_twice(&till);
    migrate(&till, &b).unwrap();
    fail_twice(&till);
    assert_eq!(balance(&till), 2);
}

#[test]
fn s34_what_waits_in_a_speculative_actor_that_ends_is_given_back() {
    let world = World::new(12);
    let (a, b): (Place, Place) = (world.place(1), world.place(2));
    let till = a.till(Processing::default());
    migrate(&till, &b).unwrap();
    let taken = till.ask(|reply| Use::Take(5, reply));
    until("it waits there", || {
        b.network.overview().mobile.first().is_some_and(|actor| actor.handled > 0)
    });
    let other = till.clone();
    thread::spawn(move || other.send(Use::Stop).unwrap()).join().unwrap();
    assert!(taken.wait_timeout(LONG).is_err());
}
