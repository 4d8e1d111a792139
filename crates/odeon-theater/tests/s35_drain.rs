//! S35: a theater is emptied, and leaves, and nobody who refers to its mobile actors notices.

use super::support::{self, LONG, Place, World, find as find_counter, until};
use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use odeon_theater::{Drained, Kept, MigrateError, Mobile, RemoteError, TheaterId};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

static MAY_REST: AtomicBool = AtomicBool::new(false);

/// Keeps what it is sent.
#[derive(Default, Serialize, Deserialize)]
struct Nomad {
    numbers: Vec<u64>,
    friend: Option<ActorRef<Say>>,
}

#[derive(Serialize, Deserialize)]
enum Say {
    Add(u64),
    All(Reply<Vec<u64>>),
    /// Works until it [`MAY_REST`].
    Work,
    Meet(ActorRef<Say>),
    /// Asks its friend for all, with a deadline or without; what that answers is added.
    Inquire(Option<Duration>),
    Answered(Vec<u64>),
}

impl Message for Say {}

impl Actor for Nomad {
    type Msg = Say;

    fn handle(&mut self, msg: Say, ctx: &mut Context<'_, Self>) {
        match msg {
            Say::Add(n) => self.numbers.push(n),
            Say::Inquire(limit) => {
                let answered = |answer: Result<_, _>| Say::Answered(answer.unwrap_or_default());
                let reply = match limit {
                    None => ctx.reply_to(answered),
                    Some(limit) => ctx.reply_within(limit, answered),
                };
                self.friend.as_ref().unwrap().send(Say::All(reply)).unwrap();
            }
            Say::Answered(mut numbers) => self.numbers.append(&mut numbers),
            Say::All(reply) => reply.send(self.numbers.clone()),
            Say::Meet(friend) => self.friend = Some(friend),
            Say::Work => until("it may rest", || MAY_REST.load(SeqCst)),
        }
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "nomad";
}

fn places<const N: usize>(world: &World) -> [Place; N] {
    let mut number = 0;
    [(); N].map(|()| {
        number += 1;
        let place = world.theater(number);
        place.network.register_mobile::<Nomad>();
        place
    })
}

fn all(nomad: &ActorRef<Say>) -> Vec<u64> {
    nomad.ask(Say::All).wait_timeout(LONG).unwrap()
}

fn find(here: &Place, there: &Place, name: &str) -> ActorRef<Say> {
    here.network.at(there.network.id()).lookup(name).wait_timeout(LONG).unwrap().unwrap()
}

/// Waits until each of them sees the others.
fn meet(places: &[&Place]) {
    for place in places {
        until("they meet", || place.network.members().len() == places.len() - 1);
    }
}

fn drain(place: &Place) -> Drained {
    place.network.drain(LONG).wait_timeout(2 * LONG).unwrap()
}

#[test]
fn s35_nothing_is_lost_while_a_flooded_theater_is_drained_and_leaves() {
    const NOMADS: usize = 12;
    let world = World::new(1);
    let [a, b, c] = places(&world);
    meet(&[&a, &b, &c]);
    let nomads: Vec<_> = (0..NOMADS).map(|_| a.network.spawn_mobile(Nomad::default())).collect();
    for (number, nomad) in nomads.iter().enumerate() {
        a.network.publish(&number.to_string(), nomad);
    }
    let of = |place: &Place| -> Vec<_> {
        (0..NOMADS).map(|number| find(place, &a, &number.to_string())).collect()
    };
    let known = [of(&b), of(&c)];
    (0..NOMADS).for_each(|number| assert!(a.network.unpublish(&number.to_string())));
    drop(nomads);
    let (has_left, flooded) =
        (AtomicBool::new(false), [AtomicBool::new(false), AtomicBool::new(false)]);
    let sent: Vec<u64> = std::thread::scope(|scope| {
        let floods: Vec<_> = known
            .iter()
            .enumerate()
            .map(|(sender, known)| {
                let (has_left, flooded) = (&has_left, &flooded[sender]);
                scope.spawn(move || {
                    let (mut n, mut more) = (0, 100);
                    while more > 0 {
                        for nomad in known {
                            nomad.send(Say::Add(sender as u64 * 1_000_000 + n)).unwrap();
                        }
                        n += 1;
                        flooded.store(n > 100, SeqCst);
                        more -= u64::from(has_left.load(SeqCst));
                        std::thread::sleep(Duration::from_micros(200));
                    }
                    n
                })
            })
            .collect();
        until("both send", || flooded.iter().all(|flooded| flooded.load(SeqCst)));
        let drained = drain(&a);
        assert_eq!(drained.moved.len(), NOMADS);
        assert!(drained.is_empty(), "{drained:?}");
        for to in [&b, &c] {
            let there = drained.moved.iter().filter(|(_, id)| *id == to.network.id()).count();
            assert_eq!(there, NOMADS / 2, "each gets as many");
        }
        until("nobody's way leads by it", || a.network.references() == (0, 0));
        assert!(a.network.leave(LONG));
        has_left.store(true, SeqCst);
        floods.into_iter().map(|flood| flood.join().unwrap()).collect()
    });
    for known in &known {
        for nomad in known {
            let seen = all(nomad);
            for (sender, sent) in sent.iter().enumerate() {
                let first = sender as u64 * 1_000_000;
                // What the other one has sent last may still be under way: its own question comes
                // behind it.
                let its: Vec<u64> =
                    seen.iter().copied().filter(|n| n / 1_000_000 == sender as u64).collect();
                assert_eq!(its, (first..first + its.len() as u64).collect::<Vec<_>>());
                assert!(its.len() as u64 <= *sent);
            }
        }
    }
    for (sender, known) in known.iter().enumerate() {
        for nomad in known {
            let mine = all(nomad).into_iter().filter(|n| n / 1_000_000 == sender as u64).count();
            assert_eq!(mine as u64, sent[sender]);
        }
    }
    for place in [&a, &b, &c] {
        assert!(place.lost.lock().unwrap().is_empty());
    }
}

#[test]
fn s35_holders_that_send_nothing_are_turned_away_too() {
    let world = World::new(2);
    let [a, b, c] = places(&world);
    meet(&[&a, &b, &c]);
    let nomad = a.network.spawn_mobile(Nomad::default());
    a.network.publish("nomad", &nomad);
    let from_c = find(&c, &a, "nomad");
    a.network.unpublish("nomad");
    drop(nomad);
    let b_id = b.network.id();
    let drained = a.network.drain_by(LONG, move |_, _| Some(b_id)).wait_timeout(LONG).unwrap();
    assert_eq!((drained.moved.len(), drained.led_by), (1, 0));
    // As killed: what leads by it would end.
    world.net.crash(a.network.id());
    until("it is missed", || c.network.members().len() == 1);
    from_c.send(Say::Add(1)).unwrap();
    assert_eq!(all(&from_c), [1]);
}

/// Stays where it is, and answers only when it is told to.
#[derive(Default)]
struct Oracle(Vec<Reply<Vec<u64>>>);

impl Actor for Oracle {
    type Msg = Say;

    fn handle(&mut self, msg: Say, _: &mut Context<'_, Self>) {
        match msg {
            Say::All(reply) => self.0.push(reply),
            Say::Add(n) => self.0.drain(..).for_each(|reply| reply.send(vec![n])),
            _ => {}
        }
    }
}

#[test]
fn s35_a_drain_waits_for_the_answers_to_those_who_have_moved() {
    a_drain_waits_for_an_answer(6, None);
    a_drain_waits_for_an_answer(8, Some(2 * LONG));
}

fn a_drain_waits_for_an_answer(seed: u64, limit: Option<Duration>) {
    let world = World::new(seed);
    let [a, b] = places(&world);
    meet(&[&a, &b]);
    let oracle = a.theater.spawn(Oracle::default());
    let nomad = a.network.spawn_mobile(Nomad::default());
    a.network.publish("nomad", &nomad);
    let from_b = find(&b, &a, "nomad");
    a.network.unpublish("nomad");
    nomad.send(Say::Meet(oracle.clone())).unwrap();
    nomad.send(Say::Inquire(limit)).unwrap();
    a.network.migrate(&nomad, b.network.id()).wait_timeout(LONG).unwrap().unwrap();
    drop(nomad);
    let drained = a.network.drain(Duration::from_millis(50)).wait_timeout(LONG).unwrap();
    assert_eq!((drained.expecting, drained.is_empty()), (1, false), "the time was up");

    let again = a.network.drain(LONG);
    oracle.send(Say::Add(7)).unwrap();
    let drained = again.wait_timeout(LONG).unwrap();
    assert!(drained.is_empty(), "{drained:?}");
    assert!(a.network.leave(LONG));
    until("the answer has come", || all(&from_b) == [7]);
}

/// Answers when it is told what; moves with those that wait for it.
#[derive(Default, Serialize, Deserialize)]
struct Pythia(Vec<Reply<Vec<u64>>>);

impl Actor for Pythia {
    type Msg = Say;

    fn handle(&mut self, msg: Say, _: &mut Context<'_, Self>) {
        match msg {
            Say::All(reply) => self.0.push(reply),
            Say::Add(n) => self.0.drain(..).for_each(|reply| reply.send(vec![n])),
            _ => {}
        }
    }
}

impl Mobile for Pythia {
    const KIND: &'static str = "pythia";
}

#[test]
fn s35_a_drain_waits_for_answers_that_come_by_its_theater_to_third_ones() {
    let world = World::new(9);
    let [a, b, c] = places(&world);
    meet(&[&a, &b, &c]);
    [&a, &b, &c].iter().for_each(|place| place.network.register_mobile::<Pythia>());
    let pythia = a.network.spawn_mobile(Pythia::default());
    a.network.publish("pythia", &pythia);
    let [from_b, from_c] = [&b, &c].map(|place| find(place, &a, "pythia"));
    a.network.unpublish("pythia");
    drop(pythia);
    let asked: Vec<_> = (0..3).map(|_| from_c.ask(Say::All)).collect();
    // Whoever asks for the drain from elsewhere, and waits for what comes of it, holds up nothing.
    let to_b = b.network.id();
    let drain = |within| a.network.drain_by(within, move |_, _| Some(to_b));
    until("they have come", || a.network.overview().mobile.iter().any(|actor| actor.handled == 3));
    let drained = drain(Duration::from_secs(3)).wait_timeout(LONG).unwrap();
    assert_eq!((drained.moved.len(), drained.passing), (1, 3), "{drained:?}");
    assert!(!drained.is_empty(), "the time was up");

    let again = drain(LONG);
    from_b.send(Say::Add(7)).unwrap();
    let drained = again.wait_timeout(LONG).unwrap();
    assert!(drained.is_empty(), "{drained:?}");
    assert!(a.network.leave(LONG));
    for ask in asked {
        assert_eq!(ask.wait_timeout(LONG).unwrap(), [7]);
    }
}

#[test]
fn s35_questions_of_the_drained_theater_itself_and_of_dead_ones_hold_up_no_drain() {
    let world = World::new(10);
    let [a, b, c] = places(&world);
    meet(&[&a, &b, &c]);
    // The first theater that is chosen refuses it, so that it is read again where it was.
    [&a, &c].iter().for_each(|place| place.network.register_mobile::<Pythia>());
    let (b_first, c_next) = (b.network.id(), c.network.id());
    let pythia = a.network.spawn_mobile(Pythia::default());
    a.network.publish("pythia", &pythia);
    let from_b = find(&b, &a, "pythia");
    let _from_c = find(&c, &a, "pythia");
    a.network.unpublish("pythia");
    let here = pythia.ask(Say::All);
    let lost = from_b.ask(Say::All);
    until("they have come", || a.network.overview().mobile.iter().any(|actor| actor.handled == 2));
    let choose = move |_: &_, theaters: &[TheaterId]| {
        Some(if theaters.contains(&b_first) { b_first } else { c_next })
    };
    let within = Duration::from_secs(3);
    let drained = a.network.drain_by(within, choose).wait_timeout(LONG).unwrap();
    assert_eq!((drained.moved.len(), drained.passing), (1, 1), "that of the other theater");
    let again = a.network.drain_by(LONG, choose);
    world.net.crash(b_first);
    drop((from_b, lost));
    let drained = again.wait_timeout(LONG).unwrap();
    assert!(drained.is_empty(), "{drained:?}");
    pythia.send(Say::Add(7)).unwrap();
    assert_eq!(here.wait_timeout(LONG).unwrap(), [7]);
}

#[test]
fn s35_a_question_that_nobody_answers_holds_up_no_drain() {
    let world = World::new(7);
    let [a, b] = places(&world);
    meet(&[&a, &b]);
    let oracle = a.theater.spawn(Oracle::default());
    let nomad = a.network.spawn_mobile(Nomad::default());
    nomad.send(Say::Meet(oracle.clone())).unwrap();
    nomad.send(Say::Inquire(None)).unwrap();
    assert!(all(&nomad).is_empty());
    oracle.stop();
    assert!(drain(&a).is_empty());
    assert!(all(&nomad).is_empty(), "it was told that there is no answer");
}

/// Known to no other theater.
#[derive(Serialize, Deserialize)]
struct Hermit;

impl Actor for Hermit {
    type Msg = Say;

    fn handle(&mut self, _: Say, _: &mut Context<'_, Self>) {}
}

impl Mobile for Hermit {
    const KIND: &'static str = "hermit";
}

#[test]
fn s35_a_drain_says_who_stays_and_why() {
    let world = World::new(3);
    let a = world.theater(1);
    let nomad = a.network.spawn_mobile(Nomad::default());
    let kept =
        |drained: Drained| -> Vec<_> { drained.kept.into_iter().map(|kept| kept.1).collect() };
    assert_eq!(kept(drain(&a)), [Kept::NoTheater], "it is alone");

    let b = world.theater(2);
    b.network.register_mobile::<Nomad>();
    meet(&[&a, &b]);
    let hermit = a.network.spawn_mobile(Hermit);
    let plain = a.theater.spawn(support::Counter::default());
    a.network.publish("plain", &plain);
    let its = find_counter(&b, &a, "plain");
    let drained = drain(&a);
    assert_eq!((drained.moved.len(), drained.immobile), (1, 1));
    assert_eq!(kept(drained), [Kept::Refused(MigrateError::UnknownKind)]);
    assert!(!its.is_stopped() && !hermit.is_stopped(), "they are still there");

    nomad.send(Say::Add(7)).unwrap();
    assert_eq!(all(&nomad), [7]);
    let busy = a.network.spawn_mobile(Nomad::default());
    busy.send(Say::Work).unwrap();
    // On a loaded machine the time may be up before the other one is refused.
    until("it is said of both", || {
        let drained = a.network.drain(Duration::from_secs(1)).wait_timeout(LONG).unwrap();
        kept(drained) == [Kept::Refused(MigrateError::UnknownKind), Kept::Busy]
    });
    MAY_REST.store(true, SeqCst);
    until("it moves when it has done its work", || a.network.overview().mobile.len() == 1);
}

#[test]
fn s35_a_drained_theater_takes_in_nobody_until_it_is_opened_again() {
    let world = World::new(4);
    let [a, b, c] = places(&world);
    meet(&[&a, &b, &c]);
    for place in [&a, &b, &c] {
        place.network.register_mobile_by("nomad", |()| Nomad::default());
    }
    let nomad = b.network.spawn_mobile(Nomad::default());
    nomad.send(Say::Add(1)).unwrap();
    nomad.send(Say::Meet(b.theater.spawn(Nomad::default()))).unwrap();
    assert!(drain(&a).is_empty());
    assert!(a.network.overview().is_drained);
    let moved = |to: &Place| b.network.migrate(&nomad, to.network.id()).wait_timeout(LONG).unwrap();
    assert_eq!(moved(&a).map(|_| ()), Err(MigrateError::Drained));
    assert_eq!(all(&nomad), [1], "it stays, with all it had");
    until("what it refers to has not left either", || b.network.references() == (0, 0));
    let created = || {
        let at = b.network.at(a.network.id());
        at.spawn::<(), Say>("nomad", &()).unwrap().wait_timeout(LONG).unwrap()
    };
    assert_eq!(created().unwrap_err(), RemoteError::Drained);
    // A drain finds the one that takes in somebody.
    let drained = drain(&b);
    assert_eq!(drained.moved.iter().map(|moved| moved.1).collect::<Vec<_>>(), [c.network.id()]);
    a.network.reopen();
    assert!(!a.network.overview().is_drained);
    assert!(created().is_ok());
    assert!(moved(&a).is_ok());
    assert_eq!(all(&nomad), [1]);
}

#[test]
fn s35_a_theater_says_who_is_there_and_what_they_have_done() {
    let world = World::new(5);
    let [a, b, c] = places(&world);
    meet(&[&a, &b, &c]);
    let nomad = a.network.spawn_mobile(Nomad::default());
    a.network.publish("nomad", &nomad);
    let (from_b, from_c) = (find(&b, &a, "nomad"), find(&c, &a, "nomad"));
    (0..5).for_each(|n| from_b.send(Say::Add(n)).unwrap());
    (0..3).for_each(|n| from_c.send(Say::Add(n)).unwrap());
    (0..2).for_each(|n| nomad.send(Say::Add(n)).unwrap());
    until("all has come", || all(&nomad).len() == 10);
    let overview = a.network.overview();
    let members: Vec<TheaterId> = overview.members.iter().map(|(id, _)| *id).collect();
    assert_eq!(members, [b.network.id(), c.network.id()]);
    let [it] = &overview.mobile[..] else { panic!("{overview:?}") };
    assert_eq!((it.kind.as_str(), it.id.born, it.moves), ("nomad", a.network.id(), 0));
    assert!(it.handled >= 11, "{it:?}");
    assert_eq!((overview.referred_to, overview.refers_to), (1, 0));

    let id = it.id;
    b.network.migrate(&from_b, c.network.id()).wait_timeout(LONG).unwrap().unwrap();
    assert!(a.network.overview().mobile.is_empty());
    let moved = &c.network.overview().mobile[0];
    assert_eq!((moved.id, moved.moves, moved.kind.as_str()), (id, 1, "nomad"));
    let before = moved.handled;
    from_b.send(Say::Add(0)).unwrap();
    until("it is counted where it is", || c.network.overview().mobile[0].handled > before);
}
