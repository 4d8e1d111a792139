//! All actors of one kind by number, for messages that name their receiver or sender by it: no
//! reference is counted up and down on the way.

use odeon::prelude::*;
use std::sync::{Arc, OnceLock};

/// Filled once, before the first message that needs it. Clones are the same book.
pub(crate) struct AddressBook<M>(Arc<OnceLock<Vec<ActorRef<M>>>>);

impl<M: Message> AddressBook<M> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(OnceLock::new()))
    }

    /// The first filling counts.
    pub(crate) fn fill(&self, actors: Vec<ActorRef<M>>) -> &[ActorRef<M>] {
        self.0.get_or_init(|| actors)
    }

    /// All actors; nobody before the book is filled.
    #[inline]
    pub(crate) fn all(&self) -> &[ActorRef<M>] {
        self.0.get().map_or(&[], Vec::as_slice)
    }

    /// # Panics
    /// If there is no such actor, or the book is not filled.
    #[inline]
    #[track_caller]
    pub(crate) fn actor(&self, number: usize) -> &ActorRef<M> {
        &self.all()[number]
    }
}

impl<M> Clone for AddressBook<M> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
