//! S33 and S34 of speculative actors: theaters are paused, or cut off from each other, for longer
//! than `dead_after` while actors with names move, and all of them live. Nobody is lost or in two
//! theaters, and what was answered has happened once.

use super::virtual_time::{NOW, Simulation, id, ms};
use odeon_coordination::{Coordination, MobileSpeculative};
use odeon_core::{ActorRef, Ask, AskError, Message, Reply};
use odeon_speculative::*;
use odeon_stm::{TVar, Tx};
use odeon_testkit::{Trace, for_seeds};
use odeon_theater::{Migrate, MigrateError, Migrated, NameError, NameSettings, Names};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
enum Use {
    /// Answered with its commit.
    Put(u64, Reply<()>),
    /// All numbers, in the order in which they have come.
    Numbers(Reply<Vec<u64>>),
}

impl Message for Use {}

#[derive(Default)]
struct Account(TVar<Vec<u64>>);

impl SpeculativeActor for Account {
    type Msg = Use;

    fn handle<'t>(
        &'t self,
        msg: &'t Use,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Use::Put(number, reply) => {
                let mut numbers = self.0.read(tx)?.clone();
                numbers.push(*number);
                self.0.set(tx, numbers)?;
                ctx.reply(reply, ());
            }
            Use::Numbers(reply) => ctx.reply(reply, self.0.read(tx)?.clone()),
        }
        Ok(())
    }
}

impl MobileSpeculative for Account {
    const KIND: &'static str = "speculative account with a name";
    type State = Vec<u64>;

    fn state<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Vec<u64>> {
        Ok(self.0.read(tx)?.clone())
    }

    fn of(numbers: Vec<u64>) -> Self {
        Self(TVar::new(numbers))
    }
}

const THEATERS: usize = 3;
const ACCOUNTS: usize = 9;

/// Longer than it takes that theaters meet again, names are brought back and follow, and who was
/// lost is looked for.
const SETTLES: usize = 15_000;

type Found = Ask<Result<ActorRef<Use>, NameError>>;

/// Accounts to which nobody refers but by their names move between all theaters.
struct Bank {
    world: Simulation,
    names: Vec<Names>,
    _coordinations: Vec<Coordination>,
    paused: Option<usize>,
    finding: Vec<(usize, usize, Found)>,
    moves: Vec<Ask<Result<Migrated, MigrateError>>>,
    /// The account, and the number.
    put: Vec<(usize, u64, Ask<()>)>,
    seed: u64,
}

fn name(account: usize) -> String {
    format!("account {account}")
}

impl Bank {
    fn new(seed: u64) -> Self {
        let world = Simulation::of(seed, THEATERS, |_| ());
        let coordinations: Vec<_> = world
            .places
            .iter()
            .map(|place| Coordination::join(place.run.theater(), &place.network))
            .collect();
        coordinations.iter().for_each(Coordination::register_mobile::<Account>);
        let settings = NameSettings { least_servers: 2, ..NameSettings::default() };
        let join =
            |place: &super::virtual_time::Place| Names::join(&place.network, settings.clone());
        let names: Vec<Names> = world.places.iter().map(join).collect();
        let mut bank = Self {
            world,
            names,
            _coordinations: coordinations,
            paused: None,
            finding: Vec::new(),
            moves: Vec::new(),
            put: Vec::new(),
            seed,
        };
        bank.steps(50);
        for account in 0..ACCOUNTS {
            let home = account % THEATERS;
            let processing = Processing::concurrent().non_blocking().width(2);
            let actor = bank._coordinations[home].spawn_mobile(Account::default(), processing);
            let registered = bank.names[home].register(&name(account), &actor);
            bank.steps(30);
            registered.wait_timeout(Duration::ZERO).unwrap().unwrap();
        }
        assert_eq!(bank.sit(), ACCOUNTS);
        bank
    }

    /// Whoever is paused does nothing.
    fn step(&mut self) {
        let now = NOW.get() + ms(1);
        NOW.set(now);
        self.world.net.step(now);
        for (number, place) in self.world.places.iter().enumerate() {
            if self.paused != Some(number) {
                place.run.clock().set(now);
                place.run.run_until_idle();
            }
        }
        self.world.net.step(now);
    }

    fn steps(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    fn cut(&self, one: usize, other: usize, is_cut: bool) {
        if is_cut {
            self.world.net.cut(id(one), id(other));
        } else {
            self.world.net.heal(id(one), id(other));
        }
    }

    /// What comes to a paused theater is lost in the end, since nobody sends it again for so long.
    fn pause(&mut self, place: usize, pauses: bool) {
        self.paused = pauses.then_some(place);
        (0..THEATERS).filter(|&it| it != place).for_each(|other| self.cut(place, other, pauses));
    }

    /// How many accounts sit somewhere, of which none sits in two theaters.
    #[track_caller]
    fn sit(&self) -> usize {
        let mut all = BTreeSet::new();
        for actor in self.world.places.iter().flat_map(|it| it.network.overview().mobile) {
            assert!(all.insert(actor.id), "seed {}: {:?} sits in two", self.seed, actor.id);
        }
        all.len()
    }

    /// Somebody who can looks up somebody else, tells it a number, and has it move.
    fn goes_on(&mut self, steps: usize) {
        for step in 0..steps {
            if step % 10 == 0 {
                for (by, account, found) in std::mem::take(&mut self.finding) {
                    if self.paused == Some(by) {
                        self.finding.push((by, account, found));
                    } else if let Ok(Ok(found)) = found.wait_timeout(Duration::ZERO) {
                        let number = self.put.len() as u64;
                        let put = found.ask(|reply| Use::Put(number, reply));
                        self.put.push((account, number, put));
                        let to = id(self.world.random.below(THEATERS));
                        self.moves.push(found.migrate(to));
                    }
                }
                let by = self.world.random.below(THEATERS);
                let account = self.world.random.below(ACCOUNTS);
                if self.paused != Some(by) {
                    let found = self.names[by].lookup(&name(account));
                    self.finding.push((by, account, found));
                }
                self.sit();
            }
            self.step();
        }
    }

    fn two_are_cut_off(&mut self) {
        let one = self.world.random.below(THEATERS);
        let other = (one + 1) % THEATERS;
        self.cut(one, other, true);
        self.goes_on(3_500);
        self.cut(one, other, false);
        self.goes_on(1_000);
    }

    /// All see each other: all accounts are there, everybody finds them, and each has what it has
    /// answered, once.
    #[track_caller]
    fn nothing_is_lost_or_doubled(mut self) {
        let seed = self.seed;
        self.steps(SETTLES);
        assert_eq!(self.sit(), ACCOUNTS, "seed {seed}");
        let mut kept: Vec<BTreeSet<u64>> = Vec::new();
        for by in 0..THEATERS {
            for account in 0..ACCOUNTS {
                let found: Found = self.names[by].lookup(&name(account));
                self.steps(200);
                let found = found.wait_timeout(Duration::ZERO);
                let Ok(Ok(found)) = found else { panic!("seed {seed}: {account}: {found:?}") };
                let numbers = found.ask(Use::Numbers);
                self.steps(50);
                let numbers = numbers.wait_timeout(Duration::ZERO).unwrap();
                let each: BTreeSet<u64> = numbers.iter().copied().collect();
                assert_eq!(each.len(), numbers.len(), "seed {seed}: handled twice: {numbers:?}");
                match kept.get(account) {
                    None => kept.push(each),
                    Some(known) => assert_eq!(*known, each, "seed {seed}: one and the same"),
                }
            }
        }
        let mut answered = 0;
        for (account, number, put) in self.put {
            match put.wait_timeout(Duration::ZERO) {
                Ok(()) => {
                    answered += 1;
                    assert!(kept[account].remove(&number), "seed {seed}: {number} is lost");
                }
                Err(AskError::Timeout) => panic!("seed {seed}: {number} hangs"),
                Err(_) => drop(kept[account].remove(&number)),
            }
        }
        assert!(kept.iter().all(BTreeSet::is_empty), "seed {seed}: nobody has sent {kept:?}");
        let mut moved = 0;
        for asked in self.moves {
            match asked.wait_timeout(Duration::ZERO) {
                Ok(Ok(_)) => moved += 1,
                Err(AskError::Timeout) => panic!("seed {seed}: a request to move hangs"),
                Ok(Err(_)) | Err(_) => {}
            }
        }
        assert!(answered > 100 && moved > 100, "seed {seed}: {answered} answered, {moved} moved");
    }
}

#[test]
fn s34_speculative_actors_with_names_bear_that_theaters_are_paused() {
    for_seeds(4, |seed| {
        let mut bank = Bank::new(seed);
        bank.goes_on(500);
        for _ in 0..4 {
            let place = bank.world.random.below(THEATERS);
            bank.pause(place, true);
            bank.goes_on(4_000);
            bank.pause(place, false);
            bank.goes_on(1_000);
        }
        bank.nothing_is_lost_or_doubled();
    });
}

#[test]
fn s34_speculative_actors_with_names_bear_that_two_theaters_are_cut_off_from_each_other() {
    for_seeds(4, |seed| {
        let mut bank = Bank::new(seed);
        bank.goes_on(500);
        (0..4).for_each(|_| bank.two_are_cut_off());
        bank.nothing_is_lost_or_doubled();
    });
}

/// Whatever order the maps of the runtime have, which is another one each time.
#[test]
fn s23_one_seed_is_one_run_of_theaters_with_names_that_are_cut_off_from_each_other() {
    let traces = || {
        let mut bank = Bank::new(1);
        bank.goes_on(500);
        bank.two_are_cut_off();
        bank.world.places.iter().map(|place| place.run.trace()).collect::<Vec<_>>()
    };
    let first = traces();
    for _ in 0..3 {
        let difference = |(one, other): (&Trace, &Trace)| one.first_difference(other);
        assert_eq!(first.iter().zip(&traces()).find_map(difference), None);
    }
}
