//! What only the servers themselves can show: who knows a name, and how they get rid of what is
//! wrong.

mod confirming;
mod numbers;
mod orphans;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Waker};
use std::time::Duration;

use odeon_core::{Actor, ActorRef, Ask, Context, Message, Theater};
use odeon_testkit::Deterministic;
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Id};
use super::tell::{Question, Stored, Tell, Verdict, Wants};
use super::view::View;
use super::{NameError, NameEvent, NameSettings, Names};
use crate::network::Messages;
use crate::{Conditions, InMemoryNetwork, LinkConfig, Network, TheaterId, Transport};

#[derive(Serialize, Deserialize)]
struct Nothing;

impl Message for Nothing {}

struct Quiet;

impl Actor for Quiet {
    type Msg = Nothing;

    fn handle(&mut self, _: Nothing, _: &mut Context<'_, Self>) {}
}

struct Hears(Arc<Mutex<Vec<NameEvent>>>);

impl Actor for Hears {
    type Msg = NameEvent;

    fn handle(&mut self, event: NameEvent, _: &mut Context<'_, Self>) {
        self.0.lock().unwrap().push(event);
    }
}

struct Place {
    run: Deterministic,
    names: Names,
    id: TheaterId,
}

struct Cast {
    net: InMemoryNetwork,
    places: Vec<Place>,
    now: Duration,
    settings: NameSettings,
}

const STEP: Duration = Duration::from_millis(5);

impl Cast {
    fn new(theaters: usize, replicas: usize) -> Self {
        Self::with(theaters, NameSettings { replicas, ..NameSettings::default() })
    }

    fn with(theaters: usize, settings: NameSettings) -> Self {
        let net = InMemoryNetwork::new(1);
        let mut cast = Self { net, places: Vec::new(), now: Duration::ZERO, settings };
        (1..=theaters).for_each(|number| cast.add(number));
        cast.steps(50);
        cast
    }

    fn add(&mut self, number: usize) {
        let run = Deterministic::with(number as u64, Theater::builder());
        run.advance(self.now);
        let (id, config) = (TheaterId::from_bits(number as u128), LinkConfig::new("test", 65_000));
        let network = Network::join(run.theater(), id, config, |me, listener| {
            Ok::<_, Infallible>(Arc::new(self.net.join(me, listener)) as Arc<dyn Transport>)
        });
        let names = Names::join(&network.unwrap(), self.settings.clone());
        self.places.push(Place { run, names, id });
    }

    fn steps(&mut self, steps: usize) {
        for _ in 0..steps {
            self.now += STEP;
            self.net.step(self.now);
            for place in &self.places {
                place.run.advance(STEP);
            }
            self.net.step(self.now);
        }
    }

    /// The answer, for which time passes.
    #[track_caller]
    fn answer<T: Send + 'static>(&mut self, mut ask: Ask<T>) -> T {
        for _ in 0..2_000 {
            let polled = Pin::new(&mut ask).poll(&mut task::Context::from_waker(Waker::noop()));
            if let Poll::Ready(answer) = polled {
                return answer.unwrap();
            }
            self.steps(1);
        }
        panic!("no answer");
    }

    #[track_caller]
    fn register(&mut self, place: usize, name: &str) -> Result<ActorRef<Nothing>, NameError> {
        let actor = self.places[place].run.theater().spawn(Quiet);
        let asked = self.places[place].names.register(name, &actor);
        self.answer(asked).map(|_| actor)
    }

    fn kill(&mut self, place: usize) -> Place {
        self.net.crash(self.places[place].id);
        self.places.remove(place)
    }

    fn tell(&mut self, place: usize, tell: Tell) {
        self.places[place].names.inner.server.send(tell).unwrap();
        self.steps(1);
    }

    /// The theaters whose servers know a name, and by which registration.
    fn holders(&mut self, name: &str) -> Vec<(TheaterId, Entry)> {
        let found = Arc::new(Mutex::new(Vec::new()));
        for place in 0..self.places.len() {
            let (name, found) = (name.to_owned(), found.clone());
            let look = Tell::then(move |it, _| {
                found.lock().unwrap().extend(it.held.get(&name).map(|held| (it.me, held.clone())));
            });
            self.tell(place, look);
        }
        std::mem::take(&mut *found.lock().unwrap())
    }

    /// The servers of a name, as one theater sees them.
    fn ranked(&mut self, place: usize, name: &str) -> Vec<TheaterId> {
        let (found, name) = (Arc::new(Mutex::new(Vec::new())), name.to_owned());
        let answer = found.clone();
        self.tell(place, Tell::then(move |it, _| *answer.lock().unwrap() = it.view.ranked(&name)));
        std::mem::take(&mut *found.lock().unwrap())
    }

    #[track_caller]
    fn check_holders(&mut self, names: usize, replicas: usize) {
        for name in 0..names {
            let name = format!("name {name}");
            let mut ranked = self.ranked(0, &name);
            ranked.sort_unstable();
            let holders: Vec<TheaterId> = self.holders(&name).into_iter().map(|it| it.0).collect();
            assert_eq!((holders.len(), &holders), (replicas, &ranked), "{name}");
        }
    }
}

#[test]
fn questions_that_are_given_up_are_kept_nowhere() {
    let give_up_after = Duration::from_secs(1);
    let settings = NameSettings { least_servers: 3, give_up_after, ..NameSettings::default() };
    let mut cast = Cast::with(2, settings);
    let waits = |cast: &mut Cast| {
        let found = Arc::new(Mutex::new(0));
        for place in 0..2 {
            let found = found.clone();
            let look = move |it: &mut super::server::Server, _: &mut Context<'_, _>| {
                *found.lock().unwrap() += it.waiting.values().map(Vec::len).sum::<usize>();
            };
            cast.tell(place, Tell::then(look));
        }
        *found.lock().unwrap()
    };
    let names: Vec<_> = cast.places.iter().map(|place| place.names.clone()).collect();
    let asked: Vec<_> =
        (0..40).map(|n| names[n % 2].lookup::<Nothing>(&format!("name {}", n % 10))).collect();
    cast.steps(100);
    assert!(waits(&mut cast) > 20);
    cast.steps(300);
    for ask in asked {
        assert!(matches!(cast.answer(ask), Err(NameError::Unavailable)));
    }
    // Nothing has happened to the names meanwhile.
    assert_eq!(waits(&mut cast), 0);
    // And who asks then is answered as ever.
    cast.add(3);
    let asked = names[0].lookup::<Nothing>("name 1");
    assert!(matches!(cast.answer(asked), Err(NameError::NotFound)));
}

#[test]
fn a_name_is_known_to_its_servers_and_no_others_whoever_comes_and_goes() {
    let mut cast = Cast::new(7, 3);
    for name in 0..30 {
        assert!(cast.register(0, &format!("name {name}")).is_ok());
    }
    cast.check_holders(30, 3);
    // One after the other, the home of the names but last.
    for _ in 0..3 {
        let _dead = cast.kill(1);
        cast.steps(500);
        cast.check_holders(30, 3);
    }
    cast.add(8);
    cast.steps(100);
    cast.check_holders(30, 3);
    cast.places[4].names.leave();
    cast.steps(100);
    cast.places.remove(4);
    cast.check_holders(30, 3);
    // With their home the names are gone.
    let _dead = cast.kill(0);
    cast.steps(500);
    for name in 0..30 {
        assert_eq!(cast.holders(&format!("name {name}")), []);
    }
}

#[test]
fn there_is_an_answer_when_all_servers_know() {
    let mut cast = Cast::new(5, 3);
    let delay = (Duration::from_millis(300), Duration::from_millis(300));
    cast.net.set_everywhere(Conditions { delay, ..Conditions::GOOD });
    for name in 0..10 {
        assert!(cast.register(0, &format!("name {name}")).is_ok());
        assert_eq!(cast.holders(&format!("name {name}")).len(), 3);
    }
}

#[test]
fn a_registration_that_is_given_up_is_taken_back() {
    let mut cast = Cast::new(5, 3);
    let delay = (Duration::from_millis(300), Duration::from_millis(300));
    cast.net.set_everywhere(Conditions { delay, ..Conditions::GOOD });
    cast.settings.give_up_after = Duration::from_millis(700);
    cast.add(6);
    cast.steps(1_000);
    for name in 0..10 {
        // To the first server, to the others, and back twice: that takes longer, unless this is the
        // first one.
        let name = format!("name {name}");
        let is_first = cast.ranked(0, &name)[0] == cast.places[5].id;
        assert_eq!(cast.register(5, &name).err(), (!is_first).then_some(NameError::Unavailable));
        cast.steps(500);
        assert_eq!(cast.holders(&name).len(), if is_first { 3 } else { 0 });
    }
}

#[test]
fn who_is_asked_by_somebody_who_sees_others_looks_for_them_first() {
    let mut cast = Cast::new(1, 3);
    let [me, other] = [1, 2].map(TheaterId::from_bits);
    cast.net.cut(me, other);
    cast.add(2);
    cast.steps(1_000);
    assert_eq!(cast.places[0].names.servers(), [me]);
    assert!(cast.register(1, "x").is_ok());
    let ask = |cast: &mut Cast, ranked: Vec<TheaterId>| {
        let (reply, ask) = odeon_core::extend::question();
        let wants = Wants::Find { doubted: None };
        let question =
            Question { name: "x".into(), wants, ranked, hops: 0, reply, is_confirmed: false };
        cast.tell(0, Tell::Ask(question));
        let verdict = cast.answer(ask);
        cast.steps(100);
        verdict
    };
    assert!(matches!(ask(&mut cast, vec![me]), Verdict::NotFound));
    cast.net.heal(me, other);
    assert!(matches!(ask(&mut cast, vec![me, other]), Verdict::Again));
    assert!(matches!(ask(&mut cast, vec![me, other]), Verdict::Found(_)));
}

/// A server that says nothing.
struct Mute;

impl Actor for Mute {
    type Msg = Tell;

    fn handle(&mut self, _: Tell, _: &mut Context<'_, Self>) {}
}

#[test]
fn a_server_says_of_no_name_that_nobody_has_it_before_all_that_it_has_met_have_handed_over() {
    let mut cast = Cast::new(1, 1);
    let from = TheaterId::from_bits(99);
    let server = cast.places[0].run.theater().spawn(Mute);
    cast.tell(0, Tell::Meet { from, server, replicas: 1 });
    let mut names = (0..100).map(|number| format!("name {number}"));
    let mine = |name: &String| cast.ranked(0, name) == [TheaterId::from_bits(1)];
    let known = names.by_ref().filter(mine).take(2).collect::<Vec<_>>();
    let [known, free] = &known[..] else { panic!() };
    let names = cast.places[0].names.clone();
    let mut found = names.lookup::<Nothing>(free);
    let actor = cast.places[0].run.theater().spawn(Quiet);
    let (mut registered, mut late) = (names.register(free, &actor), names.register(known, &actor));
    cast.steps(100);
    assert!(!is_answered(&mut found) && !is_answered(&mut registered) && !is_answered(&mut late));

    cast.tell(0, Tell::Have(vec![unknown(from, known, 1)]));
    cast.tell(0, Tell::HandedOver { from });
    assert_eq!(cast.answer(found), Err(NameError::NotFound));
    assert!(cast.answer(registered).is_ok());
    cast.steps(50);
    // The other one says nothing of its own.
    assert!(!is_answered(&mut late));
}

/// A server that notes the names it is told of.
struct Notes(Arc<Mutex<Vec<String>>>);

impl Actor for Notes {
    type Msg = Tell;

    fn handle(&mut self, tell: Tell, _: &mut Context<'_, Self>) {
        if let Tell::Have(entries) = tell {
            self.0.lock().unwrap().extend(entries.into_iter().map(|entry| entry.name));
        }
    }
}

#[test]
fn servers_that_come_while_a_name_is_given_are_told_by_its_home() {
    let mut cast = Cast::new(1, 1);
    let me = cast.places[0].id;
    let [first, second] = [98, 99].map(TheaterId::from_bits);
    let mut view = View::new(me, 1);
    view.add(first);
    let mut both = view.clone();
    both.add(second);
    let goes_on = |name: &String| view.ranked(name) == [first] && both.ranked(name) == [second];
    let name = (0..100).map(|number| format!("name {number}")).find(goes_on).unwrap();

    let actor = cast.places[0].run.theater().spawn(Quiet);
    let registered = cast.places[0].names.register(&name, &actor);
    // They come before the home has heard that the name is given.
    let noted = Arc::new(Mutex::new(Vec::new()));
    let unnoted = Arc::new(Mutex::new(Vec::new()));
    for (from, notes) in [(first, &unnoted), (second, &noted)] {
        let server = cast.places[0].run.theater().spawn(Notes(notes.clone()));
        let meet = Tell::Meet { from, server, replicas: 1 };
        cast.places[0].names.inner.server.send(meet).unwrap();
    }
    assert!(cast.answer(registered).is_ok());
    cast.steps(5);
    assert_eq!(*noted.lock().unwrap(), [name]);
}

fn is_answered<T: Send + 'static>(ask: &mut Ask<T>) -> bool {
    Pin::new(ask).poll(&mut task::Context::from_waker(Waker::noop())).is_ready()
}

/// A registration that its home does not know.
fn unknown(home: TheaterId, name: &str, stamp: u64) -> Entry {
    let messages = Messages::of::<Nothing>().to_string();
    let id = Id { born: home, number: 999 };
    Entry { name: name.into(), id, home, moves: 0, stamp, messages, is_claim: false }
}

/// A name of which this theater is no server.
fn name_without(cast: &mut Cast, server: TheaterId) -> String {
    let mut names = (0..100).map(|number| format!("wrong {number}"));
    names.find(|name| !cast.ranked(0, name).contains(&server)).expect("there is one")
}

#[test]
fn what_leads_nowhere_is_forgotten_by_who_looks_it_up_and_by_who_wants_the_name() {
    for is_lost in [false, true] {
        let mut cast = Cast::new(6, 3);
        let home = cast.places[5].id;
        let name = name_without(&mut cast, home);
        if is_lost {
            cast.kill(5);
            cast.steps(500);
        }
        let wrong = |cast: &mut Cast| {
            for place in 0..5 {
                let id = cast.places[place].id;
                if cast.ranked(0, &name).contains(&id) {
                    cast.tell(place, Tell::Have(vec![unknown(home, &name, 1)]));
                }
            }
            assert_eq!(cast.holders(&name).len(), 3);
        };
        for place in 0..5 {
            wrong(&mut cast);
            let asked = cast.places[place].names.lookup::<Nothing>(&name);
            assert_eq!(cast.answer(asked), Err(NameError::NotFound), "{place} {is_lost}");
            cast.steps(5);
            assert_eq!(cast.holders(&name), []);
        }
        wrong(&mut cast);
        let actor = cast.register(2, &name).unwrap();
        let asked = cast.places[2].names.lookup::<Nothing>(&name);
        assert_eq!(cast.answer(asked), Ok(actor));
    }
}

#[test]
fn a_registration_that_nobody_holds_takes_no_name_from_one_that_is_in_force() {
    let mut cast = Cast::new(6, 3);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = cast.places[0].run.theater().spawn(Hears(heard.clone()));
    cast.places[0].names.subscribe(&hears);
    let home = cast.places[5].id;
    let name = name_without(&mut cast, home);
    let actor = cast.register(0, &name).unwrap();
    let in_force = cast.holders(&name)[0].1.id;
    for place in 0..5 {
        // With a stamp that goes before all others.
        cast.tell(place, Tell::Have(vec![unknown(home, &name, 0)]));
    }
    cast.steps(100);
    for server in cast.ranked(0, &name) {
        let holders = cast.holders(&name);
        assert!(holders.iter().any(|(it, held)| *it == server && held.id == in_force));
    }
    let asked = cast.places[0].names.lookup::<Nothing>(&name);
    assert_eq!(cast.answer(asked), Ok(actor));
    assert_eq!(*heard.lock().unwrap(), []);
}

#[test]
fn a_server_agrees_only_with_who_sees_the_same_servers_and_knows_no_other_registration() {
    let mut cast = Cast::new(5, 3);
    let home = cast.places[4].id;
    let name = name_without(&mut cast, home);
    let ranked = cast.ranked(0, &name);
    let second = cast.places.iter().position(|place| place.id == ranked[1]).unwrap();
    let mut store = |entry: Entry, ranked: Vec<TheaterId>, is_new: bool| {
        let (reply, ask) = odeon_core::extend::question();
        cast.tell(second, Tell::Store { entry, ranked, is_new, reply });
        cast.answer(ask)
    };
    let one = unknown(home, &name, 5);
    let other = Entry { id: Id { number: 998, ..one.id }, stamp: 4, ..one.clone() };
    let reversed = ranked.iter().rev().copied().collect();
    assert!(matches!(store(one.clone(), reversed, true), Stored::Disagrees));
    assert!(matches!(store(one.clone(), ranked[..2].to_vec(), true), Stored::Disagrees));
    assert!(matches!(store(one.clone(), ranked.clone(), true), Stored::Yes));
    assert!(matches!(store(one.clone(), ranked.clone(), true), Stored::Yes));
    let Stored::Other(held) = store(other.clone(), ranked.clone(), true) else { panic!() };
    assert_eq!(held, one);
    // What others know already is settled as everywhere: the one with the lesser stamp goes on.
    assert!(matches!(store(other, ranked.clone(), false), Stored::Yes));
    assert!(matches!(store(one, ranked, false), Stored::Other(_)));
}
