//! Random programs: a second state that only makes the journaled changes is the same after each
//! commit.

use crate::log::MemoryLog;
use crate::state::{State, steps};
use crate::support::Random;
use odeon_stm::staged::{Attempted, attempt_here};
use odeon_stm::{Abort, Mode, atomically, snapshot};
use odeon_testkit::for_seeds;

const ACCOUNTS: usize = 5;

/// Runs a transaction, which may fail, and answers what it has changed if it has committed.
fn transaction(state: &State, log: &MemoryLog, random: &mut Random) -> Option<Vec<u8>> {
    let mode = if random.below(3) == 0 { Mode::Direct } else { Mode::Logged };
    let fails = random.below(8) == 0;
    let run = attempt_here(mode, |tx| {
        tx.log_to(log);
        steps(state, tx, random, 0)?;
        if fails { Err(Abort::Failed(())) } else { Ok(()) }
    });
    let finished = match run {
        Attempted::Finished(finished, ()) => finished,
        Attempted::Failed(()) => return None,
        Attempted::RolledBack(why) => panic!("nobody is in the way: {why:?}"),
    };
    if random.below(8) == 0 {
        return None; // It is dropped.
    }
    let (has_written, next) = (finished.has_written(), log.numbers());
    finished.commit().expect("nobody is in the way");
    let told = log.take();
    assert_eq!((told.len(), log.numbers() - next), if has_written { (1, 1) } else { (0, 0) });
    Some(
        told.into_iter().next().map_or(Vec::new(), |(_, record)| record.expect("it has committed")),
    )
}

#[test]
fn journaled_changes_make_the_same_state() {
    for_seeds(300, |seed| {
        let random = &mut Random::new(seed + 1);
        let (live, copy) = (State::new(ACCOUNTS), State::new(ACCOUNTS));
        let log = MemoryLog::of(&live);
        for _ in 0..40 {
            match transaction(&live, &log, random) {
                Some(record) => assert!(copy.apply(&record), "{record:?}"),
                None => assert_eq!(copy.contents(), live.contents(), "it has left no trace"),
            }
            assert_eq!(copy.contents(), live.contents());
        }
    });
}

#[test]
fn beside_a_snapshot_too() {
    for_seeds(50, |seed| {
        let random = &mut Random::new(seed + 1_000);
        let (live, copy) = (State::new(ACCOUNTS), State::new(ACCOUNTS));
        let log = MemoryLog::of(&live);
        let (begun, begin) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let live = &live;
            let other = scope.spawn(move || {
                let before = live.contents();
                snapshot(|view| {
                    begun.send(()).unwrap();
                    ended.recv().unwrap();
                    live.sum.get(view)
                })
                .map(|sum| assert!(before.contains(&sum.to_string())))
            });
            begin.recv().unwrap();
            for _ in 0..10 {
                if let Some(record) = transaction(live, &log, random) {
                    assert!(copy.apply(&record));
                }
            }
            end.send(()).unwrap();
            other.join().unwrap().unwrap();
        });
        assert_eq!(copy.contents(), live.contents());
    });
}

#[test]
fn what_is_told_makes_the_same_state_of_any_other() {
    for_seeds(200, |seed| {
        let random = &mut Random::new(seed + 2_000);
        let (live, other) = (State::new(ACCOUNTS), State::new(ACCOUNTS));
        for state in [&live, &other] {
            for _ in 0..30 {
                let seed = random.below(u64::MAX);
                atomically(|tx| steps(state, tx, &mut Random::new(seed), 0));
            }
        }
        let fresh = State::new(ACCOUNTS);
        for state in [&other, &fresh] {
            assert!(state.apply(&live.tell()));
            assert_eq!(state.contents(), live.contents());
        }
    });
}

/// Changes that are made in an attempt with a journal are told like any others.
#[test]
fn what_is_applied_is_journaled_again() {
    for_seeds(100, |seed| {
        let random = &mut Random::new(seed + 3_000);
        let states = [(); 3].map(|()| State::new(ACCOUNTS));
        let [first, second, third] = &states;
        let logs = [first, second].map(MemoryLog::of);
        for round in 0..20 {
            let record = match round % 7 {
                6 => Some(first.tell()),
                _ => transaction(first, &logs[0], random),
            };
            let Some(record) = record else { continue };
            let next = logs[1].numbers();
            atomically(|tx| {
                tx.log_to(&logs[1]);
                second.apply_in(tx, &record).expect("it was told");
                Ok(())
            });
            let again = if logs[1].numbers() > next { logs[1].only() } else { Vec::new() };
            assert!(third.apply(&again));
            assert_eq!(third.contents(), first.contents());
        }
    });
}
