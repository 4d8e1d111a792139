//! `TMap` against `HashMap`, with good hashes and with none, in interleaved attempts and under
//! threads.

use crate::support::{Alive, Counted, Random, commits_after};
use odeon_stm::collections::TMap;
use odeon_stm::{Rollback, Tx, View, atomically, snapshot};
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Hashes that say as much as their last bits: with `MASK` 0 all are equal.
#[derive(Default)]
struct Poor<const MASK: u64>(u64);

impl<const MASK: u64> Hasher for Poor<MASK> {
    fn finish(&self) -> u64 {
        self.0 & MASK
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0 << 8 | u64::from(*byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

type Poorly<const MASK: u64> = BuildHasherDefault<Poor<MASK>>;

fn pairs<'t, S: Send + Sync>(
    map: &'t TMap<u64, u64, S>,
    view: &mut impl View<'t>,
) -> Result<HashMap<u64, u64>, Rollback> {
    map.fold(view, HashMap::new(), |mut pairs, key, value| {
        assert_eq!(pairs.insert(*key, *value), None, "each key once");
        pairs
    })
}

fn does_what_a_hash_map_does<S: BuildHasher + Default + Send + Sync>(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Random::new(seed);
        let start = (0..random.below(100)).map(|key| (key, key));
        let mut model: HashMap<u64, u64> = start.collect();
        let map: TMap<u64, u64, S> = model.clone().into_iter().collect();
        for _ in 0..300 {
            let plan: Vec<_> = (0..1 + random.below(5))
                .map(|_| (random.below(10), random.below(150), random.below(1_000)))
                .collect();
            let mut expected = model.clone();
            let is_undone = random.below(8) == 0;
            let _ = odeon_stm::try_atomically(|tx| {
                expected.clone_from(&model);
                for &(act, key, value) in &plan {
                    step(&map, &mut expected, tx, act, key, value)?;
                }
                assert_eq!(map.len(tx)?, expected.len());
                assert_eq!(pairs(&map, tx)?, expected, "own changes are seen, seed {seed}");
                if is_undone { tx.fail(()) } else { Ok(()) }
            });
            if !is_undone {
                model = expected;
            }
        }
        assert_eq!(snapshot(|view| pairs(&map, view)).unwrap(), model, "seed {seed}");
        let entries = atomically(|tx| {
            let entries = map.entries(tx)?;
            assert_eq!(entries.len(), model.len());
            Ok(entries.into_iter().map(|(key, value)| (*key, *value)).collect::<HashMap<_, _>>())
        });
        assert_eq!(entries, model, "seed {seed}");
        atomically(|tx| map.clear(tx));
        assert!(atomically(|tx| Ok(map.is_empty(tx)? && pairs(&map, tx)?.is_empty())));
    }
}

fn step<'t, S: BuildHasher>(
    map: &'t TMap<u64, u64, S>,
    model: &mut HashMap<u64, u64>,
    tx: &mut Tx<'t>,
    act: u64,
    key: u64,
    value: u64,
) -> Result<(), Rollback> {
    match act {
        0 | 1 => assert_eq!(map.insert(tx, key, value)?.copied(), model.insert(key, value)),
        2 => assert_eq!(map.put(tx, key, value)?, model.insert(key, value).is_none()),
        3..=5 => assert_eq!(map.remove(tx, &key)?.copied(), model.remove(&key)),
        6 => {
            let there = model.get_mut(&key).map(|there| *there += value);
            assert_eq!(map.update(tx, &key, |there| there + value)?, there.is_some());
        }
        7 => {
            let there = *model.entry(key).or_insert(value);
            assert_eq!(*map.get_or_insert_with(tx, key, || value)?, there);
        }
        8 => assert_eq!(map.get(tx, &key)?, model.get(&key)),
        _ => {
            assert_eq!(map.get_copied(tx, &key)?, model.get(&key).copied());
            assert_eq!(map.contains(tx, &key)?, model.contains_key(&key));
        }
    }
    Ok(())
}

#[test]
fn it_does_what_a_hash_map_does() {
    does_what_a_hash_map_does::<std::hash::RandomState>(0..10);
}

#[test]
fn it_does_so_when_all_hashes_are_equal() {
    does_what_a_hash_map_does::<Poorly<0>>(10..15);
}

#[test]
fn it_does_so_when_only_the_last_bits_of_hashes_differ() {
    does_what_a_hash_map_does::<Poorly<15>>(15..20);
    does_what_a_hash_map_does::<Poorly<{ u64::MAX }>>(20..25);
}

/// The upper bits choose the place: keys that differ in them never meet.
const FAR: u64 = 1 << 60;

fn few() -> Arc<TMap<u64, u64, Poorly<{ u64::MAX }>>> {
    Arc::new([(1, 1), (FAR, 2)].into_iter().collect())
}

#[test]
fn changes_of_different_keys_do_not_conflict() {
    assert!(commits_after(
        &few(),
        |m, tx| m.insert(tx, 2 * FAR, 0).map(drop),
        |m, tx| m.insert(tx, 3 * FAR, 0).map(drop)
    ));
    assert!(commits_after(
        &few(),
        |m, tx| m.remove(tx, &1).map(drop),
        |m, tx| m.remove(tx, &FAR).map(drop)
    ));
    assert!(commits_after(
        &few(),
        |m, tx| m.insert(tx, FAR, 0).map(drop),
        |m, tx| m.put(tx, 3 * FAR, 0)
    ));
    // In one node far below the root, once it is there.
    let map = few();
    atomically(|tx| map.put(tx, 2, 2));
    assert!(commits_after(&map, |m, tx| m.put(tx, 3, 0), |m, tx| m.put(tx, 4, 0)));
    assert_eq!(atomically(|tx| map.len(tx)), 5);
}

#[test]
fn blind_overwrites_of_one_key_do_not_conflict_and_the_last_one_stands() {
    let map = few();
    assert!(commits_after(&map, |m, tx| m.put(tx, 1, 10), |m, tx| m.put(tx, 1, 20)));
    assert_eq!(atomically(|tx| map.get_copied(tx, &1)), Some(10));
    assert!(!commits_after(
        &map,
        |m, tx| m.update(tx, &1, |n| n + 1),
        |m, tx| m.update(tx, &1, |n| n + 1)
    ));
}

#[test]
fn changes_of_one_place_are_in_conflict() {
    assert!(!commits_after(&few(), |m, tx| m.put(tx, 7 * FAR, 0), |m, tx| m.put(tx, 7 * FAR, 0)));
    assert!(!commits_after(&few(), |m, tx| m.put(tx, 1, 0), |m, tx| m.remove(tx, &1).map(drop)));
    assert!(!commits_after(&few(), |m, tx| m.remove(tx, &1).map(drop), |m, tx| m.clear(tx)));
    assert!(!commits_after(&few(), |m, tx| m.put(tx, 2, 0), |m, tx| m.clear(tx)));
}

/// Keys 1 and 2 share an inner node, far below the root.
fn in_one_node() -> Arc<TMap<u64, u64, Poorly<{ u64::MAX }>>> {
    Arc::new([(1, 1), (2, 2)].into_iter().collect())
}

#[test]
fn nothing_is_lost_in_a_node_that_goes() {
    // The removal lifts key 1 out of the node: who has come to the node before notices.
    let map = in_one_node();
    assert!(!commits_after(&map, |m, tx| m.put(tx, 3, 3), |m, tx| m.remove(tx, &2).map(drop)));
    assert!(!commits_after(
        &in_one_node(),
        |m, tx| m.remove(tx, &2).map(drop),
        |m, tx| m.put(tx, 3, 3)
    ));
    assert!(!commits_after(
        &in_one_node(),
        |m, tx| m.remove(tx, &2).map(drop),
        |m, tx| m.remove(tx, &1).map(drop)
    ));
    // A node that stays is in nobody's way, also if others change what the removal has seen in it.
    let map = in_one_node();
    atomically(|tx| map.extend(tx, [(3, 3), (4, 4)]));
    assert!(commits_after(
        &map,
        |m, tx| m.remove(tx, &4).map(drop),
        |m, tx| m.remove(tx, &1).map(drop)
    ));
    assert_eq!(snapshot(|view| pairs(&map, view)), Ok([(2, 2), (3, 3)].into()));
}

#[test]
fn who_has_not_found_a_key_is_in_conflict_with_its_insertion() {
    assert!(!commits_after(
        &few(),
        |m, tx| {
            assert!(!m.contains(tx, &5)?);
            m.put(tx, FAR, 9)
        },
        |m, tx| m.put(tx, 5, 0)
    ));
    assert!(!commits_after(
        &few(),
        |m, tx| {
            let len = m.len(tx)? as u64;
            m.put(tx, FAR, len)
        },
        |m, tx| m.put(tx, 5, 0)
    ));
}

/// Keys move between two maps; together they always hold the same ones.
#[test]
fn moving_elements_keeps_their_number_under_snapshots() {
    const KEYS: u64 = 200;
    let full: TMap<u64, u64> = (0..KEYS).map(|key| (key, key)).collect();
    let maps = [full, TMap::new()];
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let movers: Vec<_> = (0..2)
            .map(|seed| {
                let maps = &maps;
                scope.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..10_000 {
                        let (key, from) = (random.below(KEYS), random.below(2) as usize);
                        atomically(|tx| {
                            if let Some(value) = maps[from].remove(tx, &key)? {
                                assert!(maps[1 - from].put(tx, key, *value)?);
                            }
                            Ok(())
                        });
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                snapshot(|view| {
                    let mut both = pairs(&maps[0], view)?;
                    assert_eq!(both.len(), maps[0].len(view)?);
                    both.extend(pairs(&maps[1], view)?);
                    assert_eq!(both.len() as u64, KEYS);
                    assert!(both.iter().all(|(key, value)| key == value));
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
fn every_key_and_value_is_dropped_once() {
    let alive = Alive::default();
    let counted = |key| (alive.value(key), alive.value(key));
    let map: TMap<Counted, Counted> = (0..100).map(counted).collect();
    for key in 0..50 {
        atomically(|tx| map.remove(tx, &key).map(drop));
        atomically(|tx| map.put(tx, alive.value(key + 500), alive.value(0)));
        atomically(|tx| map.insert(tx, alive.value(99), alive.value(0)).map(drop));
    }
    alive.settles_at(200);
    atomically(|tx| map.clear(tx));
    alive.settles_at(0);
    atomically(|tx| map.extend(tx, (0..20).map(counted)));
    drop(map);
    alive.settles_at(0);
}

#[test]
fn a_stalled_snapshot_keeps_its_own_values_and_no_others() {
    let alive = Alive::default();
    let map: TMap<u64, Counted> = (0..10).map(|key| (key, alive.value(key))).collect();
    snapshot(|view| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for key in 0..2_000 {
                    atomically(|tx| map.remove(tx, &key).map(drop));
                    atomically(|tx| map.put(tx, key + 10, alive.value(0)));
                    // The first value of a new key is replaced, too.
                    atomically(|tx| map.put(tx, key + 10, alive.value(1)));
                }
                alive.falls_to(100);
            });
        });
        assert_eq!(map.fold(view, 0, |sum, _, value| sum + value.value)?, 45);
        Ok(())
    })
    .unwrap();
    alive.settles_at(10);
}
