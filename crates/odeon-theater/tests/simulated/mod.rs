//! Theaters in one thread that do things with names, and a note of what each of them has seen.
#![allow(unreachable_pub, reason = "as in `support`")]

use odeon_core::{Actor, ActorRef, Ask, AskError, Context, Message, Random, Reply, Theater};
use odeon_testkit::Deterministic;
use odeon_theater::{
    Conditions, InMemoryNetwork, LinkConfig, NameError, NameEvent, NameSettings, Names, Network,
    Registration, TheaterId, Transport,
};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Waker};
use std::time::Duration;

/// Asks an actor which one it is.
#[derive(Serialize, Deserialize)]
pub struct Who(Reply<u64>);

impl Message for Who {}

struct Somebody(u64);

impl Actor for Somebody {
    type Msg = Who;

    fn handle(&mut self, Who(reply): Who, _: &mut Context<'_, Self>) {
        reply.send(self.0);
    }
}

struct Hears(Arc<Mutex<Vec<String>>>);

impl Actor for Hears {
    type Msg = NameEvent;

    fn handle(&mut self, event: NameEvent, _: &mut Context<'_, Self>) {
        let NameEvent::Lost { name, .. } = event else { return };
        self.0.lock().unwrap().push(name);
    }
}

struct Place {
    run: Deterministic,
    names: Names,
    id: TheaterId,
    /// Names that its actors have lost.
    lost: Arc<Mutex<Vec<String>>>,
    is_dead: bool,
}

/// What a theater does.
pub enum Wish {
    Register,
    /// Takes a name back, by what one got when it was given.
    Release,
    /// Ends an actor with a name.
    Stop,
    Spawn,
    Find,
}

/// An actor that has been given a name, or may be.
struct Given {
    name: usize,
    place: usize,
    actor: ActorRef<Who>,
    registration: Option<Registration>,
    /// When its name was given to it, taken from it at the earliest, and at the latest; in steps.
    begun: Option<u64>,
    releasing: Option<u64>,
    released: Option<u64>,
}

/// Something under way.
struct Doing {
    name: usize,
    place: usize,
    since: u64,
    what: What,
}

enum What {
    Registering(u64, Ask<Result<Registration, NameError>>),
    Releasing(u64, Ask<Result<bool, NameError>>),
    Finding(Option<u64>, Ask<Result<ActorRef<Who>, NameError>>),
    /// The actor that was found is kept until it has answered.
    Asking(#[expect(dead_code, reason = "kept")] ActorRef<Who>, Ask<u64>),
}

pub struct Cast {
    pub net: InMemoryNetwork,
    seed: u64,
    settings: NameSettings,
    random: Random,
    places: Vec<Place>,
    given_to: Vec<Given>,
    doing: Vec<Doing>,
    now: u64,
    /// Theaters may take each other for dead: then no more is promised than that they agree in the
    /// end.
    pub may_be_torn: bool,
    /// How many names have been given.
    pub given: usize,
    pub unavailable: usize,
}

const STEP: Duration = Duration::from_millis(5);
const NAMES: usize = 6;

fn name(number: usize) -> String {
    format!("name {number}")
}

fn look<T: Send + 'static>(ask: &mut Ask<T>) -> Option<Result<T, AskError>> {
    match Pin::new(ask).poll(&mut task::Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

impl Cast {
    pub fn new(seed: u64, theaters: usize, settings: &NameSettings) -> Self {
        let net = InMemoryNetwork::new(seed);
        let mut cast = Self {
            net,
            seed,
            settings: settings.clone(),
            random: Random::from_seed(seed),
            places: Vec::new(),
            given_to: Vec::new(),
            doing: Vec::new(),
            now: 0,
            may_be_torn: false,
            given: 0,
            unavailable: 0,
        };
        (0..theaters).for_each(|_| cast.add());
        cast
    }

    /// One more theater joins.
    pub fn add(&mut self) {
        let number = self.places.len();
        let run = Deterministic::with(self.seed * 100 + number as u64, Theater::builder());
        // All clocks go alike.
        run.advance(STEP * self.now as u32);
        // Who is where among the servers of a name is another matter for each seed.
        let id = TheaterId::from_bits(u128::from(self.seed) << 64 | (number as u128 + 1));
        let config = LinkConfig::new("simulated", 65_000);
        let network = Network::join(run.theater(), id, config, |me, listener| {
            Ok::<_, Infallible>(Arc::new(self.net.join(me, listener)) as Arc<dyn Transport>)
        });
        let names = Names::join(&network.unwrap(), self.settings.clone());
        let lost = Arc::new(Mutex::new(Vec::new()));
        names.subscribe(&run.theater().spawn(Hears(lost.clone())));
        self.places.push(Place { run, names, id, lost, is_dead: false });
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    pub fn places(&self) -> usize {
        self.places.len()
    }

    pub fn living(&self) -> usize {
        self.places.iter().filter(|place| !place.is_dead).count()
    }

    pub fn id(&self, place: usize) -> TheaterId {
        self.places[place].id
    }

    /// A theater that is not dead.
    pub fn somebody(&mut self) -> usize {
        loop {
            let place = self.below(self.places.len());
            if !self.places[place].is_dead {
                return place;
            }
        }
    }

    pub fn kill(&mut self, place: usize) {
        self.net.crash(self.id(place));
        self.places[place].is_dead = true;
        self.doing.retain(|doing| doing.place != place);
        self.given_to.iter_mut().filter(|given| given.place == place).for_each(|given| {
            given.releasing.get_or_insert(self.now);
        });
    }

    /// Two parts that have no way to each other.
    pub fn tear(&mut self) {
        let sides: Vec<bool> = (0..self.places.len()).map(|_| self.below(2) == 0).collect();
        for one in 0..sides.len() {
            for other in 0..one {
                if sides[one] != sides[other] {
                    self.net.cut(self.id(one), self.id(other));
                }
            }
        }
    }

    pub fn heal(&mut self) {
        for one in 0..self.places.len() {
            for other in 0..one {
                self.net.heal(self.id(one), self.id(other));
            }
        }
        self.net.set_everywhere(Conditions::GOOD);
    }

    pub fn steps(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    /// How much has no answer yet.
    pub fn under_way(&self) -> usize {
        self.doing.len()
    }

    /// The time goes on by one step.
    pub fn step(&mut self) {
        self.now += 1;
        self.net.step(STEP * self.now as u32);
        for place in self.places.iter().filter(|place| !place.is_dead) {
            place.run.advance(STEP);
        }
        self.net.step(STEP * self.now as u32);
        for doing in std::mem::take(&mut self.doing) {
            if let Some(still) = self.look_at(doing) {
                self.doing.push(still);
            }
        }
        self.note_losses();
    }

    pub fn begin(&mut self, wish: Wish) {
        let (place, name_of) = (self.somebody(), self.below(NAMES));
        match wish {
            Wish::Register => {
                let number = self.actor(place, name_of);
                let names = &self.places[place].names;
                let ask = names.register(&name(name_of), &self.given_to[number as usize].actor);
                self.do_now(place, name_of, What::Registering(number, ask));
            }
            Wish::Spawn => {
                let number = self.actor(place, name_of);
                let actor = self.given_to[number as usize].actor.clone();
                let names = &self.places[place].names;
                let ask = names.lookup_or_spawn(&name(name_of), move || actor);
                self.do_now(place, name_of, What::Finding(Some(number), ask));
            }
            Wish::Find => {
                let ask = self.places[place].names.lookup::<Who>(&name(name_of));
                self.do_now(place, name_of, What::Finding(None, ask));
            }
            Wish::Release | Wish::Stop => {
                let held = |given: &Given| given.begun.is_some() && given.releasing.is_none();
                let those: Vec<usize> =
                    (0..self.given_to.len()).filter(|&it| held(&self.given_to[it])).collect();
                if those.is_empty() {
                    return;
                }
                let number = those[self.below(those.len())];
                let given = &mut self.given_to[number];
                given.releasing = Some(self.now);
                let (place, name_of) = (given.place, given.name);
                match (wish, &given.registration) {
                    (Wish::Release, Some(registration)) => {
                        let ask = registration.unregister();
                        self.do_now(place, name_of, What::Releasing(number as u64, ask));
                    }
                    _ => given.actor.stop(),
                }
            }
        }
    }

    fn do_now(&mut self, place: usize, name: usize, what: What) {
        self.doing.push(Doing { name, place, since: self.now, what });
    }

    /// A new actor, which is its number.
    fn actor(&mut self, place: usize, name: usize) -> u64 {
        let number = self.given_to.len() as u64;
        let actor = self.places[place].run.theater().spawn(Somebody(number));
        let registration = None;
        let (begun, releasing, released) = (None, None, None);
        self.given_to.push(Given { name, place, actor, registration, begun, releasing, released });
        number
    }

    /// What has come of it. What is still under way comes back.
    fn look_at(&mut self, mut doing: Doing) -> Option<Doing> {
        let Doing { name, place, since, .. } = doing;
        match &mut doing.what {
            What::Registering(number, ask) => {
                let number = *number;
                match look(ask) {
                    None => return Some(doing),
                    Some(Ok(Ok(registration))) => {
                        self.given_to[number as usize].registration = Some(registration);
                        self.has_begun(number, since);
                    }
                    Some(Ok(Err(NameError::AlreadyRegistered(_)))) => {
                        self.somebody_had(name, since, number);
                    }
                    Some(answer) => self.has_not_worked(&format!("{answer:?}")),
                }
            }
            What::Releasing(number, ask) => {
                let number = *number as usize;
                match look(ask) {
                    None => return Some(doing),
                    Some(Ok(Ok(_))) => self.given_to[number].released = Some(self.now),
                    Some(answer) => self.has_not_worked(&format!("{answer:?}")),
                }
            }
            What::Finding(mine, ask) => match look(ask) {
                None => return Some(doing),
                Some(Ok(Ok(actor))) => {
                    let is_mine = |number: &u64| self.given_to[*number as usize].actor == actor;
                    if let Some(mine) = mine.filter(is_mine) {
                        self.has_begun(mine, since);
                        return None;
                    }
                    let asked = actor.ask(Who);
                    let what = What::Asking(actor, asked);
                    return self.look_at(Doing { name, place, since, what });
                }
                Some(Ok(Err(NameError::NotFound))) => self.nobody_had_throughout(name, since),
                Some(answer) => self.has_not_worked(&format!("{answer:?}")),
            },
            What::Asking(_, ask) => match look(ask) {
                None => return Some(doing),
                // It has ended meanwhile, or is lost.
                Some(Err(_)) => {}
                Some(Ok(number)) => {
                    assert_eq!(self.given_to[number as usize].name, name, "seed {}", self.seed);
                    self.was_found(number, since);
                }
            },
        }
        None
    }

    fn has_not_worked(&mut self, answer: &str) {
        assert!(answer.contains("Unavailable") || answer.contains("Ended"), "{answer}");
        self.unavailable += usize::from(answer.contains("Unavailable"));
    }

    /// An actor has got its name.
    fn has_begun(&mut self, number: u64, since: u64) {
        self.given += 1;
        let (now, seed) = (self.now, self.seed);
        let name = self.given_to[number as usize].name;
        if !self.may_be_torn {
            for (other, given) in self.given_to.iter().enumerate() {
                let had = given.name == name && given.begun.is_some_and(|begun| begun < since);
                assert!(!had || given.releasing.is_some(), "seed {seed}: {other} and {number}");
                let both = given.name == name && given.begun.is_some() && given.releasing.is_none();
                assert!(!both, "seed {seed}, step {now}: {other} and {number} have {name}");
            }
        }
        self.given_to[number as usize].begun = Some(now);
    }

    /// A lookup has found an actor.
    fn was_found(&self, number: u64, since: u64) {
        let given = &self.given_to[number as usize];
        let before = given.released.is_some_and(|released| released < since);
        assert!(!before, "seed {}: {number} was found after its name was taken back", self.seed);
    }

    /// A registration was refused: so another one had the name, or was about to.
    fn somebody_had(&self, name: usize, since: u64, but: u64) {
        let might = |(number, given): (usize, &Given)| {
            number as u64 != but
                && given.name == name
                && given.released.is_none_or(|released| released >= since)
        };
        let somebody = self.given_to.iter().enumerate().any(might);
        assert!(somebody, "seed {}, step {}: nobody had {name}", self.seed, self.now);
    }

    /// A lookup has found nobody.
    fn nobody_had_throughout(&self, name: usize, since: u64) {
        if self.may_be_torn {
            return;
        }
        for (number, given) in self.given_to.iter().enumerate().filter(|(_, it)| it.name == name) {
            let had = given.begun.is_some_and(|begun| begun < since) && given.releasing.is_none();
            assert!(!had, "seed {}, step {}: {number} was not found", self.seed, self.now);
        }
    }

    /// Those who have lost their names are told.
    fn note_losses(&mut self) {
        for (number, place) in self.places.iter().enumerate() {
            for lost in std::mem::take(&mut *place.lost.lock().unwrap()) {
                assert!(self.may_be_torn, "seed {}: {lost} is lost", self.seed);
                let losers = self.given_to.iter_mut();
                let is_it = |it: &Given| it.place == number && name(it.name) == lost;
                losers.filter(|it| is_it(it) && it.begun.is_some()).for_each(|it| {
                    it.releasing.get_or_insert(self.now);
                });
            }
        }
    }

    /// All living theaters find the same actors, which are those that have the names as far as they
    /// know.
    pub fn check_that_all_agree(&mut self) {
        let seed = self.seed;
        for name_of in 0..NAMES {
            let living: Vec<usize> =
                (0..self.places.len()).filter(|&place| !self.places[place].is_dead).collect();
            let mut asked: Vec<_> = living
                .iter()
                .map(|&place| self.places[place].names.lookup::<Who>(&name(name_of)))
                .collect();
            // Whoever never saw a theater that is dead looks for it first.
            self.steps(600);
            let mut found = Vec::new();
            for ask in &mut asked {
                let actor = match look(ask).expect("there is an answer").unwrap() {
                    Ok(actor) => actor,
                    Err(NameError::NotFound) => {
                        found.push(None);
                        continue;
                    }
                    Err(error) => panic!("seed {seed}: {error}"),
                };
                let mut who = actor.ask(Who);
                self.steps(20);
                found.push(Some(look(&mut who).expect("it is there").unwrap()));
            }
            assert!(found.iter().all(|it| *it == found[0]), "seed {seed}: {name_of}: {found:?}");
            let holders: Vec<u64> = (0..self.given_to.len())
                .filter(|&number| {
                    let given = &self.given_to[number];
                    given.name == name_of && given.begun.is_some() && given.releasing.is_none()
                })
                .map(|number| number as u64)
                .collect();
            assert_eq!(holders, found[0].into_iter().collect::<Vec<_>>(), "seed {seed}: {name_of}");
        }
    }
}
