//! What searches leave in the read set.

use super::TList;
use crate::attempt::transaction::Tx;
use crate::attempt::{Attempt, Mode};
use crate::domain::Domain;
use crate::domain::cell::Cell;
use std::ptr;

/// The variables that the attempt would check.
fn logged(attempt: &Attempt) -> Vec<*const Cell> {
    attempt.reads.as_slice().iter().map(|read| ptr::from_ref(read.cell())).collect()
}

#[test]
fn a_search_leaves_its_last_link_and_what_was_read_before_it() {
    let list: TList<u32> = (0..1_000).collect();
    let mut attempt = Attempt::new(Domain::new()).unwrap();
    attempt.begin(Mode::Logged);
    assert_eq!(list.first(Tx::of(&mut attempt)), Ok(Some(&0)));
    let place = list.search(Tx::of(&mut attempt), &700).unwrap();
    assert_eq!(place.found.map(|node| node.key), Some(700));
    let last = ptr::from_ref(place.link.as_cell());
    assert_eq!(logged(&attempt), [ptr::from_ref(list.head.as_cell()), last]);
    assert_eq!(list.contains(Tx::of(&mut attempt), &1_200), Ok(false));
    assert_eq!(logged(&attempt).len(), 3);
    assert_eq!(list.fold(Tx::of(&mut attempt), 0, |count, _| count + 1), Ok(1_000));
    assert_eq!(logged(&attempt).len(), 3 + 1_001, "a traversal leaves everything");
    attempt.end();
}
