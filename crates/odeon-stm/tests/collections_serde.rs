//! Every collection through JSON and back, also while somebody writes.

use odeon_stm::collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
use odeon_stm::{atomically, snapshot};
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
fn within_a_transaction_it_panics() {
    let list: TList<u32> = [1].into_iter().collect();
    let run = || atomically(|_| Ok(to_string(&list).is_ok()));
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
}
