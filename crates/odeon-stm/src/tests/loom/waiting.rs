//! Retry against commit, and waiting for a prepared attempt: no wake-up is lost.

use super::{Pair, model, pair, spawn};
use crate::attempt::Mode;
use crate::attempt::between;
use crate::attempt::write_set::WriteKind;
use crate::domain::wakeup::VariableWait;
use crate::words::abort::Cause;
use crate::words::flaw::Flaw;

/// Reads the left variable and asks to wait until it is other than 0; the wait, if it was 0.
fn wait_for_left(pair: &Pair) -> Option<VariableWait<'static>> {
    let mut attempt = pair.memory();
    attempt.begin(Mode::Logged);
    if let Ok(0) = attempt.read(&pair.left) {
        let _ = attempt.stop(Cause::Retry, None);
    }
    between::roll_back(&mut attempt, Cause::Dropped).event
}

fn retry_and_commit(flaw: Option<Flaw>) {
    model(move || {
        let pair = pair(flaw, 0, 0);
        let writer = spawn(&pair, |pair| pair.set_both(1));
        let wait = wait_for_left(&pair);
        assert!(writer.join().unwrap());
        assert!(wait.is_none_or(|wait| wait.is_over()), "a wake-up is lost");
    });
}

#[test]
fn retry_against_commit() {
    retry_and_commit(None);
}

#[test]
#[should_panic(expected = "a wake-up is lost")]
fn a_lost_wake_up_is_noticed() {
    retry_and_commit(Some(Flaw::NoWakeUp));
}

#[test]
fn two_retries_against_one_commit() {
    super::model_within(2, || {
        let pair = pair(None, 0, 0);
        let writer = spawn(&pair, |pair| pair.set_both(1));
        let other = spawn(&pair, wait_for_left);
        let waits = [wait_for_left(&pair), other.join().unwrap()];
        assert!(writer.join().unwrap());
        assert!(waits.iter().flatten().all(VariableWait::is_over));
    });
}

/// A prepared attempt lets go, which is no change, and somebody commits: whoever retries is woken
/// by that.
#[test]
fn retry_against_a_prepared_rollback_and_a_commit() {
    super::model_within(3, || {
        let pair = pair(None, 0, 0);
        let mut prepared = pair.memory();
        prepared.begin(Mode::Logged);
        prepared.write(&pair.left, 7, WriteKind::Plain).unwrap();
        prepared.prepare().unwrap();
        let writer = spawn(&pair, move |pair| {
            prepared.let_go_prepared();
            between::roll_back(&mut prepared, Cause::Dropped);
            pair.set_both(1)
        });
        let wait = wait_for_left(&pair);
        assert!(writer.join().unwrap());
        assert!(wait.is_none_or(|wait| wait.is_over()), "a wake-up is lost");
    });
}

/// Somebody waits for what is prepared, or retries on it, while it is decided.
fn wait_for_decision(commits: bool, kind: WriteKind, value: u64) {
    model(move || {
        let pair = pair(None, 7, 0);
        let mut prepared = pair.memory();
        prepared.begin(Mode::Logged);
        prepared.read(&pair.right).unwrap();
        prepared.write(&pair.left, value, kind).unwrap();
        prepared.prepare().unwrap();
        let decider = spawn(&pair, move |_| {
            if commits {
                prepared.commit_prepared(|| ());
                prepared.end();
            } else {
                prepared.let_go_prepared();
                between::roll_back(&mut prepared, Cause::Dropped);
            }
        });
        let mut attempt = pair.memory();
        attempt.begin(Mode::Logged);
        let (read, written) =
            (attempt.read(&pair.left), attempt.write(&pair.right, 3, WriteKind::Plain));
        let wait = match (read, written.and_then(|()| attempt.commit())) {
            (Ok(_), Ok(())) => {
                attempt.end();
                None
            }
            _ => between::roll_back(&mut attempt, Cause::Dropped).event,
        };
        decider.join().unwrap();
        assert!(wait.is_none_or(|wait| wait.is_over()), "a wake-up is lost");
    });
}

#[test]
fn waiting_against_a_prepared_commit() {
    wait_for_decision(true, WriteKind::Plain, 1);
}

#[test]
fn waiting_against_a_prepared_rollback() {
    wait_for_decision(false, WriteKind::Plain, 1);
}

/// The prepared change has no effect: it is decided all the same.
#[test]
fn waiting_against_a_prepared_change_without_effect() {
    wait_for_decision(true, WriteKind::Change(u64::max), 1);
}
