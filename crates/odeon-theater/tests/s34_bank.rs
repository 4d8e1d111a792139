//! S34, judged: what clients of a bank are told over four theaters, while its branches move and a
//! theater is killed, can be explained by an order of all operations.
//!
//! Whatever the dead theater had is lost: its clients, the branches that lived there, and what was
//! under way by it. What its clients had asked may have happened. All else is as if nothing had
//! moved.

use super::bank::{ACCOUNTS, Answer, BRANCHES, Bank, Branch, Call, Fault, OPENING, Order};
use odeon_core::{ActorRef, Ask, AskError, Random, Theater};
use odeon_testkit::{Deterministic, History, Unexplained, for_seeds};
use odeon_theater::{
    Conditions, InMemoryNetwork, LinkConfig, MigrateError, Migrated, Network, TheaterId,
};
use std::cell::Cell;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll, Waker};
use std::time::Duration;

const THEATERS: usize = 4;
const CLIENTS_OF_EACH: usize = 2;
const STEP: Duration = Duration::from_millis(2);

struct Place {
    run: Deterministic,
    network: Network,
    branches: Vec<ActorRef<Order>>,
    is_dead: bool,
}

/// Waits for each answer before it asks again.
struct Client {
    place: usize,
    asks: Option<(odeon_testkit::Call, Ask<Answer>)>,
    /// Whom it has asked last.
    branch: usize,
    /// How often nobody has answered, of each branch. From the second time on it asks another one.
    unanswered: [u8; BRANCHES],
}

struct Simulation {
    net: InMemoryNetwork,
    places: Vec<Place>,
    clients: Vec<Client>,
    random: Random,
    steps: u64,
    history: History<Call, Answer>,
    /// With the place where they were asked for.
    moves: Vec<(usize, Ask<Result<Migrated, MigrateError>>)>,
    moved: u64,
}

fn id(place: usize) -> TheaterId {
    TheaterId::from_bits(place as u128 + 1)
}

fn look<T: Send + 'static>(ask: &mut Ask<T>) -> Option<Result<T, AskError>> {
    match Pin::new(ask).poll(&mut task::Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

impl Simulation {
    fn new(seed: u64, fault: Fault) -> Self {
        let net = InMemoryNetwork::new(seed);
        let place = |number: usize| {
            let run = Deterministic::with(seed * 100 + number as u64, Theater::builder());
            let config = LinkConfig::new("bank", 65_000);
            let network = Network::join(run.theater(), id(number), config, |me, listener| {
                Ok::<_, Infallible>(Arc::new(net.join(me, listener)))
            });
            let network = network.unwrap();
            network.register_mobile::<Branch>();
            Place { run, network, branches: Vec::new(), is_dead: false }
        };
        let client = |number| Client {
            place: number % THEATERS,
            asks: None,
            branch: 0,
            unanswered: [0; BRANCHES],
        };
        let mut simulation = Self {
            places: (0..THEATERS).map(place).collect(),
            clients: (0..THEATERS * CLIENTS_OF_EACH).map(client).collect(),
            net,
            random: Random::from_seed(seed),
            steps: 0,
            history: History::new(),
            moves: Vec::new(),
            moved: 0,
        };
        simulation.open(fault);
        simulation
    }

    /// Each place comes to know each branch, and so do the branches.
    fn open(&mut self, fault: Fault) {
        self.steps(20);
        let open = |place: &Place| place.network.spawn_mobile(Branch::new(fault));
        let opened: Vec<_> = self.places[..BRANCHES].iter().map(open).collect();
        for (place, branch) in self.places.iter().zip(&opened) {
            place.network.publish("branch", branch);
        }
        for place in 0..THEATERS {
            let network = self.places[place].network.clone();
            let find = |branch| network.at(id(branch)).lookup::<Order>("branch");
            let mut asks: Vec<_> = (0..BRANCHES).map(find).collect();
            self.steps(60);
            let known = asks.iter_mut().zip(&opened).enumerate().map(|(branch, (ask, opened))| {
                // Nobody looks up what is at home.
                if branch == place {
                    return opened.clone();
                }
                look(ask).expect("there is an answer").unwrap().unwrap()
            });
            self.places[place].branches = known.collect();
        }
        // By the references of its own theater: it is there.
        for (place, branch) in self.places.iter().zip(&opened) {
            branch.send(Order::Know(place.branches.clone())).unwrap();
        }
        self.steps(60);
    }

    fn steps(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    /// The time goes on, and clients hear what they have been told.
    fn step(&mut self) {
        self.steps += 1;
        let now = STEP * u32::try_from(self.steps).expect("a run is short");
        self.net.step(now);
        for place in self.places.iter().filter(|place| !place.is_dead) {
            place.run.advance(STEP);
        }
        self.net.step(now);
        for client in &mut self.clients {
            let Some((call, ask)) = &mut client.asks else { continue };
            match look(ask) {
                None => continue,
                // Whatever is called in this step comes before.
                Some(Ok(answer)) => self.history.answered(*call, 2 * self.steps + 1, answer),
                Some(Err(AskError::Stopped)) => self.history.undone(*call),
                Some(Err(_)) => client.unanswered[client.branch] += 1,
            }
            client.asks = None;
        }
    }

    /// A client asks, unless it waits for an answer.
    fn ask(&mut self, client: usize, call: Call) {
        let Client { place, asks, branch, unanswered } = &mut self.clients[client];
        let place = &self.places[*place];
        if asks.is_some() || place.is_dead || unanswered[call.branch()] > 1 {
            return;
        }
        *branch = call.branch();
        let ask = place.branches[call.branch()].ask(|reply| Order::Do(call, reply));
        *asks = Some((self.history.called(2 * (self.steps + 1), call), ask));
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn any_call(&mut self) -> Call {
        let (branch, account) = (self.below(BRANCHES), self.below(ACCOUNTS));
        let amount = self.below(6) as u64 + 1;
        match self.below(20) {
            0..10 => {
                let to = (account + 1 + self.below(ACCOUNTS - 1)) % ACCOUNTS;
                Call::Transfer { branch, from: account, to, amount }
            }
            10..17 => {
                let to = (branch + 1 + self.below(BRANCHES - 1)) % BRANCHES;
                Call::Remit { branch, to, account, amount }
            }
            _ => Call::Audit { branch },
        }
    }

    /// For so many steps: each client asks, and branches are moved.
    fn bustle(&mut self, steps: usize) {
        for _ in 0..steps {
            for client in 0..self.clients.len() {
                let call = self.any_call();
                if self.below(3) == 0 {
                    self.ask(client, call);
                }
            }
            let (place, branch, to) =
                (self.below(THEATERS), self.below(BRANCHES), self.below(THEATERS));
            // As seldom as leaves time for calls: a move takes some twenty steps.
            if self.below(30) == 0 && !self.places[place].is_dead {
                let Place { network, branches, .. } = &self.places[place];
                self.moves.push((place, network.migrate(&branches[branch], id(to))));
            }
            self.step();
        }
    }

    fn kill(&mut self, place: usize) {
        self.net.crash(id(place));
        self.places[place].is_dead = true;
    }

    /// All under way comes to its end, and every client has a look at each branch. Answers which
    /// branches are there for somebody.
    fn close(&mut self, settles: usize) -> [bool; BRANCHES] {
        self.net.set_everywhere(Conditions::GOOD);
        self.steps(settles);
        let mut is_there = [false; BRANCHES];
        for (branch, is_there) in is_there.iter_mut().enumerate() {
            (0..self.clients.len()).for_each(|client| self.ask(client, Call::Audit { branch }));
            let (before, _) = self.history.counts();
            self.steps(60);
            *is_there = self.history.counts().0 > before;
        }
        for (place, mut ask) in std::mem::take(&mut self.moves) {
            let answer = look(&mut ask);
            assert!(
                answer.is_some() || self.places[place].is_dead,
                "who asked is told, whatever becomes of it"
            );
            if let Some(Ok(Ok(moved))) = answer {
                self.moved += u64::from(moved.bytes > 0);
            }
        }
        is_there
    }

    /// Whether each reference of a theater that lives leads to a branch, or says that there is
    /// none.
    fn all_know_who_is_there(&mut self) -> bool {
        let living = self.places.iter().filter(|place| !place.is_dead);
        let known: Vec<_> = living.flat_map(|place| place.branches.clone()).collect();
        let audit = |(number, actor): (usize, &ActorRef<Order>)| {
            let branch = number % BRANCHES;
            actor.ask(|reply| Order::Do(Call::Audit { branch }, reply))
        };
        let mut asks: Vec<_> = known.iter().enumerate().map(audit).collect();
        self.steps(60);
        let mut answers = asks.iter_mut().map(|ask| matches!(look(ask), Some(Ok(_))));
        known.iter().all(|actor| answers.next() == Some(true) || actor.is_stopped())
    }

    fn unexplained(&self) -> Option<Unexplained> {
        self.history.unexplained(&Bank, OPENING)
    }
}

fn bad() -> Conditions {
    Conditions {
        delay: (Duration::ZERO, Duration::from_millis(12)),
        loss: 0.1,
        duplication: 0.1,
        reordering: 0.1,
        ..Conditions::GOOD
    }
}

#[test]
fn s34_a_bank_whose_branches_move_is_one_bank() {
    for_seeds(50, |seed| {
        let mut bank = Simulation::new(seed, Fault::None);
        bank.net.set_everywhere(bad());
        bank.bustle(2_000);
        assert_eq!(bank.close(1_500), [true; BRANCHES]);
        let (answered, lost) = bank.history.counts();
        assert_eq!(lost, 0, "nobody died, and {answered} were answered");
        assert!(answered > 200 && bank.moved > 20, "{answered}, {}", bank.moved);
        if let Some(unexplained) = bank.unexplained() {
            panic!("{unexplained}");
        }
    });
}

#[test]
fn s34_what_is_left_of_a_bank_when_a_theater_dies_is_one_bank() {
    let (branches_lost, unanswered) = (Cell::new(0), Cell::new(0));
    for_seeds(100, |seed| {
        let mut bank = Simulation::new(seed, Fault::None);
        bank.net.set_everywhere(bad());
        bank.bustle(700);
        let dies = bank.below(THEATERS);
        bank.kill(dies);
        // Longer than until all know who is dead.
        bank.bustle(1_700);
        let is_there = bank.close(3_000);
        assert!(bank.all_know_who_is_there());
        let (answered, lost) = bank.history.counts();
        assert!(answered > 50, "{answered} answered, {lost} not");
        branches_lost.set(branches_lost.get() + is_there.iter().filter(|there| !**there).count());
        unanswered.set(unanswered.get() + lost);
        if let Some(unexplained) = bank.unexplained() {
            panic!("{unexplained}");
        }
    });
    println!("{} branches lost, {} calls not answered", branches_lost.get(), unanswered.get());
}

#[test]
fn s34_a_branch_that_is_wrong_is_found_out() {
    for fault in [Fault::Twice(10), Fault::Forgets(5), Fault::Relapses] {
        for seed in 0..10 {
            let mut bank = Simulation::new(seed, fault);
            bank.net.set_everywhere(bad());
            bank.bustle(700);
            bank.close(1_500);
            let unexplained = bank.unexplained();
            let unexplained = unexplained.unwrap_or_else(|| panic!("{fault:?}, {seed}"));
            assert!(!unexplained.stuck.is_empty(), "{unexplained}");
        }
    }
}
