//! Prepared attempts: nothing comes between them and their commit, and nobody else is in their way.

use super::{Engine, Step};
use crate::Cause;
use crate::domain::cell::Cell;
use crate::words::flaw::Flaw;

/// Whether somebody could overwrite what a prepared attempt has read.
fn overwrite_what_is_read(engine: Engine) -> bool {
    let (read, written) = (engine.cell(0), engine.cell(0));
    let mut prepared = engine.begin();
    let seen = prepared.get(&read).unwrap();
    prepared.set(&written, seen + 1);
    prepared.0.prepare().unwrap();
    let mut other = engine.begin();
    other.set(&read, 9);
    let overwritten = other.commit();
    prepared.0.commit_prepared(|| ());
    prepared.end();
    overwritten
}

#[test]
fn what_a_prepared_attempt_has_read_stays() {
    assert!(!overwrite_what_is_read(Engine::sound()));
    assert!(overwrite_what_is_read(Engine::with(Flaw::ReadsUnprotected)));
}

#[test]
fn what_a_prepared_attempt_will_write_is_neither_read_nor_written_by_others() {
    let engine = Engine::sound();
    let cell = engine.cell(0);
    let mut prepared = engine.begin();
    prepared.set(&cell, 1);
    prepared.0.prepare().unwrap();
    let mut reader = engine.begin();
    assert_eq!(reader.get(&cell), None);
    assert_eq!(reader.0.stopped.unwrap().cause, Cause::Prepared);
    reader.roll_back();
    let mut writer = engine.begin();
    writer.set(&cell, 2);
    assert!(!writer.commit());
    prepared.0.commit_prepared(|| ());
    prepared.end();
    assert_eq!(peek(engine.begin(), &cell), Some(1));
}

#[test]
fn readers_pass_what_is_only_read() {
    let engine = Engine::sound();
    let (cell, mine) = (engine.cell(3), engine.cell(0));
    let mut first = engine.begin();
    first.get(&cell);
    first.0.prepare().unwrap();
    let mut second = engine.begin();
    assert_eq!(second.get(&cell), Some(3));
    second.set(&mine, 1);
    second.0.prepare().unwrap();
    first.0.let_go_prepared();
    first.roll_back();
    let mut writer = engine.begin();
    writer.set(&cell, 4);
    assert!(!writer.commit(), "one of two protectors is still there");
    second.0.commit_prepared(|| ());
    second.end();
    let mut writer = engine.begin();
    writer.set(&cell, 4);
    assert!(writer.commit());
}

/// An attempt that has read a variable before it was protected, and validates while it is or
/// afterwards.
#[test]
fn protection_is_no_change() {
    let engine = Engine::sound();
    let (cell, mine) = (engine.cell(3), engine.cell(0));
    for validated_while_protected in [true, false] {
        let mut early = engine.begin();
        assert_eq!(early.get(&cell), Some(3));
        early.set(&mine, 1);
        let mut prepared = engine.begin();
        prepared.get(&cell);
        prepared.0.prepare().unwrap();
        if validated_while_protected {
            assert!(early.commit());
            prepared.0.commit_prepared(|| ());
            prepared.end();
        } else {
            prepared.0.commit_prepared(|| ());
            prepared.end();
            assert!(early.commit());
        }
    }
}

/// The stamp of a value may be the preparer's own, of the running epoch.
#[test]
fn a_change_within_the_running_epoch_is_seen_by_prepare() {
    let engine = Engine::sound();
    let (cell, mine) = (engine.cell(0), engine.cell(0));
    let mut own = engine.begin();
    own.set(&cell, 1);
    own.0.commit().unwrap();
    own.end();
    own.0.begin(crate::Mode::Logged);
    assert_eq!(own.get(&cell), Some(1));
    own.set(&mine, 1);
    let mut other = engine.begin();
    other.set(&cell, 2);
    assert!(other.commit());
    assert!(own.0.prepare().is_err());
    own.roll_back();
    assert_eq!(mine.word().held(), crate::words::version_word::VariableHolder::Free);
}

#[test]
fn a_rolled_back_prepare_leaves_everything_as_it_was() {
    let engine = Engine::sound();
    let (read, written) = (engine.cell(1), engine.cell(2));
    let before = written.word();
    let mut prepared = engine.begin();
    prepared.get(&read);
    prepared.set(&written, 9);
    prepared.0.prepare().unwrap();
    prepared.0.let_go_prepared();
    prepared.roll_back();
    assert_eq!((written.word(), written.bits()), (before, 2));
    let mut writer = engine.begin();
    writer.set(&read, 5);
    assert!(writer.commit());
}

#[test]
fn snapshots_see_the_old_value_of_what_a_prepared_attempt_will_write() {
    let engine = Engine::sound();
    let cell = engine.cell(1);
    let mut prepared = engine.begin();
    prepared.set(&cell, 2);
    prepared.0.prepare().unwrap();
    let mut snapshot = engine.begin_in(crate::Mode::Snapshot);
    assert_eq!(snapshot.get(&cell), Some(1));
    prepared.0.commit_prepared(|| ());
    prepared.end();
    assert_eq!(snapshot.get(&cell), Some(1));
    assert!(snapshot.commit());
}

fn peek(mut step: Step, cell: &Cell) -> Option<u64> {
    let seen = step.get(cell);
    step.roll_back();
    seen
}
