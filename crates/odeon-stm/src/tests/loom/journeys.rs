//! Attempts that travel: two in each other's way, and one against a commit and a snapshot.

use super::{Memory, Pair, model, model_within, pair, spawn};
use crate::attempt::between;
use crate::attempt::snapshot;
use crate::attempt::write_set::WriteKind;
use crate::attempt::{Attempt, Mode};
use crate::words::abort::{Cause, Rollback};
use crate::words::flaw::Flaw;

/// A journey in two parts, with what the first one has read protected between them; whether it has
/// committed.
fn journey(
    pair: &Pair,
    first: impl FnOnce(&mut Attempt) -> Result<u64, Rollback>,
    second: impl FnOnce(&mut Attempt, u64) -> Result<(), Rollback>,
) -> bool {
    let mut attempt: Memory = pair.memory();
    attempt.begin(Mode::Logged);
    let outcome = first(&mut attempt).and_then(|seen| {
        attempt.prepare_more()?;
        second(&mut attempt, seen)?;
        attempt.commit_all()
    });
    match outcome {
        Ok(()) => attempt.end(),
        Err(_) => {
            attempt.let_go_prepared();
            between::roll_back(&mut attempt, Cause::Dropped);
        }
    }
    outcome.is_ok()
}

/// Each reads and protects what the other one clears.
fn crossing(flaw: Option<Flaw>) {
    model(move || {
        let pair = pair(flaw, 1, 1);
        let clear = |pair: &Pair, left: bool| {
            let (mine, other) =
                if left { (&pair.left, &pair.right) } else { (&pair.right, &pair.left) };
            let write =
                |attempt: &mut Attempt, seen| attempt.write(mine, 1 - seen, WriteKind::Plain);
            journey(pair, |attempt| attempt.read(other), write)
        };
        let other = spawn(&pair, move |pair| clear(pair, true));
        let _ = clear(&pair, false);
        let _ = other.join().unwrap();
        assert_ne!((pair.left.bits(), pair.right.bits()), (0, 0), "write skew");
    });
}

#[test]
fn two_that_protect_what_the_other_one_writes() {
    crossing(None);
}

#[test]
#[should_panic(expected = "write skew")]
fn unprotected_parts_are_noticed() {
    crossing(Some(Flaw::ReadsUnprotected));
}

/// Both protect one variable and add to it.
fn upgrading(flaw: Option<Flaw>) {
    model(move || {
        let pair = pair(flaw, 0, 0);
        let add = |pair: &Pair| {
            let write =
                |attempt: &mut Attempt, seen| attempt.write(&pair.left, seen + 1, WriteKind::Plain);
            u64::from(journey(pair, |attempt| attempt.read(&pair.left), write))
        };
        let other = spawn(&pair, add);
        let added = add(&pair) + other.join().unwrap();
        assert_eq!(pair.left.bits(), added, "lost update");
    });
}

#[test]
fn two_that_write_what_both_protect() {
    upgrading(None);
}

#[test]
#[should_panic]
fn an_upgrade_over_another_protector_is_noticed() {
    upgrading(Some(Flaw::UpgradeOverOthers));
}

/// The only protector but one lets go while the other one begins to wait for that.
#[test]
fn who_wants_to_be_the_only_protector_is_woken() {
    model(|| {
        let pair = pair(None, 0, 0);
        let mut both = [pair.memory(), pair.memory()];
        for attempt in &mut both {
            attempt.begin(Mode::Logged);
            attempt.read(&pair.left).unwrap();
            attempt.prepare_more().unwrap();
        }
        let [mut stays, mut leaves] = both;
        stays.write(&pair.left, 1, WriteKind::Plain).unwrap();
        let other = spawn(&pair, move |_| {
            leaves.let_go_prepared();
            between::roll_back(&mut leaves, Cause::Dropped);
        });
        while stays.commit_all().is_err() {
            let event = between::step_back(&mut stays, Cause::Dropped).event;
            between::sleep_until(&event.expect("it waits for the other one"));
        }
        stays.end();
        other.join().unwrap();
        assert_eq!(pair.left.bits(), 1);
    });
}

/// Reads and protects the left variable, then sets both, against a snapshot whose thread commits
/// such a thing too before the looks of the snapshot or behind them.
fn against_a_commit_and_a_snapshot(flaw: Option<Flaw>, commits_first: bool) {
    // The commit behind the looks has many more places to stop at.
    model_within(if commits_first { 3 } else { 2 }, move || {
        let pair = pair(flaw, 0, 0);
        let traveller = spawn(&pair, |pair| {
            let set_both = |attempt: &mut Attempt, seen| {
                attempt.write(&pair.left, seen + 1, WriteKind::Plain)?;
                attempt.write(&pair.right, seen + 1, WriteKind::Plain)
            };
            journey(pair, |attempt| attempt.read(&pair.left), set_both)
        });
        let mut snapshot = pair.memory();
        snapshot::begin(&mut snapshot, usize::MAX);
        let committed_first = commits_first && pair.set_both(5);
        let seen = (snapshot.read(&pair.left).unwrap(), snapshot.read(&pair.right).unwrap());
        snapshot::end(&mut snapshot);
        assert_eq!(seen.0, seen.1, "torn");
        let committed = committed_first || !commits_first && pair.set_both(5);
        let last: &[u64] = match (traveller.join().unwrap(), committed) {
            (false, false) => &[0],
            (true, false) => &[1],
            (false, true) => &[5],
            (true, true) => &[5, 6],
        };
        let (left, right) = (pair.left.bits(), pair.right.bits());
        assert!(left == right && last.contains(&left), "{last:?} and not {left}, {right}");
    });
}

#[test]
fn protected_and_then_written_against_a_commit_and_a_snapshot() {
    against_a_commit_and_a_snapshot(None, true);
}

#[test]
fn protected_and_then_written_against_a_snapshot_and_a_commit() {
    against_a_commit_and_a_snapshot(None, false);
}

#[test]
#[should_panic]
fn missing_values_of_journeys_are_noticed() {
    against_a_commit_and_a_snapshot(Some(Flaw::NothingKept), false);
}
