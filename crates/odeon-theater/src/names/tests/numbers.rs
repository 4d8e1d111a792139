//! Numbers as great as can be, which only somebody sends who does not mean well: servers go on.

use super::super::entry::MOST_MOVES;
use super::*;
use crate::Mobile;
use odeon_core::Reply;

const MOST: u64 = u64::MAX;

/// An actor that can move.
#[derive(Serialize, Deserialize)]
struct Nomad;

impl Actor for Nomad {
    type Msg = Nothing;

    fn handle(&mut self, _: Nothing, _: &mut Context<'_, Self>) {}
}

impl Mobile for Nomad {
    const KIND: &'static str = "nomad of numbers";
}

/// One that answers everything as far off as it can.
struct Exaggerates(bool);

impl Actor for Exaggerates {
    type Msg = Tell;

    fn handle(&mut self, tell: Tell, _: &mut Context<'_, Self>) {
        match tell {
            Tell::Ask(Question { wants: Wants::Put(_), reply, .. }) => {
                reply.send(Verdict::Done(MOST));
            }
            Tell::Store { entry, reply, .. } if !std::mem::replace(&mut self.0, true) => {
                let id = Id { born: TheaterId::from_bits(99), number: MOST };
                let far = Entry { id, moves: MOST, stamp: MOST, home: id.born, ..entry };
                reply.send(Stored::Other(far));
            }
            Tell::Store { reply, .. } => reply.send(Stored::Yes),
            Tell::Holds { reply, .. } => reply.send(false),
            _ => {}
        }
    }
}

fn network(cast: &Cast, place: usize) -> Network {
    cast.places[place].names.inner.network.clone()
}

fn question(name: &str, wants: Wants, hops: u8) -> (Tell, Ask<Verdict>) {
    let (reply, ask) = odeon_core::extend::question();
    (
        Tell::Ask(Question {
            name: name.into(),
            wants,
            ranked: Vec::new(),
            hops,
            reply,
            is_confirmed: false,
        }),
        ask,
    )
}

fn unheard<T: Send + 'static>() -> Reply<T> {
    odeon_core::extend::question().0
}

/// Two registrations, one behind the other, that are found from another theater and taken back.
#[track_caller]
fn serves_on(cast: &mut Cast) {
    for name in ["honest", "honest too"] {
        for place in 0..cast.places.len() {
            let actor = cast.register(place, name).expect(name);
            for other in 0..cast.places.len() {
                let found = cast.places[other].names.lookup::<Nothing>(name);
                assert_eq!(cast.answer(found).map(|it| it.is_stopped()), Ok(false), "{name}");
            }
            let rival = cast.register(0, name);
            assert!(matches!(rival, Err(NameError::AlreadyRegistered(_))), "{rival:?}");
            let over = cast.places[place].names.unregister(name);
            assert_eq!(cast.answer(over), Ok(true), "{name}");
            drop(actor);
        }
    }
}

#[test]
fn whatever_number_a_server_is_told_it_serves_on() {
    let far = |stamp: u64, moves: u64, name: &str| {
        let home = TheaterId::from_bits(2);
        Entry { moves, ..unknown(home, name, stamp) }
    };
    for (stamp, moves) in [(MOST, 0), (1, MOST), (MOST, MOST), (MOST, MOST_MOVES)] {
        let mut cast = Cast::new(3, 3);
        let of = |name: &str| far(stamp, moves, name);
        let ranked = cast.ranked(0, "stored");
        for place in 0..3 {
            cast.tell(place, Tell::Have(vec![of("heard"), of("honest")]));
            let (put, _) = question("put", Wants::Put(of("put")), 0);
            cast.tell(place, put);
            let (entry, ranked, reply) = (of("stored"), ranked.clone(), unheard());
            cast.tell(place, Tell::Store { entry, ranked, is_new: true, reply });
            let [loser, winner] = [of("challenged"), of("challenger")];
            cast.tell(place, Tell::Challenge { loser, winner });
            let (by, from) = (TheaterId::from_bits(2), TheaterId::from_bits(2));
            let (entry, reply) = (of("adopted"), unheard());
            cast.tell(place, Tell::Adopt { entry, actor: MOST, by, from, reply });
        }
        serves_on(&mut cast);
    }
}

#[test]
fn numbers_that_are_only_compared_do_no_harm_either() {
    let mut cast = Cast::new(3, 3);
    let id = Id { born: TheaterId::from_bits(2), number: MOST };
    let server = cast.places[0].run.theater().spawn(Mute);
    let far = TheaterId::from_bits(99);
    for place in 0..3 {
        let (ask, _) = question("asked", Wants::Remove { id, moves: MOST }, u8::MAX);
        cast.tell(place, ask);
        cast.tell(place, Tell::Forget { name: "forgotten".into(), id, moves: MOST });
        let (by, name) = (far, "registered".into());
        cast.tell(place, Tell::Register { actor: MOST, name, by, reply: unheard() });
        cast.tell(place, Tell::Release { id, reply: unheard() });
        cast.tell(place, Tell::Holds { id, home: far, reply: unheard() });
        let server = server.clone();
        cast.tell(place, Tell::Meet { from: far, server, replicas: usize::MAX });
        cast.tell(place, Tell::HandedOver { from: far });
    }
    server.stop();
    cast.steps(500);
    serves_on(&mut cast);
}

#[test]
fn a_question_that_has_been_passed_on_too_often_is_not_passed_on() {
    let mut cast = Cast::new(3, 1);
    let name = name_without(&mut cast, TheaterId::from_bits(1));
    let (ask, verdict) = question(&name, Wants::Find { doubted: None }, u8::MAX);
    cast.tell(0, ask);
    assert!(matches!(cast.answer(verdict), Verdict::Again));
    serves_on(&mut cast);
}

#[test]
fn answers_with_great_numbers_are_outlived() {
    let mut cast = Cast::new(1, 2);
    let (me, from) = (cast.places[0].id, TheaterId::from_bits(99));
    let server = cast.places[0].run.theater().spawn(Exaggerates(false));
    cast.tell(0, Tell::Meet { from, server: server.clone(), replicas: 2 });
    cast.tell(0, Tell::HandedOver { from });
    let mut names = (0..100).map(|number| format!("name {number}"));
    let mut first = |cast: &mut Cast, server| {
        names.find(|name| cast.ranked(0, name)[0] == server).expect("there is one")
    };
    let (mine, its) = (first(&mut cast, me), first(&mut cast, from));
    assert!(cast.register(0, &mine).is_ok(), "although the other one knows better at first");
    assert!(cast.register(0, &its).is_ok());
    // Its stamp is seen here too.
    cast.tell(
        0,
        Tell::then(move |it, ctx| {
            let own: Vec<Id> = it.own.keys().copied().collect();
            own.into_iter().for_each(|id| it.assert(id, ctx));
        }),
    );
    let another = first(&mut cast, me);
    assert!(cast.register(0, &another).is_ok());
    server.stop();
    cast.steps(50);
    serves_on(&mut cast);
}

#[test]
fn a_name_that_cannot_be_counted_further_stays_where_it_is() {
    for moves in [MOST_MOVES - 2, MOST_MOVES - 1, MOST_MOVES] {
        let mut cast = Cast::new(3, 3);
        (0..3).for_each(|place| network(&cast, place).register_mobile::<Nomad>());
        let nomad = network(&cast, 0).spawn_mobile(Nomad);
        let asked = cast.places[0].names.register("nomad", &nomad);
        assert!(cast.answer(asked).is_ok());
        cast.tell(
            0,
            Tell::then(move |it, ctx| {
                let id = *it.own.keys().next().unwrap();
                it.own.get_mut(&id).unwrap().entry.moves = moves;
                it.assert(id, ctx);
            }),
        );
        let there = cast.places[1].id;
        let moved = network(&cast, 0).migrate(&nomad, there);
        assert!(cast.answer(moved).is_ok());
        cast.steps(200);
        let home = if moves == MOST_MOVES - 2 { there } else { cast.places[0].id };
        assert!(cast.holders("nomad").iter().all(|(_, held)| held.home == home), "{moves}");
        let found = cast.places[2].names.lookup::<Nothing>("nomad");
        assert!(cast.answer(found).is_ok(), "{moves}");
        let over = cast.places[2].names.unregister("nomad");
        assert_eq!(cast.answer(over), Ok(true), "{moves}");
        serves_on(&mut cast);
    }
}
