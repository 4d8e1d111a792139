//! S36: what handlers join to actors of other theaters.

use crate::bank::{self, Bank, FIRST, Use, look};
use odeon_core::{Actor, ActorRef, Context, Theater};
use odeon_speculative::{Coordinate, CoordinationError, Processing, SpawnSpeculative};
use odeon_testkit::Deterministic;
use odeon_theater::extend::leaves;
use odeon_theater::{Conditions, LinkConfig, Network, TheaterId};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

fn balances(bank: &mut Bank) -> Vec<i64> {
    bank.settled().values().map(|(balance, _)| *balance).collect()
}

#[test]
fn s36_a_plan_of_one_theater_takes_on_others_by_its_handlers() {
    let mut bank = Bank::new(1, 3, 1);
    let account = |bank: &Bank, number| bank.account(0, number).clone();
    let others = vec![(account(&bank, 1), 10), (account(&bank, 2), 20)];
    let spread = Use::Spread { amount: -30, transfer: 1, others };
    let outcome = bank.places[0].run.theater().coordinate(|co| {
        co.send(bank.account(0, 0), spread);
    });
    assert_eq!(bank.outcome(outcome), Ok(()));
    assert_eq!(balances(&mut bank), [FIRST - 30, FIRST + 10, FIRST + 20]);
    bank.check_that_all_is_over();
}

#[test]
fn s36_a_message_becomes_a_transaction_of_several_theaters_by_what_its_handler_joins() {
    let mut bank = Bank::new(2, 3, 1);
    // The whole way round, and back to where it began.
    let [first, second, third] = [0, 1, 2].map(|number| bank.account(0, number).clone());
    let rest = vec![(first.clone(), 1), (third, 2), (second, 4)];
    first.send(Use::Chain { amount: -7, transfer: 1, rest }).unwrap();
    bank.steps(200);
    assert_eq!(balances(&mut bank), [FIRST - 6, FIRST + 4, FIRST + 2]);
    bank.check_that_all_is_over();
}

#[test]
fn s36_what_is_joined_elsewhere_and_fails_takes_all_back() {
    let mut bank = Bank::new(3, 3, 1);
    for (from, order) in [(0, [0, 1, 2]), (1, [2, 0, 1]), (2, [1, 2, 0])] {
        let [first, second, third] = order.map(|number| bank.account(from, number).clone());
        let rest = vec![(third, -FIRST - 1), (second, 1)];
        let outcome = bank.places[from].run.theater().coordinate(|co| {
            co.send(&first, Use::Chain { amount: FIRST, transfer: 1, rest });
        });
        match bank.outcome(outcome) {
            Err(CoordinationError::Failed { why, .. }) => assert_eq!(&*why, "not covered"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(balances(&mut bank), [FIRST; 3]);
    bank.check_that_all_is_over();
}

#[test]
fn s36_what_is_joined_elsewhere_waits_for_a_change_and_holds_up_nobody() {
    let mut bank = Bank::new(4, 2, 1);
    let of = bank.account(0, 1).clone();
    let mut outcome = bank.places[0].run.theater().coordinate(|co| {
        co.send(bank.account(0, 0), Use::HaveTaken { amount: FIRST + 5, of: of.clone() });
    });
    bank.steps(300);
    assert!(look(&mut outcome).is_none());
    // Neither of them is held: for other senders.
    let [one, other] = [0, 1].map(|account| bank.account(1, account).ask(Use::Visit));
    assert_eq!(bank.answer(one), Ok(1));
    assert_eq!(bank.answer(other), Ok(1));
    of.send(Use::Add { amount: 5, transfer: 0 }).unwrap();
    assert_eq!(bank.outcome(outcome), Ok(()));
    assert_eq!(balances(&mut bank), [2 * FIRST + 5, 0]);
    bank.check_that_all_is_over();
}

#[test]
fn s36_an_answer_that_is_passed_on_comes_from_the_last_theater_and_when_all_has_happened() {
    for seed in 0..5 {
        let mut bank = Bank::new(seed, 3, 1);
        for from in 0..3 {
            let [first, second, third] =
                [0, 1, 2].map(|it| bank.account(from, (from + it) % 3).clone());
            // The first one once more at the end.
            let rest = vec![first.clone(), third.clone(), second];
            let sum = first.ask(|reply| Use::Sum { so_far: 0, rest, reply });
            assert_eq!(bank.answer(sum), Ok(4 * FIRST), "seed {seed}");
            // Nobody waits for the answer.
            let rest = vec![third];
            let sum = first.ask(|reply| Use::Sum { so_far: 0, rest, reply });
            drop(sum);
        }
        bank.check_that_all_is_over();
    }
}

#[test]
fn s36_the_deadline_holds_for_what_is_joined_elsewhere_too() {
    let mut bank = Bank::new(5, 2, 1);
    // One that begins in its theater alone, and one that has been one of several from the
    // beginning.
    for from in [0, 1] {
        let of = bank.account(from, 1).clone();
        let outcome = bank.places[from].run.theater().coordinate(|co| {
            co.send(bank.account(from, 0), Use::HaveTaken { amount: FIRST + 5, of });
            co.deadline(Duration::from_millis(50));
        });
        assert_eq!(bank.outcome(outcome), Err(CoordinationError::Deadline));
    }
    assert_eq!(balances(&mut bank), [FIRST; 2]);
    bank.check_that_all_is_over();
}

#[test]
fn s36_joins_in_opposite_directions_all_come_to_their_end() {
    for seed in 0..20 {
        let mut bank = Bank::new(seed, 3, 1);
        let mut outcomes = Vec::new();
        for turn in 0..30 {
            let from = turn % 3;
            let [first, second, third] =
                [0, 1, 2].map(|it| bank.account(from, (from + it) % 3).clone());
            let rest = vec![(third, 1), (second, 1)];
            outcomes.push(bank.places[from].run.theater().coordinate(|co| {
                co.send(&first, Use::Chain { amount: -2, transfer: 1, rest });
            }));
        }
        for outcome in outcomes {
            assert_eq!(bank.outcome(outcome), Ok(()), "seed {seed}");
        }
        assert_eq!(balances(&mut bank), [FIRST; 3], "seed {seed}");
        bank.check_that_all_is_over();
    }
}

/// The theater that leads takes part no longer from this step on, while what a handler has joined
/// is on a slow way between two others, one of which has a part.
fn leader_leaves_at(step: usize) {
    let mut bank = Bank::new(step as u64, 3, 1);
    let slow = (Duration::from_millis(30), Duration::from_millis(40));
    bank.net.set(bank::id(1), bank::id(2), Conditions { delay: slow, ..Conditions::GOOD });
    let place = &bank.places[0];
    let others = vec![(place.accounts[2].clone(), 6)];
    let _outcome = place.run.theater().coordinate(|co| {
        co.send(&place.accounts[1], Use::Spread { amount: -10, transfer: 1, others });
        co.send(&place.accounts[2], Use::Add { amount: 4, transfer: 1 });
    });
    bank.steps(step);
    bank.places[0].coordination.leave();
    bank.check_that_all_is_over();
    let expected = [FIRST - 10, FIRST + 10];
    let found = balances(&mut bank);
    let agree = found[1..] == expected || found[1..] == [FIRST; 2];
    assert!(agree, "step {step}: {found:?}");
    // Nothing is held by what was left.
    let (_, outcome) = bank.transfer(1, &[(1, -1), (2, 1)]);
    assert_eq!(bank.outcome(outcome), Ok(()), "step {step}");
}

/// The theater that leads leaves the network at this step.
fn network_is_left_at(step: usize, way: bank::Way) {
    let mut bank = Bank::new(step as u64, 3, 1);
    bank.way = way;
    let slow = (Duration::from_millis(1), Duration::from_millis(4));
    bank.everywhere(Conditions { delay: slow, ..Conditions::GOOD });
    let (_, outcome) = bank.transfer(0, &[(0, -10), (1, 4), (2, 6)]);
    bank.steps(step);
    let network = bank.places[0].network.clone();
    let leaving = std::thread::spawn(move || network.leave(Duration::from_secs(60)));
    while !leaves(&bank.places[0].network) {
        std::thread::yield_now();
    }
    let outcome = bank.outcome(outcome);
    bank.check_that_all_is_over();
    // The thread may have got no time until here.
    while !leaving.is_finished() {
        bank.steps(1);
    }
    assert!(leaving.join().unwrap(), "what was sent has gone");
    let found = &balances(&mut bank)[1..];
    let both = [FIRST + 4, FIRST + 6];
    assert!(found == both || found == [FIRST; 2], "{way:?}, step {step}: {found:?}");
    assert!(outcome.is_err() || found == both, "{way:?}, step {step}: {outcome:?}, {found:?}");
}

#[test]
fn s36_who_leaves_the_network_does_not_decide_alone() {
    bank::WAYS.iter().for_each(|way| (0..60).for_each(|step| network_is_left_at(step, *way)));
}

#[test]
fn s36_what_is_joined_finds_the_part_that_its_leader_has_left() {
    (0..120).for_each(leader_leaves_at);
}

#[test]
fn s36_one_who_has_ended_is_joined_in_vain() {
    let mut bank = Bank::new(6, 2, 1);
    let gone = bank.account(0, 1).clone();
    bank.account(1, 1).stop();
    let outcome = bank.places[0].run.theater().coordinate(|co| {
        let others = vec![(gone, 1)];
        co.send(bank.account(0, 0), Use::Spread { amount: -1, transfer: 1, others });
    });
    assert_eq!(bank.outcome(outcome), Err(CoordinationError::Stopped));
    let balance = bank.account(0, 0).ask(Use::Balance);
    assert_eq!(bank.answer(balance), Ok(FIRST));
    bank.check_that_all_is_over();
}

/// Takes the messages of accounts, and is none.
struct Plain;

impl Actor for Plain {
    type Msg = Use;
    fn handle(&mut self, _: Use, _: &mut Context<'_, Self>) {}
}

#[test]
fn s36_theaters_and_actors_that_take_no_part_are_joined_in_vain() {
    let mut bank = Bank::new(7, 2, 1);
    let stranger = Deterministic::with(99, Theater::builder());
    let config = LinkConfig::new("bank", 65_000);
    let net = bank.net.clone();
    let network = Network::join(stranger.theater(), TheaterId::from_bits(77), config, |me, it| {
        Ok::<_, Infallible>(Arc::new(net.join(me, it)))
    });
    let network = network.unwrap();
    let spawn = stranger.theater().spawn_speculative(bank::Account::new(5), Processing::default());
    network.publish("speculative", &spawn.actor_ref());
    network.publish("plain", &stranger.theater().spawn(Plain));
    let tick = |bank: &mut Bank| {
        bank.tick();
        stranger.advance(Duration::from_millis(1));
    };
    let mut found: Vec<ActorRef<Use>> = Vec::new();
    for name in ["speculative", "plain"] {
        let mut finding = bank.places[0].network.at(TheaterId::from_bits(77)).lookup(name);
        found.push(loop {
            tick(&mut bank);
            if let Some(found) = look(&mut finding) {
                break found.unwrap().unwrap();
            }
        });
    }
    found.push(bank.places[0].run.theater().spawn(Plain));
    for other in found {
        let mut outcome = bank.places[0].run.theater().coordinate(|co| {
            let others = vec![(other, 1)];
            co.send(bank.account(0, 0), Use::Spread { amount: -1, transfer: 1, others });
        });
        let outcome = loop {
            tick(&mut bank);
            if let Some(outcome) = look(&mut outcome) {
                break outcome;
            }
        };
        assert_eq!(outcome, Err(CoordinationError::Unreachable));
    }
    let balance = bank.account(0, 0).ask(Use::Balance);
    assert_eq!(bank.answer(balance), Ok(FIRST));
}
