//! Relaxed attempts beside others.

use super::Engine;
use crate::attempt::Mode;

#[test]
fn a_relaxed_attempt_reads_the_latest_value_each_time_and_commits() {
    for mode in [Mode::Logged, Mode::Direct] {
        let engine = Engine::sound();
        let (left, right) = (engine.cell(1), engine.cell(10));
        let mut relaxed = engine.begin_in(Mode::Relaxed);
        assert_eq!(relaxed.get(&left), Some(1));
        for n in 2..5 {
            let mut writer = engine.begin_in(mode);
            writer.set(&left, n);
            writer.set(&right, 10 * n);
            assert!(writer.commit());
            assert_eq!((relaxed.get(&left), relaxed.get(&right)), (Some(n), Some(10 * n)));
        }
        assert!(relaxed.commit());
    }
}

#[test]
fn what_is_prepared_answers_the_value_before_until_it_is_decided() {
    let engine = Engine::sound();
    let (cell, read) = (engine.cell(1), engine.cell(5));
    let mut prepared = engine.begin();
    prepared.get(&read);
    prepared.set(&cell, 2);
    prepared.0.prepare().unwrap();
    let mut relaxed = engine.begin_in(Mode::Relaxed);
    assert_eq!((relaxed.get(&cell), relaxed.get(&read)), (Some(1), Some(5)));
    assert_eq!(relaxed.0.read_pointer(&cell), Ok(1));
    prepared.0.commit_prepared(|| ());
    prepared.end();
    assert_eq!((relaxed.get(&cell), relaxed.get(&read)), (Some(2), Some(5)));
    assert!(relaxed.commit());
}

#[test]
fn a_relaxed_attempt_is_in_nobodys_way() {
    let engine = Engine::sound();
    let cell = engine.cell(1);
    let mut relaxed = engine.begin_in(Mode::Relaxed);
    let mut writer = engine.begin();
    assert!(writer.add(&cell, 1));
    assert_eq!(relaxed.get(&cell), Some(1));
    writer.0.prepare().unwrap();
    assert_eq!(relaxed.get(&cell), Some(1));
    writer.0.commit_prepared(|| ());
    writer.end();
    assert_eq!(relaxed.get(&cell), Some(2));
    assert!(relaxed.commit());
}

#[test]
fn after_many_reads_it_goes_on_as_a_snapshot() {
    let engine = Engine::sound();
    let (cell, other) = (engine.cell(1), engine.cell(7));
    let overwrite = |value| {
        let mut writer = engine.begin();
        writer.set(&cell, value);
        assert!(writer.commit());
    };
    for _ in 0..2 {
        let mut relaxed = engine.begin_in(Mode::Relaxed);
        (2..1 << 16).for_each(|_| assert_eq!(relaxed.get(&other), Some(7)));
        // The last two relaxed reads, then the first one of a snapshot.
        for value in [2, 3, 4] {
            overwrite(value);
            assert_eq!(relaxed.get(&cell), Some(value));
        }
        for value in [5, 6] {
            overwrite(value);
            assert_eq!((relaxed.get(&cell), relaxed.get(&other)), (Some(4), Some(7)));
        }
        assert!(relaxed.commit());
    }
    assert!(!crate::attempt::snapshot::running(engine.0));
}
