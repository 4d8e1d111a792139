//! `map`: threads read one map of `variables` keys, and sometimes change it. Of 100 transactions 97
//! get a value; the others take turns in replacing one, removing a key, and inserting the key that
//! the thread has removed. So all keys are there but for a few, and what is looked for is mostly
//! found.

use super::case::{Case, TxPlan};
use super::threads;
use crate::error::BenchError;
use crate::samples::Measured;
use odeon_example_run::SplitMix64;
use odeon_stm::collections::TMap;
use odeon_stm::{atomically, snapshot};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

pub(super) const CASE: Case = Case { name: "map", run, floor };

/// Of 100 transactions.
const GETS: u64 = 97;
/// A value has its key in the bits above these.
const NUMBER_BITS: u32 = 32;

fn run(plan: &TxPlan) -> Result<Measured, BenchError> {
    let map: TMap<u64, u64> = at_first(plan).collect();
    let (measured, seen) = threads::run_unprepared(plan, |thread| each(plan, thread, &map));
    let pairs = |map: &TMap<u64, u64>| {
        snapshot(|view| map.fold(view, Vec::new(), |all, key, value| push(all, (*key, *value))))
    };
    let pairs = pairs(&map).map_err(|error| BenchError::WrongResult(error.to_string()))?;
    check(plan, &seen, pairs).map(|()| measured)
}

/// A `HashMap` under a lock of readers and writers.
fn floor(plan: &TxPlan) -> Result<Measured, BenchError> {
    let map: RwLock<HashMap<u64, u64>> = RwLock::new(at_first(plan).collect());
    let (measured, seen) = threads::run_unprepared(plan, |thread| each(plan, thread, &map));
    let map = map.into_inner().unwrap_or_else(PoisonError::into_inner);
    check(plan, &seen, map.into_iter().collect()).map(|()| measured)
}

fn push<T>(mut all: Vec<T>, more: T) -> Vec<T> {
    all.push(more);
    all
}

fn at_first(plan: &TxPlan) -> impl Iterator<Item = (u64, u64)> {
    (0..plan.variables as u64).map(|key| (key, value(key, 0)))
}

/// What the transaction of this number gives `key`.
fn value(key: u64, number: u64) -> u64 {
    key << NUMBER_BITS | number
}

/// What is done to maps; each answers the value that was there.
trait Map {
    fn get(&self, key: u64) -> Option<u64>;
    fn insert(&self, key: u64, value: u64) -> Option<u64>;
    fn remove(&self, key: u64) -> Option<u64>;
}

impl Map for TMap<u64, u64> {
    #[inline]
    fn get(&self, key: u64) -> Option<u64> {
        atomically(|tx| Ok(TMap::get(self, tx, &key)?.copied()))
    }

    #[inline]
    fn insert(&self, key: u64, value: u64) -> Option<u64> {
        atomically(|tx| Ok(TMap::insert(self, tx, key, value)?.copied()))
    }

    #[inline]
    fn remove(&self, key: u64) -> Option<u64> {
        atomically(|tx| Ok(TMap::remove(self, tx, &key)?.copied()))
    }
}

impl Map for RwLock<HashMap<u64, u64>> {
    #[inline]
    fn get(&self, key: u64) -> Option<u64> {
        self.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
    }

    #[inline]
    fn insert(&self, key: u64, value: u64) -> Option<u64> {
        self.write().unwrap_or_else(PoisonError::into_inner).insert(key, value)
    }

    #[inline]
    fn remove(&self, key: u64) -> Option<u64> {
        self.write().unwrap_or_else(PoisonError::into_inner).remove(&key)
    }
}

/// The map of one thread that computes what should come out.
impl Map for RefCell<HashMap<u64, u64>> {
    fn get(&self, key: u64) -> Option<u64> {
        self.borrow().get(&key).copied()
    }

    fn insert(&self, key: u64, value: u64) -> Option<u64> {
        self.borrow_mut().insert(key, value)
    }

    fn remove(&self, key: u64) -> Option<u64> {
        self.borrow_mut().remove(&key)
    }
}

/// What the transactions of one thread have seen.
#[derive(Debug, Default, PartialEq)]
struct MapSeen {
    /// Transactions that were answered with a value of their key, or with none.
    right: u64,
    /// Sum of the values.
    values: u64,
    /// Marks of the keys that came, less those of the keys that went.
    keys: u64,
}

/// By which a sum tells which keys it is of.
fn mark(key: u64) -> u64 {
    SplitMix64::new(key).next()
}

/// Runs all transactions of a thread.
#[inline]
fn each(plan: &TxPlan, thread: usize, map: &impl Map) -> MapSeen {
    let mut random = SplitMix64::new(plan.seed.wrapping_add(thread as u64));
    let (mut seen, mut changes, mut removed) = (MapSeen::default(), 0_u64, 0);
    for number in 1..=plan.share(thread) {
        let drawn = random.next();
        let mut key = ((drawn >> 32) * plan.variables as u64) >> 32;
        let found = if u64::from(drawn as u32) % 100 < GETS {
            map.get(key)
        } else {
            changes += 1;
            if changes % 3 == 2 {
                removed = key;
                let found = map.remove(key);
                let gone = found.map_or(0, |_| mark(key));
                seen.keys = seen.keys.wrapping_sub(gone);
                found
            } else {
                if changes % 3 == 0 {
                    key = removed;
                }
                let found = map.insert(key, value(key, number));
                let come = found.map_or(mark(key), |_| 0);
                seen.keys = seen.keys.wrapping_add(come);
                found
            }
        };
        seen.right += u64::from(found.is_none_or(|value| value >> NUMBER_BITS == key));
        seen.values = seen.values.wrapping_add(found.unwrap_or(0));
    }
    seen
}

/// Every value is of its key, the keys are those that the transactions have left, and a thread that
/// was alone has seen and left what it would have on a map of its own.
fn check(plan: &TxPlan, seen: &[MapSeen], mut pairs: Vec<(u64, u64)>) -> Result<(), BenchError> {
    plan.check_all(seen.iter().map(|seen| seen.right))?;
    pairs.sort_unstable();
    let wrong = |problem: String| Err(BenchError::WrongResult(problem));
    if let Some((key, value)) = pairs.iter().find(|(key, value)| value >> NUMBER_BITS != *key) {
        return wrong(format!("key {key} has the value {value:#x} of another one"));
    }
    let sum = |marks: &mut dyn Iterator<Item = u64>| marks.fold(0, u64::wrapping_add);
    let at_first_keys = sum(&mut at_first(plan).map(|(key, _)| mark(key)));
    let expected = sum(&mut seen.iter().map(|seen| seen.keys)).wrapping_add(at_first_keys);
    if sum(&mut pairs.iter().map(|(key, _)| mark(*key))) != expected {
        return wrong(format!("{} keys are left, and not those that should be", pairs.len()));
    }
    if let [seen] = seen {
        let model = RefCell::new(at_first(plan).collect::<HashMap<_, _>>());
        let should_have_seen = each(plan, 0, &model);
        let mut should_be: Vec<_> = model.into_inner().into_iter().collect();
        should_be.sort_unstable();
        if *seen != should_have_seen || pairs != should_be {
            return wrong(
                "a thread that was alone has seen or left another map than it should".into(),
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(threads: usize) -> TxPlan {
        TxPlan { threads, variables: 5, length: 2, transactions: 4_000, nodes: 1, seed: 3 }
    }

    type Pairs = Vec<(u64, u64)>;

    /// What one thread sees and leaves.
    fn of_one(plan: &TxPlan) -> (MapSeen, Pairs) {
        let map = RefCell::new(at_first(plan).collect::<HashMap<_, _>>());
        let seen = each(plan, 0, &map);
        (seen, map.into_inner().into_iter().collect())
    }

    #[test]
    fn the_keys_stay_but_for_one_of_each_thread() {
        let (seen, pairs) = of_one(&plan(1));
        assert!(pairs.len() >= 4, "{pairs:?}");
        assert!(pairs.iter().any(|(key, found)| *found != value(*key, 0)), "some were replaced");
        check(&plan(1), &[seen], pairs).expect("as it should be");
    }

    #[test]
    fn a_lost_key_and_a_stale_or_misplaced_value_are_noticed() {
        let refused = |threads, change: &dyn Fn(&mut MapSeen, &mut Pairs)| {
            let (mut seen, mut pairs) = of_one(&plan(1));
            pairs.sort_unstable();
            change(&mut seen, &mut pairs);
            // With several threads the second one has seen nothing.
            let seen: Vec<_> = [seen, MapSeen::default()].into_iter().take(threads).collect();
            check(&plan(threads), &seen, pairs).map_err(|error| error.to_string())
        };
        for threads in [1, 2] {
            refused(threads, &|_, _| ()).expect("nothing is wrong");
            let lost = refused(threads, &|_, pairs| pairs.truncate(pairs.len() - 1)).unwrap_err();
            assert!(lost.contains("and not those that should be"), "{lost}");
            let misplaced = refused(threads, &|_, pairs| pairs[0].1 = pairs[1].1).unwrap_err();
            assert!(misplaced.contains("of another one"), "{misplaced}");
            let unseen = refused(threads, &|seen, _| seen.right -= 1).unwrap_err();
            assert!(unseen.contains("3999 of 4000 transactions"), "{unseen}");
        }
        let stale = refused(1, &|_, pairs| pairs[0].1 ^= 1).unwrap_err();
        assert!(stale.contains("another map than it should"), "{stale}");
        let misread = refused(1, &|seen, _| seen.values += 1).unwrap_err();
        assert!(misread.contains("another map than it should"), "{misread}");
    }
}
