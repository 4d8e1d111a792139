//! A sorted list, in which changes far behind a traversal do not conflict with it.
//!
//! A search keeps one link in the read set: the last one that it has followed; what it has read
//! before it forgets (elastic transactions, Felber, Gramoli, Guerraoui, DISC 2009). That is enough:
//!
//! *While a search runs, the node whose link is the last in the read set is in the list, as of the
//! moment that the attempt sees.* The head always is. A step from a node that is in the list leads
//! to one that is in the list at the same moment: the engine answers the second read only as of a
//! moment at which the first one stands. And when the attempt moves to a later moment, it checks
//! the last link; the node of an unchanged link was not removed, because *a removal writes the link
//! of the removed node too*.
//!
//! The answer of a search follows from its last link alone: the node before has a lesser key and is
//! in the list, the node behind has not. The link is in the read set until the commit, so the
//! answer stands like any other read, also beside reads of other variables and other searches,
//! which are not forgotten. Traversals of the whole list remember everything.

mod iter;
#[cfg(test)]
mod tests;

use crate::attempt::Mode;
use crate::attempt::journal::keyed::KeyedCodec;
use crate::attempt::transaction::{Tx, View};
use crate::collections::counted::{Counted, NodeLink, ShareCount, SharedNode};
use crate::variables::labelled::sealed::Nameable;
use crate::variables::labelled::{Name, Variable};
use crate::words::abort::Rollback;
use std::borrow::Borrow;
use std::fmt;

pub use iter::ListIter;

/// A sorted list of different keys.
///
/// Looking for a key takes time in proportion to its place; beyond some hundred keys
/// [`TOrdMap`](super::TOrdMap) is faster. Searches follow links and remember the last one only,
/// which is enough to be sure of their answer, so changes at different places do not conflict.
///
/// ```
/// use odeon_stm::collections::TList;
/// use odeon_stm::{atomically, snapshot};
///
/// let list = TList::from_iter([3, 1]);
/// atomically(|tx| {
///     assert!(list.insert(tx, 2)?);
///     assert_eq!(list.remove(tx, &1)?, Some(&1));
///     Ok(())
/// });
/// let sum = snapshot(|view| list.fold(view, 0, |sum, key| sum + key));
/// assert_eq!(sum, Ok(5));
/// ```
pub struct TList<K: Send + Sync + 'static> {
    head: NodeLink<ListNode<K>>,
    name: Name,
}

struct ListNode<K: Send + Sync + 'static> {
    count: ShareCount,
    key: K,
    next: NodeLink<ListNode<K>>,
}

// SAFETY: each node is made with a count of its own, which stays.
unsafe impl<K: Send + Sync + 'static> Counted for ListNode<K> {
    fn count(&self) -> &ShareCount {
        &self.count
    }
}

impl<K: Send + Sync + 'static> ListNode<K> {
    fn shared(key: K, next: NodeLink<Self>) -> SharedNode<Self> {
        SharedNode::new(Self { count: ShareCount::new(), key, next })
    }
}

impl<K: Send + Sync + 'static> Drop for ListNode<K> {
    /// Drops what hangs on this node alone, one by one: recursion would exhaust the stack.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut node) = next.and_then(SharedNode::into_inner) {
            next = node.next.take();
        }
    }
}

/// Where a search has ended.
struct SearchEnd<'t, K: Send + Sync + 'static> {
    /// The link to the first node that is not before the key.
    link: &'t NodeLink<ListNode<K>>,
    /// That node, if it has the key itself.
    found: Option<&'t ListNode<K>>,
}

impl<K: Send + Sync + 'static> TList<K> {
    /// An empty list.
    pub fn new() -> Self {
        Self { head: NodeLink::new(None), name: Name::default() }
    }

    /// The least key.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn first<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<Option<&'t K>, Rollback> {
        Ok(self.head.get(view)?.map(|node| &node.key))
    }

    /// Whether there is no key.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn is_empty<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<bool, Rollback> {
        Ok(self.head.get(view)?.is_none())
    }

    /// Combines all keys in their order. A transaction remembers every link on the way, so that it
    /// commits only if the list is unchanged.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline]
    pub fn fold<'t, V: View<'t>, A>(
        &'t self,
        view: &mut V,
        start: A,
        mut combine: impl FnMut(A, &'t K) -> A,
    ) -> Result<A, Rollback> {
        let (mut folded, mut link) = (start, &self.head);
        while let Some(node) = link.get(view)? {
            folded = combine(folded, &node.key);
            link = &node.next;
        }
        Ok(folded)
    }

    /// All keys in their order, as an iterator that borrows `view`; like [`fold`](TList::fold) it
    /// remembers what it has seen.
    ///
    /// ```
    /// # use odeon_stm::{atomically, collections::TList};
    /// let list = TList::from_iter([2, 1]);
    /// let doubled: Vec<i32> = atomically(|tx| list.iter(tx).map(|key| Ok(key? * 2)).collect());
    /// assert_eq!(doubled, [2, 4]);
    /// ```
    ///
    /// # Errors
    ///
    /// An item is a [`Rollback`] if the attempt cannot go on.
    pub fn iter<'a, 't, V: View<'t>>(&'t self, view: &'a mut V) -> ListIter<'a, 't, V, K> {
        ListIter { view, link: Some(&self.head) }
    }

    /// Removes all keys at once.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn clear<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback> {
        tx.tell(self, |codec: &KeyedCodec<K, ()>, to| codec.clear(to));
        // Searches may stand anywhere, so every link is written, like by single removals.
        let mut link = &self.head;
        while let Some(node) = link.get(tx)? {
            link.set(tx, None)?;
            link = &node.next;
        }
        // The last node's too; an empty list has none.
        if std::ptr::eq(link, &self.head) { Ok(()) } else { link.set(tx, None) }
    }
}

impl<K: Ord + Send + Sync + 'static> TList<K> {
    /// Walks hand over hand to the place of `key`.
    #[inline]
    fn search<'t, V, Q>(&'t self, view: &mut V, key: &Q) -> Result<SearchEnd<'t, K>, Rollback>
    where
        V: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let attempt = view.attempt().0;
        let (is_logged, from) = (attempt.mode == Mode::Logged, attempt.reads.len());
        let mut link = &self.head;
        loop {
            let node = link.get(view)?;
            if is_logged {
                // See the module: the last read stands for all before it.
                view.attempt().0.reads.forget(from, 1);
            }
            match node {
                // WHY `is_lt` and a second look at the last node: the three-way result costs each
                // step some instructions.
                Some(node) if node.key.borrow().cmp(key).is_lt() => link = &node.next,
                _ => {
                    let found = node.filter(|node| node.key.borrow().cmp(key).is_eq());
                    return Ok(SearchEnd { link, found });
                }
            }
        }
    }

    /// Whether `key` is in the list.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn contains<'t, V, Q>(&'t self, view: &mut V, key: &Q) -> Result<bool, Rollback>
    where
        V: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        Ok(self.search(view, key)?.found.is_some())
    }

    /// The key in the list that equals `key`.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn get<'t, V, Q>(&'t self, view: &mut V, key: &Q) -> Result<Option<&'t K>, Rollback>
    where
        V: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        Ok(self.search(view, key)?.found.map(|node| &node.key))
    }

    /// Inserts `key`; answers whether it was not there. A key that is there stays.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn insert<'t>(&'t self, tx: &mut Tx<'t>, key: K) -> Result<bool, Rollback> {
        let place = self.search(tx, &key)?;
        if place.found.is_some() {
            return Ok(false);
        }
        let next = place.link.share(tx)?;
        let node = ListNode::shared(key, NodeLink::new(next));
        if self.name.is_given() {
            self.name.give(node.next.as_cell());
        }
        tx.tell(self, |codec: &KeyedCodec<K, ()>, to| codec.put(&node.key, &(), to));
        place.link.set(tx, Some(node))?;
        Ok(true)
    }

    /// Removes the key that equals `key` and answers it.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn remove<'t, Q>(&'t self, tx: &mut Tx<'t>, key: &Q) -> Result<Option<&'t K>, Rollback>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let SearchEnd { link, found: Some(node) } = self.search(tx, key)? else { return Ok(None) };
        let next = node.next.share(tx)?;
        tx.tell(self, |codec: &KeyedCodec<K, ()>, to| codec.remove(&node.key, to));
        link.set(tx, next)?;
        // Who stands on the node must notice; see the module.
        node.next.set(tx, None)?;
        Ok(Some(&node.key))
    }

    /// Inserts all `keys`.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn extend<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<(), Rollback> {
        keys.into_iter().try_for_each(|key| self.insert(tx, key).map(drop))
    }
}

impl<K: Ord + Send + Sync + 'static> FromIterator<K> for TList<K> {
    /// A list of these keys, without a transaction; of equal keys the first.
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut keys: Vec<K> = keys.into_iter().collect();
        keys.sort();
        keys.dedup();
        let link = |next, key| Some(ListNode::shared(key, NodeLink::new(next)));
        let head = NodeLink::new(keys.into_iter().rev().fold(None, link));
        Self { head, name: Name::default() }
    }
}

impl<K: Send + Sync + 'static> Nameable for TList<K> {
    fn be_called(&mut self, name: Name) {
        self.name = name;
        let mut link = &self.head;
        name.give(link.as_cell());
        // SAFETY: nobody else has the list.
        while let Some(node) = unsafe { link.node_at_rest() } {
            link = &node.next;
            name.give(link.as_cell());
        }
    }
}

impl<K: Send + Sync + 'static> Variable for TList<K> {}

impl<K: Send + Sync + 'static> Default for TList<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Send + Sync + 'static> fmt::Debug for TList<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TList").finish_non_exhaustive()
    }
}
