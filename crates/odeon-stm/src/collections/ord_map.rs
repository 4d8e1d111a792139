//! An ordered map, in which changes of keys that are no neighbours do not conflict.
//!
//! It is a skip list of links; `tower.rs` has the search. A range read remembers every link on the
//! lowest level from the one that leads into the range to the one that leads out of it, so an
//! insertion anywhere between is in conflict with it: there are no phantoms.

mod changes;
mod iter;
#[cfg(test)]
mod tests;
mod tower;

use crate::attempt::transaction::View;
use crate::collections::number;
use crate::variables::labelled::sealed::Nameable;
use crate::variables::labelled::{Name, Variable};
use crate::variables::tcounter::TCounter;
use crate::variables::tlink::TLink;
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use odeon_sync::atomic::{AtomicUsize, Ordering};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeBounds;
use std::sync::Arc;
use tower::{LEVELS, TowerLink, TowerNode, Trail, random_height, search};

/// A map in the order of its keys.
///
/// ```
/// use odeon_stm::collections::TOrdMap;
/// use odeon_stm::atomically;
///
/// let offers: TOrdMap<_, _> = [(30, "c"), (10, "a"), (20, "b")].into_iter().collect();
/// let (below, least) = atomically(|tx| {
///     let below = offers.fold_range(tx, ..=20, 0, |count, _, _| count + 1)?;
///     Ok((below, offers.pop_first(tx)?.map(|(key, _)| *key)))
/// });
/// assert_eq!((below, least), (2, Some(10)));
/// ```
pub struct TOrdMap<K: Send + Sync + 'static, V: Send + Sync + 'static> {
    heads: Box<[TowerLink<K, V>; LEVELS]>,
    /// About the greatest height of a node: searches begin there. It is a hint: a search that
    /// begins lower takes longer.
    top: AtomicUsize,
    len: TCounter,
    name: Name,
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> TOrdMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        let heads = Box::new(std::array::from_fn(|_| TLink::new(None)));
        Self { heads, top: AtomicUsize::new(1), len: TCounter::new(0), name: Name::default() }
    }

    fn top(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.top.load(Ordering::Relaxed)
    }

    /// How many keys there are. Who has asked is in conflict with every insertion and removal.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn len<'t, W: View<'t>>(&'t self, view: &mut W) -> Result<usize, Rollback> {
        Ok(number(self.len.get(view)?))
    }

    /// Whether there is no key.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn is_empty<'t, W: View<'t>>(&'t self, view: &mut W) -> Result<bool, Rollback> {
        Ok(self.heads[0].get(view)?.is_none())
    }

    /// The least key and its value.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn first<'t, W: View<'t>>(
        &'t self,
        view: &mut W,
    ) -> Result<Option<(&'t K, &'t V)>, Rollback> {
        let Some(node) = self.heads[0].get(view)? else { return Ok(None) };
        Ok(Some((&node.key, node.value.read(view)?)))
    }

    /// The greatest key and its value.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn last<'t, W: View<'t>>(
        &'t self,
        view: &mut W,
    ) -> Result<Option<(&'t K, &'t V)>, Rollback> {
        let trail = search(&self.heads, view, self.top(), 1, |_| std::cmp::Ordering::Less)?;
        let Some(node) = trail.before else { return Ok(None) };
        Ok(Some((&node.key, node.value.read(view)?)))
    }

    /// Combines all keys and values in their order.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn fold<'t, W: View<'t>, A>(
        &'t self,
        view: &mut W,
        start: A,
        combine: impl FnMut(A, &'t K, &V) -> A,
    ) -> Result<A, Rollback> {
        let first = self.heads[0].get(view)?;
        fold_from(first, view, start, |_| true, combine)
    }

    /// All keys and values in the order of the keys; the references live as long as the attempt, so
    /// `view` can be used with each of them.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn entries<'t, W: View<'t>>(
        &'t self,
        view: &mut W,
    ) -> Result<Vec<(&'t K, &'t V)>, Rollback> {
        let (mut entries, mut link) = (Vec::new(), &self.heads[0]);
        while let Some(node) = link.get(view)? {
            entries.push((&node.key, node.value.read(view)?));
            link = &node.next;
        }
        Ok(entries)
    }
}

/// Combines what comes from `first` on as long as `is_within` says so.
fn fold_from<'t, W: View<'t>, K: Send + Sync + 'static, V: Send + Sync + 'static, A>(
    first: Option<&'t TowerNode<K, V>>,
    view: &mut W,
    start: A,
    is_within: impl Fn(&K) -> bool,
    mut combine: impl FnMut(A, &'t K, &V) -> A,
) -> Result<A, Rollback> {
    let (mut folded, mut next) = (start, first);
    while let Some(node) = next.filter(|node| is_within(&node.key)) {
        folded = node.value.read_with(view, |value| combine(folded, &node.key, value))?;
        next = node.next.get(view)?;
    }
    Ok(folded)
}

impl<K: Ord + Send + Sync + 'static, V: Send + Sync + 'static> TOrdMap<K, V> {
    /// Finds the place of `key`; the links of the lowest `keep` levels stay in the read set.
    #[inline]
    fn search<'t, W, Q>(
        &'t self,
        view: &mut W,
        key: &Q,
        keep: usize,
    ) -> Result<Trail<'t, K, V>, Rollback>
    where
        W: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        search(&self.heads, view, self.top(), keep, |other| other.borrow().cmp(key))
    }

    /// Combines the keys and values of a range in their order. A transaction that has done so
    /// commits only if nothing in the range has come, gone or changed.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn fold_range<'t, W, Q, A>(
        &'t self,
        view: &mut W,
        range: impl RangeBounds<Q>,
        start: A,
        combine: impl FnMut(A, &'t K, &V) -> A,
    ) -> Result<A, Rollback>
    where
        W: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let first = self.first_of(view, &range)?;
        fold_from(first, view, start, |key| iter::is_before_end(key.borrow(), &range), combine)
    }

    /// The link to the first node that is not before the place.
    fn lowest<'t>(&self, trail: Trail<'t, K, V>) -> &'t TowerLink<K, V> {
        trail.links[0].expect("every search goes down to the lowest level")
    }

    /// The value of `key`; the reference lives as long as the attempt. For numbers and the like
    /// [`get_copied`](TOrdMap::get_copied) is faster.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn get<'t, W, Q>(&'t self, view: &mut W, key: &Q) -> Result<Option<&'t V>, Rollback>
    where
        W: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.search(view, key, 1)?.found.map(|node| node.value.read(view)).transpose()
    }

    /// A copy of the value of `key`.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn get_copied<'t, W, Q>(&'t self, view: &mut W, key: &Q) -> Result<Option<V>, Rollback>
    where
        W: View<'t>,
        V: Copy,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.search(view, key, 1)?.found.map(|node| node.value.get(view)).transpose()
    }

    /// Whether there is a value of `key`. Changes of the value do not conflict with the answer.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn contains<'t, W, Q>(&'t self, view: &mut W, key: &Q) -> Result<bool, Rollback>
    where
        W: View<'t>,
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        Ok(self.search(view, key, 1)?.found.is_some())
    }
}

impl<K: Ord + Send + Sync + 'static, V: Send + Sync + 'static> FromIterator<(K, V)>
    for TOrdMap<K, V>
{
    /// A map of these pairs, without a transaction; later ones replace earlier ones.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let pairs: BTreeMap<K, V> = pairs.into_iter().collect();
        let (mut len, mut top) = (0, 1);
        // Per level the first node of those made so far.
        let mut firsts: [Option<Arc<TowerNode<K, V>>>; LEVELS] = std::array::from_fn(|_| None);
        for (key, value) in pairs.into_iter().rev() {
            let height = random_height();
            let mut links = firsts[..height].iter().cloned().map(TLink::new);
            let next = links.next().expect("heights are at least 1");
            let node = TowerNode { key, value: TVar::new(value), next, upper: links.collect() };
            firsts[..height].fill(Some(Arc::new(node)));
            len += 1;
            top = top.max(height);
        }
        let heads = Box::new(firsts.map(TLink::new));
        let (top, len) = (AtomicUsize::new(top), TCounter::new(len));
        Self { heads, top, len, name: Name::default() }
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Nameable for TOrdMap<K, V> {
    fn be_called(&mut self, name: Name) {
        self.name = name;
        self.heads.iter().for_each(|head| name.give(head.as_cell()));
        let mut link = &self.heads[0];
        // SAFETY: nobody else has the map.
        while let Some(node) = unsafe { link.node_at_rest() } {
            node.be_called(name);
            link = &node.next;
        }
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Variable for TOrdMap<K, V> {}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Default for TOrdMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> fmt::Debug for TOrdMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TOrdMap").finish_non_exhaustive()
    }
}
