//! Guards that the state of an actor decides.

use std::marker::PhantomData;

use crate::mailbox::Guards;
use crate::mailboxes::{MailboxOf, number_of};
use crate::message::Message;

/// Where an actor says which of its mailboxes are open in its present state: [`Actor::guards`](crate::Actor::guards),
/// which `#[guards]` writes from functions marked `#[guard(..)]`.
pub struct DeclaredGuards<'a, M> {
    guards: &'a mut Guards,
    _message: PhantomData<fn(M)>,
}

impl<'a, M: Message> DeclaredGuards<'a, M> {
    #[inline(always)]
    pub(crate) fn new(guards: &'a mut Guards) -> Self {
        Self { guards, _message: PhantomData }
    }

    /// Opens or closes a mailbox. Those that are not named stay as they are.
    ///
    /// # Panics
    /// If there is no such mailbox.
    #[inline(always)]
    #[track_caller]
    pub fn set(&mut self, mailbox: impl MailboxOf<M>, open: bool) {
        self.guards.set(number_of(mailbox), open);
    }
}

impl<M> std::fmt::Debug for DeclaredGuards<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeclaredGuards").finish_non_exhaustive()
    }
}
