//! Relaxed attempts: each read sees the latest value, whatever others do meanwhile; every operation
//! of every collection ends, and says something that was so at some moment.

use crate::support::{Alive, Random};
use odeon_stm::collections::{TList, TMap, TOrdMap, TQueue, TSet, TVec};
use odeon_stm::staged::{Attempted, attempt_here};
use odeon_stm::{
    Abort, Mode, Rollback, ScopedTx, TCounter, TLink, TMax, TVar, atomically, collect,
};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

/// Reads of a relaxed attempt before it goes on as a snapshot.
const READS: usize = 1 << 16;

/// Runs and commits a relaxed attempt.
fn relaxed<'env, R>(
    closure: impl for<'t> FnOnce(&mut ScopedTx<'t, 'env>) -> Result<R, Rollback>,
) -> R {
    match attempt_here(Mode::Relaxed, |tx| closure(tx).map_err(Abort::<()>::from)) {
        Attempted::Finished(finished, value) => {
            finished.commit().expect("nobody is in its way");
            value
        }
        _ => panic!("it is never rolled back"),
    }
}

/// Runs `act`, which may be a transaction, while this thread is within an attempt.
fn elsewhere<R: Send>(act: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| scope.spawn(act).join().unwrap())
}

/// How far a walk gets whose end is moved on, by `more`, each time it has come there. `walk` calls
/// what it is given at each step.
fn chase(more: impl Fn(usize) + Send + Sync, walk: impl FnOnce(&mut dyn FnMut())) {
    const AT_ONCE: usize = 256;
    let add = |from: usize| elsewhere(|| (from..from + AT_ONCE).for_each(&more));
    let (mut seen, mut there) = (0, AT_ONCE);
    add(0);
    walk(&mut || {
        seen += 1;
        if seen == there {
            add(there);
            there += AT_ONCE;
        }
    });
    // Some collections have other reads besides those of the steps.
    assert!((READS / 2 - AT_ONCE..=READS + AT_ONCE).contains(&seen), "{seen}");
}

#[test]
fn a_walk_along_a_list_ends_although_its_end_runs_away() {
    let list = TList::new();
    // What the walk has left behind goes, so that insertions find their place soon.
    let more = |n: usize| {
        atomically(|tx| list.insert(tx, n).and(list.remove(tx, &n.wrapping_sub(300)).map(drop)));
    };
    chase(more, |step| relaxed(|tx| list.fold(tx, (), |(), _| step())));
}

#[test]
fn a_walk_along_an_ordered_map_ends_although_its_end_runs_away() {
    let map = TOrdMap::new();
    let more = |n| _ = atomically(|tx| map.put(tx, n, n));
    chase(more, |step| relaxed(|tx| map.fold_range(tx, 0.., (), |(), _, _| step())));
}

#[test]
fn a_walk_along_a_queue_ends_although_its_end_runs_away() {
    let queue = TQueue::new();
    let more = |n| atomically(|tx| queue.push(tx, n));
    chase(more, |step| relaxed(|tx| queue.fold(tx, (), |(), _| step())));
}

#[test]
fn a_walk_along_a_vector_ends_although_its_end_runs_away() {
    let vec = TVec::new();
    let more = |n| _ = atomically(|tx| vec.push(tx, n));
    chase(more, |step| relaxed(|tx| vec.fold(tx, (), |(), _| step())));
}

/// The last node becomes the first one each time that somebody stands on it: at no moment there is
/// a circle.
#[test]
fn a_walk_along_links_that_lead_round_ends() {
    const NODES: usize = 256;
    struct Node {
        number: usize,
        next: TLink<Node>,
    }
    let node = |number| Arc::new(Node { number, next: TLink::new(None) });
    let (nodes, head): (Vec<_>, _) = ((0..NODES).map(node).collect(), TLink::new(None));
    let begin_at = |first: usize| {
        let share = |number: usize| Some(nodes[number % NODES].clone());
        atomically(|tx| {
            head.set(tx, share(first))?;
            (0..NODES - 1).try_for_each(|place| {
                nodes[(first + place) % NODES].next.set(tx, share(first + place + 1))
            })?;
            nodes[(first + NODES - 1) % NODES].next.set(tx, None)
        });
    };
    begin_at(0);
    let seen = relaxed(|tx| {
        let (mut seen, mut first, mut link) = (0, 0, &head);
        while let Some(node) = link.get(tx)? {
            seen += 1;
            if (node.number + 1) % NODES == first {
                first = node.number;
                elsewhere(|| begin_at(first));
            }
            link = &node.next;
        }
        Ok(seen)
    });
    assert!((READS - NODES..=READS + NODES).contains(&seen), "{seen}");
    // The nodes hold each other no more.
    atomically(|tx| nodes.iter().try_for_each(|node| node.next.set(tx, None)));
}

/// What is read stays, also what was read before the attempt went on as a snapshot.
#[test]
fn what_was_read_stays_while_others_overwrite_it() {
    let alive = Alive::default();
    let (text, number) = (TVar::new(alive.value(1)), TVar::new(0));
    let list = TList::from_iter((0..3).map(|n| alive.value(n)));
    let overwrite = |value: u64| {
        elsewhere(|| {
            atomically(|tx| text.set(tx, alive.value(value)));
            collect();
        });
    };
    relaxed(|tx| {
        let first = text.read(tx)?;
        let key = list.get(tx, &1)?.unwrap();
        overwrite(2);
        elsewhere(|| {
            atomically(|tx| list.remove(tx, &1).map(drop));
            collect();
        });
        assert!(!list.contains(tx, &1)?);
        let second = text.read(tx)?;
        (0..READS).try_for_each(|_| number.get(tx).map(drop))?;
        let third = text.read(tx)?;
        overwrite(3);
        assert_eq!([first.value, second.value, third.value, key.value], [1, 2, 2, 1]);
        assert_eq!(text.read(tx)?.value, 2);
        assert_eq!(alive.count(), 6);
        Ok(())
    });
    alive.settles_at(3);
}

/// The walk stands on one key after the other while others remove what it stands on, or what comes
/// next, or insert.
#[test]
fn a_list_is_walked_in_order_while_it_changes() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let list: TList<u64> = (0..40).map(|n| 10 * n).collect();
        let mut seen = Vec::new();
        relaxed(|tx| {
            list.fold(tx, (), |(), key| {
                seen.push(*key);
                let (ahead, what) = (key + random.below(25), random.below(8));
                elsewhere(|| match what {
                    0 => atomically(|tx| list.remove(tx, &(ahead / 10 * 10)).map(drop)),
                    1 => atomically(|tx| list.insert(tx, ahead).map(drop)),
                    _ => (),
                });
            })
        });
        assert!(seen.is_sorted_by(|left, right| left < right), "{seen:?}");
    }
}

#[test]
fn who_stands_on_a_removed_key_has_come_to_the_end() {
    let list: TList<u64> = (0..10).collect();
    let mut seen = Vec::new();
    let walk = |key: &u64| {
        seen.push(*key);
        if *key == 4 {
            elsewhere(|| atomically(|tx| list.remove(tx, &4).map(drop)));
        }
    };
    let mut walk = walk;
    relaxed(|tx| list.fold(tx, (), |(), key| walk(key)));
    assert_eq!(seen, [0, 1, 2, 3, 4]);
}

/// A key, and what is done there.
type AtKey = (u64, Box<dyn FnOnce()>);

thread_local! {
    /// For the next comparison of this thread.
    static AT_KEY: RefCell<Option<AtKey>> = const { RefCell::new(None) };
}

/// A key at which something can be done.
#[derive(Debug, PartialEq, Eq)]
struct Key(u64);

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let is_there =
            AT_KEY.with_borrow(|act| act.as_ref().is_some_and(|(key, _)| *key == self.0));
        if is_there {
            let (_, act) = AT_KEY.take().expect("seen above");
            act();
        }
        self.0.cmp(&other.0)
    }
}

/// Once this thread compares `key` with another one.
fn at_key(key: u64, act: impl FnOnce() + Send + 'static) {
    AT_KEY.set(Some((key, Box::new(|| elsewhere(act)))));
}

#[test]
fn a_range_has_no_keys_before_it() {
    type Range = (std::ops::Bound<Key>, std::ops::Bound<Key>);
    use std::ops::Bound::{Excluded, Included};
    let ranges: [fn() -> Range; 2] =
        [|| (Included(Key(10)), Included(Key(20))), || (Excluded(Key(10)), Excluded(Key(20)))];
    // Many times, for heights are random: a search that meets the key higher up finds its way anew.
    for range in ranges.into_iter().cycle().take(64) {
        let map: Arc<TOrdMap<Key, u64>> =
            Arc::new([5, 12, 19, 30].into_iter().map(|key| (Key(key), key)).collect());
        let of_writer = map.clone();
        // The search has found the first key of the range, and the walk has not begun.
        at_key(12, move || _ = atomically(|tx| of_writer.put(tx, Key(7), 7)));
        let seen = relaxed(|tx| {
            map.fold_range(tx, range(), Vec::new(), |mut seen, key, value| {
                assert_eq!(key.0, *value);
                seen.push(*value);
                seen
            })
        });
        assert_eq!(seen, [12, 19]);
        assert_eq!(relaxed(|tx| map.get_copied(tx, &Key(7))), Some(7));
    }
}

/// In the middle of a search all around it goes.
#[test]
fn a_search_of_an_ordered_map_ends_when_it_loses_its_way() {
    for gone in 0..64 {
        let map: Arc<TOrdMap<Key, u64>> = Arc::new((0..64).map(|key| (Key(key), key)).collect());
        let of_writer = map.clone();
        at_key(gone, move || atomically(|tx| of_writer.clear(tx)));
        let found = relaxed(|tx| map.get_copied(tx, &Key(50)));
        assert!(matches!(found, None | Some(50)), "{found:?}");
        AT_KEY.set(None);
        let of_writer = map.clone();
        at_key(gone, move || {
            atomically(|tx| {
                of_writer.remove(tx, &Key(gone))?;
                of_writer.put(tx, Key(gone), 100).map(drop)
            });
        });
        let last = relaxed(|tx| map.last(tx)?.map(|(key, _)| Ok(key.0)).transpose());
        assert!(last.is_none_or(|last| last < 64));
        AT_KEY.set(None);
    }
}

/// Writers beside relaxed walks over all collections; `look` is called until they have ended.
fn beside_writers(write: impl Fn(&mut Random) + Sync, mut look: impl FnMut()) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|seed| {
                let write = &write;
                scope.spawn(move || {
                    let mut random = Random::new(seed + 1);
                    (0..3_000).for_each(|_| write(&mut random));
                })
            })
            .collect();
        scope.spawn(|| {
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            over.store(true, SeqCst);
        });
        while !over.load(SeqCst) {
            look();
        }
    });
    look();
}

#[test]
fn each_key_of_a_map_that_stays_is_seen_once() {
    let map: TMap<u64, u64> = TMap::new();
    let set: TSet<u64> = TSet::new();
    let stays = |key: u64| key % 4 == 0;
    for key in (0..400).filter(|key| stays(*key)) {
        atomically(|tx| map.put(tx, key, key).and(set.add(tx, key)));
    }
    let write = |random: &mut Random| {
        let (key, removes) = (random.below(400), random.below(2) == 0);
        atomically(|tx| match stays(key) {
            true => map.update(tx, &key, |value| value + 1_000).map(drop),
            false if removes => map.remove(tx, &key).and(set.remove(tx, &key)).map(drop),
            false => map.put(tx, key, key).and(set.add(tx, key)),
        });
    };
    beside_writers(write, || {
        let mut keys: Vec<u64> = relaxed(|tx| {
            let entries = map.entries(tx)?;
            Ok(entries.iter().map(|(key, value)| (**key).max(**value % 1_000)).collect())
        });
        let mut of_set = relaxed(|tx| {
            set.fold(tx, Vec::new(), |mut keys, key| {
                keys.push(*key);
                keys
            })
        });
        for keys in [&mut keys, &mut of_set] {
            let all = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), all);
            assert_eq!(keys.iter().filter(|key| stays(**key)).count(), 100);
        }
        for key in (0..400).filter(|key| stays(*key)) {
            let (value, is_in) =
                relaxed(|tx| Ok((map.get_copied(tx, &key)?, set.contains(tx, &key)?)));
            assert!(value.is_some_and(|value| value % 1_000 == key) && is_in);
        }
        let counted = relaxed(|tx| Ok((map.len(tx)?, set.len(tx)?)));
        assert!(counted.0 <= 6_400 && counted.1 <= 6_400, "{counted:?}");
    });
}

#[test]
fn a_queue_is_walked_in_order_while_it_moves() {
    let (queue, next) = (TQueue::new(), TVar::new(0_u64));
    let write = |random: &mut Random| {
        let pops = random.below(2) == 0;
        atomically(|tx| {
            if pops {
                return queue.pop(tx).map(drop);
            }
            let number = next.get(tx)?;
            next.set(tx, number + 1)?;
            queue.push(tx, number)
        });
    };
    beside_writers(write, || {
        let seen = relaxed(|tx| {
            queue.fold(tx, Vec::new(), |mut seen: Vec<u64>, number| {
                seen.push(*number);
                seen
            })
        });
        assert!(seen.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{seen:?}");
        let (len, first) = relaxed(|tx| Ok((queue.len(tx)?, queue.first(tx)?.copied())));
        assert!(len <= 6_000 && first.is_none_or(|first| first < 6_000));
    });
}

#[test]
fn ordered_collections_are_walked_in_order_while_they_change() {
    let (map, list): (TOrdMap<u64, u64>, TList<u64>) = (TOrdMap::new(), TList::new());
    let write = |random: &mut Random| {
        let (key, what) = (random.below(200), random.below(100));
        atomically(|tx| match what {
            0 => map.clear(tx).and(list.clear(tx)),
            1..45 => map.remove(tx, &key).and(list.remove(tx, &key)).map(drop),
            _ => map.put(tx, key, key).and(list.insert(tx, key)).map(drop),
        });
    };
    beside_writers(write, || {
        let entries: Vec<u64> =
            relaxed(|tx| Ok(map.entries(tx)?.into_iter().map(|(key, _)| *key).collect()));
        let keys: Vec<u64> = relaxed(|tx| list.iter(tx).map(|key| key.copied()).collect());
        let range = relaxed(|tx| {
            map.fold_range(tx, 50..150, Vec::new(), |mut keys, key, _| {
                keys.push(*key);
                keys
            })
        });
        assert!(range.iter().all(|key| (50..150).contains(key)), "{range:?}");
        for keys in [entries, keys, range] {
            assert!(keys.is_sorted_by(|left, right| left < right), "{keys:?}");
        }
        let looks =
            relaxed(|tx| Ok((map.get_copied(tx, &70)?, list.get(tx, &70)?.copied(), map.len(tx)?)));
        assert!(looks.0.is_none_or(|value| value == 70) && looks.1.is_none_or(|key| key == 70));
        assert!(looks.2 <= 6_200, "{}", looks.2);
        let ends =
            relaxed(|tx| Ok([map.first(tx)?, map.last(tx)?].map(|end| end.map(|(key, _)| *key))));
        assert!(ends.iter().flatten().all(|key| *key < 200), "{ends:?}");
    });
}

#[test]
fn a_vector_is_walked_while_it_grows_and_shrinks() {
    let vec: TVec<u64> = (0..20).collect();
    let write = |random: &mut Random| {
        let (what, index) = (random.below(200), random.below(80));
        atomically(|tx| match what {
            0 => vec.clear(tx),
            1..80 => vec.pop(tx).map(drop),
            80..120 => vec.update(tx, index as usize, |n| n + 1_000).map(drop),
            _ => {
                let index = vec.len(tx)? as u64;
                vec.push(tx, index).map(drop)
            }
        });
    };
    beside_writers(write, || {
        let seen = relaxed(|tx| {
            vec.fold(tx, Vec::new(), |mut seen, n| {
                seen.push(n % 1_000);
                seen
            })
        });
        assert!(seen.iter().enumerate().all(|(index, n)| *n == index as u64), "{seen:?}");
        let (len, last) = relaxed(|tx| {
            let len = vec.len(tx)?;
            Ok((len, vec.get(tx, len.wrapping_sub(1))?.copied()))
        });
        assert!(last.is_none_or(|last| last % 1_000 == len as u64 - 1));
        assert!(relaxed(|tx| Ok(vec.get(tx, usize::MAX)?.is_none())));
    });
}

/// A transfer goes from one part of the sum to another; what one thread reads later is never older.
#[test]
fn numbers_are_the_latest_and_never_go_back() {
    let (counter, most, number) = (TCounter::new(0), TMax::new(0), TVar::new(0_i64));
    let write = |_: &mut Random| {
        atomically(|tx| {
            counter.add(tx, 1)?;
            let next = number.get(tx)? + 1;
            most.raise(tx, next)?;
            number.set(tx, next)
        });
    };
    let mut before = 0;
    beside_writers(write, || {
        let (least, seen, greatest, sum) =
            relaxed(|tx| Ok((number.get(tx)?, most.get(tx)?, number.get(tx)?, counter.get(tx)?)));
        assert!(before <= least && least <= seen && seen <= greatest);
        assert!(greatest <= sum && sum <= 6_000);
        before = greatest;
    });
    assert_eq!(before, 6_000);
}
