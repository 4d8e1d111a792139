//! The numbers of commits, against what they have read and overwritten.

use super::{Pair, model, pair, spawn};
use crate::attempt::between;
use crate::attempt::transaction::Tx;
use crate::attempt::write_set::WriteKind;
use crate::attempt::{Attempt, Mode};
use crate::journal::{CommitLog, Journal};
use crate::words::abort::{Cause, Rollback};
use crate::words::flaw::Flaw;
use odeon_sync::Arc;
use odeon_sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

/// The log of one attempt, whose numbers are those of all.
struct Numbers {
    journal: Journal,
    next: Arc<AtomicU64>,
    /// Beside what loom looks at.
    committed: Mutex<Option<u64>>,
}

impl CommitLog for Numbers {
    fn journal(&self) -> &Journal {
        &self.journal
    }

    fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::AcqRel)
    }

    fn committed(&self, number: u64, _: &[u8]) {
        *self.committed.lock().unwrap() = Some(number);
    }

    fn given_up(&self, _: u64) {}
}

/// One logged attempt that takes a number; `None` if it was rolled back.
fn numbered<R>(
    pair: &Pair,
    numbers: &Arc<AtomicU64>,
    act: impl FnOnce(&mut Attempt) -> Result<R, Rollback>,
) -> Option<(u64, R)> {
    numbered_by(Attempt::commit, pair, numbers, act)
}

fn numbered_by<R>(
    commit: impl FnOnce(&mut Attempt) -> Result<(), Rollback>,
    pair: &Pair,
    numbers: &Arc<AtomicU64>,
    act: impl FnOnce(&mut Attempt) -> Result<R, Rollback>,
) -> Option<(u64, R)> {
    let journal = Journal::by(|_| ());
    let log = Numbers { journal, next: numbers.clone(), committed: Mutex::new(None) };
    let mut attempt = pair.memory();
    attempt.begin_loose(Mode::Logged);
    Tx::of(&mut attempt).log_to(&log);
    if let Ok(value) = act(&mut attempt) {
        if commit(&mut attempt).is_ok() {
            attempt.end();
            let number = log.committed.lock().unwrap().expect("it has written");
            return Some((number, value));
        }
    }
    attempt.let_go_prepared();
    between::roll_back(&mut attempt, Cause::Dropped);
    None
}

/// As a transaction that has to wait on its way does.
fn prepare_and_commit(attempt: &mut Attempt) -> Result<(), Rollback> {
    attempt.prepare_more()?;
    attempt.commit_all()
}

/// One writes what the other one reads, which writes elsewhere.
fn reader_and_writer(flaw: Option<Flaw>, is_prepared: [bool; 2]) {
    let [reader, writer] =
        is_prepared.map(|it| if it { prepare_and_commit } else { Attempt::commit });
    model(move || {
        let (pair, numbers) = (pair(flaw, 0, 0), Arc::new(AtomicU64::new(0)));
        let of_writer = numbers.clone();
        let writer = spawn(&pair, move |pair| {
            numbered_by(writer, pair, &of_writer, |attempt| {
                attempt.write(&pair.left, 1, WriteKind::Plain)
            })
        });
        let read = numbered_by(reader, &pair, &numbers, |attempt| {
            let seen = attempt.read(&pair.left)?;
            attempt.write(&pair.right, seen, WriteKind::Plain)?;
            Ok(seen == 1)
        });
        // What is prepared is in the other one's way.
        let wrote = writer.join().unwrap();
        assert!(wrote.is_some() || is_prepared[0], "nobody is in its way");
        if let (Some((wrote, ())), Some((read, has_seen))) = (wrote, read) {
            assert_eq!(has_seen, wrote < read, "not in the order of the reads");
        }
    });
}

#[test]
fn who_reads_what_another_writes() {
    reader_and_writer(None, [false, false]);
}

#[test]
fn who_reads_what_another_writes_that_was_prepared() {
    reader_and_writer(None, [false, true]);
    reader_and_writer(None, [true, false]);
}

#[test]
#[should_panic(expected = "not in the order of the reads")]
fn a_number_that_is_taken_late_is_noticed() {
    reader_and_writer(Some(Flaw::LateNumber), [false, false]);
}

#[test]
#[should_panic(expected = "not in the order of the reads")]
fn a_number_that_is_taken_late_of_what_was_prepared_is_noticed() {
    reader_and_writer(Some(Flaw::LateNumber), [true, false]);
}

/// Both overwrite one variable, and look at nothing.
fn two_that_overwrite(flaw: Option<Flaw>) {
    model(move || {
        let (pair, numbers) = (pair(flaw, 0, 0), Arc::new(AtomicU64::new(0)));
        let write = |pair: &Pair, numbers: &Arc<AtomicU64>, value| {
            numbered(pair, numbers, |attempt| attempt.write(&pair.left, value, WriteKind::Plain))
        };
        let of_other = numbers.clone();
        let other = spawn(&pair, move |pair| write(pair, &of_other, 2));
        let own = write(&pair, &numbers, 1);
        let other = other.join().unwrap();
        if let (Some((own, ())), Some((other, ()))) = (own, other) {
            let last = if own > other { 1 } else { 2 };
            assert_eq!(pair.left.bits(), last, "not in the order of the writes");
        }
    });
}

#[test]
fn who_overwrites_what_another_writes() {
    two_that_overwrite(None);
}

#[test]
#[should_panic(expected = "not in the order of the writes")]
fn a_number_that_is_taken_early_is_noticed() {
    two_that_overwrite(Some(Flaw::EarlyNumber));
}
