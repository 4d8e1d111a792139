//! The owner's side: taking messages, going idle, closing. The protocol is that of `inbox.rs`.

use std::mem::MaybeUninit;
use std::ptr;

use odeon_sync::Backoff;
use odeon_sync::atomic::Ordering;

use super::super::block::{BLOCK_SLOTS, Block, EMBEDDED_SLOTS, Slot};
use super::super::tail_word::{CLOSE, TailWord};
use super::{Arrival, Inbox, InboxOwner, WentIdle};

impl<T> InboxOwner<T> {
    /// Finds the oldest message or signal, and takes it by [`Arrival::take`].
    ///
    /// `None` means that nothing is ready: the inbox is empty, or a sender is between claiming and
    /// filling; [`go_idle`](Self::go_idle) tells the two apart.
    ///
    /// # Safety
    /// `inbox` is the inbox this side was made with.
    #[inline(always)]
    pub unsafe fn next<'a>(&'a mut self, inbox: &'a Inbox<T>) -> Option<Arrival<'a, T>> {
        let (slot, clear): (&Slot<T>, bool) = if self.block.is_null() {
            if self.taken < EMBEDDED_SLOTS {
                (&inbox.embedded.slots[self.taken], true)
            } else {
                (self.first_of_next(inbox)?, false)
            }
        } else if self.taken < BLOCK_SLOTS {
            // SAFETY: our current block lives until `advance` or `go_idle` frees it.
            (unsafe { &(*self.block).slots[self.taken] }, false)
        } else {
            (self.first_of_next(inbox)?, false)
        };
        let label = slot.label()?;
        Some(Arrival { label, slot, clear, taken: &mut self.taken })
    }

    /// [`next`](Self::next) and [`Arrival::take`] in one.
    ///
    /// # Safety
    /// As for [`next`](Self::next).
    pub unsafe fn pop(&mut self, inbox: &Inbox<T>) -> Option<(u32, MaybeUninit<T>)> {
        // SAFETY: by contract.
        unsafe { self.next(inbox) }.map(|arrival| (arrival.label, arrival.take()))
    }

    /// Whether [`next`](Self::next) would find something.
    ///
    /// # Safety
    /// As for [`next`](Self::next).
    #[inline(always)]
    pub unsafe fn has_next(&self, inbox: &Inbox<T>) -> bool {
        if self.block.is_null() {
            match inbox.embedded.slots.get(self.taken) {
                Some(slot) => slot.label().is_some(),
                // ORDERING: Relaxed: only whether to look closer.
                None => !inbox.embedded.next.load(Ordering::Relaxed).is_null(),
            }
        } else {
            // SAFETY: our current block lives until `advance` or `go_idle` frees it.
            let block = unsafe { &*self.block };
            match block.slots.get(self.taken) {
                Some(slot) => slot.label().is_some(),
                // ORDERING: Relaxed: as above.
                None => !block.next.load(Ordering::Relaxed).is_null(),
            }
        }
    }

    #[inline(never)]
    fn first_of_next<'a>(&mut self, inbox: &'a Inbox<T>) -> Option<&'a Slot<T>> {
        // SAFETY: `advance` has made it our current block, which lives until we are done with it.
        self.advance(inbox).then(|| unsafe { &(*self.block).slots[0] })
    }

    /// Moves on to the next block if it is linked, and lets go of the present one.
    fn advance(&mut self, inbox: &Inbox<T>) -> bool {
        let link = if self.block.is_null() {
            &inbox.embedded.next
        } else {
            // SAFETY: our current block.
            unsafe { &(*self.block).next }
        };
        // ORDERING: Acquire: pairs with the installer's Release store.
        let next = link.load(Ordering::Acquire);
        if next.is_null() {
            return false;
        }
        // ORDERING: Relaxed: whoever uses the link again acquires the tail word or the spare first.
        link.store(ptr::null_mut(), Ordering::Relaxed);
        let done = std::mem::replace(&mut self.block, next);
        self.taken = 0;
        if !done.is_null() {
            self.recycle(inbox, done);
        }
        true
    }

    /// Keeps an emptied block for the next installer, or frees it.
    fn recycle(&self, inbox: &Inbox<T>, block: *mut Block<T>) {
        // ORDERING: Relaxed: a count.
        inbox.blocks.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: protocol 3: all slots taken and the link was set, so nobody else holds the block.
        unsafe { (*block).clear() };
        // ORDERING: Release on success: pairs with the installer's Acquire swap: the block is
        // empty.
        let kept = inbox.spare.compare_exchange(
            ptr::null_mut(),
            block,
            Ordering::Release,
            Ordering::Relaxed,
        );
        if kept.is_err() {
            // SAFETY: as above.
            unsafe { Block::free(block) };
        }
    }

    /// Goes idle if nothing has been pushed. On [`WentIdle::Yes`] the caller has given up
    /// ownership and must not touch this side (nor, unless something else keeps it alive, the
    /// inbox) any more.
    ///
    /// # Safety
    /// `owner` points to the owner's side of `inbox`, and the caller has the right to own it. No
    /// reference to it is alive: on success another thread may use it at once.
    #[inline(always)]
    pub unsafe fn go_idle(owner: *mut Self, inbox: &Inbox<T>) -> WentIdle {
        // SAFETY: by contract.
        unsafe { Self::go_idle_as(owner, inbox, TailWord::IDLE) }
    }

    /// As [`go_idle`](Self::go_idle), for an inbox that is under pressure and stays so, because of
    /// messages deferred that the owner cannot handle yet.
    ///
    /// # Safety
    /// As for [`go_idle`](Self::go_idle).
    pub unsafe fn go_idle_pressed(owner: *mut Self, inbox: &Inbox<T>) -> WentIdle {
        // SAFETY: by contract.
        unsafe { Self::go_idle_as(owner, inbox, TailWord::IDLE_PRESSED) }
    }

    /// # Safety
    /// As for [`go_idle`](Self::go_idle).
    #[inline(always)]
    unsafe fn go_idle_as(owner: *mut Self, inbox: &Inbox<T>, idle: TailWord) -> WentIdle {
        // SAFETY: by contract; the reads end before the exchange below.
        let (block, taken) = unsafe { ((*owner).block, (*owner).taken) };
        let present = Self::word(block, taken).with_pressure(idle.is_pressed());
        // ORDERING: Relaxed: a cheap look first; only the exchange decides.
        let word = TailWord(inbox.tail.load(Ordering::Relaxed));
        if word != present {
            return Self::stays(word, present);
        }
        if !block.is_null() {
            // Memory of an idle actor is its embedded block alone.
            Self::free_spare(inbox);
            // ORDERING: Relaxed: a count. Before the exchange: after it the inbox is not ours to
            // touch.
            inbox.blocks.fetch_sub(1, Ordering::Relaxed);
        }
        // SAFETY: by contract. Written before the exchange, since after it another thread may own
        // this side; put back if the exchange fails.
        unsafe { *owner = Self { block: ptr::null_mut(), taken: 0 } };
        // ORDERING: Release on success: pairs with the Acquire of the waking claim: empty slots and
        // the owner's whole state. Acquire on success: the senders whose messages were taken are
        // done with the block that is freed below.
        let exchanged =
            inbox.tail.compare_exchange(present.0, idle.0, Ordering::AcqRel, Ordering::Relaxed);
        if exchanged.is_err() {
            // SAFETY: the exchange failed, so this side is still ours.
            unsafe { *owner = Self { block, taken } };
            if !block.is_null() {
                // ORDERING: Relaxed: as above.
                inbox.blocks.fetch_add(1, Ordering::Relaxed);
            }
            return WentIdle::No;
        }
        if !block.is_null() {
            // SAFETY: protocol 4: no claim is outstanding on the block, and the word no longer
            // leads to it.
            unsafe { Block::free(block) };
        }
        WentIdle::Yes
    }

    /// Why the owner cannot go idle.
    #[cold]
    fn stays(word: TailWord, nothing_left: TailWord) -> WentIdle {
        let drained = word.is_pressed() && word.with_pressure(false) == nothing_left;
        if drained { WentIdle::UnderPressure } else { WentIdle::No }
    }

    /// Closes the inbox and hands over everything that was accepted before, in order. Waits for
    /// senders that are between claiming and filling, and for nothing else.
    ///
    /// # Safety
    /// As for [`pop`](Self::pop); only once.
    pub unsafe fn close(&mut self, inbox: &Inbox<T>, mut take: impl FnMut(u32, MaybeUninit<T>)) {
        let end = self.refuse_further(inbox);
        let mut backoff = Backoff::new();
        while Self::word(self.block, self.taken) != end {
            // SAFETY: by contract.
            match unsafe { self.pop(inbox) } {
                Some((label, content)) => take(label, content),
                None => backoff.wait(),
            }
        }
        // ORDERING: AcqRel: closed it is already; this takes the block's address out of the word
        // and keeps the chain of read-modify-writes by which later senders see what came before.
        inbox.tail.swap(TailWord::CLOSED.0, Ordering::AcqRel);
        Self::free_spare(inbox);
        let block = std::mem::replace(&mut self.block, ptr::null_mut());
        self.taken = 0;
        if !block.is_null() {
            // SAFETY: every claim on it has been filled and taken, and later ones are refused
            // before they touch it.
            unsafe { Block::free(block) };
        }
    }

    /// Protocol 5: from here on every send is refused. Returns the word that stands for having
    /// taken all that was accepted before.
    fn refuse_further(&self, inbox: &Inbox<T>) -> TailWord {
        let mut backoff = Backoff::new();
        loop {
            // ORDERING: Acquire half: the senders whose blocks will be freed are done with them.
            // The Release half pairs with `is_closed`.
            let before = TailWord(inbox.tail.fetch_add(CLOSE, Ordering::AcqRel));
            let size = if before.is_heap() { BLOCK_SLOTS } else { EMBEDDED_SLOTS };
            if before.count() <= size {
                return before.with_pressure(false);
            }
            // A sender is installing a block and will overwrite what we added.
            // ORDERING: Relaxed: the next addition synchronises.
            while TailWord(inbox.tail.load(Ordering::Relaxed)).is_closed() {
                backoff.wait();
            }
        }
    }

    /// The tail word of an inbox from which everything has been taken.
    #[inline(always)]
    fn word(block: *mut Block<T>, taken: usize) -> TailWord {
        if block.is_null() {
            TailWord::embedded(taken)
        } else {
            TailWord::heap(block.cast(), taken)
        }
    }

    fn free_spare(inbox: &Inbox<T>) {
        // ORDERING: Acquire: pairs with the Release in `recycle` of an earlier owner's turn.
        let spare = inbox.spare.swap(ptr::null_mut(), Ordering::Acquire);
        if !spare.is_null() {
            // SAFETY: a spare block is empty and only reachable through `spare`.
            unsafe { Block::free(spare) };
        }
    }
}
