//! Every collection through JSON and back, also while somebody writes.

use odeon_stm::collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
use odeon_stm::{TVar, atomically, snapshot};
use serde::{Serialize, Serializer};
use serde_json::{from_str, json, to_string, to_value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn every_collection_is_written_and_read() {
    let list: TList<u32> = from_str("[3, 1, 2, 1]").unwrap();
    assert_eq!(to_string(&list).unwrap(), "[1,2,3]");
    let queue: TQueue<u32> = from_str("[3, 1]").unwrap();
    assert_eq!(atomically(|tx| queue.pop(tx).map(|first| first.copied())), Some(3));
    assert_eq!(to_string(&queue).unwrap(), "[1]");
    let vec: TVec<u32> = from_str("[3, 1]").unwrap();
    atomically(|tx| vec.push(tx, 4));
    assert_eq!(to_string(&vec).unwrap(), "[3,1,4]");
    let set: TSet<u32> = from_str("[7, 7]").unwrap();
    assert_eq!(to_string(&set).unwrap(), "[7]");
    let ordered: TOrdMap<String, u32> = from_str(r#"{"b": 2, "a": 1}"#).unwrap();
    assert_eq!(to_string(&ordered).unwrap(), r#"{"a":1,"b":2}"#);
    let map: TMap<String, Vec<u32>> = from_str(r#"{"b": [2], "a": []}"#).unwrap();
    assert_eq!(atomically(|tx| map.len(tx)), 2);
    assert_eq!(to_value(&map).unwrap(), json!({"a": [], "b": [2]}));
}

#[test]
fn wrong_input_is_an_error() {
    assert!(from_str::<TList<u32>>(r#"["one"]"#).is_err());
    assert!(from_str::<TMap<String, u32>>("[1]").is_err());
    // JSON has no such keys: the error comes from within the snapshot.
    let map: TMap<Option<u32>, u32> = [(None, 1)].into_iter().collect();
    assert!(to_string(&map).is_err());
    assert_eq!(snapshot(|view| map.len(view)), Ok(1), "the snapshot has ended");
}

#[test]
fn it_is_written_as_of_one_moment() {
    let map: TMap<u32, i64> = (0..100).map(|key| (key, 100)).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..20_000 {
                let (from, to) = (round % 100, round * 7 % 100);
                atomically(|tx| {
                    map.update(tx, &from, |n| n - 1)?;
                    map.update(tx, &to, |n| n + 1)
                });
            }
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            let seen = to_value(&map).unwrap();
            let sum: i64 = seen.as_object().unwrap().values().map(|n| n.as_i64().unwrap()).sum();
            assert_eq!(sum, 10_000);
        }
    });
}

#[test]
fn collections_within_collections_are_written_and_read() {
    let text = r#"{"a":[[1],[2,3]],"b":[]}"#;
    let map: TOrdMap<String, TVec<TList<u32>>> = from_str(text).unwrap();
    assert_eq!(to_string(&map).unwrap(), text);
    let text = r#"[{"7":[null,4]}]"#;
    type Inner = TVar<Vec<Option<TVar<u32>>>>;
    let queue: TQueue<TMap<u32, Inner>> = from_str(text).unwrap();
    assert_eq!(to_string(&queue).unwrap(), text);
}

/// Amounts move between maps of one map; what is written adds up although each is written in a turn
/// of its own.
#[test]
fn what_is_within_is_written_as_of_the_same_moment() {
    let maps: TMap<u32, TMap<u32, TVar<i64>>> =
        (0..10).map(|map| (map, (0..10).map(|key| (key, TVar::new(10))).collect())).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..20_000 {
                let (from, to) = (round % 100, round * 7 % 100);
                atomically(|tx| {
                    for (place, change) in [(from, -1), (to, 1)] {
                        let map = maps.get(tx, &(place / 10))?.expect("it stays");
                        map.get(tx, &(place % 10))?
                            .expect("it stays")
                            .update(tx, |n| n + change)?;
                    }
                    Ok(())
                });
            }
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            let seen = to_value(&maps).unwrap();
            let maps = seen.as_object().unwrap().values();
            let amounts = maps.flat_map(|map| map.as_object().unwrap().values());
            assert_eq!(amounts.map(|n| n.as_i64().unwrap()).sum::<i64>(), 1_000);
        }
    });
}

/// Serialises a list while it is serialised itself, and then panics.
struct Panicking(TList<u32>);

impl Serialize for Panicking {
    fn serialize<Z: Serializer>(&self, _: Z) -> Result<Z::Ok, Z::Error> {
        assert_eq!(to_string(&self.0).unwrap(), "[1]");
        panic!("on purpose");
    }
}

#[test]
fn an_error_or_panic_within_ends_the_snapshot() {
    let wrong: TMap<Option<u32>, u32> = [(None, 1)].into_iter().collect();
    let wrong: TVec<_> = [wrong].into_iter().collect();
    assert!(to_string(&wrong).is_err());
    let vec: TVec<_> = [Panicking([1].into_iter().collect())].into_iter().collect();
    assert!(catch_unwind(AssertUnwindSafe(|| to_string(&vec))).is_err());
    let list: TList<u32> = [1, 2].into_iter().collect();
    assert_eq!(to_string(&list).unwrap(), "[1,2]");
    assert_eq!(atomically(|tx| list.remove(tx, &1).map(|found| found.copied())), Some(1));
    assert_eq!(to_string(&list).unwrap(), "[2]", "a snapshot of its own again");
}

#[test]
fn within_a_transaction_it_panics() {
    let list: TList<u32> = [1].into_iter().collect();
    let run = || atomically(|_| Ok(to_string(&list).is_ok()));
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
}

/// Serialises a variable, and a map, that it makes for that.
struct MakesItsOwn;

impl Serialize for MakesItsOwn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let variable = Box::new(TVar::new(7_u64));
        let map: Box<TMap<u32, TVar<u64>>> = Box::new([(1, TVar::new(7))].into_iter().collect());
        assert!(to_string(&*variable).is_err(), "it is younger than the snapshot");
        assert!(to_string(&*map).is_err());
        drop((variable, map));
        serializer.serialize_u64(1)
    }
}

/// The snapshot that is lent to it ends after what it has made.
#[test]
fn a_value_that_serialises_a_variable_of_its_own_gets_an_error() {
    for _ in 0..10 {
        let seen = to_string(&TVar::new(MakesItsOwn));
        assert!(seen.is_err(), "{seen:?}");
    }
    assert_eq!(to_string(&TVar::new(1)).unwrap(), "1", "the snapshots have ended");
}
