//! Ordered maps as iterators, of which a part can be taken.

use super::TOrdMap;
use super::tower::TowerNode;
use crate::attempt::transaction::View;
use crate::words::abort::Rollback;
use std::borrow::Borrow;
use std::ops::{Bound, RangeBounds};

/// What comes from a node on as long as `is_within` says so.
struct MapEntries<'a, 't, W, K: Send + Sync + 'static, V: Send + Sync + 'static, F> {
    view: &'a mut W,
    at: At<'t, K, V>,
    is_within: F,
}

enum At<'t, K: Send + Sync + 'static, V: Send + Sync + 'static> {
    /// Before this node; after the last one, or a rollback, before none.
    Before(Option<&'t TowerNode<K, V>>),
    /// Behind this one: the link to the next is read when that is asked for, so that who stops is
    /// in conflict with nothing beyond.
    Behind(&'t TowerNode<K, V>),
}

impl<'t, W, K, V, F> Iterator for MapEntries<'_, 't, W, K, V, F>
where
    W: View<'t>,
    K: Send + Sync + 'static,
    V: Send + Sync + 'static,
    F: Fn(&K) -> bool,
{
    type Item = Result<(&'t K, &'t V), Rollback>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = match std::mem::replace(&mut self.at, At::Before(None)) {
            At::Before(node) => Ok(node),
            At::Behind(node) => node.next.get(self.view),
        };
        let node = match next {
            Ok(node) => node.filter(|node| (self.is_within)(&node.key))?,
            Err(rollback) => return Some(Err(rollback)),
        };
        let value = node.value.read(self.view);
        Some(value.map(|value| {
            self.at = At::Behind(node);
            (&node.key, value)
        }))
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> TOrdMap<K, V> {
    /// All keys and values in the order of the keys, as an iterator that borrows `view`. It reads
    /// what it is asked for and nothing beyond: a transaction that takes the first ten is in
    /// conflict with nothing behind them.
    ///
    /// ```
    /// use odeon_stm::{atomically, collections::TOrdMap};
    ///
    /// // What is asked for, by price: how much of it.
    /// let asks: TOrdMap<u64, u64> = [(103, 5), (101, 2), (102, 4)].into_iter().collect();
    /// let best: Vec<u64> = atomically(|tx| {
    ///     asks.iter(tx)?.take(2).map(|level| level.map(|(price, _)| *price)).collect()
    /// });
    /// assert_eq!(best, [101, 102]);
    /// ```
    ///
    /// # Errors
    ///
    /// [`Rollback`], here or as an item, if the attempt cannot go on.
    pub fn iter<'t, W: View<'t>>(
        &'t self,
        view: &mut W,
    ) -> Result<impl Iterator<Item = Result<(&'t K, &'t V), Rollback>>, Rollback> {
        let first = self.heads[0].get(view)?;
        Ok(MapEntries { view, at: At::Before(first), is_within: |_: &K| true })
    }
}

impl<K: Ord + Send + Sync + 'static, V: Send + Sync + 'static> TOrdMap<K, V> {
    /// The keys and values of a range in the order of the keys, as an iterator that borrows `view`;
    /// as with [`iter`](TOrdMap::iter), who stops early is in conflict with nothing beyond. To the
    /// first key of the range a search leads, so this costs as much as a look for one key and what
    /// is taken.
    ///
    /// ```
    /// use odeon_stm::{collections::TOrdMap, snapshot};
    ///
    /// let asks: TOrdMap<u64, u64> = (100..200).map(|price| (price, 2)).collect();
    /// // What it costs to buy seven from a price of 150 on.
    /// let cost = snapshot(|view| {
    ///     let (mut left, mut cost) = (7, 0);
    ///     for level in asks.range(view, 150..)? {
    ///         let (price, amount) = level?;
    ///         let bought = left.min(*amount);
    ///         (left, cost) = (left - bought, cost + bought * price);
    ///         if left == 0 {
    ///             break;
    ///         }
    ///     }
    ///     Ok(cost)
    /// });
    /// assert_eq!(cost, Ok(2 * 150 + 2 * 151 + 2 * 152 + 153));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Rollback`], here or as an item, if the attempt cannot go on.
    pub fn range<'t, W, Q>(
        &'t self,
        view: &mut W,
        range: impl RangeBounds<Q>,
    ) -> Result<impl Iterator<Item = Result<(&'t K, &'t V), Rollback>>, Rollback>
    where
        W: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let first = self.first_of(view, &range)?;
        let is_within = move |key: &K| is_before_end(key.borrow(), &range);
        Ok(MapEntries { view, at: At::Before(first), is_within })
    }

    /// The first node that is not before a range.
    pub(super) fn first_of<'t, W, Q>(
        &'t self,
        view: &mut W,
        range: &impl RangeBounds<Q>,
    ) -> Result<Option<&'t TowerNode<K, V>>, Rollback>
    where
        W: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        // WHY not the link before it: read again by a relaxed attempt, that may lead to a node
        // before the range.
        match range.start_bound() {
            Bound::Unbounded => self.heads[0].get(view),
            Bound::Included(key) => Ok(self.search(view, key, 1)?.behind),
            Bound::Excluded(key) => match self.search(view, key, 1)?.behind {
                Some(node) if node.key.borrow() == key => node.next.get(view),
                behind => Ok(behind),
            },
        }
    }
}

/// Whether `key` is not behind a range.
pub(super) fn is_before_end<Q: Ord + ?Sized>(key: &Q, range: &impl RangeBounds<Q>) -> bool {
    match range.end_bound() {
        Bound::Unbounded => true,
        Bound::Included(end) => key <= end,
        Bound::Excluded(end) => key < end,
    }
}
