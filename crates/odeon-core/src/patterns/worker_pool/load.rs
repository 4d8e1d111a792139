//! How many messages a member has been sent and has not finished.

use std::sync::Arc;

use crossbeam_utils::CachePadded;
use odeon_sync::atomic::{AtomicUsize, Ordering};

use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::messaging::bounded::Bound;
use crate::process::outbox;
use crate::process::piped::Continuation;
use crate::turn::actor::Actor;
use crate::turn::async_actor::AsyncActor;
use crate::turn::async_context::AsyncContext;
use crate::turn::context::Context;

/// The messages of the pool that one member has before it, the one being handled included.
///
/// An estimate: messages that reach the member in other ways (from itself, by a reference) are taken
/// off when they are handled without having been put on, but never below zero. So it is too low
/// while such messages wait, and right again when they are done.
#[derive(Default)]
pub(super) struct Load(CachePadded<AtomicUsize>);

/// One message that counts; dropped when it does not any more.
pub(super) struct Counted<'a>(&'a Load);

impl Load {
    pub(super) fn now(&self) -> usize {
        // ORDERING: Relaxed, here and below: an estimate; nothing depends on it but the choice.
        self.0.load(Ordering::Relaxed)
    }

    /// Counts a message until the result is dropped; to be forgotten once the member has the message.
    ///
    /// Messages of an attempt (S8) do not count: nobody learns here whether they will be sent.
    #[inline]
    pub(super) fn count(&self) -> Option<Counted<'_>> {
        if outbox::held().is_some() {
            return None;
        }
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(Counted(self))
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let one_less = |load: usize| load.checked_sub(1);
        // An error means zero, which stays.
        let _ = self.0.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
    }
}

/// An actor whose messages are taken off its load once they are handled, also by a panic; those of an
/// asynchronous one when their handlers have waited for all, or are cancelled.
pub(super) struct Loaded<A> {
    actor: A,
    load: Arc<Load>,
}

impl<A> Loaded<A> {
    pub(super) fn new(actor: A, load: Arc<Load>) -> Self {
        Self { actor, load }
    }
}

impl<A: Actor> Actor for Loaded<A> {
    type Msg = A::Msg;
    const BOUNDED: bool = A::BOUNDED;

    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        self.actor.wanted_bounds()
    }

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.lent_to(|ctx| self.actor.started(ctx));
    }

    #[inline]
    fn handle(&mut self, msg: A::Msg, ctx: &mut Context<'_, Self>) {
        let _handled = Counted(&self.load);
        ctx.lent_to(|ctx| self.actor.handle(msg, ctx));
    }

    fn selection(&self) -> Selection {
        self.actor.selection()
    }

    #[inline]
    fn guards(&self, guards: &mut DeclaredGuards<'_, A::Msg>) {
        self.actor.guards(guards);
    }

    fn __go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Self>) {
        ctx.lent_to(|ctx| self.actor.__go_on(continuation, ctx));
    }

    fn stopped(&mut self) {
        self.actor.stopped();
    }

    fn __is_made(&self) -> bool {
        self.actor.__is_made()
    }
}

impl<A: AsyncActor> AsyncActor for Loaded<A> {
    type Msg = A::Msg;
    const BOUNDED: bool = A::BOUNDED;

    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        self.actor.wanted_bounds()
    }

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        self.actor.started(ctx.lent_to()).await;
    }

    async fn handle(&mut self, msg: A::Msg, ctx: &mut AsyncContext<'_, Self>) {
        let _handled = Counted(&self.load);
        self.actor.handle(msg, ctx.lent_to()).await;
    }

    fn selection(&self) -> Selection {
        self.actor.selection()
    }

    #[inline]
    fn guards(&self, guards: &mut DeclaredGuards<'_, A::Msg>) {
        self.actor.guards(guards);
    }

    fn __go_on(&mut self, continuation: Continuation, ctx: &mut AsyncContext<'_, Self>) {
        self.actor.__go_on(continuation, ctx.lent_to());
    }

    fn stopped(&mut self) {
        self.actor.stopped();
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
        (0..3).for_each(|_| drop(Counted(&load)));
        assert_eq!(load.now(), 0);
        std::mem::forget(load.count());
        assert_eq!(load.now(), 1);
    }
}
