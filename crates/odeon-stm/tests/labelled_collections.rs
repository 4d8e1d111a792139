//! Collections and counters with names: whichever of their cells is in the way, the report has the
//! name, also of cells that came later.

use odeon_stm::collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
use odeon_stm::{Labelled, Rollback, TCounter, TVar, Tx, atomically, stats};

/// How many attempts were rolled back so far because of what has this name.
fn rollbacks(name: &str) -> u64 {
    let rows = stats().rollbacks_by_label;
    rows.iter().filter(|(label, _, _)| *label == name).map(|(_, _, count)| count).sum()
}

/// Has `act` rolled back once, by `other` in between its two parts, and checks that it is told
/// under `name`.
#[track_caller]
fn conflicts<S: Sync>(
    name: &str,
    of: &S,
    look: impl for<'t> Fn(&'t S, &mut Tx<'t>) -> Result<(), Rollback>,
    other: impl for<'t> Fn(&'t S, &mut Tx<'t>) -> Result<(), Rollback> + Sync,
) {
    let before = rollbacks(name);
    let own = TVar::new(0_u64);
    let mut is_first = true;
    atomically(|tx| {
        look(of, tx)?;
        if std::mem::take(&mut is_first) {
            std::thread::scope(|scope| {
                scope.spawn(|| atomically(|tx| other(of, tx)));
            });
        }
        own.update(tx, |n| n + 1)
    });
    assert_eq!(rollbacks(name), before + 1, "{name}");
}

#[test]
fn a_map_is_named_wherever_it_is_in_the_way() {
    let name = "a map of this test";
    let map: Labelled<TMap<u64, u64>> = Labelled::new(name, (0..100).map(|key| (key, 0)).collect());
    // A value that was there, one that has come, a place that was empty, and one that is shared by
    // many keys.
    conflicts(
        name,
        &map,
        |map, tx| map.get(tx, &5).map(drop),
        |map, tx| map.put(tx, 5, 1).map(drop),
    );
    atomically(|tx| (1_000..9_000).try_for_each(|key| map.insert(tx, key, 0).map(drop)));
    for key in [1_000, 4_321, 8_999] {
        conflicts(
            name,
            &(&map, key),
            |(map, key), tx| map.get(tx, key).map(drop),
            |(map, key), tx| map.put(tx, *key, 1).map(drop),
        );
        conflicts(
            name,
            &(&map, key),
            |(map, key), tx| map.get(tx, key).map(drop),
            |(map, key), tx| map.remove(tx, key).map(drop),
        );
    }
    conflicts(
        name,
        &map,
        |map, tx| map.get(tx, &99_999).map(drop),
        |map, tx| map.insert(tx, 99_999, 1).map(drop),
    );
}

/// Only who reads a sum is rolled back by who adds, whichever part that adds to; who adds is not,
/// by anybody.
#[test]
fn a_counter_is_named_to_who_reads_it() {
    let name = "a counter of this test";
    let counter = Labelled::new(name, TCounter::new(5));
    for _ in 0..20 {
        conflicts(
            name,
            &counter,
            |counter, tx| counter.get(tx).map(drop),
            |counter, tx| counter.add(tx, 1),
        );
    }
    let before = rollbacks(name);
    atomically(|tx| {
        std::thread::scope(|scope| {
            scope.spawn(|| atomically(|tx| counter.add(tx, 1)));
        });
        counter.add(tx, 1)
    });
    assert_eq!((rollbacks(name), counter.peek()), (before, 27));
    drop(counter);
    // Its cells are nobody's any more: whoever comes to stand there has no name.
    let (others, before) =
        ((0..100).map(|_| TCounter::new(0)).collect::<Vec<_>>(), rollbacks(name));
    for other in &others {
        let mut is_first = true;
        atomically(|tx| {
            other.get(tx)?;
            if std::mem::take(&mut is_first) {
                std::thread::scope(|scope| {
                    scope.spawn(|| atomically(|tx| other.add(tx, 1)));
                });
            }
            other.add(tx, 1)
        });
        assert_eq!(other.peek(), 2);
    }
    assert_eq!(rollbacks(name), before);
}

#[test]
fn each_collection_is_named() {
    let name = "an ordered map of this test";
    let map = Labelled::new(name, TOrdMap::from_iter([(1_u64, 0_u64), (9, 0)]));
    conflicts(
        name,
        &map,
        |map, tx| map.get(tx, &1).map(drop),
        |map, tx| map.put(tx, 1, 1).map(drop),
    );
    atomically(|tx| (10..200).try_for_each(|key| map.insert(tx, key, 0).map(drop)));
    conflicts(
        name,
        &map,
        |map, tx| map.get(tx, &150).map(drop),
        |map, tx| map.remove(tx, &150).map(drop),
    );
    conflicts(
        name,
        &map,
        |map, tx| map.get(tx, &140).map(drop),
        |map, tx| map.put(tx, 140, 7).map(drop),
    );

    let name = "a list of this test";
    let list = Labelled::new(name, TList::from_iter([1_u64, 2, 3]));
    conflicts(
        name,
        &list,
        |list, tx| list.contains(tx, &2).map(drop),
        |list, tx| list.remove(tx, &2).map(drop),
    );
    atomically(|tx| (10..50).try_for_each(|key| list.insert(tx, key).map(drop)));
    conflicts(
        name,
        &list,
        |list, tx| list.contains(tx, &30).map(drop),
        |list, tx| list.remove(tx, &30).map(drop),
    );

    let name = "a set of this test";
    let set: Labelled<TSet<u64>> = Labelled::new(name, TSet::new());
    atomically(|tx| (0..50_u64).try_for_each(|key| set.add(tx, key)));
    conflicts(
        name,
        &set,
        |set, tx| set.contains(tx, &7).map(drop),
        |set, tx| set.remove(tx, &7).map(drop),
    );

    let name = "a queue of this test";
    let queue = Labelled::new(name, TQueue::from_iter([1_u64]));
    conflicts(
        name,
        &queue,
        |queue, tx| queue.first(tx).map(drop),
        |queue, tx| queue.pop(tx).map(drop),
    );
    atomically(|tx| (0..9).try_for_each(|n| queue.push(tx, n)));
    conflicts(
        name,
        &queue,
        |queue, tx| queue.first(tx).map(drop),
        |queue, tx| queue.pop(tx).map(drop),
    );

    let name = "a vector of this test";
    let vec = Labelled::new(name, TVec::from_iter(0..20_u64));
    conflicts(
        name,
        &vec,
        |vec, tx| vec.get(tx, 3).map(drop),
        |vec, tx| vec.set(tx, 3, 7).map(drop),
    );
    atomically(|tx| (0..200).try_for_each(|n| vec.push(tx, n).map(drop)));
    conflicts(
        name,
        &vec,
        |vec, tx| vec.get(tx, 180).map(drop),
        |vec, tx| vec.set(tx, 180, 7).map(drop),
    );
}

#[test]
fn what_has_left_a_named_collection_has_no_name() {
    let name = "a map whose elements leave it";
    let map = Labelled::new(name, TMap::new());
    for round in 0..50_u64 {
        atomically(|tx| (0..100_u64).try_for_each(|key| map.insert(tx, key, round).map(drop)));
        atomically(|tx| (0..100_u64).try_for_each(|key| map.remove(tx, &key).map(drop)));
    }
    drop(map);
    // Where they were, others are: they are not called so.
    let before = rollbacks(name);
    let plain: TMap<u64, u64> = (0..5_000).map(|key| (key, 0)).collect();
    for key in (0..5_000).step_by(97) {
        let mut is_first = true;
        let own = TVar::new(0);
        atomically(|tx| {
            plain.get(tx, &key)?;
            if std::mem::take(&mut is_first) {
                std::thread::scope(|scope| {
                    scope.spawn(|| atomically(|tx| plain.put(tx, key, 1).map(drop)));
                });
            }
            own.update(tx, |n: &u64| n + 1)
        });
    }
    assert_eq!(rollbacks(name), before);
}
