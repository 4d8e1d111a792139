//! Commit against commit, and against a reader that has to extend.

use super::{Pair, model, pair, spawn};
use crate::attempt::write_set::WriteKind;
use crate::words::flaw::Flaw;

/// Reads one variable and clears the other if it was 1.
fn clear(pair: &Pair, left: bool) -> bool {
    let (mine, other) = if left { (&pair.left, &pair.right) } else { (&pair.right, &pair.left) };
    pair.attempt(|attempt| {
        let seen = attempt.read(other)?;
        if seen == 1 {
            attempt.write(mine, 0, WriteKind::Plain)?;
        }
        Ok(seen == 1)
    }) == Some(true)
}

fn two_that_clear(flaw: Option<Flaw>) {
    model(move || {
        let pair = pair(flaw, 1, 1);
        let other = spawn(&pair, |pair| clear(pair, true));
        let cleared = [clear(&pair, false), other.join().unwrap()];
        assert_ne!(cleared, [true, true], "write skew");
    });
}

#[test]
fn write_skew() {
    two_that_clear(None);
}

#[test]
#[should_panic(expected = "write skew")]
fn write_skew_is_noticed() {
    two_that_clear(Some(Flaw::NoValidation));
}

fn writer_and_reader(flaw: Option<Flaw>) {
    model(move || {
        let pair = pair(flaw, 0, 0);
        let writer = spawn(&pair, |pair| pair.set_both(1));
        let seen =
            pair.attempt(|attempt| Ok((attempt.read(&pair.left)?, attempt.read(&pair.right)?)));
        assert!(seen.is_none_or(|(left, right)| left == right), "torn");
        assert!(writer.join().unwrap(), "a reader is in nobody's way");
    });
}

#[test]
fn torn_read() {
    writer_and_reader(None);
}

#[test]
#[should_panic(expected = "torn")]
fn torn_read_is_noticed() {
    writer_and_reader(Some(Flaw::UncheckedExtension));
}

/// Both add one: what both have committed is there.
#[test]
fn lost_update() {
    model(|| {
        let pair = pair(None, 0, 0);
        let add = |pair: &Pair| {
            let added = pair.attempt(|attempt| {
                let seen = attempt.read(&pair.left)?;
                attempt.write(&pair.left, seen + 1, WriteKind::Plain)
            });
            u64::from(added.is_some())
        };
        let other = spawn(&pair, add);
        let commits = add(&pair) + other.join().unwrap();
        assert_eq!(pair.left.bits(), commits);
    });
}

/// A change that commutes is never lost, though nobody has read.
#[test]
fn changes_that_commute() {
    model(|| {
        let pair = pair(None, 0, 0);
        let add = |pair: &Pair| {
            let change = WriteKind::Change(u64::wrapping_add);
            let added = pair.attempt(|attempt| attempt.write(&pair.left, 1, change));
            u64::from(added.is_some())
        };
        let other = spawn(&pair, add);
        let commits = add(&pair) + other.join().unwrap();
        assert_eq!(pair.left.bits(), commits);
    });
}

/// The same where reading and writing are one entry of the log, which its lock validates.
#[test]
fn lost_update_in_one_step() {
    model(|| {
        let pair = pair(None, 0, 0);
        let add = |pair: &Pair| {
            pair.attempt(|attempt| attempt.update(&pair.left, WriteKind::Plain, |seen| seen + 1))
                .is_some()
        };
        let other = spawn(&pair, add);
        let added = u64::from(add(&pair)) + u64::from(other.join().unwrap());
        assert!(added >= 1, "one of two succeeds");
        assert_eq!(pair.left.bits(), added);
    });
}

/// An updated variable and one that is read afterwards are of one state.
#[test]
fn torn_read_of_an_updated_variable() {
    model(|| {
        let pair = pair(None, 0, 0);
        let writer = spawn(&pair, |pair| pair.set_both(1));
        let mut seen_left = 0;
        let seen = pair.attempt(|attempt| {
            attempt.update(&pair.left, WriteKind::Plain, |seen| {
                seen_left = seen;
                seen
            })?;
            attempt.read(&pair.right)
        });
        assert!(seen.is_none_or(|right| right == seen_left), "torn");
        writer.join().unwrap();
    });
}
