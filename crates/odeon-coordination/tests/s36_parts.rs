//! S36: a theater's part in a transaction, decided by a test.

use crate::bank::{Account, Use, look};
use odeon_core::extend::send_accompanied;
use odeon_core::{ActorRef, MailboxRef};
use odeon_speculative::extend::{Away, Decider, Part};
use odeon_speculative::{CoordinationError, Processing, SpawnSpeculative};
use odeon_testkit::Deterministic;
use std::sync::{Arc, Mutex};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    Ready(u32),
    Prepared(u32),
    GivesWay(u32),
    HasLost(u32),
    Over(Result<(), CoordinationError>),
}

#[derive(Default)]
struct Notes(Mutex<Vec<Said>>);

impl Notes {
    fn note(&self, said: Said) {
        self.0.lock().unwrap().push(said);
    }

    fn take(&self) -> Vec<Said> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Decider for Notes {
    fn is_ready(&self, after: u32) {
        self.note(Said::Ready(after));
    }

    fn is_prepared(&self, round: u32, _: u32) {
        self.note(Said::Prepared(round));
    }

    fn joins(&self, _: u32, message: Away) {
        unreachable!("{message:?}: all accounts are here");
    }

    fn may_go_on(&self, _: Part) {
        unreachable!("all parts have messages");
    }

    fn expires(&self) {
        unreachable!("it has no deadline");
    }

    fn gives_way(&self, round: u32, _: bool) {
        self.note(Said::GivesWay(round));
    }

    fn has_lost(&self, round: u32) {
        self.note(Said::HasLost(round));
    }

    fn is_over(&self, _: u64, outcome: Result<(), CoordinationError>) {
        self.note(Said::Over(outcome));
    }
}

fn part(messages: usize) -> (Part, Arc<Notes>) {
    let notes = Arc::new(Notes::default());
    (Part::new(messages, notes.clone()), notes)
}

fn add(to: &ActorRef<Use>, part: &Part, place: usize) {
    let mailbox: MailboxRef<'_, Use> = to.mailbox(0);
    let message = Use::Add { amount: 1, transfer: 0 };
    send_accompanied(mailbox, message, part.companion_from_abroad(place), false).unwrap();
}

/// A handler in another theater has joined it in this round.
fn join(to: &ActorRef<Use>, part: &Part, round: u32, message: Use) {
    let mailbox: MailboxRef<'_, Use> = to.mailbox(0);
    let _ = send_accompanied(mailbox, message, part.companion_of_joined(round), false);
}

fn spread(to: &ActorRef<Use>, part: &Part, over: &ActorRef<Use>) {
    let mailbox: MailboxRef<'_, Use> = to.mailbox(0);
    let message = Use::Spread { amount: 10, transfer: 0, others: vec![(over.clone(), 1)] };
    send_accompanied(mailbox, message, part.companion_from_abroad(0), false).unwrap();
}

fn actors<const N: usize>(run: &Deterministic) -> [ActorRef<Use>; N] {
    std::array::from_fn(|_| {
        let spawned = run.theater().spawn_speculative(Account::new(0), Processing::default());
        spawned.actor_ref()
    })
}

#[test]
fn s36_messages_of_one_theater_that_stand_behind_each_other_in_opposite_orders_all_arrive() {
    let run = Deterministic::new(1);
    let [one, other] = actors(&run);
    let [(first, of_first), (second, of_second)] = [part(2), part(2)];
    // What comes from one theater has one lane, also if several actors have sent it there.
    add(&one, &first, 0);
    add(&one, &second, 0);
    add(&other, &second, 1);
    add(&other, &first, 1);
    run.run_until_idle();
    assert_eq!((of_first.take(), of_second.take()), (vec![Said::Ready(0)], vec![Said::Ready(0)]));
}

#[test]
fn s36_a_part_that_meets_a_prepared_one_gives_way_and_is_ready_when_that_is_over() {
    let run = Deterministic::new(2);
    let [one, other] = actors(&run);
    let [(first, of_first), (second, of_second)] = [part(1), part(2)];
    add(&one, &first, 0);
    add(&other, &second, 0);
    add(&one, &second, 1);
    run.run_until_idle();
    assert_eq!((of_first.take(), of_second.take()), (vec![Said::Ready(0)], vec![Said::Ready(0)]));
    first.run(1);
    run.run_until_idle();
    assert_eq!(of_first.take(), [Said::Prepared(1)]);
    second.run(1);
    run.run_until_idle();
    assert_eq!(of_second.take(), [Said::GivesWay(1)], "and waits");
    first.commit();
    run.run_until_idle();
    assert_eq!(of_first.take(), [Said::Over(Ok(()))]);
    assert_eq!(of_second.take(), [Said::Ready(1)]);
    second.run(2);
    run.run_until_idle();
    assert_eq!(of_second.take(), [Said::Prepared(2)]);
    second.roll_back(2);
    run.run_until_idle();
    assert_eq!(of_second.take(), [Said::Ready(2)]);
    second.abort(CoordinationError::Unreachable);
    run.run_until_idle();
    assert_eq!(of_second.take(), [Said::Over(Err(CoordinationError::Unreachable))]);
    let mut asked = one.ask(Use::Balance);
    run.run_until_idle();
    assert_eq!(look(&mut asked), Some(Ok(1)));
}

/// Told to roll back so many turns after it was told to run.
fn rolled_back_behind(seed: u64, turns: usize) {
    let run = Deterministic::new(seed);
    let [one, other] = actors(&run);
    let (part, of_it) = part(1);
    spread(&one, &part, &other);
    run.run_until_idle();
    part.run(1);
    run.run_steps(turns);
    part.roll_back(1);
    run.run_until_idle();
    assert_eq!(of_it.take().last(), Some(&Said::Ready(1)), "seed {seed}, {turns} turns");
    part.run(2);
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Prepared(2)], "seed {seed}, {turns} turns");
    part.commit();
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Over(Ok(()))], "seed {seed}, {turns} turns");
    for (actor, amount) in [(one, 10), (other, 1)] {
        let mut asked = actor.ask(Use::Balance);
        run.run_until_idle();
        assert_eq!(look(&mut asked), Some(Ok(amount)), "seed {seed}, {turns} turns");
    }
}

#[test]
fn s36_a_void_round_of_a_part_takes_with_it_what_its_handlers_have_joined() {
    (0..10).for_each(|seed| (0..5).for_each(|turns| rolled_back_behind(seed, turns)));
}

/// A part that is prepared in its second round.
fn prepared_in_the_second_round(run: &Deterministic, actor: &ActorRef<Use>) -> (Part, Arc<Notes>) {
    let (part, of_it) = part(1);
    add(actor, &part, 0);
    run.run_until_idle();
    part.run(1);
    run.run_until_idle();
    part.roll_back(1);
    run.run_until_idle();
    part.run(2);
    run.run_until_idle();
    let said = [Said::Ready(0), Said::Prepared(1), Said::Ready(1), Said::Prepared(2)];
    assert_eq!(of_it.take(), said);
    (part, of_it)
}

#[test]
fn s36_what_was_joined_elsewhere_in_a_void_round_does_nothing_to_a_prepared_part() {
    let run = Deterministic::new(3);
    let [one, other, ended] = actors(&run);
    ended.stop();
    let (part, of_it) = prepared_in_the_second_round(&run, &one);
    join(&other, &part, 1, Use::Alone);
    join(&other, &part, 1, Use::Add { amount: 100, transfer: 0 });
    join(&ended, &part, 1, Use::Alone);
    run.run_until_idle();
    // Nor of one that is to come.
    join(&other, &part, 3, Use::Alone);
    run.run_until_idle();
    part.commit();
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Over(Ok(()))]);
    let mut asked = other.ask(Use::Balance);
    run.run_until_idle();
    assert_eq!(look(&mut asked), Some(Ok(0)));
}

#[test]
fn s36_what_was_joined_elsewhere_in_this_round_counts_also_behind_the_vote() {
    let run = Deterministic::new(4);
    let [one, other, ended] = actors(&run);
    ended.stop();
    let (part, of_it) = prepared_in_the_second_round(&run, &one);
    join(&other, &part, 2, Use::Add { amount: 1, transfer: 0 });
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Prepared(2)]);
    join(&ended, &part, 2, Use::Add { amount: 1, transfer: 0 });
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::HasLost(2)]);
    join(&other, &part, 2, Use::Alone);
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Over(Err(CoordinationError::Exclusive))]);
}

#[test]
fn s36_what_comes_late_does_not_wake_a_part_that_waits_for_a_change() {
    let run = Deterministic::new(5);
    let [one, other] = actors(&run);
    let (part, of_it) = part(1);
    let mailbox: MailboxRef<'_, Use> = one.mailbox(0);
    let message = Use::TakeWhenThere { amount: 5 };
    send_accompanied(mailbox, message, part.companion_from_abroad(0), false).unwrap();
    run.run_until_idle();
    part.run(1);
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Ready(0), Said::GivesWay(1)]);
    join(&other, &part, 1, Use::Add { amount: 1, transfer: 0 });
    run.run_until_idle();
    assert_eq!(of_it.take(), []);
    one.send(Use::Add { amount: 5, transfer: 0 }).unwrap();
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Ready(1)]);
    part.run(2);
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Prepared(2)]);
    part.abort(CoordinationError::Unreachable);
    run.run_until_idle();
    assert_eq!(of_it.take(), [Said::Over(Err(CoordinationError::Unreachable))]);
}
