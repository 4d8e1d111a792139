//! The inbox of `odeon-core` as a mailbox under test: safe sides around the unsafe owner.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::sync::Arc;

use odeon_core::extend::{Inbox, InboxOwner, Pushed, WentIdle, label};

use super::mailbox::{MailboxUnderTest, OwnerSide, SenderSide};

/// `odeon_core`'s unbounded inbox.
#[derive(Debug)]
pub struct UnboundedInbox;

/// The senders' side, shared with the owner's.
pub struct Senders<T>(Arc<Inbox<T>>);

/// The owner's side together with the inbox it was made with.
pub struct Owner<T> {
    inbox: Arc<Inbox<T>>,
    side: InboxOwner<T>,
    closed: bool,
}

impl MailboxUnderTest for UnboundedInbox {
    type Senders<T: Send + 'static> = Senders<T>;
    type Owner<T: Send + 'static> = Owner<T>;

    /// Three heap blocks of 64 behind the embedded slots.
    const LONG_BACKLOG: usize = 3 + 3 * 64 + 2;

    fn new<T: Send + 'static>() -> (Senders<T>, Owner<T>) {
        let (inbox, side) = Inbox::new();
        let inbox = Arc::new(inbox);
        (Senders(inbox.clone()), Owner { inbox, side, closed: false })
    }
}

impl<T: Send + 'static> SenderSide<T> for Senders<T> {
    fn push(&self, message: T) -> Pushed<T> {
        self.0.push(label::FIRST_MAILBOX, message)
    }

    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

impl<T> Owner<T> {
    fn take(&mut self) -> Option<T> {
        // SAFETY: side and inbox were made together, and `&mut self` is the only way to the side.
        let (label, message): (u32, MaybeUninit<T>) = unsafe { self.side.pop(&self.inbox) }?;
        assert_eq!(label, label::FIRST_MAILBOX);
        // SAFETY: `Senders` pushes messages only, never bare signals.
        Some(unsafe { message.assume_init() })
    }
}

impl<T: Send + 'static> OwnerSide<T> for Owner<T> {
    fn pop(&mut self) -> Option<T> {
        self.take()
    }

    fn go_idle(&mut self) -> WentIdle {
        loop {
            // SAFETY: as in `take`. There is no other owner that could use the side after a
            // success: this value keeps the right to own across sleeps.
            match unsafe { InboxOwner::go_idle(&raw mut self.side, &self.inbox) } {
                // Nobody waits: the suite's senders do not hold back.
                WentIdle::UnderPressure => self.inbox.relieve(),
                went => return went,
            }
        }
    }

    fn close(&mut self) -> Vec<T> {
        self.closed = true;
        let mut left = Vec::new();
        // SAFETY: as in `take`; `OwnerSide::close` is called once, and `drop` looks at `closed`.
        unsafe {
            self.side.close(&self.inbox, |label, message| {
                assert_eq!(label, label::FIRST_MAILBOX);
                left.push(message.assume_init());
            });
        }
        left
    }
}

/// An inbox does not drop what is left in it: its owner does.
impl<T> Drop for Owner<T> {
    fn drop(&mut self) {
        if !self.closed {
            // SAFETY: as in `take`; not closed before. `Senders` pushes messages only.
            unsafe { self.side.close(&self.inbox, |_, message| drop(message.assume_init())) };
        }
    }
}
