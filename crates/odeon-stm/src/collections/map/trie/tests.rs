//! Which inner nodes are there.

use super::{TrieLink, TrieNode};
use crate::atomically;
use crate::collections::TMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes that are the number itself.
#[derive(Default)]
struct Plain(u64);

impl Hasher for Plain {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("the keys are numbers");
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

type PlainMap = TMap<u64, u64, BuildHasherDefault<Plain>>;

/// Inner nodes below `link`, and leaves.
fn count<V: Send + Sync>(link: &TrieLink<u64, V>) -> (usize, usize) {
    match link.peek().as_deref() {
        None => (0, 0),
        Some(TrieNode::Inner(links)) => links.iter().map(count).fold((1, 0), add),
        Some(node) => (0, node.leaves().count()),
    }
}

fn add(left: (usize, usize), right: (usize, usize)) -> (usize, usize) {
    (left.0 + right.0, left.1 + right.1)
}

fn count_all<S>(map: &TMap<u64, u64, S>) -> (usize, usize) {
    map.root.iter().map(count).fold((0, 0), add)
}

#[test]
fn inner_nodes_go_with_the_leaves_that_needed_them() {
    let map: PlainMap = TMap::default();
    // Alike but for the last bits: a chain of inner nodes down to them.
    atomically(|tx| map.extend(tx, [(0, 0), (1, 1), (16, 16)]));
    let (chain, leaves) = count_all(&map);
    assert!(chain > 10 && leaves == 3, "{chain}");
    atomically(|tx| map.remove(tx, &1).map(drop));
    assert_eq!(count_all(&map), (chain - 1, 2), "the deepest one has gone");
    atomically(|tx| map.remove(tx, &16).map(drop));
    assert_eq!(count_all(&map), (0, 1), "the last leaf hangs on the root");
    assert_eq!(atomically(|tx| map.get_copied(tx, &0)), Some(0));
    // Several removals in one transaction, which sees its own ones.
    atomically(|tx| map.extend(tx, (0..200).map(|key| (key, key))));
    atomically(|tx| (0..200).try_for_each(|key| map.remove(tx, &key).map(drop)));
    assert_eq!(count_all(&map), (0, 0));
}

#[test]
fn keys_that_come_and_go_leave_no_nodes() {
    let map: TMap<u64, u64> = TMap::new();
    for key in 0..20_000_u64 {
        atomically(|tx| {
            map.put(tx, key, key)?;
            map.remove(tx, &key.wrapping_sub(100)).map(drop)
        });
    }
    let (inner, leaves) = count_all(&map);
    assert_eq!(leaves, 100);
    // With 32 places below the root 100 leaves share some 30 inner nodes, and some more below.
    assert!(inner < 100, "{inner} inner nodes for {leaves} leaves");
    atomically(|tx| (19_900..20_000).try_for_each(|key| map.remove(tx, &key).map(drop)));
    assert_eq!(count_all(&map), (0, 0));
}
