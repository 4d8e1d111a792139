//! How many messages wait in an inbox, for whoever looks at it from outside.
//!
//! Senders count what they put in: whole blocks, and slots of the last one. What the owner has
//! taken out only the owner knows; where it was when it last said so is its *position*: slots taken
//! of its present block, and whether that is one on the heap.

use odeon_sync::atomic::Ordering;

use super::super::block::{BLOCK_SLOTS, EMBEDDED_SLOTS};
use super::super::tail_word::TailWord;
use super::{Inbox, InboxOwner};

const ON_HEAP: u64 = 1 << 32;

impl<T> InboxOwner<T> {
    /// Where the owner is. 0 stands for an idle inbox.
    pub(crate) fn position(&self) -> u64 {
        self.taken as u64 | if self.block.is_null() { 0 } else { ON_HEAP }
    }
}

impl<T> Inbox<T> {
    /// The owner's turn: how many messages and signals wait, off by half a block or less.
    pub(crate) fn waiting_about(&self) -> usize {
        self.waiting(ON_HEAP | (BLOCK_SLOTS as u64 / 2))
    }

    /// Any thread: how many messages and signals wait if the owner is at `position`; if it has gone
    /// on, off by less than a block.
    pub(crate) fn waiting(&self, position: u64) -> usize {
        // ORDERING: Relaxed: an estimate unless everybody rests.
        let word = TailWord(self.tail.load(Ordering::Relaxed));
        if word.is_closed() {
            return 0;
        }
        let taken = (position & !ON_HEAP) as usize;
        if !word.is_heap() {
            return word.count().min(EMBEDDED_SLOTS).saturating_sub(taken);
        }
        let blocks = self.blocks.load(Ordering::Relaxed) as usize;
        let in_blocks = blocks.saturating_sub(1) * BLOCK_SLOTS + word.count().min(BLOCK_SLOTS);
        let embedded = if position & ON_HEAP == 0 { EMBEDDED_SLOTS } else { 0 };
        (in_blocks + embedded).saturating_sub(taken)
    }
}
