//! S33 and S34: theaters are paused, or cut off from each other, for longer than `dead_after`, and
//! all of them live. Nobody who has a name is lost, nobody is in two theaters, and every name leads
//! to its actor when they see each other again.

use super::virtual_time::{NOW, Place, Simulation, id, ms};
use odeon_core::{Actor, ActorRef, Ask, Context, Message, Reply};
use odeon_testkit::for_seeds;
use odeon_theater::{
    Conditions, MigrateError, Migrated, Mobile, MobileId, NameError, NameSettings, Names,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Account(usize);

#[derive(Serialize, Deserialize)]
struct Which(Reply<usize>);

impl Message for Which {}

impl Actor for Account {
    type Msg = Which;

    fn handle(&mut self, Which(reply): Which, _: &mut Context<'_, Self>) {
        reply.send(self.0);
    }
}

impl Mobile for Account {
    const KIND: &'static str = "account with a name";
}

/// Accounts move between all theaters but the last one.
struct Bank {
    world: Simulation,
    names: Vec<Names>,
    accounts: usize,
    paused: Option<usize>,
    /// Until when, if what is sent to the one that is paused comes to it after that.
    goes_on_at: Option<Duration>,
    /// How long a packet takes.
    latency: (Duration, Duration),
    /// How many milliseconds there are between two moves.
    pace: usize,
    requests: Vec<Ask<Result<Migrated, MigrateError>>>,
    /// Who they are, from the beginning.
    ids: BTreeSet<MobileId>,
}

fn name(account: usize) -> String {
    format!("account {account}")
}

impl Bank {
    /// Of accounts to which nobody refers but by their names.
    fn new(seed: u64, theaters: usize, accounts: usize) -> Self {
        let world = Simulation::of(seed, theaters + 1, |network| {
            network.register_mobile::<Account>();
        });
        let settings = NameSettings { least_servers: 2, ..NameSettings::default() };
        let join = |place: &Place| Names::join(&place.network, settings.clone());
        let names: Vec<Names> = world.places.iter().map(join).collect();
        let mut bank = Self {
            world,
            names,
            accounts,
            paused: None,
            goes_on_at: None,
            latency: (Duration::ZERO, Duration::ZERO),
            pace: 10,
            requests: Vec::new(),
            ids: BTreeSet::new(),
        };
        bank.steps(50);
        for account in 0..accounts {
            let home = account % theaters;
            let actor = bank.world.places[home].network.spawn_mobile(Account(account));
            let registered = bank.names[home].register(&name(account), &actor);
            bank.steps(30);
            registered.wait_timeout(Duration::ZERO).unwrap().unwrap();
        }
        bank.ids = bank.sit();
        assert_eq!(bank.ids.len(), accounts);
        bank
    }

    fn theaters(&self) -> usize {
        self.names.len() - 1
    }

    /// As [`Simulation::step`]: whoever is paused does nothing.
    fn step(&mut self) {
        let now = NOW.get() + ms(1);
        NOW.set(now);
        if let (Some(place), Some(at)) = (self.paused, self.goes_on_at) {
            self.delay(place, at.saturating_sub(now));
        }
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

    /// Cuts the ways, or heals them.
    fn cut(&self, ways: &[(usize, usize)], is_cut: bool) {
        for &(one, other) in ways {
            if is_cut {
                self.world.net.cut(id(one), id(other));
            } else {
                self.world.net.heal(id(one), id(other));
            }
        }
    }

    fn ways_of(&self, place: usize) -> Vec<(usize, usize)> {
        (0..self.names.len()).filter(|&other| other != place).map(|other| (place, other)).collect()
    }

    /// What comes to a paused theater is lost in the end, since nobody sends it again for so long.
    fn pause(&mut self, place: usize, pauses: bool) {
        self.paused = pauses.then_some(place);
        self.cut(&self.ways_of(place), pauses);
    }

    /// Packets take so long from here on.
    fn takes(&mut self, milliseconds: (u64, u64)) {
        self.latency = (ms(milliseconds.0), ms(milliseconds.1));
        let conditions = Conditions { delay: self.latency, ..Conditions::GOOD };
        self.world.net.set_everywhere(conditions);
    }

    /// What is sent to a theater comes so much later.
    fn delay(&self, place: usize, delay: Duration) {
        let (least, most) = self.latency;
        let late = Conditions { delay: (least + delay, most + delay), ..Conditions::GOOD };
        (0..self.names.len()).for_each(|from| self.world.net.set(id(from), id(place), late));
    }

    /// A theater stands still for so long, as a process does that is stopped: what is sent to it
    /// meanwhile comes when it goes on.
    fn stands_still(&mut self, place: usize, milliseconds: usize) {
        self.paused = Some(place);
        self.goes_on_at = Some(NOW.get() + ms(milliseconds as u64));
        self.moves_for(milliseconds - 1);
        (self.paused, self.goes_on_at) = (None, None);
        self.delay(place, Duration::ZERO);
    }

    /// Somebody who can looks up somebody else, and has that one move, again and again.
    fn moves_for(&mut self, steps: usize) {
        type Found = Ask<Result<ActorRef<Which>, NameError>>;
        let mut finding: Vec<(usize, Found)> = Vec::new();
        for step in 0..steps {
            if step % self.pace == 0 {
                for (by, found) in std::mem::take(&mut finding) {
                    if let Ok(Ok(found)) = found.wait_timeout(Duration::ZERO) {
                        let to = id(self.world.random.below(self.theaters()));
                        self.requests.push(self.world.places[by].network.migrate(&found, to));
                    }
                }
                let by = self.world.random.below(self.names.len());
                let account = self.world.random.below(self.accounts);
                if self.paused != Some(by) {
                    finding.push((by, self.names[by].lookup(&name(account))));
                }
                self.sits();
            }
            self.step();
        }
    }

    /// The accounts that sit somewhere, of which none sits in two theaters.
    #[track_caller]
    fn sit(&self) -> BTreeSet<MobileId> {
        let mut all = BTreeSet::new();
        for place in &self.world.places {
            for actor in place.network.overview().mobile {
                assert!(all.insert(actor.id), "{:?} sits in two theaters", actor.id);
            }
        }
        all
    }

    /// Of those that there were.
    #[track_caller]
    fn sits(&self) -> usize {
        let sit = self.sit();
        assert!(
            sit.is_subset(&self.ids),
            "{:?} is nobody, at {:?}",
            sit.difference(&self.ids),
            NOW.get()
        );
        sit.len()
    }

    /// All theaters see each other: all accounts are there, and everybody finds them.
    #[track_caller]
    fn all_are_there(&mut self, what: &str) {
        assert_eq!(self.sits(), self.accounts, "accounts, {what}");
        for by in 0..self.names.len() {
            let found: Vec<_> =
                (0..self.accounts).map(|it| self.names[by].lookup::<Which>(&name(it))).collect();
            self.steps(200);
            for (account, found) in found.into_iter().enumerate() {
                let found = found.wait_timeout(Duration::ZERO);
                let Ok(Ok(found)) = found else {
                    panic!("account {account} in theater {by}: {found:?}, {what}")
                };
                let asked = found.ask(Which);
                self.steps(50);
                assert_eq!(asked.wait_timeout(Duration::ZERO), Ok(account), "{what}");
            }
        }
    }
}

/// Longer than it takes that theaters meet again, names are brought back and follow, and who was
/// lost is looked for.
const SETTLES: usize = 15_000;

/// Longer than it takes at most until servers know a name again that they have wrong (S33).
const CONFIRMED: usize = 40_000;

#[test]
fn s34_nobody_who_has_a_name_is_lost_while_theaters_are_paused() {
    for_seeds(6, |seed| {
        let mut bank = Bank::new(seed, 3, 12);
        bank.moves_for(500);
        for _ in 0..4 {
            let place = bank.world.random.below(3);
            bank.pause(place, true);
            bank.moves_for(4_000);
            bank.pause(place, false);
            bank.moves_for(1_000);
        }
        bank.steps(SETTLES);
        bank.all_are_there(&format!("seed {seed}"));
    });
}

#[test]
fn s34_nobody_who_has_a_name_is_lost_while_two_theaters_are_cut_off_from_each_other() {
    for_seeds(6, |seed| {
        let mut bank = Bank::new(seed, 3, 12);
        bank.moves_for(500);
        for _ in 0..4 {
            let one = bank.world.random.below(3);
            let way = [(one, (one + 1) % 3)];
            bank.cut(&way, true);
            bank.moves_for(3_500);
            bank.cut(&way, false);
            bank.moves_for(1_000);
        }
        bank.steps(SETTLES);
        bank.all_are_there(&format!("seed {seed}"));
    });
}

/// Packets take some time, so that actors are between two theaters for long, and a theater that
/// goes on learns one after the other what the others have done meanwhile. The pauses are shorter
/// than theaters take each other for dead, longer, and about as long, when only one may.
#[test]
fn s34_nobody_who_has_a_name_is_lost_while_theaters_stand_still_and_packets_take_long() {
    for_seeds(10, |seed| {
        let mut bank = Bank::new(seed, 3, 12);
        bank.pace = 2;
        bank.takes((1, 30));
        bank.moves_for(500);
        for stands in [300, 4_000, 2_100, 3_000, 2_000, 2_050] {
            let place = bank.world.random.below(3);
            bank.stands_still(place, stands);
            let between = bank.world.random.below(1_000);
            bank.moves_for(between);
        }
        bank.takes((0, 0));
        bank.steps(CONFIRMED);
        bank.all_are_there(&format!("seed {seed}"));
    });
}

#[test]
fn s34_nobody_who_has_a_name_is_lost_while_a_theater_stands_still() {
    let stands_still = |seed| {
        let mut bank = Bank::new(seed, 3, 12);
        bank.pace = 2;
        bank.moves_for(500);
        for stands in [300, 4_000, 3_000, 2_100] {
            bank.stands_still(1, stands);
            bank.moves_for(1_000);
        }
        bank.steps(SETTLES);
        bank.all_are_there(&format!("seed {seed}"));
    };
    for_seeds(10, stands_still);
    // A home took for the actor's end that its way there was lost while it was about to come back.
    [2, 4, 18].into_iter().for_each(stands_still);
}

/// An account moves from theater 0 to 1, and after so many milliseconds something happens for
/// longer than `dead_after`. A packet takes one.
fn after_every_step(what: &str, ways: impl Fn(&Bank) -> Vec<(usize, usize)>) {
    for after in 0..12 {
        // Before the name follows.
        for seed in [1, 2] {
            let mut bank = Bank::new(seed, 2, 1);
            bank.world.net.set_everywhere(Conditions { delay: (ms(1), ms(2)), ..Conditions::GOOD });
            let found = bank.names[2].lookup::<Which>(&name(0));
            bank.steps(50);
            let found = found.wait_timeout(Duration::ZERO).unwrap().unwrap();
            let asked = bank.world.places[2].network.migrate(&found, id(1));
            drop(found);
            bank.steps(after);
            let ways = ways(&bank);
            bank.cut(&ways, true);
            (0..3_500).for_each(|_| {
                bank.step();
                bank.sits();
            });
            bank.cut(&ways, false);
            bank.steps(SETTLES);
            let what = format!("{what} after {after} ms, seed {seed}, {:?}", asked);
            bank.all_are_there(&what);
        }
    }
}

#[test]
fn s34_an_account_is_there_once_whenever_the_way_is_cut_by_which_it_moves() {
    after_every_step("cut", |_| vec![(0, 1)]);
}

#[test]
fn s34_an_account_is_there_once_whenever_the_theater_is_cut_off_that_it_leaves() {
    after_every_step("cut off 0", |bank| bank.ways_of(0));
}

#[test]
fn s34_an_account_is_there_once_whenever_the_theater_is_cut_off_to_which_it_comes() {
    after_every_step("cut off 1", |bank| bank.ways_of(1));
}

/// An account moves from theater 0 to 1, and at once on to 2, which still reaches it by way of 0.
/// Theater 1 stands still meanwhile, and 0 gives it up a little before 2 would.
#[test]
fn s34_an_account_is_there_once_although_the_old_way_to_it_ends_while_it_comes() {
    for after in 0..12 {
        let mut bank = Bank::new(1, 3, 1);
        bank.takes((1, 1));
        let mut find = |by: usize| {
            let found = bank.names[by].lookup::<Which>(&name(0));
            bank.steps(20);
            found.wait_timeout(Duration::ZERO).unwrap().unwrap()
        };
        let (from_1, from_2) = (find(1), find(2));
        let moved = bank.world.places[1].network.migrate(&from_1, id(1));
        bank.steps(20);
        moved.wait_timeout(Duration::ZERO).unwrap().unwrap();
        let lost = Conditions { loss: 1.0, ..Conditions::GOOD };
        bank.world.net.set(id(1), id(0), lost);
        // Shorter than it takes until theater 2 is told that it has moved.
        bank.steps(50);
        let asked = bank.world.places[1].network.migrate(&from_1, id(2));
        bank.steps(after);
        let goes_on_at = NOW.get() + ms(1_980);
        bank.paused = Some(1);
        while NOW.get() < goes_on_at {
            let rest = goes_on_at.saturating_sub(NOW.get());
            for (from, behind) in [(0, ms(0)), (2, ms(30)), (3, ms(30))] {
                let delay = (rest + behind, rest + behind);
                let late = Conditions { delay, ..Conditions::GOOD };
                bank.world.net.set(id(from), id(1), late);
            }
            bank.step();
            bank.sits();
        }
        bank.paused = None;
        bank.steps(100);
        bank.takes((0, 0));
        bank.steps(SETTLES);
        bank.all_are_there(&format!("after {after} ms, {asked:?}"));
        drop(from_2);
    }
}

/// An account moves from theater 0, which keeps it for its name, to 1, and at once on to 2. From
/// then on what 0 sends to 2 is lost: 2 does not learn that 0 has taken its reference, and 1 has
/// given back its own when 2 gives 0 up.
#[test]
fn s34_an_account_is_there_although_the_reference_of_its_name_is_under_way() {
    let mut bank = Bank::new(1, 3, 1);
    bank.takes((1, 1));
    let found = bank.names[0].lookup::<Which>(&name(0));
    bank.steps(20);
    let found = found.wait_timeout(Duration::ZERO).unwrap().unwrap();
    for to in [1, 2] {
        if to == 2 {
            let lost = Conditions { loss: 1.0, ..Conditions::GOOD };
            bank.world.net.set(id(0), id(2), lost);
        }
        let moved = bank.world.places[0].network.migrate(&found, id(to));
        bank.steps(20);
        moved.wait_timeout(Duration::ZERO).unwrap().unwrap();
    }
    drop(found);
    for _ in 0..3_500 {
        bank.step();
        assert_eq!(bank.sits(), 1, "at {:?}", NOW.get());
    }
    bank.takes((0, 0));
    bank.steps(SETTLES);
    bank.all_are_there("afterwards");
}
