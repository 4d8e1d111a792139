//! Slots and blocks: where messages of an inbox lie.

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use odeon_sync::UnsafeCell;
use odeon_sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::mailbox::memory;

/// Messages held inside the actor's own memory; enough for an actor that keeps up.
///
/// TUNE: 3 slots of a 16-byte message are 72 bytes; with 3, a plain actor stays below 256 bytes
/// (measured by `odeon bench idle`).
pub(super) const EMBEDDED_SLOTS: usize = if cfg!(any(odeon_loom, odeon_shuttle)) { 1 } else { 3 };

/// Messages in one heap block.
///
/// TUNE: one allocation and one exchange of blocks for 64 messages; a guess between memory held by
/// actors with a short backlog and the cost of the exchange.
pub(super) const BLOCK_SLOTS: usize = if cfg!(any(odeon_loom, odeon_shuttle)) { 2 } else { 64 };

/// What a slot holds: nothing yet, or a label chosen by the sender and (usually) a message.
const EMPTY: u32 = 0;

/// Room for one message.
///
/// PROTOCOL
/// 1. The sender that claimed the slot writes `message`, then `label`; it touches neither again.
/// 2. The owner reads `message` only after it saw a `label`. Before the slot can be claimed anew it
///    sets `label` to `EMPTY`: in the embedded block at once, in a heap block when the whole block
///    is recycled. Clearing a slot takes its cache line away from the sender, and the owner's next
///    atomic operation would have to wait for that.
pub(super) struct Slot<T> {
    label: AtomicU32,
    message: UnsafeCell<MaybeUninit<T>>,
}

impl<T> Slot<T> {
    fn new() -> Self {
        Self { label: AtomicU32::new(EMPTY), message: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    /// Sender that claimed the slot: leaves a message.
    ///
    /// # Safety
    /// The caller claimed this slot and has not filled it yet.
    #[inline(always)]
    pub(super) unsafe fn fill(&self, label: u32, message: MaybeUninit<T>) {
        debug_assert_ne!(label, EMPTY);
        // SAFETY: protocol 1: the claim makes this sender the only one to touch the slot.
        self.message.with_mut(|place| unsafe { place.write(message) });
        // ORDERING: Release: pairs with the Acquire in `take`; publishes the message.
        self.label.store(label, Ordering::Release);
    }

    /// Owner: the label that the sender left, if it is there.
    #[inline(always)]
    pub(super) fn label(&self) -> Option<u32> {
        // ORDERING: Acquire: pairs with the Release in `fill`.
        let label = self.label.load(Ordering::Acquire);
        (label != EMPTY).then_some(label)
    }

    /// Owner: takes what the sender left.
    ///
    /// # Safety
    /// The caller is the owner, this slot is the oldest one not yet taken, and its label was seen.
    #[inline(always)]
    pub(super) unsafe fn take(&self) -> MaybeUninit<T> {
        // SAFETY: protocol 2: the label was seen, so the sender is done with the slot.
        self.message.with(|place| unsafe { place.read() })
    }

    /// Owner: makes an emptied slot ready for a new sender.
    #[inline(always)]
    pub(super) fn clear(&self) {
        // ORDERING: Relaxed: the next sender to use this slot learns of it through the tail word:
        // the owner's step to idle (or the block's release and the next install) is a Release that
        // its claim acquires.
        self.label.store(EMPTY, Ordering::Relaxed);
    }
}

/// A run of slots on the heap. Aligned to a cache line so that its address leaves room for flags
/// in the tail word and messages of one block do not share lines with anything else.
#[repr(C, align(64))]
pub(super) struct Block<T> {
    pub(super) slots: [Slot<T>; BLOCK_SLOTS],
    /// The following block, set by the sender that found this one full.
    pub(super) next: AtomicPtr<Block<T>>,
}

impl<T> Block<T> {
    pub(super) fn allocate() -> *mut Block<T> {
        let block = memory::reserve::<Block<T>>().as_ptr();
        // SAFETY: fresh memory; messages stay uninitialised, everything else is written.
        unsafe {
            for index in 0..BLOCK_SLOTS {
                (&raw mut (*block).slots[index].label).write(AtomicU32::new(EMPTY));
                // Under loom the cell has a state of its own.
                (&raw mut (*block).slots[index].message)
                    .write(UnsafeCell::new(MaybeUninit::uninit()));
            }
            (&raw mut (*block).next).write(AtomicPtr::new(std::ptr::null_mut()));
        }
        block
    }

    /// Owner: makes all slots ready for new senders.
    pub(super) fn clear(&self) {
        self.slots.iter().for_each(Slot::clear);
    }

    /// # Safety
    /// `block` came from [`allocate`](Self::allocate), all its slots are taken, and nobody else
    /// holds it.
    pub(super) unsafe fn free(block: *mut Block<T>) {
        // SAFETY: by contract; `allocate` never returns null.
        unsafe { memory::remove(NonNull::new_unchecked(block)) }
    }
}

/// The slots inside the actor's memory; used first, and again after each step to idle.
pub(super) struct EmbeddedBlock<T> {
    pub(super) slots: [Slot<T>; EMBEDDED_SLOTS],
    pub(super) next: AtomicPtr<Block<T>>,
}

impl<T> EmbeddedBlock<T> {
    pub(super) fn new() -> Self {
        Self {
            slots: std::array::from_fn(|_| Slot::new()),
            next: AtomicPtr::new(std::ptr::null_mut()),
        }
    }
}
