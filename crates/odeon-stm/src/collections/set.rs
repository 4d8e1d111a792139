//! A hash set: a map without values.
//!
//! To add a key that is there reads its place and writes nothing, so any number of transactions may
//! add it at once. Two that add one *missing* key at once are in conflict, and the second one runs
//! again, once: then the key is there. They are not made to commute. A change that is kept until
//! the commit, like those of a [`TCounter`](crate::TCounter), would have to look there for equal
//! keys among the leaves that others have put into the place meanwhile, that is call the user's
//! `Eq` while variables are locked; or leaves would have to stay, empty, when their key is removed.

use crate::attempt::transaction::{Tx, View};
use crate::collections::{QuickState, TMap};
use crate::variables::labelled::sealed::Nameable;
use crate::variables::labelled::{Name, Variable};
use crate::words::abort::Rollback;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// A hash set.
///
/// To add a key that is there conflicts with no other addition. If two transactions add one missing
/// key at once, the second one runs again, once: then the key is there.
///
/// ```
/// use odeon_stm::atomically;
/// use odeon_stm::collections::TSet;
///
/// let seen = TSet::new();
/// let is_new = atomically(|tx| {
///     seen.add(tx, "nails")?;
///     seen.insert(tx, "nails")
/// });
/// assert!(!is_new);
/// ```
pub struct TSet<K: Send + Sync + 'static, S = QuickState>(TMap<K, (), S>);

impl<K: Send + Sync + 'static> TSet<K> {
    /// An empty set.
    pub fn new() -> Self {
        Self(TMap::new())
    }

    /// An empty set that is fast with up to about `capacity` keys; see [`TMap::with_capacity`].
    pub fn with_capacity(capacity: usize) -> Self {
        Self(TMap::with_capacity(capacity))
    }
}

impl<K: Send + Sync + 'static, S> Nameable for TSet<K, S> {
    fn be_called(&mut self, name: Name) {
        self.0.be_called(name);
    }
}

impl<K: Send + Sync + 'static, S> Variable for TSet<K, S> {}

impl<K: Send + Sync + 'static, S> TSet<K, S> {
    /// As [`with_capacity`](TSet::with_capacity), with hashes from `hasher`.
    pub fn with_capacity_and_hasher(capacity: usize, hasher: S) -> Self {
        Self(TMap::with_capacity_and_hasher(capacity, hasher))
    }

    /// The map that it is, by which a journal knows it.
    pub(crate) fn as_map(&self) -> &TMap<K, (), S> {
        &self.0
    }

    /// How many keys there are. Who has asked is in conflict with every insertion and removal.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn len<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<usize, Rollback> {
        self.0.len(view)
    }

    /// Whether there is no key; conflicts as [`len`](TSet::len).
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn is_empty<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<bool, Rollback> {
        self.0.is_empty(view)
    }

    /// Combines all keys, in no order.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn fold<'t, V: View<'t>, A>(
        &'t self,
        view: &mut V,
        start: A,
        mut combine: impl FnMut(A, &'t K) -> A,
    ) -> Result<A, Rollback> {
        self.0.fold(view, start, |folded, key, ()| combine(folded, key))
    }

    /// Removes all keys; conflicts with every other insertion and removal.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn clear<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback> {
        self.0.clear(tx)
    }
}

impl<K, S> TSet<K, S>
where
    K: Hash + Eq + Send + Sync + 'static,
    S: BuildHasher,
{
    /// Whether `key` is in the set.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    pub fn contains<'t, V, Q>(&'t self, view: &mut V, key: &Q) -> Result<bool, Rollback>
    where
        V: View<'t>,
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.0.contains(view, key)
    }

    /// Sees to it that `key` is in the set. Transactions that add a key which is there do not
    /// conflict; of those that add a missing one at once, one commits at the first attempt.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn add<'t>(&'t self, tx: &mut Tx<'t>, key: K) -> Result<(), Rollback> {
        self.insert(tx, key).map(drop)
    }

    /// Inserts `key`; answers whether it was not there. A key that is there stays.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn insert<'t>(&'t self, tx: &mut Tx<'t>, key: K) -> Result<bool, Rollback> {
        let mut is_new = false;
        self.0.get_or_insert_with(tx, key, || is_new = true)?;
        Ok(is_new)
    }

    /// Removes `key`; answers whether it was there.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn remove<'t, Q>(&'t self, tx: &mut Tx<'t>, key: &Q) -> Result<bool, Rollback>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        Ok(self.0.remove(tx, key)?.is_some())
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
        keys.into_iter().try_for_each(|key| self.add(tx, key))
    }
}

impl<K, S> FromIterator<K> for TSet<K, S>
where
    K: Hash + Eq + Send + Sync + 'static,
    S: BuildHasher + Default,
{
    /// A set of these keys, without a transaction.
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        Self(keys.into_iter().map(|key| (key, ())).collect())
    }
}

impl<K: Send + Sync + 'static, S: Default> Default for TSet<K, S> {
    fn default() -> Self {
        Self(TMap::default())
    }
}

impl<K: Send + Sync + 'static, S> fmt::Debug for TSet<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TSet").finish_non_exhaustive()
    }
}
