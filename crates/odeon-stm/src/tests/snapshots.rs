//! Snapshots see one moment.

use super::{Engine, Step};
use crate::Mode;
use crate::attempt::Attempt;
use crate::cell::Cell;
use crate::flaw::Flaw;
use crate::snapshot::registry;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn snapshot_of_the_future() {
    let see = |engine: Engine| {
        let (left, right) = (Cell::new(1), Cell::new(1));
        let mut snapshot = engine.begin_in(Mode::Snapshot);
        let first = snapshot.get(&left);
        for value in 2..5 {
            let mut writer = engine.begin();
            writer.set(&left, value);
            writer.set(&right, value);
            assert!(writer.commit());
        }
        let second = catch_unwind(AssertUnwindSafe(|| snapshot.get(&right)));
        snapshot.end();
        (first, second.unwrap_or(None))
    };
    assert_eq!(see(Engine::sound()), (Some(1), Some(1)));
    assert_eq!(see(Engine::with(Flaw::NothingKept)), (Some(1), None));
}

#[test]
fn each_of_several_snapshots_sees_its_own_moment() {
    let engine = Engine::sound();
    let cell = Cell::new(0);
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
    let cell = Cell::new(0);
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

#[test]
fn only_the_snapshot_over_its_limit_expires() {
    let engine = Engine::sound();
    let cells: Vec<_> = (0..10).map(Cell::new).collect();
    let mut patient = engine.begin_in(Mode::Snapshot);
    let mut limited = Step(Attempt::new(engine.0).unwrap());
    registry::begin(&mut limited.0, 5);
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
    let cell = Cell::new(1);
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
