//! One by one: what is journaled, what is not, and what is refused.

use crate::log::{MemoryLog, finished, record};
use crate::state::State;
use odeon_stm::collections::TMap;
use odeon_stm::journal::{ApplyError, Changes, Journal, Journaled, add_change};
use odeon_stm::staged::{Attempted, attempt, attempt_here};
use odeon_stm::{Abort, Mode, Rollback, Snapshot, TCounter, TVar, Tx, atomically};
use serde::{Deserialize, Serialize, Serializer};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

#[test]
fn a_change_of_a_counter_is_a_difference() {
    let live = State::new(1);
    let log = MemoryLog::of(&live);
    let record = record(Mode::Logged, &log, |tx| {
        live.sum.add(tx, 3)?;
        live.sum.add(tx, 4)?;
        live.most.raise(tx, 10)
    });
    let other = State::new(1);
    atomically(|tx| {
        other.sum.add(tx, 100)?;
        other.most.raise(tx, 20)
    });
    assert!(other.apply(&record));
    assert_eq!((other.sum.peek(), other.most.peek()), (107, 20));
    assert!(other.apply(&live.tell()));
    assert_eq!((other.sum.peek(), other.most.peek()), (7, 10));
}

/// Nothing of a counter is read: two that log a difference do not conflict.
#[test]
fn differences_do_not_conflict() {
    let live = State::new(1);
    let log = MemoryLog::of(&live);
    let first = finished(Mode::Logged, &log, |tx| live.sum.add(tx, 1));
    std::thread::scope(|scope| {
        scope.spawn(|| atomically(|tx| live.sum.add(tx, 10)));
    });
    first.commit().unwrap();
    assert!(!log.only().is_empty());
    assert_eq!(live.sum.peek(), 11);
}

#[test]
fn each_variable_is_journaled_once_with_its_last_value() {
    let live = State::new(2);
    let log = MemoryLog::of(&live);
    let record = record(Mode::Direct, &log, |tx| {
        live.accounts[1].owner.set(tx, "first".into())?;
        live.accounts[1].owner.set(tx, "last".into())?;
        live.other.put(tx, 1, 1).map(drop)
    });
    let changes: Vec<_> = Changes::of(&record).map(Result::unwrap).collect();
    assert_eq!(changes.len(), 1);
    assert_eq!((&changes[0].name[..], changes[0].bytes), (&[99, 1, 1][..], &b"\x04last"[..]));
}

#[test]
fn who_writes_nothing_logs_nothing() {
    let live = State::new(1);
    let log = MemoryLog::of(&live);
    for mode in [Mode::Logged, Mode::Direct, Mode::Relaxed, Mode::Snapshot] {
        finished(mode, &log, |tx| live.sum.get(tx).map(drop)).commit().unwrap();
    }
    // A write is refused, and has told nobody.
    let run = finished(Mode::Snapshot, &log, |tx| {
        let refused = catch_unwind(AssertUnwindSafe(|| live.queue.push(tx, "no".into()).is_ok()));
        assert!(refused.is_err());
        Ok(())
    });
    run.commit().unwrap();
    // Nor has who is dropped.
    drop(finished(Mode::Logged, &log, |tx| live.is_open.set(tx, true)));
    assert!(log.take().is_empty() && log.numbers() == 0);
}

#[test]
fn who_has_no_log_tells_nobody_though_the_thread_had_one_before() {
    let live = State::new(1);
    let log = MemoryLog::of(&live);
    drop(finished(Mode::Logged, &log, |tx| live.map.put(tx, 1, "told".into()).map(drop)));
    finished(Mode::Direct, &log, |tx| live.sum.get(tx).map(drop)).commit().unwrap();
    let before = log.take();
    for mode in [Mode::Logged, Mode::Direct] {
        let run = attempt_here(mode, |tx| {
            live.map.put(tx, 1, "not told".into())?;
            Ok::<_, Abort<()>>(live.is_open.set(tx, true)?)
        });
        let Attempted::Finished(run, ()) = run else { panic!("nobody is in the way") };
        run.commit().unwrap();
    }
    assert!(before.is_empty() && log.take().is_empty() && log.numbers() == 0);
    drop(log);
    atomically(|tx| live.is_open.set(tx, false));
    assert!(!live.is_open.peek());
}

/// A conflict is found after the number was taken.
#[test]
fn who_fails_its_check_gives_its_number_up() {
    let live = State::new(1);
    let log = MemoryLog::of(&live);
    let run = finished(Mode::Logged, &log, |tx| {
        let is_open = live.is_open.get(tx)?;
        live.mark.set(tx, if is_open { 'o' } else { 'c' })
    });
    std::thread::scope(|scope| {
        scope.spawn(|| atomically(|tx| live.is_open.set(tx, true)));
    });
    assert!(run.commit().is_err());
    assert_eq!(log.take(), [(0, None)]);
    // Its lock is its check: nothing was locked.
    let run = finished(Mode::Logged, &log, |tx| live.is_open.update(tx, |open| !open));
    std::thread::scope(|scope| {
        scope.spawn(|| atomically(|tx| live.is_open.set(tx, false)));
    });
    assert!(run.commit().is_err());
    assert!(log.take().is_empty() && log.numbers() == 1);
}

#[test]
#[should_panic(expected = "these logs cannot be told of one attempt")]
fn logs_of_no_group_are_told_alone() {
    let live = State::new(1);
    let logs = [MemoryLog::of(&live), MemoryLog::of(&live)];
    atomically(|tx| {
        tx.log_to(&logs[0]);
        tx.log_to(&logs[0]);
        tx.log_to(&logs[1]);
        Ok(())
    });
}

#[test]
fn an_attempt_that_is_prepared_is_not_journaled() {
    let live = Arc::new(State::new(1));
    let log = Arc::new(MemoryLog::of(&*live));
    let both = Arc::new((live.clone(), log.clone()));
    let run = attempt(both, Mode::Logged, |(live, log), tx| {
        tx.log_to(&**log);
        Ok::<_, Abort<()>>(live.is_open.update(tx, |open| !open)?)
    });
    let Attempted::Finished(finished, ()) = run else { panic!("nobody is in the way") };
    assert!(catch_unwind(AssertUnwindSafe(|| finished.prepare().is_ok())).is_err());
    assert!(!live.is_open.peek() && log.take().is_empty());
}

/// Two fields that are one variable.
struct Twice(TVar<u64>);

impl Journaled for Twice {
    fn enroll(&self, name: &[u32], journal: &mut Journal) {
        self.0.enroll(&[name, &[0]].concat(), journal);
        self.0.enroll(&[name, &[1]].concat(), journal);
    }

    fn apply<'t>(&'t self, tx: &mut Tx<'t>, change: &[u8]) -> Result<(), ApplyError> {
        self.0.apply(tx, change)
    }

    fn tell<'t>(
        &'t self,
        view: &mut Snapshot<'t>,
        change: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Rollback> {
        self.0.tell(view, change)
    }
}

#[test]
#[should_panic(expected = "one variable was enrolled twice, as [0] and as [1]")]
fn a_variable_has_one_name() {
    let _ = Journal::of(&Twice(TVar::new(1)));
}

/// One place for one of several variables.
enum Either {
    Number(TVar<i64>),
    Text(TVar<String>),
    Bytes(TVar<Vec<u8>>),
    Truth(TVar<bool>),
}

impl Either {
    fn journal(&self) -> (Journal, usize) {
        match self {
            Self::Number(one) => (Journal::of(one), std::ptr::from_ref(one).addr()),
            Self::Text(one) => (Journal::of(one), std::ptr::from_ref(one).addr()),
            Self::Bytes(one) => (Journal::of(one), std::ptr::from_ref(one).addr()),
            Self::Truth(one) => (Journal::of(one), std::ptr::from_ref(one).addr()),
        }
    }

    /// Changes what is there, in an attempt with a journal.
    fn change(&self, journal: Journal) -> Vec<u8> {
        let log = MemoryLog::with(journal);
        record(Mode::Direct, &log, |tx| match self {
            Self::Number(one) => one.set(tx, 300),
            Self::Text(one) => one.set(tx, "text".into()),
            Self::Bytes(one) => one.set(tx, vec![0xFF; 3]),
            Self::Truth(one) => one.set(tx, true),
        })
    }
}

#[test]
fn a_journal_that_outlives_its_state_takes_no_value_for_another() {
    let make: [fn() -> Either; 4] = [
        || Either::Number(TVar::new(0)),
        || Either::Text(TVar::default()),
        || Either::Bytes(TVar::default()),
        || Either::Truth(TVar::new(false)),
    ];
    let mut place = Box::new(make[0]());
    for (before, make_before) in make.iter().enumerate() {
        for (after, make_after) in make.iter().enumerate() {
            *place = make_before();
            let (journal, address) = place.journal();
            *place = make_after();
            assert_eq!(place.journal().1, address);
            let changed = catch_unwind(AssertUnwindSafe(|| place.change(journal)));
            match (before, after) {
                // Every bit pattern is a number.
                _ if before == after => assert!(changed.is_ok()),
                (0, 3) => assert!(changed.is_ok()),
                _ => {
                    let panic = changed.expect_err("it has another type");
                    let message = panic.downcast_ref::<&str>().expect("a text");
                    assert!(message.contains("of a state that is no more"), "{message}");
                }
            }
        }
    }
}

/// A value that cannot be written if it is odd.
#[derive(Deserialize)]
#[serde(from = "(u64, String)")]
struct Even(u64);

impl From<(u64, String)> for Even {
    fn from((number, _): (u64, String)) -> Self {
        Self(number)
    }
}

impl Serialize for Even {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 2 == 1 {
            return Err(serde::ser::Error::custom("odd"));
        }
        (self.0, "some text").serialize(serializer)
    }
}

#[test]
fn a_value_that_cannot_be_written_panics_and_leaves_no_trace() {
    let (map, value) = (TMap::<u64, Even>::new(), TVar::new(Even(0)));
    let log = MemoryLog::of(&map);
    let record = record(Mode::Logged, &log, |tx| {
        map.put(tx, 1, Even(2))?;
        let odd = catch_unwind(AssertUnwindSafe(|| map.put(tx, 2, Even(3)).is_ok()));
        assert!(odd.is_err());
        let odd = catch_unwind(AssertUnwindSafe(|| map.put(tx, 1, Even(3)).is_ok()));
        assert!(odd.is_err());
        let odd = catch_unwind(AssertUnwindSafe(|| map.update(tx, &1, |_| Even(5)).is_ok()));
        assert!(odd.is_err());
        map.put(tx, 3, Even(4)).map(drop)
    });
    let changes: Vec<_> = Changes::of(&record).map(Result::unwrap).collect();
    assert_eq!(changes.len(), 2);
    let values = atomically(|tx| {
        map.fold(tx, Vec::new(), |mut all, key, value| {
            all.push((*key, value.0));
            all
        })
    });
    assert!(values.len() == 2 && values.contains(&(1, 2)) && values.contains(&(3, 4)));
    assert!(changes.iter().all(|change| change.name.is_empty()));
    assert_eq!(
        [changes[0].bytes[..3].to_vec(), changes[1].bytes[..3].to_vec()],
        [vec![1, 1, 2], vec![1, 3, 4]]
    );

    let log = MemoryLog::of(&value);
    let run = finished(Mode::Logged, &log, |tx| value.set(tx, Even(1)));
    assert!(catch_unwind(AssertUnwindSafe(|| run.commit().is_ok())).is_err());
    assert!(log.take().is_empty() && log.numbers() == 0);
    assert_eq!(value.peek_with(|even| even.0), 0);
    // It was not locked.
    atomically(|tx| value.set(tx, Even(2)));
}

/// Nobody would be told of changes within.
#[test]
#[should_panic(expected = "pass its `tx` on")]
fn a_variable_within_a_value_is_refused() {
    let map = TMap::<u8, TVar<u8>>::new();
    let log = MemoryLog::of(&map);
    let _ = finished(Mode::Logged, &log, |tx| map.put(tx, 1, TVar::new(1)).map(drop));
}

#[test]
fn parts_of_a_counter_are_one_name() {
    let sum = TCounter::new(0);
    let log = MemoryLog::of(&sum);
    std::thread::scope(|scope| {
        for by in 0..4_i64 {
            let (sum, log) = (&sum, &log);
            scope
                .spawn(move || finished(Mode::Logged, log, |tx| sum.add(tx, by)).commit().unwrap());
        }
    });
    let mut records: Vec<_> = log.take().into_iter().map(|(_, record)| record.unwrap()).collect();
    records.sort();
    for (by, written) in records.into_iter().enumerate() {
        let mut expected = Vec::new();
        add_change(&[], &[0, 2 * by as u8], &mut expected);
        assert_eq!(written, expected);
    }
}
