//! The unbounded inbox: any number of senders, one owner, one atomic operation per message.
//!
//! Messages lie in blocks. A sender claims a slot with one `fetch_add` on the tail word
//! ([`super::tail_word`]), which also tells it whether it must wake the owner; it never loops and
//! never waits, except at the end of a block while another sender installs the next one (one
//! allocation). The owner takes messages without any read-modify-write; going idle costs one.
//!
//! PROTOCOL
//! 1. Slots are claimed in order; the order of claims is the order of delivery. One sender's claims
//!    are in its program order, so delivery is FIFO per sender.
//! 2. The sender whose claim is the first beyond a block (`claimed == size`) installs the next
//!    block: it fills slot 0 with its own message, links the block, then overwrites the tail word.
//!    Only it may do so; later claims on the full block are void and are made again.
//! 3. The owner frees a heap block when all slots are taken and `next` is set: then every sender
//!    that had a slot has filled it, and the installer has made its last access (setting `next`).
//! 4. The owner goes idle by exchanging exactly (its block, slots taken) for IDLE. Success proves
//!    that no claim is outstanding, so every slot is empty and the embedded block can be reused.
//! 5. The owner closes by one addition to the tail word, however busy the senders are; what was
//!    claimed before is delivered, what comes after is refused. If the addition hits the moment of
//!    an install, the installer overwrites it, and the owner adds again; senders that saw the first
//!    addition have been refused rightly, since the owner will not handle anything any more.
//!
//! 6. Pressure is put on by the sender that installs a block beyond the limit, or by the owner, and
//!    taken off by the owner alone, who then tells all that wait for it. An installer keeps what it
//!    found, so pressure never vanishes untold. An owner that has deferred messages and cannot go
//!    on (its handler waits) may go idle under pressure; any other takes it off first.
//!
//! Covered by: the loom models beside this file (capacities 1 and 2), tests.rs, the conformance
//! suite of `odeon-testkit`, TSan stress. Not covered: 28,000 senders at one block's end (aborts).

use std::mem::MaybeUninit;
use std::ptr;

use odeon_sync::Backoff;
use odeon_sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use super::block::{BLOCK_SLOTS, Block, EMBEDDED_SLOTS, EmbeddedBlock, Slot};
use super::tail_word::{CLAIM, PRESSED, TailWord};

mod length;
mod owner;

/// Blocks from which on the inbox is under pressure.
///
/// TUNE: 16 blocks are 1,024 messages: enough that an actor never runs dry while its senders are
/// held back, and 64 KiB of 64-byte messages.
const PRESSED_AT: u32 = if cfg!(any(odeon_loom, odeon_shuttle)) { 2 } else { 16 };

/// Messages up to which an owner takes pressure off again.
pub const RELIEVED_AT: usize = PRESSED_AT as usize / 2 * BLOCK_SLOTS;

/// Messages deferred from which on an owner puts its inbox under pressure.
pub(crate) const PRESSED_FROM: usize = PRESSED_AT as usize * BLOCK_SLOTS;

/// What a push asks of the sender.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "the sender that is told to wake the owner must do it"]
pub enum Pushed<T> {
    /// The owner slept: exactly this sender must have it scheduled.
    WakeOwner,
    /// The owner is awake or already scheduled.
    AlreadyPending,
    /// Accepted; but so much is waiting that the sender should hold back before it sends more.
    UnderPressure {
        /// As for `WakeOwner`.
        wake_owner: bool,
    },
    /// The owner is gone; here is the message.
    Closed(T),
}

impl<T> Pushed<T> {
    /// Whether exactly this sender must have the owner scheduled.
    #[inline(always)]
    pub fn wakes_owner(&self) -> bool {
        matches!(self, Self::WakeOwner | Self::UnderPressure { wake_owner: true })
    }
}

/// What the owner's attempt to go idle came to.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
#[must_use]
pub enum WentIdle {
    /// The owner sleeps: it must not touch its side any more, another thread may already own it.
    Yes,
    /// Something has been pushed, or is being pushed.
    No,
    /// Nothing is left, but the inbox is still under pressure: the owner takes it off, tells all
    /// that wait, and tries again.
    UnderPressure,
}

/// The senders' side of an inbox; lies in the actor's memory. The tail word comes first:
/// `process/cell.rs` says what it shares a cache line with.
#[repr(C)]
pub struct Inbox<T> {
    tail: AtomicU64,
    /// A block the owner is done with, kept for the next installer. Null while the owner is idle.
    spare: AtomicPtr<Block<T>>,
    /// Heap blocks that hold, or may hold, messages: counted up by installers, down by the owner.
    blocks: AtomicU32,
    embedded: EmbeddedBlock<T>,
}

/// The owner's side of an inbox: where the next message will be. Exactly one per inbox.
pub struct InboxOwner<T> {
    /// Null while the embedded block is the current one.
    block: *mut Block<T>,
    taken: usize,
}

/// A message or signal that has arrived and not been taken yet.
pub struct Arrival<'a, T> {
    /// What the sender called it.
    pub label: u32,
    slot: &'a Slot<T>,
    /// Whether the slot is one of the embedded block, which is not cleared as a whole.
    clear: bool,
    taken: &'a mut usize,
}

impl<T> Arrival<'_, T> {
    /// Takes it: the message, if it is not a bare signal.
    #[inline(always)]
    pub fn take(self) -> MaybeUninit<T> {
        *self.taken += 1;
        // SAFETY: `InboxOwner::next` found this slot for the owner, whom `self` borrows.
        let message = unsafe { self.slot.take() };
        if self.clear {
            self.slot.clear();
        }
        message
    }
}

impl<T> Arrival<'_, T> {
    /// Where it lies, for a way out of the ordinary: so that its message need not be moved to where
    /// both ways find it.
    #[inline(always)]
    pub(crate) fn place(&self) -> ArrivalSlot<T> {
        ArrivalSlot(self.slot)
    }
}

/// Where an arrival that has been taken lies until its owner takes the next one or goes idle.
pub(crate) struct ArrivalSlot<T>(*const Slot<T>);

impl<T> ArrivalSlot<T> {
    /// Takes what lies there, instead of what [`Arrival::take`] has returned.
    ///
    /// # Safety
    /// The caller is the owner and has neither used that, nor looked for another arrival, nor gone
    /// idle.
    pub(crate) unsafe fn take_instead(self) -> MaybeUninit<T> {
        // SAFETY: by contract: the slot is still the owner's, and what it held has not been used.
        unsafe { (*self.0).take() }
    }
}

// SAFETY: messages travel from the sender's thread to the owner's, hence `T: Send`; the senders'
// side hands out no reference to a message. The pointers are managed by the protocol above.
unsafe impl<T: Send> Send for Inbox<T> {}
// SAFETY: as above; every method of the senders' side is safe for concurrent use.
unsafe impl<T: Send> Sync for Inbox<T> {}
// SAFETY: the owner's side is only a position; it goes with the right to own, one thread at a time.
unsafe impl<T: Send> Send for InboxOwner<T> {}

impl<T> Inbox<T> {
    /// An idle inbox and its owner's side.
    pub fn new() -> (Self, InboxOwner<T>) {
        let inbox = Self {
            tail: AtomicU64::new(TailWord::IDLE.0),
            spare: AtomicPtr::new(ptr::null_mut()),
            blocks: AtomicU32::new(0),
            embedded: EmbeddedBlock::new(),
        };
        (inbox, InboxOwner { block: ptr::null_mut(), taken: 0 })
    }

    /// An inbox that already holds a signal, so that its owner counts as woken.
    pub fn new_with_signal(label: u32) -> (Self, InboxOwner<T>) {
        let (mut inbox, owner) = Self::new();
        inbox.tail = AtomicU64::new(TailWord::embedded(1).0);
        // SAFETY: the word just written claims slot 0 for us.
        unsafe { inbox.embedded.slots[0].fill(label, MaybeUninit::uninit()) };
        (inbox, owner)
    }

    /// Any thread: leaves `message` under `label` (not 0).
    #[inline(always)]
    pub fn push(&self, label: u32, message: T) -> Pushed<T> {
        match self.push_slot(label, MaybeUninit::new(message)) {
            Pushed::WakeOwner => Pushed::WakeOwner,
            Pushed::AlreadyPending => Pushed::AlreadyPending,
            Pushed::UnderPressure { wake_owner } => Pushed::UnderPressure { wake_owner },
            // SAFETY: the slot's content comes back as it was given: initialised above.
            Pushed::Closed(message) => Pushed::Closed(unsafe { message.assume_init() }),
        }
    }

    /// Any thread: leaves a bare signal, a label without a message.
    pub fn push_signal(&self, label: u32) -> Pushed<()> {
        match self.push_slot(label, MaybeUninit::uninit()) {
            Pushed::WakeOwner => Pushed::WakeOwner,
            Pushed::AlreadyPending => Pushed::AlreadyPending,
            Pushed::UnderPressure { wake_owner } => Pushed::UnderPressure { wake_owner },
            Pushed::Closed(_) => Pushed::Closed(()),
        }
    }

    #[inline(always)]
    fn push_slot(&self, label: u32, message: MaybeUninit<T>) -> Pushed<MaybeUninit<T>> {
        // ORDERING: Acquire half: pairs with the installer's Release store of the word (the block's
        // empty slots) and with the owner's Release on going idle (slots emptied, and all that the
        // owner did before it slept, for the turn that this sender may start). The Release half
        // keeps the chain of read-modify-writes headed by those stores intact in both directions.
        let before = TailWord(self.tail.fetch_add(CLAIM, Ordering::AcqRel));
        let index = before.claimed();
        let slot = if before.is_heap() {
            if index >= BLOCK_SLOTS {
                if before.is_closed() || before.count() >= BLOCK_SLOTS {
                    return self.push_beyond_block(before, label, message);
                }
                // Only pressure has led here. In line, since a flood within one handler comes this
                // way.
                // SAFETY: as below.
                let slot = unsafe { &(*before.block().cast::<Block<T>>()).slots[before.count()] };
                // SAFETY: as below.
                unsafe { slot.fill(label, message) };
                return Pushed::UnderPressure { wake_owner: false };
            }
            // SAFETY: protocol 3: a claimed, unfilled slot keeps its block alive.
            unsafe { &(*before.block().cast::<Block<T>>()).slots[index] }
        } else {
            if index >= EMBEDDED_SLOTS {
                return self.push_beyond_block(before, label, message);
            }
            &self.embedded.slots[index]
        };
        // SAFETY: the fetch_add handed slot `index` to this call alone (protocol 1).
        unsafe { slot.fill(label, message) };
        if before.is_idle() { Pushed::WakeOwner } else { Pushed::AlreadyPending }
    }

    /// The claim hit no slot: the block is full, or the inbox is closed.
    #[cold]
    #[inline(never)]
    fn push_beyond_block(
        &self,
        before: TailWord,
        label: u32,
        message: MaybeUninit<T>,
    ) -> Pushed<MaybeUninit<T>> {
        if before.is_closed() {
            if before.closed_needs_reset() {
                // ORDERING: Relaxed: CLOSED is final and publishes nothing.
                self.tail.store(TailWord::CLOSED.0, Ordering::Relaxed);
            }
            return Pushed::Closed(message);
        }
        before.check_claim_limit();
        let size = if before.is_heap() { BLOCK_SLOTS } else { EMBEDDED_SLOTS };
        let index = before.count();
        if index < size {
            // Only pressure has led here, in the embedded block.
            // SAFETY: as in `push_slot`.
            unsafe { self.embedded.slots[index].fill(label, message) };
            return Pushed::UnderPressure { wake_owner: before == TailWord::IDLE_PRESSED };
        }
        if index == size {
            return self.install_block(before, label, message);
        }
        let mut backoff = Backoff::new();
        loop {
            // ORDERING: Relaxed: only a hint when to try again; the next claim synchronises.
            let word = TailWord(self.tail.load(Ordering::Relaxed));
            let full = if word.is_heap() { BLOCK_SLOTS } else { EMBEDDED_SLOTS };
            // Exactly full counts as well: the block is a new one then, and without another sender
            // it is ours to install the next.
            if word.is_closed() || word.count() <= full {
                return self.push_slot(label, message);
            }
            backoff.wait();
        }
    }

    /// Protocol 2: appends a block whose first message is ours.
    fn install_block(
        &self,
        full: TailWord,
        label: u32,
        message: MaybeUninit<T>,
    ) -> Pushed<MaybeUninit<T>> {
        // ORDERING: Acquire: pairs with the owner's Release in `recycle`: the block is empty.
        let spare = self.spare.swap(ptr::null_mut(), Ordering::Acquire);
        let block = if spare.is_null() { Block::<T>::allocate() } else { spare };
        // SAFETY: the block is ours alone until it is linked below; its slots are empty.
        unsafe { (*block).slots[0].fill(label, message) };
        let next = if full.is_heap() {
            // SAFETY: protocol 3: `next` of the full block is unset, so the owner has not freed it.
            unsafe { &(*full.block().cast::<Block<T>>()).next }
        } else {
            &self.embedded.next
        };
        // ORDERING: Release: pairs with the owner's Acquire in `pop`: the block and its first slot.
        next.store(block, Ordering::Release);
        // ORDERING: Relaxed: a count; who waits under pressure looks at the tail word.
        let blocks = self.blocks.fetch_add(1, Ordering::Relaxed) + 1;
        // Protocol 6: pressure that is on stays on, whatever the count.
        let pressed = full.is_pressed() || blocks >= PRESSED_AT;
        let word = TailWord::heap(block.cast(), 1).with_pressure(pressed);
        // ORDERING: Release: pairs with the Acquire of later claims: the block's empty slots. A
        // swap, so that the word changes by read-modify-writes alone and all threads agree on their
        // order.
        self.tail.swap(word.0, Ordering::AcqRel);
        if pressed { Pushed::UnderPressure { wake_owner: false } } else { Pushed::AlreadyPending }
    }

    /// Any thread: whether the inbox has been closed.
    pub fn is_closed(&self) -> bool {
        // ORDERING: Acquire: pairs with the Release in `close`: whoever sees the end also sees what
        // the owner did before it.
        TailWord(self.tail.load(Ordering::Acquire)).is_closed()
    }

    /// Any thread: whether the owner sleeps.
    pub fn is_idle(&self) -> bool {
        // ORDERING: SeqCst: the shutdown compares looks at several inboxes.
        TailWord(self.tail.load(Ordering::SeqCst)).with_pressure(false).is_idle()
    }

    /// Any thread: whether the next push would have to wait for another sender.
    pub fn is_growing(&self) -> bool {
        // ORDERING: Relaxed: a momentary view.
        let word = TailWord(self.tail.load(Ordering::Relaxed));
        let size = if word.is_heap() { BLOCK_SLOTS } else { EMBEDDED_SLOTS };
        !word.is_closed() && word.count() > size
    }

    /// Any thread: whether senders are to hold back.
    pub fn is_pressed(&self) -> bool {
        // ORDERING: SeqCst: a sender that has entered itself as waiting looks here, the owner that
        // has taken pressure off looks for waiting senders: one of the two sees the other.
        TailWord(self.tail.load(Ordering::SeqCst)).is_pressed()
    }

    /// Any thread: `false` if senders need not hold back; `true` if
    /// [`is_pressed`](Self::is_pressed) is to be asked.
    #[inline(always)]
    pub(crate) fn may_be_pressed(&self) -> bool {
        // ORDERING: Relaxed: who sees pressure too late has its message accepted, as one that was
        // sent before.
        self.tail.load(Ordering::Relaxed) & PRESSED != 0
    }

    /// Owner: how many messages are waiting at most, in whole blocks; 0 if there are few.
    pub fn backlog(&self) -> usize {
        // ORDERING: Relaxed: an estimate.
        self.blocks.load(Ordering::Relaxed) as usize * BLOCK_SLOTS
    }

    /// Owner: puts the inbox under pressure, because of messages that it has deferred. Does
    /// nothing while a sender installs a block, who would overwrite it (protocol 6); the next turn
    /// may try again.
    pub fn press(&self) {
        // ORDERING: Relaxed: a look; the exchange decides.
        let mut word = TailWord(self.tail.load(Ordering::Relaxed));
        loop {
            let size = if word.is_heap() { BLOCK_SLOTS } else { EMBEDDED_SLOTS };
            if word.is_closed() || word.is_pressed() || word.count() > size || word.is_idle() {
                return;
            }
            // ORDERING: AcqRel: keeps the chain of read-modify-writes of the word intact.
            match self.tail.compare_exchange(
                word.0,
                word.with_pressure(true).0,
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(now) => word = TailWord(now),
            }
        }
    }

    /// Owner: takes pressure off. Whoever waits for that must be told afterwards.
    pub fn relieve(&self) {
        // ORDERING: SeqCst: the partner is `is_pressed`; the rest as in `press`.
        self.tail.fetch_and(!PRESSED, Ordering::SeqCst);
    }
}

#[cfg(all(test, odeon_loom))]
#[path = "inbox/loom.rs"]
mod loom;
#[cfg(all(test, not(odeon_loom)))]
#[path = "inbox/tests.rs"]
mod tests;
