//! The anomalies of isolation, each by its name.

use super::Engine;
use crate::words::flaw::Flaw;

/// Two transactions add one to the same variable; whether both have committed, and the sum.
fn both_add_one(engine: Engine) -> (bool, u64) {
    let counter = &engine.cell(0);
    let (mut one, mut other) = (engine.begin(), engine.begin());
    let (a, b) = (one.get(counter).unwrap(), other.get(counter).unwrap());
    one.set(counter, a + 1);
    other.set(counter, b + 1);
    (one.commit() & other.commit(), counter.bits())
}

#[test]
fn lost_update() {
    assert_eq!(both_add_one(Engine::sound()), (false, 1));
    // Two commits, one addition: the test sees a lost update.
    assert_eq!(both_add_one(Engine::with(Flaw::NoValidation)), (true, 1));
}

/// An update is one entry that is read and written: it is lost no more than a read and a write.
#[test]
fn lost_update_in_one_step() {
    let engine = Engine::sound();
    let counter = engine.cell(0);
    let (mut one, mut other) = (engine.begin(), engine.begin());
    assert!(one.add(&counter, 1) && other.add(&counter, 1));
    assert!(one.commit());
    assert!(!other.commit());
    assert_eq!(counter.bits(), 1);
}

/// A value that was read and is then written is one entry too, and is lost no more.
#[test]
fn lost_update_of_a_read_that_became_an_update() {
    let engine = Engine::sound();
    let counter = engine.cell(0);
    let mut one = engine.begin();
    let seen = one.get(&counter).unwrap();
    one.set(&counter, seen + 1);
    assert!(one.0.reads.as_slice().is_empty() && one.0.writes.as_slice()[0].is_update);
    let mut other = engine.begin();
    assert!(other.add(&counter, 1) && other.commit());
    assert!(!one.commit());
    assert_eq!(counter.bits(), 1);
}

/// What was read before a part of a journey and written in it was read all the same when the part
/// is undone.
#[test]
fn a_read_that_an_undone_part_has_written_remains_a_read() {
    let engine = Engine::sound();
    let (seen, out) = (engine.cell(0), engine.cell(0));
    let mut step = engine.begin();
    assert_eq!(step.get(&seen), Some(0));
    let part = step.0.begin_part();
    step.set(&seen, 5);
    step.0.undo_part(part);
    step.set(&out, 1);
    let mut writer = engine.begin();
    writer.set(&seen, 1);
    assert!(writer.commit());
    assert!(!step.commit());
    assert_eq!(out.bits(), 0);
}

/// The state in which an updated variable was read is that of the other reads.
#[test]
fn torn_read_of_an_updated_variable() {
    let engine = Engine::sound();
    let (left, right) = (engine.cell(0), engine.cell(0));
    let mut updater = engine.begin();
    assert!(updater.add(&left, 1));
    let mut writer = engine.begin();
    writer.set(&left, 1);
    writer.set(&right, 1);
    assert!(writer.commit());
    assert_eq!(updater.get(&right), None);
    updater.roll_back();
}

/// What a nested closure has updated and undone was read all the same.
#[test]
fn an_undone_update_remains_a_read() {
    let engine = Engine::sound();
    let (seen, out) = (engine.cell(0), engine.cell(0));
    let mut step = engine.begin();
    let mark = step.0.nest();
    assert!(step.add(&seen, 1));
    step.0.undo_nested(mark);
    step.set(&out, 1);
    let mut writer = engine.begin();
    writer.set(&seen, 5);
    assert!(writer.commit());
    assert!(!step.commit());
}

/// Each of two transactions clears its own flag if it sees the other's raised; whether both have
/// committed.
fn both_clear(engine: Engine) -> bool {
    let (left, right) = (&engine.cell(1), &engine.cell(1));
    let (mut one, mut other) = (engine.begin(), engine.begin());
    assert_eq!((one.get(right), other.get(left)), (Some(1), Some(1)));
    one.set(left, 0);
    other.set(right, 0);
    one.commit() & other.commit()
}

#[test]
fn write_skew() {
    assert!(!both_clear(Engine::sound()));
    assert!(both_clear(Engine::with(Flaw::NoValidation)));
}

/// What a transaction reads while another one, which will roll back, has written 7.
fn read_beside_writer(engine: Engine) -> u64 {
    let cell = engine.cell(0);
    let (mut writer, mut reader) = (engine.begin(), engine.begin());
    writer.set(&cell, 7);
    let seen = reader.get(&cell).unwrap();
    writer.roll_back();
    reader.roll_back();
    seen
}

#[test]
fn dirty_read() {
    assert_eq!(read_beside_writer(Engine::sound()), 0);
    assert_eq!(read_beside_writer(Engine::with(Flaw::WriteThrough)), 7);
}

/// What a transaction sees that reads a variable twice, with a commit between.
fn read_twice(engine: Engine) -> (Option<u64>, Option<u64>) {
    let cell = engine.cell(0);
    let mut reader = engine.begin();
    let first = reader.get(&cell);
    let mut writer = engine.begin();
    writer.set(&cell, 1);
    assert!(writer.commit());
    let second = reader.get(&cell);
    reader.roll_back();
    (first, second)
}

#[test]
fn non_repeatable_read() {
    assert_eq!(read_twice(Engine::sound()), (Some(0), None));
    assert_eq!(read_twice(Engine::with(Flaw::UncheckedExtension)), (Some(0), Some(1)));
}

/// Two variables are always equal; what a transaction sees of them with a commit between its reads.
fn read_pair(engine: Engine) -> Option<(u64, u64)> {
    let (left, right) = (engine.cell(0), engine.cell(0));
    let mut reader = engine.begin();
    let seen_left = reader.get(&left).unwrap();
    let mut writer = engine.begin();
    writer.set(&left, 1);
    writer.set(&right, 1);
    assert!(writer.commit());
    let seen_right = reader.get(&right);
    reader.roll_back();
    seen_right.map(|seen_right| (seen_left, seen_right))
}

/// Also called a zombie attempt: it would go on computing with a state that never was.
#[test]
fn torn_read_of_several_variables() {
    assert_eq!(read_pair(Engine::sound()), None);
    assert_eq!(read_pair(Engine::with(Flaw::UncheckedExtension)), Some((0, 1)));
}

/// A commit in the running epoch by somebody else does not stop an attempt whose reads still stand.
#[test]
fn a_younger_value_alone_is_no_conflict() {
    let engine = Engine::sound();
    let (left, right) = (engine.cell(0), engine.cell(0));
    let mut reader = engine.begin();
    assert_eq!(reader.get(&left), Some(0));
    let mut writer = engine.begin();
    writer.set(&right, 1);
    assert!(writer.commit());
    assert_eq!(reader.get(&right), Some(1));
    reader.set(&left, 5);
    assert!(reader.commit());
}

/// The same slot commits twice within one epoch: whoever has read the first value in between
/// notices.
#[test]
fn two_values_of_one_epoch_are_told_apart() {
    let engine = Engine::sound();
    let (hot, out) = (engine.cell(0), engine.cell(0));
    let mut writer = engine.begin();
    writer.set(&hot, 1);
    assert!(writer.0.commit().is_ok());
    writer.end();
    let mut reader = engine.begin();
    assert_eq!(reader.get(&hot), Some(1));
    writer.0.begin(crate::Mode::Logged);
    writer.set(&hot, 2);
    assert!(writer.commit());
    reader.set(&out, 1);
    assert!(!reader.commit());
}

#[test]
fn own_writes_are_read_also_beyond_the_size_searched_linearly() {
    let engine = Engine::sound();
    let cells: Vec<_> = (0..200).map(|bits| engine.cell(bits)).collect();
    let mut step = engine.begin();
    for (value, cell) in cells.iter().enumerate() {
        step.set(cell, 1_000 + value as u64);
        step.set(&cells[value / 2], 5_000 + value as u64);
    }
    for (value, cell) in cells.iter().enumerate() {
        let expected =
            if value < 100 { 5_000 + 2 * value as u64 + 1 } else { 1_000 + value as u64 };
        assert_eq!(step.get(cell), Some(expected), "{value}");
    }
    assert!(step.commit());
    assert_eq!(cells[0].bits(), 5_001);
}
