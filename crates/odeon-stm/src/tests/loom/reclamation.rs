//! The look for what can be freed, against the begin of attempts.

use super::{Pair, model, pair, run, spawn};
use crate::attempt::between;
use crate::attempt::snapshot;
use crate::attempt::write_set::WriteKind;
use crate::attempt::{Attempt, Mode};
use crate::domain::cell::Cell;
use crate::domain::garbage::OwnedType;
use crate::words::abort::{Cause, Rollback};
use crate::words::flaw::Flaw;
use std::any::TypeId;
use std::sync::atomic::{AtomicBool, Ordering};

/// A value that tells whether it was freed: the bits are the address of a flag of `std`, which is
/// no branch of the model. The flags live for ever.
fn value() -> (&'static AtomicBool, u64) {
    let flag: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    (flag, std::ptr::from_ref(flag).expose_provenance() as u64)
}

fn flag(bits: u64) -> &'static AtomicBool {
    // SAFETY: bits of `value`, which live for ever.
    unsafe { &*std::ptr::with_exposed_provenance::<AtomicBool>(bits as usize) }
}

unsafe fn free(bits: u64) {
    flag(bits).store(true, Ordering::SeqCst);
}

static FREED: OwnedType = OwnedType { free, id: TypeId::of::<AtomicBool> };

fn overwrite_and_collect(pair: &Pair) {
    let mut writer = pair.memory();
    writer.begin(Mode::Logged);
    writer.write(&pair.left, value().1, WriteKind::Owning(&FREED)).unwrap();
    match writer.commit() {
        Ok(()) => writer.end(),
        Err(_) => _ = between::roll_back(&mut writer, Cause::Dropped),
    }
    let domain = writer.domain;
    drop(writer.bag.collect(domain));
}

/// How a reader begins, and reads a pointer.
#[derive(Clone, Copy)]
struct Reader {
    begin: fn(&mut Attempt, Mode),
    mode: Mode,
    read: fn(&mut Attempt, &Cell) -> Result<u64, Rollback>,
}

const LOGGED: Reader =
    Reader { begin: Attempt::begin, mode: Mode::Logged, read: Attempt::read_pointer };

fn reader_and_collector(flaw: Option<Flaw>, how: Reader) {
    model(move || {
        let pair = pair(flaw, value().1, 0);
        let collector = spawn(&pair, overwrite_and_collect);
        let mut reader = pair.memory();
        (how.begin)(&mut reader, how.mode);
        run(reader, |reader| {
            let bits = (how.read)(reader, &pair.left)?;
            assert!(!flag(bits).load(Ordering::SeqCst), "freed before it is read");
            odeon_sync::thread::yield_now();
            assert!(!flag(bits).load(Ordering::SeqCst), "freed while it is looked at");
            Ok(())
        });
        collector.join().unwrap();
    });
}

#[test]
fn a_begin_against_a_look() {
    reader_and_collector(None, LOGGED);
}

/// It is not isolated, but what it reads is there.
#[test]
fn a_direct_read_against_the_rules_and_a_look() {
    reader_and_collector(None, Reader { mode: Mode::Direct, ..LOGGED });
}

/// It takes what is there, also while that is prepared to be overwritten.
#[test]
fn a_relaxed_read_against_a_look() {
    reader_and_collector(None, Reader { mode: Mode::Relaxed, ..LOGGED });
    reader_and_collector(
        None,
        Reader { mode: Mode::Relaxed, begin: Attempt::begin_loose, ..LOGGED },
    );
}

/// It enters its slot when it meets the first pointer; the collector may look in between.
#[test]
fn a_read_by_an_attempt_that_has_begun_loose_against_a_look() {
    reader_and_collector(None, Reader { begin: Attempt::begin_loose, ..LOGGED });
}

#[test]
#[should_panic(expected = "freed")]
fn following_a_pointer_without_entering_the_slot_is_noticed() {
    let how = Reader { begin: Attempt::begin_loose, read: Attempt::read, ..LOGGED };
    reader_and_collector(None, how);
}

#[test]
#[should_panic(expected = "freed")]
fn early_frees_are_noticed() {
    reader_and_collector(Some(Flaw::EarlyFree), LOGGED);
}

/// The same for a snapshot, whose slot tells no begin.
#[test]
fn a_snapshot_against_a_look() {
    model(|| {
        let pair = pair(None, value().1, 0);
        let collector = spawn(&pair, overwrite_and_collect);
        let mut snapshot = pair.memory();
        snapshot::begin(&mut snapshot, usize::MAX);
        let bits = snapshot.read(&pair.left).unwrap();
        odeon_sync::thread::yield_now();
        assert!(!flag(bits).load(Ordering::SeqCst), "freed while it is looked at");
        snapshot::end(&mut snapshot);
        collector.join().unwrap();
    });
}
