//! Guards that the state of an actor decides.

use std::marker::PhantomData;

use crate::mailbox::Guards;
use crate::vocabulary::mailboxes::{MailboxOf, number_of};
use crate::vocabulary::message::Message;

/// Where an actor says which of its mailboxes are open in its present state:
/// [`Actor::guards`](crate::Actor::guards), which `#[guards]` writes from functions marked
/// `#[guard(..)]`.
pub struct DeclaredGuards<'a, M> {
    /// The mailboxes that have been named, and those of them that are open, one bit each.
    named: u64,
    open: u64,
    _message: PhantomData<&'a fn(M)>,
}

impl<M: Message> DeclaredGuards<'_, M> {
    /// Sets the guards that `declare` names.
    #[inline(always)]
    pub(crate) fn evaluate(guards: &mut Guards, declare: impl FnOnce(&mut Self)) {
        let mut declared = Self { named: 0, open: 0, _message: PhantomData };
        declare(&mut declared);
        if declared.named != 0 {
            guards.set(declared.named, declared.open);
        }
    }

    /// Opens or closes a mailbox; one that is named several times is open if all say so. Those that
    /// are not named stay as they are.
    ///
    /// # Panics
    /// If there is no such mailbox.
    #[inline(always)]
    #[track_caller]
    pub fn set(&mut self, mailbox: impl MailboxOf<M>, open: bool) {
        let mailbox = number_of(mailbox);
        let bit = 1 << mailbox;
        let first = self.named & bit == 0;
        self.named |= bit;
        if !open {
            self.open &= !bit;
        } else if first {
            self.open |= bit;
        }
    }
}

impl<M> std::fmt::Debug for DeclaredGuards<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeclaredGuards").finish_non_exhaustive()
    }
}
