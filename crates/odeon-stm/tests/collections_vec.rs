//! `TVec` against `Vec`, in interleaved attempts and under threads.

use crate::support::{Alive, Random, commits_after};
use odeon_stm::collections::TVec;
use odeon_stm::{Rollback, View, atomically, snapshot};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn elements<'t>(vec: &'t TVec<u64>, view: &mut impl View<'t>) -> Result<Vec<u64>, Rollback> {
    vec.fold(view, Vec::new(), |mut elements, element| {
        elements.push(*element);
        elements
    })
}

#[test]
fn it_does_what_a_vec_does() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut model: Vec<u64> = (0..random.below(120)).collect();
        let vec: TVec<u64> = model.iter().copied().collect();
        for value in 0..400 {
            let plan: Vec<_> = (0..1 + random.below(6))
                .map(|_| (random.below(7), random.below(130) as usize))
                .collect();
            let mut expected = model.clone();
            let is_undone = random.below(8) == 0;
            let _ = odeon_stm::try_atomically(|tx| {
                expected.clone_from(&model);
                for &(act, index) in &plan {
                    match act {
                        0 | 1 => {
                            assert_eq!(vec.push(tx, value)?, expected.len());
                            expected.push(value);
                        }
                        2 => assert_eq!(vec.pop(tx)?.copied(), expected.pop()),
                        3 => {
                            let place = expected.get_mut(index);
                            let before = place.map(|place| std::mem::replace(place, value));
                            assert_eq!(vec.set(tx, index, value)?.copied(), before);
                        }
                        4 => {
                            let place = expected.get_mut(index).map(|place| *place += 1);
                            assert_eq!(vec.update(tx, index, |n| n + 1)?, place.is_some());
                        }
                        5 => {
                            let are_there = index < expected.len() && 2 * index < expected.len();
                            assert_eq!(vec.swap(tx, index, 2 * index)?, are_there);
                            if are_there {
                                expected.swap(index, 2 * index);
                            }
                        }
                        _ => assert_eq!(vec.get(tx, index)?, expected.get(index)),
                    }
                }
                assert_eq!(vec.len(tx)?, expected.len());
                assert_eq!(vec.is_empty(tx)?, expected.is_empty());
                assert_eq!(elements(&vec, tx)?, expected, "own changes are seen, seed {seed}");
                if is_undone { tx.fail(()) } else { Ok(()) }
            });
            if !is_undone {
                model = expected;
            }
        }
        assert_eq!(snapshot(|view| elements(&vec, view)).unwrap(), model, "seed {seed}");
        atomically(|tx| vec.clear(tx));
        assert!(atomically(|tx| Ok(vec.is_empty(tx)? && vec.get(tx, usize::MAX)?.is_none())));
    }
}

fn of(len: u64) -> Arc<TVec<u64>> {
    Arc::new((0..len).collect())
}

#[test]
fn different_places_do_not_conflict() {
    assert!(commits_after(
        &of(9),
        |v, tx| v.set(tx, 1, 0).map(drop),
        |v, tx| v.set(tx, 2, 0).map(drop)
    ));
    assert!(commits_after(&of(9), |v, tx| v.update(tx, 8, |n| n + 1), |v, tx| v.push(tx, 0)));
    assert!(commits_after(&of(16), |v, tx| v.push(tx, 0), |v, tx| v.set(tx, 15, 0).map(drop)));
    assert!(commits_after(&of(9), |v, tx| v.set(tx, 0, 1).map(drop), |v, tx| v.pop(tx).map(drop)));
}

#[test]
fn one_place_does() {
    assert!(!commits_after(
        &of(9),
        |v, tx| v.update(tx, 1, |n| n + 1),
        |v, tx| v.update(tx, 1, |n| n + 1)
    ));
    assert!(!commits_after(
        &of(9),
        |v, tx| v.update(tx, 8, |n| n + 1),
        |v, tx| v.pop(tx).map(drop)
    ));
    assert!(!commits_after(&of(9), |v, tx| v.push(tx, 0), |v, tx| v.push(tx, 0)));
    // Who has found a place vacant is in conflict with the push that fills it.
    assert!(!commits_after(
        &of(9),
        |v, tx| {
            assert!(v.get(tx, 9)?.is_none());
            v.set(tx, 0, 1).map(drop)
        },
        |v, tx| v.push(tx, 0)
    ));
    assert!(!commits_after(
        &of(16),
        |v, tx| {
            let sum = v.fold(tx, 0, |sum, n| sum + n)?;
            v.set(tx, 0, sum).map(drop)
        },
        |v, tx| v.push(tx, 0)
    ));
}

/// Amounts move between places; their sum stays, also while the vector grows and shrinks.
#[test]
fn moving_amounts_keeps_their_sum_under_snapshots() {
    const PLACES: u64 = 50;
    let vec: TVec<u64> = std::iter::repeat_n(100, PLACES as usize).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let movers: Vec<_> = (0..2)
            .map(|seed| {
                let vec = &vec;
                scope.spawn(move || {
                    let mut random = Random::new(seed);
                    for _ in 0..5_000 {
                        let [from, to] = [(); 2].map(|()| random.below(PLACES) as usize);
                        atomically(|tx| {
                            let amount = vec.get(tx, from)?.copied().unwrap_or(0).min(7);
                            vec.update(tx, from, |there| there - amount)?;
                            vec.update(tx, to, |there| there + amount).map(drop)
                        });
                        atomically(|tx| vec.push(tx, 0).map(drop));
                        if random.below(2) == 0 {
                            atomically(|tx| match vec.get(tx, PLACES as usize)? {
                                Some(_) => vec.pop(tx).map(drop),
                                None => Ok(()),
                            });
                        }
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let (seen, len) =
                    snapshot(|view| Ok((elements(&vec, view)?, vec.len(view)?))).unwrap();
                assert_eq!((seen.iter().sum::<u64>(), seen.len()), (PLACES * 100, len));
            }
        });
        movers.into_iter().for_each(|mover| mover.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn every_element_is_dropped_once() {
    let alive = Alive::default();
    let vec: TVec<_> = (0..100).map(|n| alive.value(n)).collect();
    for n in 0..50 {
        atomically(|tx| vec.set(tx, n, alive.value(0)).map(drop));
        atomically(|tx| vec.pop(tx).map(drop));
        // An index without an element takes nothing.
        atomically(|tx| vec.set(tx, 100, alive.value(0)).map(drop));
    }
    alive.settles_at(50);
    atomically(|tx| vec.clear(tx));
    alive.settles_at(0);
    atomically(|tx| vec.extend(tx, (0..20).map(|n| alive.value(n))));
    drop(vec);
    alive.settles_at(0);
}
