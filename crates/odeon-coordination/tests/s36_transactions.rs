//! S36: coordinated transactions that actors of several theaters take part in.

use crate::bank::{self, Bank, FIRST, Use, look};
use odeon_core::Ask;
use odeon_speculative::{Coordinate, CoordinationError, Outcome, Processing};
use odeon_theater::Conditions;
use std::time::Duration;

#[test]
fn s36_all_take_part_or_none() {
    let mut bank = Bank::new(1, 3, 1);
    let (_, transfer) = bank.transfer(0, &[(0, -30), (1, 10), (2, 20)]);
    assert_eq!(bank.outcome(transfer), Ok(()));
    let (_, transfer) = bank.transfer(0, &[(1, 50), (2, -500)]);
    let failed = bank.outcome(transfer);
    let Err(CoordinationError::Failed { participant, why }) = failed else { panic!("{failed:?}") };
    assert_eq!((participant, &*why), (bank.account(0, 2).id(), "not covered"));
    let settled = bank.settled();
    let balances: Vec<i64> = settled.values().map(|(balance, _)| *balance).collect();
    assert_eq!(balances, [FIRST - 30, FIRST + 10, FIRST + 20]);
    bank.check_that_all_is_over();
}

fn balance(bank: &mut Bank, account: usize) -> i64 {
    let home = bank.home(account);
    let asked = bank.account(home, account).ask(Use::Balance);
    bank.answer(asked).unwrap()
}

/// Each way takes 200 ms.
fn slow() -> Conditions {
    let delay = Duration::from_millis(200);
    Conditions { delay: (delay, delay), ..Conditions::GOOD }
}

/// A transfer of account 0 to account 1, of another theater, which is prepared there and not
/// decided.
fn prepared(bank: &mut Bank) -> Outcome {
    // So that the theaters know each other's agents.
    let (_, first) = bank.transfer(0, &[(0, 0), (1, 0)]);
    assert_eq!(bank.outcome(first), Ok(()));
    bank.everywhere(slow());
    let (_, mut transfer) = bank.transfer(0, &[(0, -5), (1, 5)]);
    // The message, the answer that it is there, the call, and a bit more.
    bank.steps(3 * 200 + 50);
    assert!(look(&mut transfer).is_none());
    transfer
}

#[test]
fn s36_what_was_sent_before_is_seen_and_replies_come_with_the_commit() {
    let mut bank = Bank::new(2, 2, 1);
    for transfer in 1..=10 {
        let account = bank.account(0, 1);
        account.send(Use::Add { amount: 1, transfer }).unwrap();
    }
    let (outcome, asks) = bank.read(0, &[0, 1]);
    assert_eq!(bank.outcome(outcome), Ok(()));
    let seen: Vec<i64> = asks.into_iter().map(|ask| bank.answer(ask).unwrap()).collect();
    assert_eq!(seen, [FIRST, FIRST + 10]);
}

#[test]
fn s36_other_messages_go_on_while_a_transaction_is_prepared() {
    // `sequential` has an actor to itself from the first handler until the outcome: then nothing
    // else goes on.
    let mut bank = Bank::with(3, 2, 1, || Processing::default().width(4));
    let transfer = prepared(&mut bank);
    let home = |bank: &Bank| bank.account(1, 1).clone();
    let mut visit: Ask<u64> = home(&bank).ask(Use::Visit);
    let mut conflicting = home(&bank).ask(Use::Balance);
    bank.steps(20);
    assert_eq!(look(&mut visit), Some(Ok(1)), "it does not wait");
    assert!(look(&mut conflicting).is_none(), "what the transaction has written is not known yet");
    assert_eq!(bank.outcome(transfer), Ok(()));
    assert_eq!(bank.answer(conflicting), Ok(FIRST + 5));
}

#[test]
fn s36_an_actor_that_ends_while_it_is_prepared_changes_no_outcome() {
    let mut bank = Bank::new(4, 3, 1);
    // So that the theaters know each other's agents.
    let (_, first) = bank.transfer(0, &[(0, 0), (1, 0)]);
    assert_eq!(bank.outcome(first), Ok(()));
    bank.everywhere(slow());
    let place = &bank.places[0];
    let witness = place.accounts[2].clone();
    let mut transfer = place.run.theater().coordinate(|co| {
        co.send(&place.accounts[0], Use::Add { amount: -5, transfer: 7 });
        co.send(&place.accounts[1], Use::AddAndTell { amount: 5, transfer: 7, witness });
    });
    bank.steps(3 * 200 + 50);
    assert!(look(&mut transfer).is_none());
    bank.account(1, 1).stop();
    assert_eq!(bank.outcome(transfer), Ok(()));
    assert_eq!(balance(&mut bank, 0), FIRST - 5);
    bank.steps(1_000);
    let told = bank.account(2, 2).ask(Use::Transfers);
    assert_eq!(bank.answer(told), Ok(vec![7]), "what it has sent is sent");
    bank.check_that_all_is_over();
}

#[test]
fn s36_a_deadline_rolls_back_everywhere() {
    let mut bank = Bank::new(5, 2, 1);
    bank.net.cut(bank::id(0), bank::id(1));
    let place = &bank.places[0];
    let transfer = place.run.theater().coordinate(|co| {
        co.send(&place.accounts[0], Use::Add { amount: -5, transfer: 1 });
        co.send(&place.accounts[1], Use::Add { amount: 5, transfer: 1 });
        co.deadline(Duration::from_millis(300));
    });
    assert_eq!(bank.outcome(transfer), Err(CoordinationError::Deadline));
    bank.net.heal(bank::id(0), bank::id(1));
    bank.check_that_all_is_over();
    assert_eq!([0, 1].map(|account| balance(&mut bank, account)), [FIRST, FIRST]);
}

#[test]
fn s36_who_asks_to_wait_lets_go_everywhere_and_goes_on_with_the_change() {
    let mut bank = Bank::new(6, 2, 1);
    let place = &bank.places[0];
    let mut waits = place.run.theater().coordinate(|co| {
        co.send(&place.accounts[0], Use::Add { amount: 50, transfer: 1 });
        co.send(&place.accounts[1], Use::TakeWhenThere { amount: FIRST + 50 });
    });
    bank.steps(500);
    assert!(look(&mut waits).is_none());
    // By another sender: what its own sends behind it waits for the outcome.
    let asked = bank.account(1, 0).ask(Use::Balance);
    assert_eq!(bank.answer(asked), Ok(FIRST), "it holds nothing");
    // Itself a transaction of both.
    let (_, transfer) = bank.transfer(1, &[(0, -50), (1, 50)]);
    assert_eq!(bank.outcome(transfer), Ok(()));
    assert_eq!(bank.outcome(waits), Ok(()));
    assert_eq!([0, 1].map(|account| balance(&mut bank, account)), [FIRST, 0]);
    bank.check_that_all_is_over();
}

#[test]
fn s36_those_that_meet_in_opposite_orders_all_come_to_their_ends() {
    for seed in 0..20 {
        let mut bank = Bank::new(seed, 2, 2);
        bank.everywhere(Conditions {
            delay: (Duration::ZERO, Duration::from_millis(5)),
            ..Conditions::GOOD
        });
        let transfers: Vec<Outcome> = (0..40)
            .map(|number| {
                let (from, to) = if number % 2 == 0 { (0, 1) } else { (1, 0) };
                bank.transfer(number % 2, &[(from, -1), (to, 1), (from + 2, -1), (to + 2, 1)]).1
            })
            .collect();
        for transfer in transfers {
            assert_eq!(bank.outcome(transfer), Ok(()), "seed {seed}");
        }
        bank.check_that_all_is_over();
    }
}

#[test]
fn s36_one_that_meets_others_everywhere_does_not_starve() {
    for seed in 0..10 {
        let mut bank = Bank::new(seed, 3, 1);
        bank.everywhere(Conditions {
            delay: (Duration::ZERO, Duration::from_millis(5)),
            ..Conditions::GOOD
        });
        let mut storm: Vec<Outcome> = Vec::new();
        let (mut outcome, _asks) = bank.read(0, &[0, 1, 2]);
        let mut steps = 0;
        while look(&mut outcome).is_none() {
            storm.retain_mut(|transfer| look(transfer).is_none());
            while storm.len() < 30 {
                let (from, account) = (bank.below(3), bank.below(3));
                let (_, transfer) = bank.transfer(
                    from,
                    &[(account, -1), ((account + 1) % 3, 1), ((account + 2) % 3, 0)],
                );
                storm.push(transfer);
            }
            bank.tick();
            steps += 1;
            // Unless others stand back for it, it takes twice as long in some of these runs.
            assert!(steps < 250, "seed {seed}");
        }
    }
}

#[test]
fn s36_handlers_join_other_actors_of_their_theater() {
    let mut bank = Bank::new(8, 2, 2);
    // Accounts 1 and 3 live in theater 1.
    let pass_on = |bank: &mut Bank, amount: i64| {
        let place = &bank.places[0];
        let outcome = place.run.theater().coordinate(|co| {
            co.send(&place.accounts[0], Use::Add { amount: -amount, transfer: 1 });
            co.send(&place.accounts[1], Use::Add { amount, transfer: 1 });
            let to = place.accounts[3].clone();
            co.send(&place.accounts[1], Use::PassOn { amount: 2 * amount, to });
        });
        bank.outcome(outcome)
    };
    assert_eq!(pass_on(&mut bank, 10), Ok(()));
    let now = [0, 1, 3].map(|account| balance(&mut bank, account));
    assert_eq!(now, [FIRST - 10, FIRST - 10, FIRST + 20]);
    let failed = pass_on(&mut bank, -200);
    assert!(matches!(failed, Err(CoordinationError::Failed { .. })), "{failed:?}");
    assert_eq!([0, 1, 3].map(|account| balance(&mut bank, account)), now);
    bank.check_that_all_is_over();
}

#[test]
fn s36_who_has_ended_or_takes_no_part_fails_a_transaction() {
    let mut bank = Bank::new(9, 3, 1);
    bank.everywhere(slow());
    bank.account(1, 1).stop();
    let (_, transfer) = bank.transfer(0, &[(0, -5), (1, 5)]);
    assert_eq!(bank.outcome(transfer), Err(CoordinationError::Stopped));
    bank.places[2].coordination.leave();
    let (_, transfer) = bank.transfer(0, &[(0, -5), (2, 5)]);
    assert_eq!(bank.outcome(transfer), Err(CoordinationError::Unreachable));
    bank.kill(2);
    bank.steps(5_000);
    // The reference has ended with the theater, as one to an actor that has stopped.
    let (_, transfer) = bank.transfer(0, &[(0, -5), (2, 5)]);
    assert_eq!(bank.outcome(transfer), Err(CoordinationError::Stopped));
    assert_eq!(balance(&mut bank, 0), FIRST);
    bank.check_that_all_is_over();
}
