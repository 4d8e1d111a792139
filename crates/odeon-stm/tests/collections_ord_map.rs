//! `TOrdMap` against `BTreeMap`, in interleaved attempts and under threads.

use crate::support::{Alive, Counted, Random, commits_after};
use odeon_stm::collections::TOrdMap;
use odeon_stm::staged::{Attempted, attempt};
use odeon_stm::{Abort, Mode, Rollback, Tx, View, atomically, snapshot};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn pairs<'t>(
    map: &'t TOrdMap<u64, u64>,
    view: &mut impl View<'t>,
) -> Result<Vec<(u64, u64)>, Rollback> {
    map.fold(view, Vec::new(), |mut pairs, key, value| {
        pairs.push((*key, *value));
        pairs
    })
}

fn equal(pairs: &[(u64, u64)], model: &BTreeMap<u64, u64>) -> bool {
    pairs.iter().copied().eq(model.iter().map(|(key, value)| (*key, *value)))
}

#[test]
fn it_does_what_a_tree_map_does() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut model: BTreeMap<u64, u64> = (0..random.below(100)).map(|key| (key, key)).collect();
        let map: TOrdMap<u64, u64> = model.clone().into_iter().collect();
        for _ in 0..300 {
            let plan: Vec<_> = (0..1 + random.below(5))
                .map(|_| (random.below(11), random.below(150), random.below(200)))
                .collect();
            let mut expected = model.clone();
            let is_undone = random.below(8) == 0;
            let _ = odeon_stm::try_atomically(|tx| {
                expected.clone_from(&model);
                for &(act, key, value) in &plan {
                    step(&map, &mut expected, tx, act, key, value)?;
                }
                assert_eq!(map.len(tx)?, expected.len());
                assert!(equal(&pairs(&map, tx)?, &expected), "own changes are seen, seed {seed}");
                if is_undone { tx.fail(()) } else { Ok(()) }
            });
            if !is_undone {
                model = expected;
            }
        }
        assert!(equal(&snapshot(|view| pairs(&map, view)).unwrap(), &model), "seed {seed}");
        atomically(|tx| map.clear(tx));
        assert!(atomically(|tx| Ok(map.is_empty(tx)? && map.len(tx)? == 0)));
        atomically(|tx| map.extend(tx, model.clone()));
        assert!(equal(&atomically(|tx| pairs(&map, tx)), &model), "seed {seed}");
        assert!(snapshot(|view| Ok(map.entries(view)?.into_iter().eq(&model))).unwrap());
    }
}

fn step<'t>(
    map: &'t TOrdMap<u64, u64>,
    model: &mut BTreeMap<u64, u64>,
    tx: &mut Tx<'t>,
    act: u64,
    key: u64,
    value: u64,
) -> Result<(), Rollback> {
    match act {
        0 | 1 => assert_eq!(map.insert(tx, key, value)?.copied(), model.insert(key, value)),
        2 => assert_eq!(map.put(tx, key, value)?, model.insert(key, value).is_none()),
        3 | 4 => assert_eq!(
            map.remove(tx, &key)?.map(|(key, value)| (*key, *value)),
            model.remove_entry(&key)
        ),
        5 => assert_eq!(map.pop_first(tx)?.map(|(key, value)| (*key, *value)), model.pop_first()),
        6 => {
            let there = model.get_mut(&key).map(|there| *there += value);
            assert_eq!(map.update(tx, &key, |there| there + value)?, there.is_some());
        }
        7 => {
            let there = *model.entry(key).or_insert(value);
            assert_eq!(*map.get_or_insert_with(tx, key, || value)?, there);
        }
        8 => {
            assert_eq!(map.get(tx, &key)?, model.get(&key));
            assert_eq!(map.get_copied(tx, &key)?, model.get(&key).copied());
            assert_eq!(map.contains(tx, &key)?, model.contains_key(&key));
        }
        9 => {
            assert_eq!(map.first(tx)?, model.first_key_value());
            assert_eq!(map.last(tx)?, model.last_key_value());
        }
        _ => {
            let (low, high) = (key.min(value), key.max(value));
            for start in [Bound::Included(low), Bound::Excluded(low), Bound::Unbounded] {
                for end in [Bound::Included(high + 1), Bound::Excluded(high + 1), Bound::Unbounded]
                {
                    let sum = |sum: u64, key: &u64, value: &u64| 3 * sum + key + 7 * value;
                    let wrapping = |a: u64, k: &u64, v: &u64| sum(a % 1_000_003, k, v);
                    assert_eq!(
                        map.fold_range(tx, (start, end), 0, wrapping)?,
                        model.range((start, end)).fold(0, |a, (k, v)| wrapping(a, k, v))
                    );
                }
            }
        }
    }
    Ok(())
}

fn tens() -> Arc<TOrdMap<u64, u64>> {
    Arc::new((1..=500).map(|key| (key * 10, key)).collect())
}

/// How often `first` is in conflict with `second`. Heights are random, so keys far from each other
/// may be neighbours on an upper level, rarely.
fn conflicts(
    first: impl for<'t> Fn(&'t TOrdMap<u64, u64>, &mut Tx<'t>) -> Result<(), Rollback>,
    second: impl for<'t> Fn(&'t TOrdMap<u64, u64>, &mut Tx<'t>) -> Result<(), Rollback>,
) -> usize {
    (0..100).filter(|_| !commits_after(&tens(), &first, &second)).count()
}

#[test]
fn changes_of_keys_that_are_far_apart_do_not_conflict() {
    assert!(
        conflicts(|m, tx| m.put(tx, 4_705, 0).map(drop), |m, tx| m.put(tx, 305, 0).map(drop)) < 25
    );
    assert!(
        conflicts(|m, tx| m.put(tx, 4_705, 0).map(drop), |m, tx| m.remove(tx, &300).map(drop)) < 25
    );
    assert!(
        conflicts(|m, tx| m.remove(tx, &300).map(drop), |m, tx| m.put(tx, 4_705, 0).map(drop)) < 25
    );
    // A search with an update of the value writes no links, and keeps the lowest only.
    assert!(
        conflicts(
            |m, tx| m.update(tx, &4_700, |n| n + 1).map(drop),
            |m, tx| m.put(tx, 305, 0).map(drop)
        ) < 5
    );
}

#[test]
fn changes_of_neighbours_are_in_conflict() {
    assert_eq!(
        conflicts(|m, tx| m.put(tx, 55, 0).map(drop), |m, tx| m.put(tx, 56, 0).map(drop)),
        100
    );
    assert_eq!(
        conflicts(|m, tx| m.put(tx, 55, 0).map(drop), |m, tx| m.remove(tx, &50).map(drop)),
        100
    );
    assert_eq!(
        conflicts(|m, tx| m.remove(tx, &50).map(drop), |m, tx| m.remove(tx, &60).map(drop)),
        100
    );
    assert_eq!(conflicts(|m, tx| m.put(tx, 55, 0).map(drop), |m, tx| m.clear(tx)), 100);
}

#[test]
fn a_range_read_sees_no_phantoms() {
    for phantom in [100, 105, 155, 199, 201] {
        let (mut in_conflict, rounds) = (0, 50);
        for _ in 0..rounds {
            let map = tens();
            if !commits_after(
                &map,
                |m, tx| {
                    let count = m.fold_range(tx, 95..205, 0, |count, _, _| count + 1)?;
                    m.update(tx, &5_000, |_| count).map(drop)
                },
                |m, tx| match phantom {
                    100 => m.remove(tx, &100).map(drop),
                    _ => m.put(tx, phantom, 0).map(drop),
                },
            ) {
                in_conflict += 1;
            }
        }
        assert_eq!(in_conflict, rounds, "{phantom}");
    }
    // An insertion outside of the range does not disturb, unless it is in the gap that ends it.
    assert!(commits_after(
        &tens(),
        |m, tx| {
            let count = m.fold_range(tx, 95..205, 0, |count, _, _| count + 1)?;
            m.update(tx, &4_000, |_| count).map(drop)
        },
        |m, tx| m.put(tx, 225, 0).map(drop)
    ));
}

#[test]
fn what_was_found_missing_stays_so_until_the_commit() {
    assert_eq!(
        conflicts(
            |m, tx| {
                assert!(!m.contains(tx, &305)?);
                m.update(tx, &4_700, |n| n + 1).map(drop)
            },
            |m, tx| m.put(tx, 305, 0).map(drop)
        ),
        100
    );
}

/// Keys move within one map; their number stays, also in every snapshot, and ranges add up to the
/// whole.
#[test]
fn moving_keys_keeps_their_number_under_snapshots() {
    const KEYS: u64 = 100;
    let map: TOrdMap<u64, u64> = (0..KEYS).map(|key| (key * 10, key)).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let movers: Vec<_> = (0..2)
            .map(|seed| {
                let map = &map;
                scope.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..8_000 {
                        let (from, to) = (random.below(KEYS * 10), random.below(KEYS * 10));
                        atomically(|tx| {
                            let from = map.fold_range(tx, from.., None, |first, key, _| {
                                first.or(Some(*key))
                            })?;
                            let Some(from) = from else { return Ok(()) };
                            if map.contains(tx, &to)? {
                                return Ok(());
                            }
                            let (_, value) = map.remove(tx, &from)?.expect("seen above");
                            assert!(map.put(tx, to, *value)?);
                            Ok(())
                        });
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                snapshot(|view| {
                    let seen = pairs(&map, view)?;
                    assert!(seen.is_sorted_by(|a, b| a.0 < b.0));
                    assert_eq!((seen.len() as u64, map.len(view)? as u64), (KEYS, KEYS));
                    let sum: u64 = seen.iter().map(|(_, value)| value).sum();
                    assert_eq!(sum, KEYS * (KEYS - 1) / 2);
                    let middle = seen[KEYS as usize / 2].0;
                    let count = |count: u64, _: &u64, _: &u64| count + 1;
                    let half = map.fold_range(view, ..middle, 0, count)?;
                    assert_eq!(map.fold_range(view, middle.., half, count)?, KEYS);
                    Ok(())
                })
                .unwrap();
            }
        });
        movers.into_iter().for_each(|mover| mover.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn every_key_and_value_is_dropped_once_and_no_later_than_it_must() {
    let alive = Alive::default();
    let counted = |key| (alive.value(key), alive.value(key));
    let map: TOrdMap<Counted, Counted> = (0..100).map(counted).collect();
    let churn = |rounds: std::ops::Range<u64>, left| {
        for key in rounds {
            atomically(|tx| map.remove(tx, &key).map(drop));
            atomically(|tx| map.put(tx, alive.value(key + 100), alive.value(key)));
        }
        alive.falls_to(left);
    };
    churn(0..1_000, 200);
    assert_eq!(alive.count(), 200);
    snapshot(|view| {
        std::thread::scope(|scope| {
            scope.spawn(|| churn(1_000..3_000, 420));
        });
        assert_eq!(map.fold(view, 0, |count, _, _| count + 1)?, 100);
        Ok(())
    })
    .unwrap();
    atomically(|tx| map.clear(tx));
    alive.settles_at(0);
    atomically(|tx| map.extend(tx, (0..20).map(counted)));
    drop(map);
    alive.settles_at(0);
}

#[test]
fn a_large_map_is_dropped_without_recursion() {
    let alive = Alive::default();
    drop((0..300_000).map(|key| (alive.value(key), ())).collect::<TOrdMap<_, _>>());
    assert_eq!(alive.count(), 0);
}

/// Searches that have ended behind the last key, and between two keys. Many times: a node's height
/// is random.
#[test]
fn who_has_searched_before_a_clear_does_not_commit_after_it() {
    for round in 0..60 {
        let key = [1, 3, 5][round % 3];
        let map: Arc<TOrdMap<u32, u32>> = Arc::new([(2, 0), (4, 0)].into_iter().collect());
        let insert = attempt(map.clone(), Mode::Logged, |map, tx| {
            Ok::<_, Abort<()>>(map.insert(tx, key, 0)?.is_none())
        });
        let Attempted::Finished(insert, true) = insert else { panic!("nobody else is here") };
        atomically(|tx| map.clear(tx));
        assert!(insert.commit().is_err(), "{key}");
        assert_eq!(atomically(|tx| Ok((map.len(tx)?, map.fold(tx, 0, |n, _, _| n + 1)?))), (0, 0));
    }
}

/// As many as are asked for, from any place to any other, in transactions with changes of their own
/// and in snapshots.
#[test]
fn iterators_and_ranges_are_those_of_a_tree_map() {
    fn check<'t>(
        map: &'t TOrdMap<u64, u64>,
        model: &BTreeMap<u64, u64>,
        view: &mut impl View<'t>,
        random: &mut Random,
    ) -> Result<(), Rollback> {
        let taken = random.below(12) as usize;
        let seen = map.iter(view)?.take(taken).collect::<Result<Vec<_>, _>>()?;
        assert!(seen.into_iter().eq(model.iter().take(taken)));
        let mut bound = |key: u64| match random.below(3) {
            0 => Bound::Included(key),
            1 => Bound::Excluded(key),
            _ => Bound::Unbounded,
        };
        let (from, to) = (bound(20), bound(90));
        let seen = map.range(view, (from, to))?.take(taken).collect::<Result<Vec<_>, _>>()?;
        assert!(seen.into_iter().eq(model.range((from, to)).take(taken)));
        let all = map.range(view, (from, to))?.collect::<Result<Vec<_>, _>>()?;
        assert!(all.into_iter().eq(model.range((from, to))));
        Ok(())
    }
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut model: BTreeMap<u64, u64> =
            (0..random.below(60)).map(|_| (random.below(120), 0)).collect();
        let map: TOrdMap<u64, u64> = model.clone().into_iter().collect();
        snapshot(|view| check(&map, &model, view, &mut random)).unwrap();
        let (key, gone) = (random.below(120), random.below(120));
        model.insert(key, 7);
        model.remove(&gone);
        atomically(|tx| {
            map.insert(tx, key, 7)?;
            map.remove(tx, &gone)?;
            check(&map, &model, tx, &mut random)
        });
    }
}

/// Who has taken the first three is in conflict with changes of these, and of what comes between,
/// and with no others.
#[test]
fn an_iterator_that_ends_early_is_in_conflict_with_nothing_beyond() {
    for from_key in [None, Some(20)] {
        for (key, commits) in
            [(20, false), (30, false), (40, false), (25, false), (45, true), (50, true), (60, true)]
        {
            let map: TOrdMap<u64, u64> = (2..9).map(|key| (10 * key, 0)).collect();
            let out = odeon_stm::TVar::new(0);
            let run = odeon_stm::staged::attempt_here(Mode::Logged, |tx| {
                let seen = match from_key {
                    None => map.iter(tx)?.take(3).collect::<Result<Vec<_>, _>>()?.len(),
                    Some(from) => {
                        map.range(tx, from..)?.take(3).collect::<Result<Vec<_>, _>>()?.len()
                    }
                };
                out.set(tx, seen)?;
                Ok::<_, Abort<()>>(seen)
            });
            let Attempted::Finished(finished, 3) = run else { panic!("nobody is in the way") };
            std::thread::scope(|scope| {
                scope.spawn(|| atomically(|tx| map.insert(tx, key, 1).map(drop)));
            });
            assert_eq!(finished.commit().is_ok(), commits, "{key} from {from_key:?}");
        }
    }
}
