//! The skip list below an ordered map: its nodes, and how a search goes down.
//!
//! A search walks hand over hand, like that of a list (`list.rs` has the argument), level by level:
//! the last link that it has followed stays in the read set until the next one is read, also on the
//! way down from a level to the one below, which begins at the same node. A removal writes all
//! links of the removed node. So the links of the upper levels, which lead to many keys, are
//! forgotten, but for those that the caller is going to write.

use crate::attempt::transaction::View;
use crate::variables::labelled::Name;
use crate::variables::tlink::TLink;
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use odeon_sync::interruption;
use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Levels at most: with a quarter of the nodes of each level on the next one, right for 16 million
/// keys and a little slower beyond.
pub(super) const LEVELS: usize = 12;

pub(super) type TowerLink<K, V> = TLink<TowerNode<K, V>>;

pub(super) struct TowerNode<K: Send + Sync + 'static, V: Send + Sync + 'static> {
    pub(super) key: K,
    pub(super) value: TVar<V>,
    pub(super) next: TowerLink<K, V>,
    /// The links of the levels above the lowest.
    pub(super) upper: Box<[TowerLink<K, V>]>,
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> TowerNode<K, V> {
    /// On how many levels it is.
    pub(super) fn height(&self) -> usize {
        1 + self.upper.len()
    }

    /// Calls all its cells so, of a node that nobody else has.
    #[cold]
    pub(super) fn be_called(&self, name: Name) {
        name.give(self.value.as_cell());
        (0..self.height()).for_each(|level| name.give(self.link(level).as_cell()));
    }

    #[inline]
    pub(super) fn link(&self, level: usize) -> &TowerLink<K, V> {
        if level == 0 { &self.next } else { &self.upper[level - 1] }
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Drop for TowerNode<K, V> {
    /// One by one, as for lists. A node that an upper link leads to is held by those before it, so
    /// upper links never are the last ones.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.next.take();
        }
    }
}

/// A height for a new node: 1, and one more with a chance of a quarter each.
pub(super) fn random_height() -> usize {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(()) | 1);
    }
    let mut state = STATE.get();
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    STATE.set(state);
    let state = interruption::draw().unwrap_or(state);
    // The upper bits are the better ones.
    (1 + state.leading_zeros() as usize / 2).min(LEVELS)
}

/// What a search has found.
pub(super) struct Trail<'t, K: Send + Sync + 'static, V: Send + Sync + 'static> {
    /// Per level the link to the first node that is not before the place, as far as the search went
    /// up.
    pub(super) links: [Option<&'t TowerLink<K, V>>; LEVELS],
    /// The last node before the place.
    pub(super) before: Option<&'t TowerNode<K, V>>,
    /// The first node that is not before the place.
    pub(super) behind: Option<&'t TowerNode<K, V>>,
    /// The node at the place.
    pub(super) found: Option<&'t TowerNode<K, V>>,
}

/// Goes down from level `from` to the place that `compare` tells. The links of the lowest `keep`
/// levels stay in the read set, and all that lead to the node at the place.
#[inline]
pub(super) fn search<'t, W, K, V>(
    heads: &'t [TowerLink<K, V>; LEVELS],
    view: &mut W,
    from: usize,
    keep: usize,
    compare: impl Fn(&K) -> Ordering,
) -> Result<Trail<'t, K, V>, Rollback>
where
    W: View<'t>,
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
{
    let mut trail = Trail { links: [None; LEVELS], before: None, behind: None, found: None };
    let mut forget_from = view.attempt().0.reads.len();
    for level in (0..from.max(keep).max(1)).rev() {
        loop {
            let link = trail.before.map_or(&heads[level], |node| node.link(level));
            let node = link.get(view)?;
            view.attempt().0.reads.forget(forget_from, 1);
            match node.map(|node| (compare(&node.key), node)) {
                Some((Ordering::Less, node)) => trail.before = Some(node),
                other => {
                    if let Some((Ordering::Equal, node)) = other {
                        trail.found = Some(node);
                    }
                    trail.links[level] = Some(link);
                    trail.behind = node;
                    break;
                }
            }
        }
        if level < keep || trail.found.is_some() {
            forget_from = view.attempt().0.reads.len();
        }
    }
    Ok(trail)
}
