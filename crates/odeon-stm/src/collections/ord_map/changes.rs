//! How ordered maps change.

use super::TOrdMap;
use super::tower::{TowerNode, Trail, random_height};
use crate::attempt::journal::keyed::KeyedCodec;
use crate::attempt::transaction::Tx;
use crate::variables::tlink::TLink;
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use odeon_sync::atomic::Ordering;
use std::borrow::Borrow;
use std::sync::Arc;

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> TOrdMap<K, V> {
    /// Removes all keys.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn clear<'t>(&'t self, tx: &mut Tx<'t>) -> Result<(), Rollback> {
        let len = self.len.get(tx)?;
        tx.tell(self, |codec: &KeyedCodec<K, V>, to| codec.clear(to));
        self.len.add(tx, -len)?;
        for head in &self.heads[1..] {
            head.set(tx, None)?;
        }
        // Searches may stand anywhere, so every link is written, like by single removals.
        let mut link = &self.heads[0];
        while let Some(node) = link.get(tx)? {
            link.set(tx, None)?;
            for upper in &node.upper {
                upper.set(tx, None)?;
            }
            link = &node.next;
        }
        // The last node's too, or an empty map's first one.
        link.set(tx, None)
    }
}

impl<K: Ord + Send + Sync + 'static, V: Send + Sync + 'static> TOrdMap<K, V> {
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
        let height = random_height();
        let trail = self.search(tx, &key, height)?;
        if let Some(node) = trail.found {
            let before = node.value.read(tx)?;
            self.overwrite(tx, node, value)?;
            return Ok(Some(before));
        }
        self.add(tx, &trail, height, key, value)?;
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
        let height = random_height();
        let trail = self.search(tx, &key, height)?;
        if let Some(node) = trail.found {
            self.overwrite(tx, node, value)?;
            return Ok(false);
        }
        self.add(tx, &trail, height, key, value)?;
        Ok(true)
    }

    /// Another value for a key that is there.
    #[inline(always)]
    #[track_caller]
    fn overwrite<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        node: &'t TowerNode<K, V>,
        value: V,
    ) -> Result<(), Rollback> {
        if tx.is_journaled() {
            return self.overwrite_and_tell(tx, node, value);
        }
        node.value.set(tx, value)
    }

    /// WHY not within [`overwrite`](Self::overwrite): there the value would have to stand in
    /// memory, to be told, also for who has no journal.
    #[cold]
    #[inline(never)]
    fn overwrite_and_tell<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        node: &'t TowerNode<K, V>,
        value: V,
    ) -> Result<(), Rollback> {
        tx.tell(self, |codec: &KeyedCodec<K, V>, to| codec.put(&node.key, &value, to));
        node.value.set(tx, value)
    }

    /// Adds a node at the end of `trail`, which has kept `height` levels.
    #[track_caller]
    fn add<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        trail: &Trail<'t, K, V>,
        height: usize,
        key: K,
        value: V,
    ) -> Result<(), Rollback> {
        if self.top() < height {
            // ORDERING: Relaxed: a hint.
            self.top.fetch_max(height, Ordering::Relaxed);
        }
        let mut links = Vec::with_capacity(height);
        for link in trail.links.iter().flatten().take(height) {
            let next = link.share(tx)?;
            links.push(TLink::new(next));
        }
        let upper = links.drain(1..).collect();
        let next = links.pop().expect("heights are at least 1");
        let node = Arc::new(TowerNode { key, value: TVar::new(value), next, upper });
        if self.name.is_given() {
            node.be_called(self.name);
        }
        tx.tell(self, |codec: &KeyedCodec<K, V>, to| {
            // SAFETY: nobody else has the node yet.
            unsafe { node.value.at_rest(|value| codec.put(&node.key, value, to)) }
        });
        for link in trail.links.iter().flatten().take(height) {
            link.set(tx, Some(node.clone()))?;
        }
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
        let height = random_height();
        let trail = self.search(tx, &key, height)?;
        if let Some(node) = trail.found {
            return node.value.read(tx);
        }
        self.add(tx, &trail, height, key, make())?;
        let node = self.lowest(trail).get(tx)?.expect("added above");
        node.value.read(tx)
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
        Q: Ord + ?Sized,
    {
        let Some(node) = self.search(tx, key, 1)?.found else { return Ok(false) };
        if tx.is_journaled() {
            let value = change(node.value.read(tx)?);
            self.overwrite(tx, node, value)?;
        } else {
            node.value.update(tx, change)?;
        }
        Ok(true)
    }

    /// Removes `key`; answers it and its value.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn remove<'t, Q>(
        &'t self,
        tx: &mut Tx<'t>,
        key: &Q,
    ) -> Result<Option<(&'t K, &'t V)>, Rollback>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let mut trail = self.search(tx, key, 1)?;
        let Some(node) = trail.found else { return Ok(None) };
        if trail.links[node.height() - 1].is_none() {
            // It has come since the search has looked how high to begin.
            trail = self.search(tx, key, node.height())?;
        }
        let value = node.value.read(tx)?;
        tx.tell(self, |codec: &KeyedCodec<K, V>, to| codec.remove(&node.key, to));
        for (level, link) in trail.links.iter().flatten().take(node.height()).enumerate() {
            let next = node.link(level).share(tx)?;
            link.set(tx, next)?;
            // Who stands on the node must notice; see `tower.rs`.
            node.link(level).set(tx, None)?;
        }
        self.len.add(tx, -1)?;
        Ok(Some((&node.key, value)))
    }

    /// Removes the least key; answers it and its value.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[track_caller]
    pub fn pop_first<'t>(&'t self, tx: &mut Tx<'t>) -> Result<Option<(&'t K, &'t V)>, Rollback> {
        match self.heads[0].get(tx)? {
            Some(node) => self.remove(tx, &node.key),
            None => Ok(None),
        }
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
