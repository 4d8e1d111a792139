//! What searches leave in the read set.

use super::TOrdMap;
use super::tower::LEVELS;
use crate::attempt::transaction::Tx;
use crate::attempt::{Attempt, Mode};
use crate::domain::Domain;
use std::ptr;

/// Searches for `key`, keeping `keep` levels; checks that of all links just those of these levels,
/// and those to the key, are left.
fn search(map: &TOrdMap<u32, ()>, key: u32, keep: usize) {
    let mut attempt = Attempt::new(Domain::new()).unwrap();
    attempt.begin(Mode::Logged);
    let trail = map.search(Tx::of(&mut attempt), &key, keep).unwrap();
    let height = trail.found.map_or(0, |node| node.height());
    assert_eq!(height > 0, key < 2_000 && key % 2 == 0);
    let kept = keep.max(height);
    let logged: Vec<_> =
        attempt.reads.as_slice().iter().map(|read| ptr::from_ref(read.cell())).collect();
    let links: Vec<_> = trail.links[..kept]
        .iter()
        .rev()
        .map(|link| ptr::from_ref(link.expect("the search went so high").as_cell()))
        .collect();
    assert_eq!(logged, links);
    attempt.end();
}

#[test]
fn a_search_leaves_one_link_of_each_level_that_may_be_written() {
    let map: TOrdMap<u32, ()> = (0..1_000).map(|key| (2 * key, ())).collect();
    for key in [0, 1, 500, 501, 1_998, 1_999, 5_000] {
        for keep in 1..=LEVELS {
            search(&map, key, keep);
        }
    }
    search(&TOrdMap::new(), 3_000, 4);
}
