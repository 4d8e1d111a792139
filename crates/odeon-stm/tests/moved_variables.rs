//! A variable that is moved while a snapshot runs: what that sees of it is its value then, or
//! nothing.

use crate::support::Random;
use odeon_stm::staged::{Attempted, SharedSnapshot};
use odeon_stm::{Abort, Cause, Rollback, ScopedTx, TVar, Tx, atomically, snapshot};
use std::collections::HashMap;
use std::sync::OnceLock;

/// What `closure` sees, or `None` if it is refused.
fn seen<'env, R>(
    snapshot: &mut SharedSnapshot,
    closure: impl for<'t> FnOnce(&mut ScopedTx<'t, 'env>) -> Result<R, Rollback>,
) -> Option<R> {
    match snapshot.attempt(|tx| closure(tx).map_err(Abort::<()>::from)) {
        Attempted::Finished(finished, value) => {
            finished.commit();
            Some(value)
        }
        Attempted::RolledBack(why) => {
            assert_eq!(why.cause(), Cause::SnapshotExpired);
            None
        }
        Attempted::Failed(()) => unreachable!("the closures have no errors of their own"),
    }
}

/// A variable for `u64` in one of two types.
#[derive(Debug)]
enum Variable {
    Number(TVar<u64>),
    Text(TVar<String>),
}

impl Variable {
    fn new(value: u64, is_text: bool) -> Self {
        match is_text {
            true => Self::Text(TVar::new(value.to_string())),
            false => Self::Number(TVar::new(value)),
        }
    }

    fn get<'t>(&'t self, tx: &mut Tx<'t>) -> Result<u64, Rollback> {
        match self {
            Self::Number(number) => number.get(tx),
            Self::Text(text) => Ok(text.read(tx)?.parse().expect("a number was written")),
        }
    }

    fn set<'t>(&'t self, tx: &mut Tx<'t>, value: u64) -> Result<(), Rollback> {
        match self {
            Self::Number(number) => number.set(tx, value),
            Self::Text(text) => text.set(tx, value.to_string()),
        }
    }
}

/// A variable with what it must have.
struct Known {
    variable: Variable,
    id: u64,
    value: u64,
    /// How often it was moved.
    moves: u64,
}

/// A snapshot with what it must see: value and moves of each variable at its begin.
struct Look {
    snapshot: SharedSnapshot,
    then: HashMap<u64, (u64, u64)>,
}

/// Variables are written, one or many by a transaction, often with equal values; they change
/// places, end, and others are made in their places, while several snapshots run. A snapshot sees
/// each variable that was there at its begin as it was then if it was not moved meanwhile, and
/// otherwise as it was then or not at all.
#[test]
fn random_moves_beside_snapshots() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let mut pick = |bound: usize| random.below(bound as u64) as usize;
        let mut ids = 0..;
        let mut variable = |is_text| {
            let id = ids.next().expect("there are enough");
            Known { variable: Variable::new(1, is_text), id, value: 1, moves: 0 }
        };
        let count = 2 + pick(if seed % 3 == 0 { 150 } else { 6 });
        let mut all: Vec<_> = (0..count).map(|n| variable(n % 2 == 0)).collect();
        let mut looks: Vec<Look> = Vec::new();
        for _ in 0..400 {
            let (one, other) = (pick(count), pick(count));
            match pick(12) {
                0..4 => {
                    let (from, value) = (one.min(other), pick(3) as u64);
                    let written = &mut all[from..=one.max(other)];
                    atomically(|tx| {
                        written.iter().try_for_each(|known| known.variable.set(tx, value))
                    });
                    written.iter_mut().for_each(|known| known.value = value);
                }
                4..6 => {
                    atomically(|tx| all[one].variable.set(tx, 7));
                    all[one].value = 7;
                }
                6 if one != other => {
                    all.swap(one, other);
                    all[one].moves += 1;
                    all[other].moves += 1;
                }
                7 => all[one] = variable(pick(2) == 0),
                8 => {
                    // Written before it comes to its place.
                    let mut moved = variable(pick(2) == 0);
                    atomically(|tx| moved.variable.set(tx, 7));
                    (moved.value, moved.moves) = (7, 1);
                    all[one] = moved;
                }
                9 if looks.len() < 4 => {
                    let then = all.iter().map(|known| (known.id, (known.value, known.moves)));
                    let then = then.collect();
                    looks.push(Look { snapshot: SharedSnapshot::begin(), then });
                }
                10 if !looks.is_empty() => drop(looks.swap_remove(pick(looks.len()))),
                _ => {
                    let Some(look) = looks.last_mut() else { continue };
                    let seen = seen(&mut look.snapshot, |tx| all[one].variable.get(tx));
                    match (seen, look.then.get(&all[one].id)) {
                        (Some(seen), Some((then, _))) => assert_eq!(seen, *then, "seed {seed}"),
                        (Some(seen), None) => panic!("seed {seed}: {seen} of a younger one"),
                        (None, Some((_, moves))) => {
                            assert_ne!(*moves, all[one].moves, "seed {seed}: refused");
                            // It was begun anew.
                            looks.pop();
                        }
                        (None, None) => drop(looks.pop()),
                    }
                }
            }
        }
    }
}

/// By [`snapshot`] alone; the variable's type is another one than that of the kept value.
#[test]
fn a_variable_in_the_place_of_one_that_is_kept_is_refused() {
    let mut place = Box::new(Variable::Number(TVar::new(0x4141_4141)));
    let text = Variable::Text(TVar::new("4".into()));
    let kept = OnceLock::new();
    let kept = &kept;
    let seen = snapshot(move |view| {
        std::thread::scope(|scope| {
            scope.spawn(|| atomically(|tx| place.set(tx, 1).and(text.set(tx, 5))));
        });
        *place = text;
        let Variable::Text(text) = &**kept.get_or_init(|| place) else { unreachable!() };
        Ok(text.read(view)?.clone())
    });
    assert!(seen.is_err(), "{seen:?}");
}

/// Both have the same word and the same bits: one transaction has written the same value to both.
#[test]
fn two_variables_that_look_the_same_and_change_places() {
    let (mut left, mut right) = (TVar::new(10_u64), TVar::new(20_u64));
    let mut snapshot = SharedSnapshot::begin();
    atomically(|tx| left.set(tx, 7).and(right.set(tx, 7)));
    assert_eq!(seen(&mut snapshot, |tx| Ok((left.get(tx)?, right.get(tx)?))), Some((10, 20)));
    std::mem::swap(&mut left, &mut right);
    let swapped = seen(&mut snapshot, |tx| Ok((left.get(tx)?, right.get(tx)?)));
    assert!([None, Some((20, 10))].contains(&swapped), "{swapped:?}");
    // It was begun anew.
    assert_eq!(seen(&mut snapshot, |tx| Ok((left.get(tx)?, right.get(tx)?))), Some((7, 7)));
}
