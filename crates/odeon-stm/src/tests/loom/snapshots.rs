//! Snapshots against commits: nothing is missing among what was kept, and nobody uses it after its
//! end.

use super::{Pair, model, model_within, pair, spawn};
use crate::attempt::snapshot;
use crate::attempt::write_set::WriteKind;
use crate::attempt::{Attempt, Mode};
use crate::domain::cell::Cell;
use crate::tests::commit_in_some_way;
use crate::words::flaw::Flaw;

fn snapshot(pair: &Pair) -> (u64, u64) {
    let mut snapshot = pair.memory();
    snapshot::begin(&mut snapshot, usize::MAX);
    let seen = (snapshot.read(&pair.left).unwrap(), snapshot.read(&pair.right).unwrap());
    assert_eq!(snapshot.read(&pair.left), Ok(seen.0), "the same at each look");
    snapshot::end(&mut snapshot);
    let domain = snapshot.domain;
    drop(snapshot.bag.collect(domain));
    seen
}

fn writer_and_snapshot(flaw: Option<Flaw>) {
    model_within(4, move || {
        let pair = pair(flaw, 0, 0);
        let writer = spawn(&pair, |pair| pair.set_both(1));
        let (left, right) = snapshot(&pair);
        assert_eq!(left, right, "torn");
        assert!(writer.join().unwrap(), "a snapshot is in nobody's way");
    });
}

#[test]
fn begin_and_end_against_a_commit() {
    writer_and_snapshot(None);
}

#[test]
#[should_panic]
fn missing_values_are_noticed() {
    writer_and_snapshot(Some(Flaw::NothingKept));
}

fn two_simple_commits_and_snapshot(flaw: Option<Flaw>) {
    // WHY not three: each commit beside a snapshot moves the clock, and with three the model does
    // not end within an hour.
    model_within(2, move || {
        let pair = pair(flaw, 0, 0);
        let writer = spawn(&pair, |pair| {
            for cell in [&pair.left, &pair.right] {
                let mut attempt = pair.memory();
                attempt.begin_loose(Mode::Direct);
                attempt.write(cell, 1, WriteKind::Plain).unwrap();
                assert!(commit_in_some_way(&mut attempt), "nobody else writes");
                attempt.end();
            }
        });
        assert_ne!(snapshot(&pair), (0, 1), "the later commit without the earlier one");
        writer.join().unwrap();
    });
}

#[test]
fn simple_commits_against_a_snapshot() {
    two_simple_commits_and_snapshot(None);
}

#[test]
#[should_panic]
fn missing_values_of_simple_commits_are_noticed() {
    two_simple_commits_and_snapshot(Some(Flaw::NothingKept));
}

/// Two commits, one of which has not read what the other writes, and a snapshot: it sees a state
/// that some order of the two explains, also if the first one does not write what the second one
/// does.
#[test]
fn a_snapshot_against_two_commits_in_one_order() {
    model_within(2, || {
        let pair = pair(None, 0, 0);
        let blind = spawn(&pair, |pair| {
            pair.attempt(|attempt| attempt.write(&pair.right, 1, WriteKind::Plain)).is_some()
        });
        // The right variable's value as it was read before the left one was written.
        let reader = spawn(&pair, |pair| {
            pair.attempt(|attempt| {
                let seen = attempt.read(&pair.right)?;
                attempt.write(&pair.left, 1, WriteKind::Plain)?;
                Ok(seen)
            })
        });
        let seen = {
            let mut snapshot = pair.memory();
            snapshot::begin(&mut snapshot, usize::MAX);
            let seen = (snapshot.read(&pair.left).unwrap(), snapshot.read(&pair.right).unwrap());
            snapshot::end(&mut snapshot);
            seen
        };
        blind.join().unwrap();
        if reader.join().unwrap() == Some(0) {
            assert_ne!(seen, (0, 1), "the later commit without the earlier one");
        }
    });
}

/// The memory that a commit has found is not given back before its attempt ends: the attempt began
/// in an epoch not after the one with which that is retired (I4).
#[test]
fn an_end_against_a_commit_that_has_found_its_memory() {
    model(|| {
        let pair = pair(None, 0, 0);
        let mut snapshot = pair.memory();
        snapshot::begin(&mut snapshot, usize::MAX);
        assert!(pair.set_both(1), "something is kept");
        let slot = snapshot.slot;
        let commit = spawn(&pair, move |pair| {
            let mut writer = pair.memory();
            writer.begin(Mode::Logged);
            // SAFETY: the writer's attempt runs, and has entered its slot.
            let has_found = unsafe { slot.kept.in_reach() }.has_memory();
            has_found.then(|| writer.slot.since().expect("it runs"))
        });
        let clock = spawn(&pair, |pair| pair.domain.clock.advance());
        snapshot::end(&mut snapshot);
        let until = snapshot.bag.last_until().expect("its memory");
        if let Some(since) = commit.join().unwrap() {
            assert!(since <= until, "given back under the eyes of an attempt");
        }
        clock.join().unwrap();
    });
}

/// A commit may find a snapshot that ends, keep something when the next one has begun in the same
/// slot, or find both: the next one sees a state, the same at each look, and the memory is used for
/// one of them at a time.
fn two_snapshots_in_one_slot(flaw: Option<Flaw>) {
    model_within(3, move || {
        let pair = pair(flaw, 0, 0);
        let mut snapshot = pair.memory();
        snapshot::begin(&mut snapshot, usize::MAX);
        let writer = spawn(&pair, |pair| pair.set_both(1));
        snapshot::end(&mut snapshot);
        let domain = snapshot.domain;
        drop(snapshot.bag.collect(domain));
        snapshot::begin(&mut snapshot, usize::MAX);
        let look = |snapshot: &mut Attempt| {
            [&pair.left, &pair.right].map(|cell| snapshot.read(cell).unwrap())
        };
        let seen = look(&mut snapshot);
        assert_eq!(seen[0], seen[1], "torn");
        assert_eq!(look(&mut snapshot), seen, "the same at each look");
        snapshot::end(&mut snapshot);
        drop(snapshot.bag.collect(domain));
        assert!(writer.join().unwrap(), "a snapshot is in nobody's way");
    });
}

#[test]
fn a_commit_against_an_end_and_the_next_begin() {
    two_snapshots_in_one_slot(None);
}

#[test]
#[should_panic]
fn missing_values_of_the_next_snapshot_are_noticed() {
    two_snapshots_in_one_slot(Some(Flaw::NothingKept));
}

/// The variable on the right is made, linked by one commit (the left one says so) and overwritten
/// by the next, while a snapshot begins: if that sees the link it sees one of the variable's
/// values, the same at each look.
fn a_newborn_and_a_snapshot(flaw: Option<Flaw>) {
    model_within(3, move || {
        let pair = pair(flaw, 0, 1);
        // Whatever the flaw, the left variable is older than the snapshot.
        pair.domain.clock.advance();
        let maker = spawn(&pair, |pair| {
            pair.right.set_word(Cell::new_in(pair.domain, 0).word());
            let linked = pair.attempt(|attempt| attempt.write(&pair.left, 1, WriteKind::Plain));
            let add =
                |attempt: &mut Attempt| attempt.update(&pair.right, WriteKind::Plain, |n| n + 1);
            assert!(linked.is_some() && pair.attempt(add).is_some());
        });
        let mut snapshot = pair.memory();
        snapshot::begin(&mut snapshot, usize::MAX);
        let is_linked = snapshot.read(&pair.left) == Ok(1);
        let looks = is_linked.then(|| [(); 2].map(|()| snapshot.read(&pair.right).ok()));
        snapshot::end(&mut snapshot);
        maker.join().unwrap();
        if let Some([seen, again]) = looks {
            assert!(seen == Some(1) || seen == Some(2), "linked, and not seen: {seen:?}");
            assert_eq!(again, seen, "the same at each look");
        }
    });
}

#[test]
fn a_newborn_that_is_linked_and_overwritten_against_a_begin() {
    a_newborn_and_a_snapshot(None);
}

#[test]
#[should_panic(expected = "not seen")]
fn a_birth_in_a_later_epoch_is_noticed() {
    a_newborn_and_a_snapshot(Some(Flaw::BornTooLate));
}

/// A variable that is kept is written again while the snapshot looks: it finds what was kept under
/// the old epoch of the variable, or under the new one, or sees the lock between.
#[test]
fn a_kept_variable_that_is_written_again_against_a_look() {
    model(move || {
        let pair = pair(None, 1, 1);
        let mut snapshot = pair.memory();
        snapshot::begin(&mut snapshot, usize::MAX);
        assert!(pair.set_both(2));
        let writer = spawn(&pair, |pair| pair.set_both(3));
        let seen = [&pair.left, &pair.right].map(|cell| snapshot.read(cell));
        snapshot::end(&mut snapshot);
        assert!(writer.join().unwrap());
        assert_eq!(seen, [Ok(1), Ok(1)]);
    });
}

/// A younger variable at the address of an older one that is kept, overwritten by a commit while
/// the snapshot looks: it sees the mark of a newborn, or finds nothing kept.
fn a_newborn_at_an_address_that_is_kept(flaw: Option<Flaw>) {
    model(move || {
        let pair = pair(flaw, 1, 0);
        let mut snapshot = pair.memory();
        snapshot::begin(&mut snapshot, usize::MAX);
        assert!(pair.set_both(2));
        assert_eq!(snapshot.read(&pair.left), Ok(1), "it is kept");
        // The variable on the left ends here, and this is the word of another one.
        pair.left.set_word(Cell::new_in(pair.domain, 0).word());
        let writer = spawn(&pair, |pair| {
            pair.attempt(|attempt| attempt.update(&pair.left, WriteKind::Plain, |n| n + 1))
                .is_some()
        });
        let seen = [(); 2].map(|()| {
            // A change at which the model lets the writer come first; at the load alone it does
            // not.
            pair.domain.clock.advance();
            snapshot.read(&pair.left)
        });
        snapshot::end(&mut snapshot);
        assert!(writer.join().unwrap());
        assert!(seen.iter().all(Result::is_err), "taken for the older variable: {seen:?}");
    });
}

#[test]
fn a_newborn_at_the_address_of_a_kept_variable_against_its_first_write() {
    a_newborn_at_an_address_that_is_kept(None);
}

#[test]
#[should_panic(expected = "taken for the older")]
fn older_values_that_stay_are_noticed() {
    a_newborn_at_an_address_that_is_kept(Some(Flaw::OlderValuesStay));
}
