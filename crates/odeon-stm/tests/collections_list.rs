//! `TList` against `BTreeSet`, against itself in interleaved attempts, and under threads.

use crate::support::{Alive, Counted, Random, commits_after, run};
use odeon_stm::collections::TList;
use odeon_stm::staged::{Attempted, attempt};
use odeon_stm::{Abort, Mode, TVar, atomically, snapshot};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn keys(list: &TList<u64>) -> Vec<u64> {
    atomically(|tx| list.iter(tx).map(|key| key.copied()).collect())
}

#[test]
fn it_does_what_a_sorted_set_does() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let (list, mut model) = (TList::new(), BTreeSet::new());
        for _ in 0..400 {
            let plan: Vec<_> =
                (0..1 + random.below(4)).map(|_| (random.below(5), random.below(40))).collect();
            let mut expected = model.clone();
            let is_undone = random.below(8) == 0;
            let _ = odeon_stm::try_atomically(|tx| {
                expected.clone_from(&model);
                for &(act, key) in &plan {
                    match act {
                        0 | 1 => assert_eq!(list.insert(tx, key)?, expected.insert(key)),
                        2 => assert_eq!(
                            list.remove(tx, &key)?.copied(),
                            expected.remove(&key).then_some(key)
                        ),
                        3 => assert_eq!(list.contains(tx, &key)?, expected.contains(&key)),
                        _ => assert_eq!(list.first(tx)?, expected.first()),
                    }
                }
                let seen: Vec<u64> = list.fold(tx, Vec::new(), |mut seen, key| {
                    seen.push(*key);
                    seen
                })?;
                assert!(seen.iter().eq(&expected), "own changes are seen, seed {seed}");
                if is_undone { tx.fail(()) } else { Ok(()) }
            });
            if !is_undone {
                model = expected;
            }
        }
        assert!(keys(&list).iter().eq(&model), "seed {seed}");
        atomically(|tx| list.clear(tx));
        assert!(atomically(|tx| list.is_empty(tx)));
    }
}

fn tens() -> Arc<TList<u64>> {
    Arc::new((1..=9).map(|key| key * 10).collect())
}

#[test]
fn changes_at_different_places_do_not_conflict() {
    assert!(commits_after(&tens(), |l, tx| l.insert(tx, 75), |l, tx| l.insert(tx, 25)));
    assert!(commits_after(&tens(), |l, tx| l.insert(tx, 75), |l, tx| l.remove(tx, &20).map(drop)));
    assert!(commits_after(&tens(), |l, tx| l.remove(tx, &80).map(drop), |l, tx| l.insert(tx, 5)));
    assert!(commits_after(&tens(), |l, tx| l.insert(tx, 25), |l, tx| l.insert(tx, 75)));
}

#[test]
fn an_insertion_behind_a_removed_node_is_in_conflict() {
    let list = tens();
    assert!(!commits_after(&list, |l, tx| l.insert(tx, 25), |l, tx| l.remove(tx, &20).map(drop)));
    assert_eq!(keys(&list), [10, 30, 40, 50, 60, 70, 80, 90]);
    let list = tens();
    assert!(!commits_after(&list, |l, tx| l.insert(tx, 25), |l, tx| l.clear(tx)));
    assert_eq!(keys(&list), []);
}

#[test]
fn neighbours_are_in_conflict() {
    let list = tens();
    assert!(!commits_after(
        &list,
        |l, tx| l.remove(tx, &30).map(drop),
        |l, tx| l.remove(tx, &20).map(drop)
    ));
    assert!(!commits_after(
        &list,
        |l, tx| l.remove(tx, &30).map(drop),
        |l, tx| l.remove(tx, &40).map(drop)
    ));
    assert!(!commits_after(&list, |l, tx| l.insert(tx, 55), |l, tx| l.insert(tx, 56)));
    assert_eq!(keys(&list), [10, 30, 50, 56, 60, 70, 80, 90]);
}

#[test]
fn what_was_found_missing_stays_so_until_the_commit() {
    let list = tens();
    let (first, seen) = run(&list, |l, tx| {
        let seen = l.contains(tx, &25)?;
        l.insert(tx, 85)?;
        Ok(seen)
    });
    assert!(!seen);
    let (second, _) = run(&list, |l, tx| l.insert(tx, 25));
    second.commit().unwrap();
    assert!(first.commit().is_err());
}

#[test]
fn a_whole_traversal_is_in_conflict_with_every_change() {
    let list = tens();
    assert!(!commits_after(
        &list,
        |l, tx| {
            let sum = l.fold(tx, 0, |sum, key| sum + key)?;
            l.insert(tx, sum)
        },
        |l, tx| l.insert(tx, 11)
    ));
}

#[test]
fn the_owner_changes_it_without_a_log() {
    let list = tens();
    let Attempted::Finished(finished, ()) = attempt(list.clone(), Mode::Direct, |l, tx| {
        l.insert(tx, 15)?;
        l.remove(tx, &20)?;
        l.insert(tx, 25)?;
        Ok::<_, Abort<()>>(())
    }) else {
        panic!("nobody else is here")
    };
    let seen = snapshot(|view| list.fold(view, 0, |count, _| count + 1));
    assert_eq!(seen, Ok(9), "snapshots see the list as it was");
    finished.commit().unwrap();
    assert_eq!(keys(&list)[..5], [10, 15, 25, 30, 40]);
}

/// Elements move between two lists; together they always hold the same ones.
#[test]
fn moving_elements_keeps_their_number_under_snapshots() {
    const ELEMENTS: u64 = 60;
    let lists = [TList::from_iter(0..ELEMENTS), TList::new()];
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let movers: Vec<_> = (0..2)
            .map(|seed| {
                let lists = &lists;
                scope.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..6_000 {
                        let key = random.below(ELEMENTS);
                        let from = random.below(2) as usize;
                        atomically(|tx| {
                            if let Some(key) = lists[from].remove(tx, &key)? {
                                assert!(lists[1 - from].insert(tx, *key)?);
                            }
                            Ok(())
                        });
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let (count, sum) = snapshot(|view| {
                    let count_and_sum = |(n, s): (u64, u64), key: &u64| (n + 1, s + key);
                    let half = lists[0].fold(view, (0, 0), count_and_sum)?;
                    lists[1].fold(view, half, count_and_sum)
                })
                .unwrap();
                assert_eq!((count, sum), (ELEMENTS, ELEMENTS * (ELEMENTS - 1) / 2));
            }
        });
        movers.into_iter().for_each(|mover| mover.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
    });
    for list in &lists {
        assert!(keys(list).is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn every_key_is_dropped_once() {
    let alive = Alive::default();
    let list: TList<Counted> = (0..100).map(|key| alive.value(key)).collect();
    for key in 0..50 {
        atomically(|tx| list.remove(tx, &key).map(drop));
        atomically(|tx| list.insert(tx, alive.value(key + 1_000)).map(drop));
        // A key that is there is not taken.
        atomically(|tx| list.insert(tx, alive.value(99)).map(drop));
    }
    alive.settles_at(100);
    atomically(|tx| list.clear(tx));
    alive.settles_at(0);
    drop(list);
}

#[test]
fn what_this_attempt_inserts_and_removes_again_stays_until_its_end() {
    let alive = Alive::default();
    let list: TList<Counted> = TList::new();
    atomically(|tx| {
        list.insert(tx, alive.value(5))?;
        list.insert(tx, alive.value(6))?;
        let five = list.remove(tx, &5)?.expect("inserted above");
        assert_eq!(alive.count(), 2);
        assert_eq!(five.value, 5);
        Ok(())
    });
    alive.settles_at(1);
}

#[test]
fn a_long_list_is_dropped_without_recursion() {
    let alive = Alive::default();
    drop((0..1_000_000).map(|key| alive.value(key)).collect::<TList<Counted>>());
    assert_eq!(alive.count(), 0);
    // What a transaction takes off as a whole is dropped by the collector.
    let holder =
        TVar::new(Arc::new((0..1_000_000).map(|key| alive.value(key)).collect::<TList<_>>()));
    atomically(|tx| holder.set(tx, Arc::new(TList::new())));
    alive.settles_at(0);
}

#[test]
fn a_stalled_snapshot_keeps_its_own_elements_and_no_others() {
    let alive = Alive::default();
    let list: TList<Counted> = (0..10).map(|key| alive.value(key)).collect();
    snapshot(|view| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=500 {
                    for key in 0..10 {
                        let removed = key + 100 * (round - 1);
                        atomically(|tx| list.remove(tx, &removed).map(drop));
                        let inserted = key + 100 * round;
                        atomically(|tx| list.insert(tx, alive.value(inserted)).map(drop));
                    }
                    // One that links another from its birth on.
                    for key in [2, 1] {
                        atomically(|tx| list.insert(tx, alive.value(key)).map(drop));
                    }
                    for key in [1, 2] {
                        atomically(|tx| list.remove(tx, &key).map(drop));
                    }
                }
                // Those that the snapshot sees, those that are there, and links between them.
                alive.falls_to(40);
            });
        });
        let seen = list.fold(view, 0, |sum, key| sum + key.value)?;
        assert_eq!(seen, 45);
        Ok(())
    })
    .unwrap();
    alive.settles_at(10);
}

/// Searches that have ended behind the last key, and between two keys.
#[test]
fn who_has_searched_before_a_clear_does_not_commit_after_it() {
    for key in [1, 3, 5] {
        let list = Arc::new((TList::from_iter([2, 4]), TVar::new(false)));
        let insert = attempt(list.clone(), Mode::Logged, |list, tx| {
            Ok::<_, Abort<()>>(list.0.insert(tx, key)?)
        });
        let look = attempt(list.clone(), Mode::Logged, |list, tx| {
            let is_there = list.0.contains(tx, &key)?;
            list.1.set(tx, is_there)?;
            Ok::<_, Abort<()>>(is_there)
        });
        let Attempted::Finished(insert, true) = insert else { panic!("nobody else is here") };
        let Attempted::Finished(look, false) = look else { panic!("nobody else is here") };
        atomically(|tx| {
            list.0.clear(tx)?;
            list.0.insert(tx, key)
        });
        assert!(insert.commit().is_err() && look.commit().is_err(), "{key}");
        let keys = atomically(|tx| list.0.iter(tx).collect::<Result<Vec<_>, _>>().map(|k| k.len()));
        assert_eq!(keys, 1);
    }
}

#[test]
fn an_empty_list_is_cleared_without_a_write() {
    let list = Arc::new(TList::<u32>::new());
    let clear = attempt(list.clone(), Mode::Logged, |list, tx| Ok::<_, Abort<()>>(list.clear(tx)?));
    let Attempted::Finished(clear, ()) = clear else { panic!("nobody else is here") };
    assert!(atomically(|tx| list.insert(tx, 1)));
    clear.commit().expect("the clear comes before the insert");
    assert!(atomically(|tx| list.contains(tx, &1)));
}
