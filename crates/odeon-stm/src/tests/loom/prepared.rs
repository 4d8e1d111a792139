//! A prepared attempt that another thread commits, against a writer and a snapshot.

use super::{Memory, Pair, model_within, pair, spawn};
use crate::attempt::Mode;
use crate::attempt::between;
use crate::attempt::snapshot;
use crate::attempt::write_set::WriteKind;
use crate::words::abort::Cause;
use crate::words::flaw::Flaw;

/// Has read the left variable and will set the right one to one more.
fn prepare(pair: &Pair) -> Memory {
    let mut prepared = pair.memory();
    prepared.begin(Mode::Logged);
    let seen = prepared.read(&pair.left).unwrap();
    prepared.write(&pair.right, seen + 1, WriteKind::Plain).unwrap();
    prepared.prepare().unwrap();
    prepared
}

fn committed_elsewhere(flaw: Option<Flaw>) {
    model_within(2, move || {
        let pair = pair(flaw, 0, 0);
        let mut prepared = prepare(&pair);
        let decider = spawn(&pair, move |_| {
            prepared.commit_prepared(|| ());
            prepared.end();
        });
        let writer = spawn(&pair, |pair| {
            pair.attempt(|attempt| attempt.write(&pair.left, 9, WriteKind::Plain)).is_some()
        });
        let mut snapshot = pair.memory();
        snapshot::begin(&mut snapshot, usize::MAX);
        let seen = (snapshot.read(&pair.left).unwrap(), snapshot.read(&pair.right).unwrap());
        snapshot::end(&mut snapshot);
        assert_ne!(seen, (9, 0), "overtaken");
        decider.join().unwrap();
        let written = writer.join().unwrap();
        assert_eq!((pair.left.bits(), pair.right.bits()), (if written { 9 } else { 0 }, 1));
    });
}

#[test]
fn committed_by_another_thread_against_a_writer_and_a_snapshot() {
    committed_elsewhere(None);
}

#[test]
#[should_panic(expected = "overtaken")]
fn unprotected_reads_are_noticed() {
    committed_elsewhere(Some(Flaw::ReadsUnprotected));
}

/// Two that prepare what the other has read: not both succeed.
#[test]
fn two_that_prepare() {
    model_within(3, || {
        let pair = pair(None, 1, 1);
        let prepare = |pair: &Pair, left: bool| {
            let (mine, other) =
                if left { (&pair.left, &pair.right) } else { (&pair.right, &pair.left) };
            let mut attempt = pair.memory();
            attempt.begin(Mode::Logged);
            let outcome = attempt.read(other).and_then(|_| {
                attempt.write(mine, 0, WriteKind::Plain)?;
                attempt.prepare()
            });
            match outcome {
                Ok(()) => {
                    attempt.commit_prepared(|| ());
                    attempt.end();
                }
                Err(_) => _ = between::roll_back(&mut attempt, Cause::Dropped),
            }
            outcome.is_ok()
        };
        let other = spawn(&pair, move |pair| prepare(pair, true));
        let mine = prepare(&pair, false);
        let both = mine && other.join().unwrap();
        // One after the other is possible, at the same time is not.
        assert!(!both || pair.left.word().epoch() != pair.right.word().epoch(), "write skew");
    });
}
