//! What agents are told out of its time, or by somebody who does not mean well: numbers as great as
//! can be.

#[path = "../../tests/bank/mod.rs"]
mod bank;

use self::bank::{Bank, id};
use crate::agent::tell::{Joins, Run, Standing, Tell};
use crate::id::{Head, Id};
use odeon_theater::extend::Companions;

fn everywhere(bank: &mut Bank, tell: impl Fn() -> Tell) {
    for place in &bank.places {
        place.coordination.inner.agent.send(tell()).expect("the agent is there");
    }
    bank.steps(20);
}

fn run(stamp: u64) -> Tell {
    let id = Id { leader: id(1), number: u64::MAX };
    Tell::Run(Run { id, round: u32::MAX, participants: vec![id.leader], stamp, is_urgent: true })
}

/// Transactions that meet in opposite orders all come to their ends.
#[track_caller]
fn serve_on(bank: &mut Bank) {
    let begun: Vec<_> = (0..12)
        .map(|n| bank.transfer(n % 3, &[(n % 3, -1), ((n + 1) % 3, 2), ((n + 2) % 3, -1)]).1)
        .collect();
    for outcome in begun {
        assert_eq!(bank.outcome(outcome), Ok(()));
    }
}

#[test]
fn agents_that_have_seen_the_greatest_stamp_lead_on() {
    for stamp in [u64::MAX, u64::MAX - 5] {
        let mut bank = Bank::new(1, 3, 1);
        everywhere(&mut bank, || run(stamp));
        serve_on(&mut bank);
        bank.check_that_all_is_over();
    }
}

#[test]
fn numbers_that_are_only_compared_do_no_harm() {
    let mut bank = Bank::new(2, 3, 1);
    let (it, from, round) = (Id { leader: id(1), number: u64::MAX }, id(2), u32::MAX);
    everywhere(&mut bank, || Tell::Ready { id: it, from, after: round });
    everywhere(&mut bank, || Tell::GivesWay { id: it, from, round, for_a_change: false });
    let joins = || Joins { sent: vec![(id(1), u32::MAX), (id(2), u32::MAX)], handled: u32::MAX };
    everywhere(&mut bank, || Tell::Prepared { id: it, from, round, joins: joins() });
    everywhere(&mut bank, || Tell::Joins { id: it, round, member: from });
    everywhere(&mut bank, || Tell::Joined { id: it, from });
    everywhere(&mut bank, || Tell::JoinLost { id: it, round });
    everywhere(&mut bank, || Tell::RollBack { id: it, round, is_calm: true });
    everywhere(&mut bank, || Tell::Abort { id: it, of: u32::MAX });
    everywhere(&mut bank, || Tell::Lost { id: it });
    everywhere(&mut bank, || run(0));
    serve_on(&mut bank);
}

#[test]
fn what_comes_behind_the_commit_and_was_joined_in_a_void_round_hides_the_outcome_from_nobody() {
    let mut bank = Bank::new(3, 3, 1);
    let (_, outcome) = bank.transfer(0, &[(1, -1), (2, 1)]);
    bank.until(|bank| (bank.places[1].coordination.records() == 1).then_some(()));
    let it = Id { leader: id(0), number: 1 };
    let there = &bank.places[1].coordination.inner;
    let late = Head { id: it, place: 0, of: 0, to: id(1), joined_in: Some(1) };
    let companion = there.ways.parts.comes(id(2), &late.to_bytes());
    assert!(companion.is_some());
    let heard = there.agent.ask(|reply| Tell::Inquire { id: it, reply });
    assert_eq!(bank.answer(heard).unwrap().standing, Standing::Committed);
    drop(companion);
    assert_eq!(bank.outcome(outcome), Ok(()));
    bank.check_that_all_is_over();
}
