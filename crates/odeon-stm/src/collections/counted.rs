//! Shared nodes that are counted in themselves, and links to them.
//!
//! WHY beside `Arc` and [`TLink`](crate::TLink): an `Arc` counts weak references too and puts both
//! counts in front of the node. Here one count of four bytes lies where the node has room for it,
//! beside a small key for example. A node of a list of `u32` takes 24 bytes in place of 40, and
//! walks of long lists wait for memory.
//!
//! The count is modelled in `counted/loom.rs`; the links are as those of `TLink`.

use crate::attempt::transaction::{Tx, View};
use crate::attempt::write_set::WriteKind;
use crate::domain::cell::Cell;
use crate::domain::garbage::OwnedType;
use crate::words::abort::Rollback;
use odeon_sync::atomic::{AtomicU32, Ordering, fence};
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

#[cfg(all(test, odeon_loom))]
mod loom;

/// How many there are that share a node.
#[derive(Debug)]
pub(super) struct ShareCount(AtomicU32);

/// Above this the process is aborted: some bug shares without end, and the count must not begin
/// anew.
const MOST_SHARES: u32 = u32::MAX / 2;

impl ShareCount {
    /// Of a node that is about to be shared by [`SharedNode::new`].
    pub(super) fn new() -> Self {
        Self(AtomicU32::new(1))
    }

    fn add(&self) {
        // ORDERING: Relaxed: who has a share hands on what it sees of the node; as in `Arc`.
        if self.0.fetch_add(1, Ordering::Relaxed) > MOST_SHARES {
            std::process::abort();
        }
    }

    /// Whether that was the last one.
    fn remove(&self) -> bool {
        // ORDERING: Release, to the fence of whoever is the last: all uses of the node come before
        // its end.
        let was_last = self.0.fetch_sub(1, Ordering::Release) == 1;
        if was_last {
            // ORDERING: Acquire, from the Release above of all others.
            fence(Ordering::Acquire);
        }
        was_last
    }
}

/// A node that is counted in itself.
///
/// # Safety
///
/// `count` answers the same count each time, made by [`ShareCount::new`] with the node and of no
/// other node.
pub(super) unsafe trait Counted: Sized + Send + Sync + 'static {
    fn count(&self) -> &ShareCount;
}

/// A share of a node.
pub(super) struct SharedNode<N: Counted>(NonNull<N>);

// SAFETY: as `Arc`: shares give `&N` on any thread, and the last one drops the node; both are
// allowed, because `Counted` asks for `Send` and `Sync`.
unsafe impl<N: Counted> Send for SharedNode<N> {}
// SAFETY: as above.
unsafe impl<N: Counted> Sync for SharedNode<N> {}

impl<N: Counted> SharedNode<N> {
    pub(super) fn new(node: N) -> Self {
        Self(NonNull::from(Box::leak(Box::new(node))))
    }

    /// Another share.
    fn share(&self) -> Self {
        self.count().add();
        Self(self.0)
    }

    /// The node, from the last one that shares it.
    pub(super) fn into_inner(self) -> Option<Box<N>> {
        let node = self.into_pointer();
        // SAFETY: from the box in `new`; nobody else has a share any more.
        (unsafe { node.as_ref() }.count().remove()).then(|| unsafe { Box::from_raw(node.as_ptr()) })
    }

    fn into_pointer(self) -> NonNull<N> {
        ManuallyDrop::new(self).0
    }
}

impl<N: Counted> Deref for SharedNode<N> {
    type Target = N;

    fn deref(&self) -> &N {
        // SAFETY: the share keeps the node.
        unsafe { self.0.as_ref() }
    }
}

impl<N: Counted> Drop for SharedNode<N> {
    fn drop(&mut self) {
        // This share, once more: `self` is not used afterwards.
        drop(Self(self.0).into_inner());
    }
}

/// A variable that links to a shared node, or to none.
pub(super) struct NodeLink<N: Counted> {
    cell: Cell,
    /// Invariant: through a reference to a link nodes are taken out *and* put in.
    node: PhantomData<fn(SharedNode<N>) -> SharedNode<N>>,
}

fn to_bits<N: Counted>(node: Option<SharedNode<N>>) -> u64 {
    node.map_or(0, |node| node.into_pointer().as_ptr().expose_provenance() as u64)
}

fn pointer<N>(bits: u64) -> *mut N {
    std::ptr::with_exposed_provenance_mut(bits as usize)
}

/// # Safety
///
/// `bits` come from [`to_bits`] and are used up.
unsafe fn from_bits<N: Counted>(bits: u64) -> Option<SharedNode<N>> {
    NonNull::new(pointer(bits)).map(SharedNode)
}

/// # Safety
///
/// As for [`from_bits`].
unsafe fn free<N: Counted>(bits: u64) {
    // SAFETY: the caller's.
    drop(unsafe { from_bits::<N>(bits) });
}

impl<N: Counted> NodeLink<N> {
    const KIND: WriteKind =
        WriteKind::Owning(const { &OwnedType { free: free::<N>, id: TypeId::of::<Self> } });

    pub(super) fn new(node: Option<SharedNode<N>>) -> Self {
        Self { cell: Cell::new(to_bits(node)), node: PhantomData }
    }

    /// The node; the reference lives as long as the attempt.
    #[inline(always)]
    pub(super) fn get<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<Option<&'t N>, Rollback> {
        let bits = view.attempt().read_pointer(&self.cell)?;
        // SAFETY: the link, or what holds its old node, keeps it while the attempt runs (I4); a
        // node that this attempt will link is kept by its write set.
        Ok(unsafe { pointer::<N>(bits).as_ref() })
    }

    /// The node, shared: for linking it elsewhere.
    pub(super) fn share<'t>(&'t self, tx: &mut Tx<'t>) -> Result<Option<SharedNode<N>>, Rollback> {
        let bits = tx.attempt().read_pointer(&self.cell)?;
        // SAFETY: as in `get`, there is such a share; it stays the link's own.
        let linked = ManuallyDrop::new(unsafe { from_bits::<N>(bits) });
        Ok(linked.as_ref().map(SharedNode::share))
    }

    /// Another node, from the commit on.
    #[track_caller]
    pub(super) fn set<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        node: Option<SharedNode<N>>,
    ) -> Result<(), Rollback> {
        tx.writer().write(&self.cell, to_bits(node), Self::KIND)
    }

    pub(super) fn as_cell(&self) -> &Cell {
        &self.cell
    }

    /// The node, while nothing else happens to the link.
    ///
    /// # Safety
    ///
    /// Nobody changes the link while the reference lives.
    pub(super) unsafe fn node_at_rest(&self) -> Option<&N> {
        // SAFETY: the link holds its node, by the caller for long enough.
        unsafe { pointer::<N>(self.cell.bits()).as_ref() }
    }

    /// Takes the node out, for the only owner: for dropping long chains without recursion.
    pub(super) fn take(&mut self) -> Option<SharedNode<N>> {
        self.cell.forget_label();
        let bits = std::mem::replace(&mut self.cell, Cell::new(0)).take_bits();
        // SAFETY: the bits were the link's own.
        unsafe { from_bits(bits) }
    }
}

impl<N: Counted> Drop for NodeLink<N> {
    fn drop(&mut self) {
        drop(self.take());
    }
}
