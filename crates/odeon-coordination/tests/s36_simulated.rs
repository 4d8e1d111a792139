//! S36 with theaters in one thread, from seeds: what nobody may see of transfers between them,
//! whatever the network does and whoever dies.

use crate::bank::{self, Bank, FIRST, Use, WAYS, Way, look};
use odeon_speculative::{Coordinate, CoordinationError, Outcome};
use odeon_testkit::for_seeds;
use odeon_theater::Conditions;
use std::collections::BTreeSet;
use std::time::Duration;

fn bad() -> Conditions {
    Conditions {
        delay: (Duration::ZERO, Duration::from_millis(8)),
        loss: 0.1,
        duplication: 0.1,
        reordering: 0.1,
        ..Conditions::GOOD
    }
}

/// What is under way.
enum Doing {
    Moves(Vec<usize>, u64, Outcome),
    Reads(Outcome, Vec<odeon_core::Ask<i64>>),
}

struct Run {
    bank: Bank,
    doing: Vec<Doing>,
    /// Transfers that have been said to have happened, and those that have not, by the accounts
    /// they concern.
    happened: Vec<(Vec<usize>, u64)>,
    did_not: BTreeSet<u64>,
    begun: Vec<(Vec<usize>, u64)>,
    reads: usize,
    /// Whether nobody dies.
    all_live: bool,
}

impl Run {
    fn new(mut bank: Bank, way: Way) -> Self {
        bank.way = way;
        let (doing, happened, begun) = (Vec::new(), Vec::new(), Vec::new());
        let did_not = BTreeSet::new();
        Self { bank, doing, happened, did_not, begun, reads: 0, all_live: true }
    }

    /// A transfer among two or three accounts, begun anywhere.
    fn begin_transfer(&mut self) {
        let (from, accounts) = (self.bank.somebody(), self.bank.accounts());
        let first = self.bank.below(accounts);
        let second = (first + 1 + self.bank.below(accounts - 1)) % accounts;
        let amount = self.bank.below(60) as i64;
        let mut parts = vec![(first, -amount), (second, amount)];
        if self.bank.below(3) == 0 {
            // Twice at the same actor.
            parts.extend([(first, -1), (second, 1)]);
        }
        let (transfer, outcome) = self.bank.transfer(from, &parts);
        let concerned: Vec<usize> = vec![first, second];
        self.begun.push((concerned.clone(), transfer));
        self.doing.push(Doing::Moves(concerned, transfer, outcome));
    }

    fn begin_read(&mut self) {
        let all: Vec<usize> = (0..self.bank.accounts()).collect();
        let from = self.bank.somebody();
        let (outcome, asks) = self.bank.read(from, &all);
        self.doing.push(Doing::Reads(outcome, asks));
    }

    fn tick(&mut self) {
        self.bank.tick();
        for mut doing in std::mem::take(&mut self.doing) {
            match &mut doing {
                Doing::Moves(concerned, transfer, outcome) => match look(outcome) {
                    None => self.doing.push(doing),
                    Some(Ok(())) => self.happened.push((concerned.clone(), *transfer)),
                    Some(Err(CoordinationError::Lost)) => {}
                    Some(Err(why)) => {
                        let is_known = matches!(why, CoordinationError::Failed { .. });
                        assert!(is_known || !self.all_live, "seed {}: {why}", self.bank.seed);
                        self.did_not.insert(*transfer);
                    }
                },
                Doing::Reads(outcome, _) => match look(outcome) {
                    None => self.doing.push(doing),
                    Some(Err(_)) => assert!(!self.all_live, "seed {}", self.bank.seed),
                    Some(Ok(())) => {
                        let Doing::Reads(_, asks) = &mut doing else { unreachable!() };
                        self.has_read(asks);
                    }
                },
            }
        }
    }

    fn has_read(&mut self, asks: &mut [odeon_core::Ask<i64>]) {
        let seen: Vec<_> = asks.iter_mut().map(|ask| self.bank.until(|_| look(ask))).collect();
        if seen.iter().all(Result::is_ok) {
            let total: i64 = seen.into_iter().flatten().sum();
            let all = FIRST * self.bank.accounts() as i64;
            assert_eq!(total, all, "seed {}", self.bank.seed);
            self.reads += 1;
        }
    }

    fn finish(&mut self) {
        for _ in 0..20_000 {
            if self.doing.is_empty() {
                break;
            }
            self.tick();
        }
        assert!(self.doing.is_empty(), "seed {}: all is decided", self.bank.seed);
    }

    /// Each transfer has happened at all accounts that are left, or at none, as was said.
    fn check_transfers(&mut self) {
        let (settled, seed) = (self.bank.settled(), self.bank.seed);
        for (concerned, transfer) in &self.begun {
            let mut known = concerned.iter().filter_map(|account| settled.get(account));
            let Some((_, first)) = known.next() else { continue };
            let has = first.contains(transfer);
            let agree = known.all(|(_, transfers)| transfers.contains(transfer) == has);
            assert!(agree, "seed {seed}: transfer {transfer} of {concerned:?}");
            assert!(!(has && self.did_not.contains(transfer)), "seed {seed}: {transfer}");
        }
        for (concerned, transfer) in &self.happened {
            for (_, transfers) in concerned.iter().filter_map(|account| settled.get(account)) {
                assert!(transfers.contains(transfer), "seed {seed}: {transfer}");
            }
        }
    }
}

fn lossy(seed: u64, way: Way) {
    let theaters = 2 + (seed % 3) as usize;
    let mut run = Run::new(Bank::new(seed, theaters, 2), way);
    run.bank.everywhere(bad());
    for step in 0..400 {
        match run.bank.below(12) {
            0 | 1 => run.begin_transfer(),
            2 if step % 3 == 0 => run.begin_read(),
            _ => {}
        }
        run.tick();
    }
    run.finish();
    assert!(run.happened.len() > 20 && run.reads > 2, "{} {}", run.happened.len(), run.reads);
    run.check_transfers();
    run.bank.everywhere(Conditions::GOOD);
    run.bank.check_that_all_is_over();
}

#[test]
fn s36_a_bad_network_neither_makes_nor_loses_money() {
    WAYS.iter().for_each(|way| for_seeds(20, |seed| lossy(seed, *way)));
}

/// One transfer of three theaters, of which one is killed at this step; another one wants the same
/// accounts.
fn killed_at(step: usize, victim: usize, way: Way) {
    let slow = (Duration::from_millis(2), Duration::from_millis(4));
    let mut run = Run::new(Bank::new(step as u64, 3, 1), way);
    run.bank.everywhere(Conditions { delay: slow, ..Conditions::GOOD });
    run.all_live = false;
    for from in [0, 1] {
        let (transfer, outcome) = run.bank.transfer(from, &[(0, -10), (1, 4), (2, 6)]);
        run.begun.push((vec![0, 1, 2], transfer));
        run.doing.push(Doing::Moves(vec![0, 1, 2], transfer, outcome));
    }
    (0..step).for_each(|_| run.tick());
    run.bank.kill(victim);
    if victim < 2 {
        // Nobody hears of the outcome.
        run.doing.retain(
            |doing| matches!(doing, Doing::Moves(_, transfer, _) if *transfer != victim as u64 + 1),
        );
    }
    run.finish();
    run.check_transfers();
    run.bank.check_that_all_is_over();
}

#[test]
fn s36_whoever_is_killed_at_whatever_step_the_others_come_to_the_same() {
    for way in WAYS {
        for victim in 0..3 {
            (0..80).for_each(|step| killed_at(step, victim, way));
        }
    }
}

/// A transfer whose leader is cut off at this step and gives up a little later, if it can, and is
/// then killed. What its part has told a witness has happened.
fn leader_is_cut_off_at(step: usize, is_cut_off_from: &[usize]) {
    let slow = (Duration::from_millis(2), Duration::from_millis(4));
    let mut run = Run::new(Bank::new(step as u64, 4, 1), Way::Plan);
    let (_, first) = run.bank.transfer(0, &[(0, 0), (1, 0), (2, 0)]);
    assert_eq!(run.bank.outcome(first), Ok(()));
    run.bank.everywhere(Conditions { delay: slow, ..Conditions::GOOD });
    run.all_live = false;
    let place = &run.bank.places[0];
    let witness = place.accounts[3].clone();
    let outcome = place.run.theater().coordinate(|co| {
        co.send(&place.accounts[0], Use::AddAndTell { amount: -10, transfer: 9, witness });
        co.send(&place.accounts[1], Use::Add { amount: 4, transfer: 9 });
        co.send(&place.accounts[2], Use::Add { amount: 6, transfer: 9 });
        co.deadline(Duration::from_millis(step as u64 + 8));
    });
    run.begun.push((vec![0, 1, 2], 9));
    run.doing.push(Doing::Moves(vec![0, 1, 2], 9, outcome));
    (0..step).for_each(|_| run.tick());
    is_cut_off_from.iter().for_each(|other| run.bank.net.cut(bank::id(0), bank::id(*other)));
    (0..15).for_each(|_| run.tick());
    run.bank.kill(0);
    run.doing.clear();
    (0..6_000).for_each(|_| run.tick());
    run.check_transfers();
    let settled = run.bank.settled();
    let is_told = settled[&3].1.contains(&9);
    assert!(!is_told || settled[&1].1.contains(&9), "step {step}: the witness knows better");
    run.bank.check_that_all_is_over();
}

#[test]
fn s36_nothing_has_happened_at_the_leader_that_the_others_may_not_come_to() {
    for others in [&[1, 2][..], &[1]] {
        (0..60).for_each(|step| leader_is_cut_off_at(step, others));
    }
}

/// Transfers by a bad network, while theaters are killed, sometimes two at the same moment.
fn struck(seed: u64, way: Way) {
    let mut run = Run::new(Bank::new(seed, 5, 1), way);
    run.bank.everywhere(bad());
    run.all_live = false;
    let both = run.bank.below(2) == 0;
    for step in 0..600 {
        if run.bank.below(6) == 0 {
            run.begin_transfer();
        }
        if step == 200 || step == 400 || both && step == 401 {
            let killed = run.bank.somebody();
            run.bank.kill(killed);
        }
        run.tick();
    }
    for _ in 0..20_000 {
        run.tick();
    }
    run.bank.everywhere(Conditions::GOOD);
    run.check_transfers();
    run.bank.check_that_all_is_over();
}

#[test]
fn s36_survivors_of_several_deaths_agree_and_none_stays_prepared() {
    WAYS.iter().for_each(|way| for_seeds(20, |seed| struck(seed, *way)));
}

/// Cuts that are over before anybody is taken for dead, and some that are not: then only this is
/// promised, that everything is decided.
fn cut(seed: u64, way: Way) {
    let is_long = seed % 2 == 1;
    let mut run = Run::new(Bank::new(seed, 3, 2), way);
    let delay = (Duration::ZERO, Duration::from_millis(3));
    run.bank.everywhere(Conditions { delay, ..Conditions::GOOD });
    run.all_live = !is_long;
    for _ in 0..3 {
        for _ in 0..50 {
            if run.bank.below(3) == 0 {
                run.begin_transfer();
            }
            run.tick();
        }
        let (one, other) = (run.bank.below(3), run.bank.below(2));
        let other = (one + 1 + other) % 3;
        run.bank.net.cut(bank::id(one), bank::id(other));
        let length = if is_long { 2_500 } else { 1_000 };
        for step in 0..length {
            if step % 100 == 0 && !is_long {
                run.begin_transfer();
            }
            run.tick();
        }
        run.bank.net.heal(bank::id(one), bank::id(other));
        // Long enough for them to hear of each other before the next one: what is sent again waits
        // up to half a second.
        (0..600).for_each(|_| run.tick());
    }
    run.finish();
    if !is_long {
        run.check_transfers();
    }
    run.bank.check_that_all_is_over();
}

#[test]
fn s36_a_cut_that_nobody_dies_of_changes_nothing_and_a_longer_one_leaves_nothing_undecided() {
    WAYS.iter().for_each(|way| {
        for_seeds(20, |seed| cut(seed, *way));
    });
}
