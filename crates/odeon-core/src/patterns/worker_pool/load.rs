//! How many messages a member has been sent and has not finished.

use std::sync::Arc;

use crossbeam_utils::CachePadded;
use odeon_sync::atomic::{AtomicUsize, Ordering};

use crate::process::outbox;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;

/// The messages of the pool that one member has before it, the one being handled included.
///
/// An estimate: messages that reach the member in other ways (from itself, by a reference) are
/// taken off when they are handled without having been put on, but never below zero. So it is too
/// low while such messages wait, and right again when they are done.
#[derive(Default)]
pub struct Load(CachePadded<AtomicUsize>);

/// One message that counts; dropped when it does not any more.
pub(super) struct CountedMessage<'a>(&'a Load);

impl Load {
    pub(super) fn now(&self) -> usize {
        // ORDERING: Relaxed, here and below: an estimate; nothing depends on it but the choice.
        self.0.load(Ordering::Relaxed)
    }

    /// Counts a message until the result is dropped; to be forgotten once the member has the
    /// message.
    ///
    /// Messages of an attempt (S8) do not count: nobody learns here whether they will be sent.
    #[inline]
    pub(super) fn count(&self) -> Option<CountedMessage<'_>> {
        if outbox::held().is_some() {
            return None;
        }
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(CountedMessage(self))
    }
}

impl Drop for CountedMessage<'_> {
    fn drop(&mut self) {
        let one_less = |load: usize| load.checked_sub(1);
        // An error means zero, which stays.
        let _ = self.0.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
    }
}

/// An actor whose messages are taken off its load once they are handled, also by a panic; those of
/// an asynchronous one when their handlers have waited for all, or are cancelled.
pub struct Loaded<A> {
    actor: A,
    load: Arc<Load>,
}

impl<A> Loaded<A> {
    pub(super) fn new(actor: A, load: Arc<Load>) -> Self {
        Self { actor, load }
    }
}

impl<A: Behavior> Behavior for Loaded<A> {
    type Msg = A::Msg;
    type Inner = A;
    const BOUNDED: bool = A::BOUNDED;

    fn inner(&self) -> Option<&A> {
        Some(&self.actor)
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        Some(&mut self.actor)
    }

    #[inline]
    fn handle(&mut self, msg: A::Msg, ctx: &mut Context<'_, Self>) {
        let _handled = CountedMessage(&self.load);
        ctx.lent_to(|ctx| self.actor.handle(msg, ctx));
    }
}

impl<A: AsyncBehavior> AsyncBehavior for Loaded<A> {
    type Msg = A::Msg;
    type Inner = A;
    const BOUNDED: bool = A::BOUNDED;

    fn inner(&self) -> Option<&A> {
        Some(&self.actor)
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        Some(&mut self.actor)
    }

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        self.actor.started(ctx.lent_to()).await;
    }

    async fn handle(&mut self, msg: A::Msg, ctx: &mut AsyncContext<'_, Self>) {
        let _handled = CountedMessage(&self.load);
        self.actor.handle(msg, ctx.lent_to()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_others_do_not_make_the_load_wrong_for_good() {
        let load = Load::default();
        drop(load.count());
        assert_eq!(load.now(), 0, "not sent");
        std::mem::forget(load.count());
        std::mem::forget(load.count());
        assert_eq!(load.now(), 2);
        // Handled: one from elsewhere, and the two.
        (0..3).for_each(|_| drop(CountedMessage(&load)));
        assert_eq!(load.now(), 0);
        std::mem::forget(load.count());
        assert_eq!(load.now(), 1);
    }
}
