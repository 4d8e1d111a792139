//! Snapshots see one moment.

use super::{Engine, Step};
use crate::Mode;
use crate::attempt::Attempt;
use crate::attempt::snapshot;
use crate::attempt::write_set::WriteKind;
use crate::domain::registry;
use crate::words::flaw::Flaw;

#[test]
fn snapshot_of_the_future() {
    let see = |engine: Engine| {
        let (left, right) = (engine.cell(1), engine.cell(1));
        let mut snapshot = engine.begin_in(Mode::Snapshot);
        let first = snapshot.get(&left);
        for value in 2..5 {
            let mut writer = engine.begin();
            writer.set(&left, value);
            writer.set(&right, value);
            assert!(writer.commit());
        }
        let second = snapshot.get(&right);
        snapshot.end();
        (first, second)
    };
    assert_eq!(see(Engine::sound()), (Some(1), Some(1)));
    assert_eq!(see(Engine::with(Flaw::NothingKept)), (Some(1), None));
}

#[test]
fn each_of_several_snapshots_sees_its_own_moment() {
    let engine = Engine::sound();
    let cell = engine.cell(0);
    let mut snapshots = Vec::new();
    for value in 0..10 {
        snapshots.push(engine.begin_in(Mode::Snapshot));
        let mut writer = engine.begin_in(if value % 2 == 0 { Mode::Logged } else { Mode::Direct });
        writer.set(&cell, value + 1);
        assert!(writer.commit());
    }
    for (moment, mut snapshot) in snapshots.into_iter().enumerate() {
        assert_eq!(snapshot.get(&cell), Some(moment as u64));
        assert!(snapshot.commit());
    }
}

#[test]
fn a_stalled_snapshot_keeps_one_value_per_variable() {
    let engine = Engine::sound();
    let cell = engine.cell(0);
    let mut stalled = engine.begin_in(Mode::Snapshot);
    for value in 1..1_000 {
        let mut writer = engine.begin();
        writer.set(&cell, value);
        assert!(writer.commit());
    }
    let running = registry::running(engine.0);
    assert_eq!((running.len(), running[0].kept_values), (1, 1));
    assert_eq!(stalled.get(&cell), Some(0));
    stalled.end();
}

/// An offer that is no better, an addition of nothing.
#[test]
fn a_change_that_changes_nothing_has_nothing_kept() {
    let engine = Engine::sound();
    let cell = engine.cell(7);
    let mut stalled = engine.begin_in(Mode::Snapshot);
    for _ in 0..100 {
        let mut writer = engine.begin();
        writer.0.write(&cell, 3, WriteKind::Change(u64::max)).unwrap();
        assert!(writer.commit());
    }
    assert_eq!(registry::running(engine.0)[0].kept_values, 0);
    assert_eq!(stalled.get(&cell), Some(7));
    stalled.end();
}

#[test]
fn nothing_is_kept_of_variables_that_are_younger_and_they_are_not_seen() {
    let engine = Engine::sound();
    let older = engine.cell(1);
    let mut stalled = engine.begin_in(Mode::Snapshot);
    let cells: Vec<_> = (0..100).map(|bits| engine.cell(bits)).collect();
    let mut second = engine.begin_in(Mode::Snapshot);
    for mode in [Mode::Logged, Mode::Direct] {
        for cell in &cells {
            let mut writer = engine.begin_in(mode);
            assert!(writer.set(cell, 200) && writer.set(&older, 2));
            assert!(writer.commit());
        }
    }
    let kept = registry::running(engine.0).into_iter().map(|snapshot| snapshot.kept_values);
    assert_eq!(kept.collect::<Vec<_>>(), [1, 101], "the older variable; all variables");
    assert_eq!((stalled.get(&older), stalled.get(&cells[7])), (Some(1), None));
    assert_eq!((second.get(&older), second.get(&cells[7])), (Some(1), Some(7)));
    stalled.roll_back();
    second.end();
}

/// A younger variable at the address of an older one, whose value is kept.
#[test]
fn a_variable_is_not_taken_for_an_older_one_at_its_address() {
    let see = |flaw: Option<Flaw>, mode, prepares| {
        let engine = flaw.map_or_else(Engine::sound, Engine::with);
        let mut cell = engine.cell(1);
        let mut snapshot = engine.begin_in(Mode::Snapshot);
        let mut writer = engine.begin();
        writer.set(&cell, 2);
        assert!(writer.commit());
        assert_eq!(snapshot.get(&cell), Some(1));
        cell = engine.cell(3);
        let mut writer = engine.begin_in(mode);
        writer.set(&cell, 4);
        if prepares {
            writer.0.prepare().unwrap();
            let seen = snapshot.get(&cell);
            writer.0.let_go_prepared();
            writer.roll_back();
            snapshot.roll_back();
            return seen;
        }
        assert!(writer.commit());
        let seen = snapshot.get(&cell);
        snapshot.roll_back();
        seen
    };
    for (mode, prepares) in [(Mode::Logged, false), (Mode::Direct, false), (Mode::Logged, true)] {
        assert_eq!(see(None, mode, prepares), None);
        let seen = see(Some(Flaw::OlderValuesStay), mode, prepares);
        assert_eq!(seen, Some(1), "the test would notice");
    }
}

/// Two variables, as one commit has written them, change places: what is kept of each is not taken
/// for the other's.
#[test]
fn variables_that_change_places_are_not_taken_for_each_other() {
    let see = |flaw: Option<Flaw>, prepares: bool| {
        let engine = flaw.map_or_else(Engine::sound, Engine::with);
        let (mut left, mut right) = (engine.cell(1), engine.cell(2));
        let mut snapshot = engine.begin_in(Mode::Snapshot);
        for value in 7..10 {
            let mut writer = engine.begin();
            assert!(writer.set(&left, value) && writer.set(&right, value));
            if prepares {
                writer.0.prepare().unwrap();
                writer.0.commit_prepared(|| ());
                writer.end();
            } else {
                assert!(writer.commit());
            }
            assert_eq!((snapshot.get(&left), snapshot.get(&right)), (Some(1), Some(2)));
        }
        std::mem::swap(&mut left, &mut right);
        let seen = (snapshot.get(&left), snapshot.get(&right));
        snapshot.roll_back();
        seen
    };
    for prepares in [true, false] {
        assert_eq!(see(None, prepares), (None, None));
        for flaw in [Flaw::SharedStamps, Flaw::OlderValuesStay] {
            assert_eq!(see(Some(flaw), prepares), (Some(1), Some(2)), "the test would notice");
        }
    }
}

/// A variable that was never kept anything of, because it was written first at another place.
#[test]
fn a_variable_that_was_written_before_it_came_is_not_taken_for_the_one_that_was_there() {
    let engine = Engine::sound();
    let (mut older, mut younger) = (engine.cell(1), None);
    let mut snapshot = engine.begin_in(Mode::Snapshot);
    for cell in [&older, younger.insert(engine.cell(5))] {
        let mut writer = engine.begin();
        assert!(writer.set(cell, 7) && writer.commit());
    }
    assert_eq!(snapshot.get(&older), Some(1));
    older = younger.unwrap();
    assert_eq!(snapshot.get(&older), None);
    let mut writer = engine.begin();
    assert!(writer.set(&older, 8) && writer.commit());
    assert_eq!(snapshot.get(&older), None);
    snapshot.roll_back();
}

/// Of a variable that was never written nobody has read another value: reading it needs no
/// extension.
#[test]
fn a_newborn_variable_is_read_without_a_conflict_and_without_an_epoch_of_its_own() {
    let engine = Engine::sound();
    let (first, out) = (engine.cell(1), engine.cell(0));
    let mut reader = engine.begin();
    assert_eq!(reader.get(&first), Some(1));
    engine.0.clock.advance();
    let younger = engine.cell(5);
    let epoch = engine.0.clock.now();
    assert_eq!((reader.get(&younger), reader.add(&younger, 1)), (Some(5), true));
    reader.set(&out, 7);
    assert_eq!(engine.0.clock.now(), epoch);
    assert!(reader.commit());
    assert_eq!(younger.bits(), 6);
}

/// Reads of first values in the epoch of their birth are slower than others, so there are not many.
#[test]
fn the_epoch_in_which_many_newborn_variables_are_read_ends() {
    let engine = Engine::sound();
    let cells: Vec<_> = (0..1_000).map(|bits| engine.cell(bits)).collect();
    let epoch = engine.0.clock.now();
    for _ in 0..3 {
        let mut reader = engine.begin();
        assert!(cells.iter().all(|cell| reader.get(cell).is_some()));
        assert!(reader.commit());
        assert_eq!(engine.0.clock.now(), epoch + 1, "once, and not again");
    }
}

#[test]
fn only_the_snapshot_over_its_limit_expires() {
    let engine = Engine::sound();
    let cells: Vec<_> = (0..10).map(|bits| engine.cell(bits)).collect();
    let mut patient = engine.begin_in(Mode::Snapshot);
    let mut limited = Step(Attempt::new(engine.0).unwrap());
    snapshot::begin(&mut limited.0, 5);
    for cell in &cells {
        let mut writer = engine.begin();
        writer.set(cell, 77);
        assert!(writer.commit());
    }
    let seen: Vec<_> = cells.iter().map(|cell| limited.get(cell)).collect();
    assert_eq!(seen.iter().flatten().count(), 0, "also what was kept before is not to be trusted");
    assert_eq!(limited.0.stopped.unwrap().cause, crate::Cause::SnapshotExpired);
    let total: u64 = cells.iter().filter_map(|cell| patient.get(cell)).sum();
    assert_eq!(total, 45);
    limited.roll_back();
    patient.end();
}

#[test]
fn a_write_in_a_direct_attempt_is_invisible_until_its_commit() {
    let engine = Engine::sound();
    let cell = engine.cell(1);
    let mut direct = engine.begin_in(Mode::Direct);
    direct.set(&cell, 2);
    assert_eq!(direct.get(&cell), Some(2));
    direct.roll_back();
    let mut direct = engine.begin_in(Mode::Direct);
    assert_eq!(direct.get(&cell), Some(1));
    direct.set(&cell, 3);
    assert!(direct.commit());
    let mut snapshot = engine.begin_in(Mode::Snapshot);
    assert_eq!(snapshot.get(&cell), Some(3));
    snapshot.end();
}
