//! The trie below a map: how places are found and how two leaves share one.
//!
//! A place is empty, or holds a leaf, a bucket of leaves whose hashes are equal, or an inner node
//! with 16 places, chosen by the next four bits of the hash. An inner node comes when two leaves
//! meet in a place, and goes when a removal leaves one leaf or bucket in it, or none: what is left
//! takes its place. So every inner node has two leaves below it, or more; removals that run at the
//! same time may leave fewer, until the next removal there. Searches conflict only where leaves
//! come and go.

use crate::attempt::transaction::{Tx, View};
use crate::variables::labelled::Name;
use crate::variables::tlink::TLink;
use crate::variables::tvar::TVar;
use crate::words::abort::Rollback;
use std::borrow::Borrow;
use std::sync::Arc;

#[cfg(test)]
mod tests;

const FAN_OUT: usize = 16;
const BITS_PER_LEVEL: u32 = 4;

/// See the module.
pub(super) enum TrieNode<K: Send + Sync + 'static, V: Send + Sync + 'static> {
    /// Behind a pointer, so that leaves are small.
    Inner(Box<[TrieLink<K, V>; FAN_OUT]>),
    Leaf(Leaf<K, V>),
    /// At least two leaves of one hash.
    Bucket(Box<[Arc<TrieNode<K, V>>]>),
}

pub(super) type TrieLink<K, V> = TLink<TrieNode<K, V>>;

pub(super) struct Leaf<K: Send + Sync + 'static, V: Send + Sync + 'static> {
    pub(super) hash: u64,
    pub(super) key: K,
    pub(super) value: TVar<V>,
}

/// Where the leaf of a hash is, or would be.
pub(super) struct LeafPosition<'t, K: Send + Sync + 'static, V: Send + Sync + 'static> {
    pub(super) link: &'t TrieLink<K, V>,
    /// What it holds; no inner node.
    pub(super) node: Option<&'t TrieNode<K, V>>,
    /// How many bits of the hash have led here.
    pub(super) used_bits: u32,
}

/// The places in a node, by the bits of `hash` behind the first `used_bits`.
fn branch(hash: u64, used_bits: u32) -> usize {
    (hash.checked_shl(used_bits).unwrap_or(0) >> (u64::BITS - BITS_PER_LEVEL)) as usize
}

impl<'t, K: Send + Sync + 'static, V: Send + Sync + 'static> LeafPosition<'t, K, V> {
    /// The place of `hash` below `link`, to which `used_bits` of it have led.
    #[inline]
    pub(super) fn find<W: View<'t>>(
        mut link: &'t TrieLink<K, V>,
        mut used_bits: u32,
        hash: u64,
        view: &mut W,
    ) -> Result<Self, Rollback> {
        loop {
            match link.get(view)? {
                Some(TrieNode::Inner(links)) => {
                    link = &links[branch(hash, used_bits)];
                    used_bits += BITS_PER_LEVEL;
                }
                node => return Ok(Self { link, node, used_bits }),
            }
        }
    }

    /// The leaf of `key`.
    #[inline]
    pub(super) fn leaf<Q: Eq + ?Sized>(&self, hash: u64, key: &Q) -> Option<&'t Leaf<K, V>>
    where
        K: Borrow<Q>,
    {
        self.node.and_then(|node| node.leaf(hash, key))
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> Leaf<K, V> {
    /// The leaf of `key` below `link`, to which `used_bits` of its `hash` have led.
    #[inline]
    pub(super) fn find<'t, W: View<'t>, Q: Eq + ?Sized>(
        mut link: &'t TrieLink<K, V>,
        mut used_bits: u32,
        hash: u64,
        key: &Q,
        view: &mut W,
    ) -> Result<Option<&'t Self>, Rollback>
    where
        K: Borrow<Q>,
    {
        loop {
            match link.get(view)? {
                Some(TrieNode::Inner(links)) => {
                    link = &links[branch(hash, used_bits)];
                    used_bits += BITS_PER_LEVEL;
                }
                Some(node) => return Ok(node.leaf(hash, key)),
                None => return Ok(None),
            }
        }
    }

    #[inline]
    fn is<Q: Eq + ?Sized>(&self, hash: u64, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.hash == hash && self.key.borrow() == key
    }
}

impl<K: Send + Sync + 'static, V: Send + Sync + 'static> TrieNode<K, V> {
    /// The leaf of `key` right here.
    #[inline]
    fn leaf<Q: Eq + ?Sized>(&self, hash: u64, key: &Q) -> Option<&Leaf<K, V>>
    where
        K: Borrow<Q>,
    {
        match self {
            Self::Leaf(leaf) => leaf.is(hash, key).then_some(leaf),
            _ => self.leaves().find(|leaf| leaf.is(hash, key)),
        }
    }

    /// The leaves right here.
    #[inline]
    pub(super) fn leaves(&self) -> impl Iterator<Item = &Leaf<K, V>> {
        let (own, bucket) = match self {
            Self::Leaf(leaf) => (Some(leaf), None),
            Self::Bucket(nodes) => (None, Some(nodes)),
            Self::Inner(_) => (None, None),
        };
        own.into_iter().chain(bucket.into_iter().flatten().flat_map(|node| match &**node {
            Self::Leaf(leaf) => Some(leaf),
            _ => None,
        }))
    }

    /// The hash of the leaves right here.
    fn hash(&self) -> Option<u64> {
        self.leaves().next().map(|leaf| leaf.hash)
    }

    /// What a place holds from now on that has held `there` and gets the leaf `more`; `used_bits`
    /// have led to the place.
    pub(super) fn join(there: Arc<Self>, more: Arc<Self>, used_bits: u32) -> Arc<Self> {
        let hash = more.hash().expect("a leaf");
        let other = there.hash().expect("a leaf or a bucket");
        if hash == other {
            let mut leaves = match &*there {
                Self::Bucket(leaves) => leaves.to_vec(),
                _ => vec![there],
            };
            leaves.push(more);
            return Arc::new(Self::Bucket(leaves.into()));
        }
        let (left, right) = (branch(other, used_bits), branch(hash, used_bits));
        let mut places: [_; FAN_OUT] = std::array::from_fn(|_| None);
        if left == right {
            places[left] = Some(Self::join(there, more, used_bits + BITS_PER_LEVEL));
        } else {
            (places[left], places[right]) = (Some(there), Some(more));
        }
        Arc::new(Self::Inner(Box::new(places.map(TLink::new))))
    }

    /// Calls what [`join`](Self::join) has just made so: inner nodes, which nobody else has; not
    /// what was there.
    #[cold]
    pub(super) fn call_joined(&self, name: Name) {
        let Self::Inner(links) = self else { return };
        for link in links.iter() {
            name.give(link.as_cell());
            // SAFETY: as above.
            if let Some(below) = unsafe { link.node_at_rest() } {
                below.call_joined(name);
            }
        }
    }

    /// Calls the leaves right here so, which nobody else has.
    #[cold]
    pub(super) fn call_leaves(&self, name: Name) {
        self.leaves().for_each(|leaf| name.give(leaf.value.as_cell()));
    }

    /// Calls this link so, and all below it.
    ///
    /// # Safety
    ///
    /// Nobody else has any of it.
    pub(super) unsafe fn call_all(link: &TrieLink<K, V>, name: Name) {
        name.give(link.as_cell());
        // SAFETY: the caller's.
        match unsafe { link.node_at_rest() } {
            Some(Self::Inner(links)) => {
                // SAFETY: likewise.
                links.iter().for_each(|link| unsafe { Self::call_all(link, name) });
            }
            Some(node) => node.call_leaves(name),
            None => {}
        }
    }

    /// What a place holds from now on that has held `there` and loses the leaf of `key`.
    pub(super) fn without<Q: Eq + ?Sized>(&self, hash: u64, key: &Q) -> Option<Arc<Self>>
    where
        K: Borrow<Q>,
    {
        let Self::Bucket(nodes) = self else { return None };
        let stays = |node: &&Arc<Self>| !node.leaves().any(|leaf| leaf.is(hash, key));
        let mut left: Vec<_> = nodes.iter().filter(stays).cloned().collect();
        if left.len() == 1 { left.pop() } else { Some(Arc::new(Self::Bucket(left.into()))) }
    }

    /// A leaf has gone on the way that `hash` leads from `link` on; `used_bits` have led there.
    /// Puts what is left of inner nodes in their place, if that is at most one leaf or bucket;
    /// answers whether the node of `link` is no inner one any more.
    #[track_caller]
    pub(super) fn lift<'t>(
        link: &'t TrieLink<K, V>,
        used_bits: u32,
        hash: u64,
        tx: &mut Tx<'t>,
    ) -> Result<bool, Rollback> {
        let Some(Self::Inner(links)) = link.get(tx)? else { return Ok(true) };
        let below = &links[branch(hash, used_bits)];
        if !Self::lift(below, used_bits + BITS_PER_LEVEL, hash, tx)? {
            return Ok(false);
        }
        let from = tx.attempt().0.reads.len();
        let mut left = None;
        for link in links.iter() {
            match link.get(tx)? {
                None => {}
                Some(Self::Leaf(_) | Self::Bucket(_)) if left.is_none() => left = Some(link),
                Some(_) => {
                    // That the node stays is right whatever is in it, so nobody has to find this
                    // unchanged.
                    tx.attempt().0.reads.forget(from, 0);
                    return Ok(false);
                }
            }
        }
        let left = left.map_or(Ok(None), |link| link.share(tx))?;
        link.set(tx, left)?;
        Ok(true)
    }

    /// Calls `act` with every leaf below `link`.
    pub(super) fn visit<'t, W: View<'t>>(
        link: &'t TrieLink<K, V>,
        view: &mut W,
        act: &mut impl FnMut(&mut W, &'t Leaf<K, V>) -> Result<(), Rollback>,
    ) -> Result<(), Rollback> {
        match link.get(view)? {
            None => Ok(()),
            Some(Self::Inner(links)) => {
                links.iter().try_for_each(|link| Self::visit(link, view, act))
            }
            Some(node) => node.leaves().try_for_each(|leaf| act(view, leaf)),
        }
    }

    /// Puts the leaf `more` below `link`, which is not shared yet; nobody has its key.
    pub(super) fn plant(link: &mut TrieLink<K, V>, more: Arc<Self>, used_bits: u32) {
        let hash = more.hash().expect("a leaf");
        let node = match link.take() {
            None => more,
            Some(mut there) => match Arc::get_mut(&mut there) {
                Some(Self::Inner(links)) => {
                    let below = &mut links[branch(hash, used_bits)];
                    Self::plant(below, more, used_bits + BITS_PER_LEVEL);
                    there
                }
                _ => Self::join(there, more, used_bits),
            },
        };
        *link = TLink::new(Some(node));
    }
}
