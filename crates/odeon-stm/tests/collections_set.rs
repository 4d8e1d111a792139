//! `TSet` against `HashSet`, in interleaved attempts and under threads. `collections_map.rs` tests
//! what is below.

use crate::support::{Alive, Counted, Random, commits_after};
use odeon_stm::collections::TSet;
use odeon_stm::{atomically, snapshot};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn it_does_what_a_hash_set_does() {
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let mut model: HashSet<u64> = (0..random.below(50)).collect();
        let set: TSet<u64> = model.iter().copied().collect();
        for _ in 0..500 {
            let (act, key) = (random.below(5), random.below(60));
            atomically(|tx| {
                match act {
                    0 => assert_eq!(set.insert(tx, key)?, !model.contains(&key)),
                    1 => set.add(tx, key)?,
                    2 | 3 => assert_eq!(set.remove(tx, &key)?, model.contains(&key)),
                    _ => {}
                }
                assert_eq!(set.contains(tx, &key)?, act < 2 || act == 4 && model.contains(&key));
                Ok(())
            });
            match act {
                0 | 1 => drop(model.insert(key)),
                2 | 3 => drop(model.remove(&key)),
                _ => {}
            }
            let seen = snapshot(|view| {
                let seen = set.fold(view, HashSet::new(), |mut seen, key| {
                    assert!(seen.insert(*key));
                    seen
                })?;
                assert_eq!(set.len(view)?, seen.len());
                assert_eq!(set.is_empty(view)?, seen.is_empty());
                Ok(seen)
            });
            assert_eq!(seen.as_ref(), Ok(&model));
        }
        atomically(|tx| set.clear(tx));
        assert!(atomically(|tx| set.is_empty(tx)));
    }
}

#[test]
fn adding_a_key_that_is_there_conflicts_with_nobody_who_does_the_same() {
    let set: Arc<TSet<u64>> = Arc::new([5].into_iter().collect());
    assert!(commits_after(
        &set,
        |s, tx| {
            s.add(tx, 5)?;
            s.add(tx, 1)
        },
        |s, tx| s.add(tx, 5)
    ));
    assert_eq!(atomically(|tx| set.len(tx)), 2);
    // Who relies on it is in conflict with its removal; who adds it while it is missing, with the
    // other.
    assert!(!commits_after(
        &set,
        |s, tx| {
            s.add(tx, 5)?;
            s.add(tx, 2)
        },
        |s, tx| s.remove(tx, &5).map(drop)
    ));
    assert!(!commits_after(&set, |s, tx| s.add(tx, 9), |s, tx| s.add(tx, 9)));
}

#[test]
fn moving_elements_keeps_their_number_under_snapshots() {
    const KEYS: u64 = 100;
    let sets: [TSet<u64>; 2] = [(0..KEYS).collect(), TSet::new()];
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let movers: Vec<_> = (0..2)
            .map(|seed| {
                let sets = &sets;
                scope.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..8_000 {
                        let (key, from) = (random.below(KEYS), random.below(2) as usize);
                        atomically(|tx| {
                            if sets[from].remove(tx, &key)? {
                                sets[1 - from].add(tx, key)?;
                            }
                            Ok(())
                        });
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let count = snapshot(|view| {
                    let count = sets[0].fold(view, 0, |count, _| count + 1)?;
                    assert_eq!(KEYS as usize, sets[0].len(view)? + sets[1].len(view)?);
                    sets[1].fold(view, count, |count, _| count + 1)
                });
                assert_eq!(count, Ok(KEYS));
            }
        });
        movers.into_iter().for_each(|mover| mover.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn every_key_is_dropped_once() {
    let alive = Alive::default();
    let set: TSet<Counted> = (0..100).map(|key| alive.value(key)).collect();
    for key in 0..50 {
        atomically(|tx| set.remove(tx, &key).map(drop));
        atomically(|tx| set.add(tx, alive.value(key + 50)));
    }
    alive.settles_at(50);
    drop(set);
    alive.settles_at(0);
}
