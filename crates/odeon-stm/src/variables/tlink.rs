//! Variables that link to shared nodes.

use crate::attempt::peek;
use crate::attempt::transaction::{Tx, View};
use crate::attempt::write_set::WriteKind;
use crate::domain::cell::Cell;
use crate::domain::garbage::OwnedType;
use crate::words::abort::Rollback;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A link to a node, or to none: an `Option<Arc<N>>` that is read as `Option<&'t N>`.
///
/// The pointer stands in the variable itself, so following a link costs one load beside the look at
/// the version; the reference count is touched only by [`share`](TLink::share) and by commits.
///
/// ```
/// use odeon_stm::{TLink, TVar, atomically};
/// use std::sync::Arc;
///
/// struct Node { value: u32, next: TLink<Node> }
///
/// // Without this, nodes would be dropped within each other, and a long chain would exhaust the stack.
/// impl Drop for Node {
///     fn drop(&mut self) {
///         let mut next = self.next.take();
///         while let Some(mut node) = next.and_then(Arc::into_inner) {
///             next = node.next.take();
///         }
///     }
/// }
///
/// let list = TLink::new(Some(Arc::new(Node { value: 1, next: TLink::new(None) })));
/// let sum = atomically(|tx| {
///     let (mut sum, mut link) = (0, &list);
///     while let Some(node) = link.get(tx)? {
///         sum += node.value;
///         link = &node.next;
///     }
///     Ok(sum)
/// });
/// assert_eq!(sum, 1);
///
/// // A chain of any length ends one node after the other.
/// let longer = |next, value| Some(Arc::new(Node { value, next: TLink::new(next) }));
/// drop((0..1_000_000).fold(None, longer));
/// ```
#[repr(transparent)]
pub struct TLink<N: Send + Sync + 'static> {
    cell: Cell,
    /// Invariant: through a reference to a link nodes are taken out *and* put in.
    node: PhantomData<fn(Arc<N>) -> Arc<N>>,
}

fn to_bits<N>(node: Option<Arc<N>>) -> u64 {
    node.map_or(0, |node| Arc::into_raw(node).expose_provenance() as u64)
}

fn pointer<N>(bits: u64) -> *const N {
    std::ptr::with_exposed_provenance(bits as usize)
}

/// # Safety
///
/// `bits` come from [`to_bits`] and are used up.
unsafe fn from_bits<N>(bits: u64) -> Option<Arc<N>> {
    // SAFETY: the caller's; not null.
    (bits != 0).then(|| unsafe { Arc::from_raw(pointer(bits)) })
}

/// # Safety
///
/// `bits` are those of a link that holds its node during the call.
unsafe fn shared<N>(bits: u64) -> Option<Arc<N>> {
    if bits == 0 {
        return None;
    }
    let node = pointer::<N>(bits);
    // SAFETY: the count is at least one, by the caller.
    unsafe {
        Arc::increment_strong_count(node);
        Some(Arc::from_raw(node))
    }
}

/// # Safety
///
/// As for [`from_bits`].
unsafe fn free<N>(bits: u64) {
    // SAFETY: the caller's.
    drop(unsafe { from_bits::<N>(bits) });
}

impl<N: Send + Sync + 'static> TLink<N> {
    const KIND: WriteKind =
        WriteKind::Owning(const { &OwnedType { free: free::<N>, id: TypeId::of::<Self> } });

    /// A link to this node.
    pub fn new(node: Option<Arc<N>>) -> Self {
        Self { cell: Cell::new(to_bits(node)), node: PhantomData }
    }

    /// The node; the reference lives as long as the attempt.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline(always)]
    pub fn get<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<Option<&'t N>, Rollback> {
        let bits = view.attempt().read_pointer(&self.cell)?;
        // SAFETY: the link, or what holds its old node, keeps it while the attempt runs (I4); a
        // node that this attempt will link is kept by its write set.
        Ok(unsafe { pointer::<N>(bits).as_ref() })
    }

    /// The node, shared: for linking it elsewhere.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline]
    pub fn share<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<Option<Arc<N>>, Rollback> {
        let bits = view.attempt().read_pointer(&self.cell)?;
        // SAFETY: as in `get`.
        Ok(unsafe { shared(bits) })
    }

    /// Another node, from the commit on.
    ///
    /// # Errors
    ///
    /// [`Rollback`] if the attempt cannot go on.
    #[inline]
    #[track_caller]
    pub fn set<'t>(&'t self, tx: &mut Tx<'t>, node: Option<Arc<N>>) -> Result<(), Rollback> {
        tx.writer().write(&self.cell, to_bits(node), Self::KIND)
    }

    /// The latest committed node; see [`TVar::peek`](crate::TVar::peek).
    ///
    /// # Panics
    ///
    /// Panics if 4,094 attempts are under way or prepared.
    #[track_caller]
    pub fn peek(&self) -> Option<Arc<N>> {
        // SAFETY: the attempt began before the bits are read (I4).
        peek::protected(|| unsafe { shared(peek::bits(&self.cell)) })
    }

    pub(crate) fn as_cell(&self) -> &Cell {
        &self.cell
    }

    /// The node, while nothing else happens to the link.
    ///
    /// # Safety
    ///
    /// Nobody changes the link while the reference lives.
    pub(crate) unsafe fn node_at_rest(&self) -> Option<&N> {
        // SAFETY: the link holds its node, by the caller for long enough.
        unsafe { pointer::<N>(self.cell.bits()).as_ref() }
    }

    /// Takes the node out, for the only owner: for dropping long chains without recursion.
    pub fn take(&mut self) -> Option<Arc<N>> {
        self.cell.forget_label();
        let bits = std::mem::replace(&mut self.cell, Cell::new(0)).take_bits();
        // SAFETY: the bits were the link's own.
        unsafe { from_bits(bits) }
    }
}

impl<N: Send + Sync + 'static> Drop for TLink<N> {
    fn drop(&mut self) {
        self.cell.forget_label();
        // SAFETY: the bits are the link's own; no attempt borrows it.
        drop(unsafe { from_bits::<N>(self.cell.take_bits()) });
    }
}

impl<N: Send + Sync + 'static> Default for TLink<N> {
    fn default() -> Self {
        Self::new(None)
    }
}

impl<N: Send + Sync + 'static> fmt::Debug for TLink<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TLink").field("version", &self.cell.word()).finish_non_exhaustive()
    }
}
