//! How maps change.

use super::TMap;
use super::trie::{Leaf, LeafPosition, TrieNode};
use crate::attempt::journal::keyed::KeyedCodec;
use crate::attempt::transaction::Tx;
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

impl<K, V, S> TMap<K, V, S>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Send + Sync + 'static,
    S: BuildHasher,
{
    /// Another value for `key`; answers the one before, if there is one.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn insert<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        key: K,
        value: V,
    ) -> Result<Option<&'t V>, Rollback> {
        let hash = self.hasher.hash_one(&key);
        let place = self.place(tx, hash)?;
        if let Some(leaf) = place.leaf(hash, &key) {
            let before = leaf.value.read(tx)?;
            self.overwrite(tx, leaf, value)?;
            return Ok(Some(before));
        }
        self.add(tx, &place, hash, key, value)?;
        Ok(None)
    }

    /// Another value for `key`, without a look at the one before: two of these do not conflict if
    /// `key` has a value. Answers whether it had none.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn put<'t>(&'t self, tx: &mut Tx<'t>, key: K, value: V) -> Result<bool, Rollback> {
        let hash = self.hasher.hash_one(&key);
        let place = self.place(tx, hash)?;
        if let Some(leaf) = place.leaf(hash, &key) {
            self.overwrite(tx, leaf, value)?;
            return Ok(false);
        }
        self.add(tx, &place, hash, key, value)?;
        Ok(true)
    }

    /// Another value for a key that is there.
    #[inline(always)]
    #[track_caller]
    fn overwrite<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        leaf: &'t Leaf<K, V>,
        value: V,
    ) -> Result<(), Rollback> {
        if tx.is_journaled() {
            return self.overwrite_and_tell(tx, leaf, value);
        }
        leaf.value.set(tx, value)
    }

    /// WHY not within [`overwrite`](Self::overwrite): there the value would have to stand in
    /// memory, to be told, also for who has no journal.
    #[cold]
    #[inline(never)]
    fn overwrite_and_tell<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        leaf: &'t Leaf<K, V>,
        value: V,
    ) -> Result<(), Rollback> {
        tx.tell(self, |codec: &KeyedCodec<K, V>, to| codec.put(&leaf.key, &value, to));
        leaf.value.set(tx, value)
    }

    /// Adds a leaf at its `place`, where there is none of its key.
    #[track_caller]
    fn add<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        place: &LeafPosition<'t, K, V>,
        hash: u64,
        key: K,
        value: V,
    ) -> Result<(), Rollback> {
        let leaf = Arc::new(TrieNode::Leaf(Leaf { hash, key, value: TVar::new(value) }));
        tx.tell(self, |codec: &KeyedCodec<K, V>, to| {
            for leaf in leaf.leaves() {
                // SAFETY: nobody else has the node yet.
                unsafe { leaf.value.at_rest(|value| codec.put(&leaf.key, value, to)) }
            }
        });
        if self.name.is_given() {
            leaf.call_leaves(self.name);
        }
        let node = match place.link.share(tx)? {
            None => leaf,
            Some(there) => TrieNode::join(there, leaf, place.used_bits),
        };
        if self.name.is_given() {
            node.call_joined(self.name);
        }
        place.link.set(tx, Some(node))?;
        self.len.add(tx, 1)
    }

    /// The value of `key`, or else the one that `make` gives it.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn get_or_insert_with<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        key: K,
        make: impl FnOnce() -> V,
    ) -> Result<&'t V, Rollback> {
        let hash = self.hasher.hash_one(&key);
        let place = self.place(tx, hash)?;
        if let Some(leaf) = place.leaf(hash, &key) {
            return leaf.value.read(tx);
        }
        self.add(tx, &place, hash, key, make())?;
        // The new leaf is the one without which the place would be as before: the last of its kind.
        let place = self.place(tx, hash)?;
        let leaf = place.node.and_then(|node| node.leaves().last()).expect("added above");
        leaf.value.read(tx)
    }

    /// Changes the value of `key`; answers whether there is one.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn update<'t, Q>(
        &'t self,
        tx: &mut Tx<'t>,
        key: &Q,
        change: impl FnOnce(&V) -> V,
    ) -> Result<bool, Rollback>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let Some(leaf) = self.leaf(tx, key)? else { return Ok(false) };
        if tx.is_journaled() {
            let value = change(leaf.value.read(tx)?);
            self.overwrite(tx, leaf, value)?;
        } else {
            leaf.value.update(tx, change)?;
        }
        Ok(true)
    }

    /// Removes `key`; answers its value.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn remove<'t, Q>(&'t self, tx: &mut Tx<'t>, key: &Q) -> Result<Option<&'t V>, Rollback>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let place = self.place(tx, hash)?;
        let (Some(node), Some(leaf)) = (place.node, place.leaf(hash, key)) else {
            return Ok(None);
        };
        let value = leaf.value.read(tx)?;
        tx.tell(self, |codec: &KeyedCodec<K, V>, to| codec.remove(&leaf.key, to));
        place.link.set(tx, node.without(hash, key))?;
        self.len.add(tx, -1)?;
        if place.used_bits > self.root_bits {
            TrieNode::lift(&self.root[self.root_of(hash)], self.root_bits, hash, tx)?;
        }
        Ok(Some(value))
    }

    /// Inserts all `pairs`; later ones replace earlier ones.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn extend<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Result<(), Rollback> {
        pairs.into_iter().try_for_each(|(key, value)| self.put(tx, key, value).map(drop))
    }
}
