//! A hash map, in which changes of different keys do not conflict.
//!
//! The leaves hang on a trie, below a wide root; see `trie.rs`. A search reads the few links that
//! lead to its leaf, and of those only the last one changes: when a leaf comes or goes, or when
//! leaves begin or cease to share a place. So two changes conflict only if they meet in one place,
//! which is rare. The number of keys is kept in a [`TCounter`]: changes of it commute.

mod changes;
mod trie;

use crate::attempt::journal::keyed::KeyedCodec;
use crate::attempt::transaction::{Tx, View};
use crate::collections::{QuickState, number};
use crate::variables::labelled::sealed::Nameable;
use crate::variables::labelled::{Name, Variable};
use crate::variables::tcounter::TCounter;
use crate::variables::tlink::TLink;
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use trie::{Leaf, LeafPosition, TrieLink, TrieNode};

/// Places of a root whose map was promised nothing: half a kilobyte ...
const LEAST_ROOT: usize = 32;
/// ... and of the widest one: 16 MiB. More keys find room in deeper nodes.
const WIDEST_ROOT: usize = 1 << 20;
/// TUNE: places of the root for each key, before the next power of two. Computed 2026-11: with one,
/// 9 to 26 % of the places have an inner node of a third of a kilobyte; these take as much memory
/// as the places that are saved, and reads through them follow two pointers more.
const PLACES_PER_KEY: usize = 2;

/// A hash map.
///
/// Beside its root, which stays as wide as it was made, it takes memory for the keys that are
/// there: a removal gives back what its key has taken.
///
/// ```
/// use odeon_stm::atomically;
/// use odeon_stm::collections::TMap;
///
/// let stock = TMap::new();
/// let left = atomically(|tx| {
///     stock.insert(tx, "nails", 500)?;
///     stock.update(tx, "nails", |n| n - 30)?;
///     stock.get_copied(tx, "nails")
/// });
/// assert_eq!(left, Some(470));
/// ```
pub struct TMap<K: Send + Sync + 'static, V: Send + Sync + 'static, S = QuickState> {
    root: Box<[TrieLink<K, V>]>,
    /// Bits of the hash that choose a place of the root.
    root_bits: u32,
    len: TCounter,
    hasher: S,
    name: Name,
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> TMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An empty map that is fast with up to about `capacity` keys; it takes 32 to 64 bytes for each
    /// at once, but no more than 16 MiB. With more keys it gets a little slower and does not move
    /// any.
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_hasher(capacity, QuickState::default())
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static, S> TMap<K, V, S> {
    /// As [`with_capacity`](TMap::with_capacity), with hashes from `hasher`.
    pub fn with_capacity_and_hasher(capacity: usize, hasher: S) -> Self {
        let places = capacity.min(WIDEST_ROOT) * PLACES_PER_KEY;
        let places = places.clamp(LEAST_ROOT, WIDEST_ROOT).next_power_of_two();
        Self {
            root: (0..places).map(|_| TLink::new(None)).collect(),
            root_bits: places.trailing_zeros(),
            len: TCounter::new(0),
            hasher,
            name: Name::default(),
        }
    }

    /// How many keys there are. Who has asked is in conflict with every insertion and removal.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn len<'t, W: View<'t>>(&'t self, view: &mut W) -> Result<usize, Rollback> {
        Ok(number(self.len.get(view)?))
    }

    /// Whether there is no key; conflicts as [`len`](TMap::len).
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn is_empty<'t, W: View<'t>>(&'t self, view: &mut W) -> Result<bool, Rollback> {
        Ok(self.len(view)? == 0)
    }

    /// Combines all keys and values, in no order.
    ///
    /// ```
    /// use odeon_stm::{collections::TMap, snapshot};
    ///
    /// let map: TMap<_, _> = [("a", 1), ("b", 2)].into_iter().collect();
    /// assert_eq!(snapshot(|view| map.fold(view, 0, |sum, _, value| sum + value)), Ok(3));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn fold<'t, W: View<'t>, A>(
        &'t self,
        view: &mut W,
        start: A,
        mut combine: impl FnMut(A, &'t K, &V) -> A,
    ) -> Result<A, Rollback> {
        let mut folded = Some(start);
        self.for_each(view, |key, value| {
            folded = folded.take().map(|folded| combine(folded, key, value));
        })?;
        Ok(folded.expect("put back each time"))
    }

    /// All keys and values, in no order; the references live as long as the attempt, so `view` can
    /// be used with each of them.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn entries<'t, W: View<'t>>(
        &'t self,
        view: &mut W,
    ) -> Result<Vec<(&'t K, &'t V)>, Rollback> {
        let mut entries = Vec::new();
        let mut visit = |view: &mut W, leaf: &'t Leaf<K, V>| {
            entries.push((&leaf.key, leaf.value.read(view)?));
            Ok(())
        };
        self.root.iter().try_for_each(|link| TrieNode::visit(link, view, &mut visit))?;
        Ok(entries)
    }

    /// Calls `act` with all keys and values, in no order.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on; `act` may have been called until then.
    pub fn for_each<'t, W: View<'t>>(
        &'t self,
        view: &mut W,
        mut act: impl FnMut(&'t K, &V),
    ) -> Result<(), Rollback> {
        let mut visit = |view: &mut W, leaf: &'t Leaf<K, V>| {
            leaf.value.read_with(view, |value| act(&leaf.key, value))
        };
        self.root.iter().try_for_each(|link| TrieNode::visit(link, view, &mut visit))
    }

    /// Removes all keys; conflicts with every other insertion and removal.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn clear<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback> {
        let len = self.len.get(tx)?;
        tx.tell(self, |codec: &KeyedCodec<K, V>, to| codec.clear(to));
        self.len.add(tx, -len)?;
        for link in &self.root {
            if link.get(tx)?.is_some() {
                link.set(tx, None)?;
            }
        }
        Ok(())
    }
}

impl<K, V, S> TMap<K, V, S>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Send + Sync + 'static,
    S: BuildHasher,
{
    fn root_of(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.root_bits)) as usize
    }

    #[inline]
    fn place<'t, W: View<'t>>(
        &'t self,
        view: &mut W,
        hash: u64,
    ) -> Result<LeafPosition<'t, K, V>, Rollback> {
        LeafPosition::find(&self.root[self.root_of(hash)], self.root_bits, hash, view)
    }

    #[inline]
    fn leaf<'t, W, Q>(&'t self, view: &mut W, key: &Q) -> Result<Option<&'t Leaf<K, V>>, Rollback>
    where
        W: View<'t>,
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        Leaf::find(&self.root[self.root_of(hash)], self.root_bits, hash, key, view)
    }

    /// The value of `key`; the reference lives as long as the attempt.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline]
    pub fn get<'t, W, Q>(&'t self, view: &mut W, key: &Q) -> Result<Option<&'t V>, Rollback>
    where
        W: View<'t>,
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.leaf(view, key)?.map(|leaf| leaf.value.read(view)).transpose()
    }

    /// A copy of the value of `key`.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline]
    pub fn get_copied<'t, W, Q>(&'t self, view: &mut W, key: &Q) -> Result<Option<V>, Rollback>
    where
        W: View<'t>,
        V: Copy,
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.leaf(view, key)?.map(|leaf| leaf.value.get(view)).transpose()
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
        Q: Hash + Eq + ?Sized,
    {
        Ok(self.leaf(view, key)?.is_some())
    }
}

impl<K, V, S> FromIterator<(K, V)> for TMap<K, V, S>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Send + Sync + 'static,
    S: BuildHasher + Default,
{
    /// A map of these pairs, without a transaction; later ones replace earlier ones.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let pairs: std::collections::HashMap<K, V> = pairs.into_iter().collect();
        let mut map = Self::with_capacity_and_hasher(pairs.len(), S::default());
        map.len = TCounter::new(pairs.len() as i64);
        for (key, value) in pairs {
            let hash = map.hasher.hash_one(&key);
            let leaf = Arc::new(TrieNode::Leaf(Leaf { hash, key, value: TVar::new(value) }));
            let root = map.root_of(hash);
            TrieNode::plant(&mut map.root[root], leaf, map.root_bits);
        }
        map
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static, S> Nameable for TMap<K, V, S> {
    fn be_called(&mut self, name: Name) {
        self.name = name;
        for link in &self.root {
            // SAFETY: nobody else has the map.
            unsafe { TrieNode::call_all(link, name) };
        }
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static, S> Variable for TMap<K, V, S> {}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static, S: Default> Default for TMap<K, V, S> {
    fn default() -> Self {
        Self::with_capacity_and_hasher(0, S::default())
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static, S> fmt::Debug for TMap<K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TMap").finish_non_exhaustive()
    }
}
