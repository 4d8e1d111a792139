//! Where a stepped actor's messages are laid out for the test to see, and the actors that do so.

use std::sync::{Arc, Mutex, MutexGuard};

use odeon_core::extend::{
    AsyncBehavior, Behavior, lend, lend_async, settle_answer, settle_answer_async,
};
use odeon_core::{AsyncContext, Context, Selection};

/// What a stepped actor and its test share.
pub struct Shelf<M>(Mutex<Contents<M>>);

struct Contents<M> {
    /// Whether messages are laid out instead of handled.
    collecting: bool,
    /// Each with its mailbox.
    messages: Vec<(usize, M)>,
    /// How many messages the actor has begun to handle.
    begun: u64,
    /// Whether an asynchronous handler has begun and not returned.
    handling: bool,
}

impl<M> Shelf<M> {
    pub(super) fn new() -> Self {
        let messages = Vec::new();
        Self(Mutex::new(Contents { collecting: false, messages, begun: 0, handling: false }))
    }

    fn lock(&self) -> MutexGuard<'_, Contents<M>> {
        self.0.lock().expect("no panic happens under the shelf's lock")
    }

    /// Lays out all messages that the actor is given during `turns`, and takes them.
    pub(super) fn collect(&self, turns: impl FnOnce()) -> Vec<(usize, M)> {
        self.lock().collecting = true;
        turns();
        let mut contents = self.lock();
        contents.collecting = false;
        std::mem::take(&mut contents.messages)
    }

    pub(super) fn begun(&self) -> u64 {
        self.lock().begun
    }

    pub(super) fn is_handling(&self) -> bool {
        self.lock().handling
    }

    /// The actor is given a message of this mailbox, and gets it back if it is to handle it.
    fn pass(&self, mailbox: usize, message: M) -> Option<M> {
        let mut contents = self.lock();
        if contents.collecting {
            contents.messages.push((mailbox, message));
            return None;
        }
        contents.begun += 1;
        Some(message)
    }

    fn handling(&self) -> OpenHandler<'_, M> {
        self.lock().handling = true;
        OpenHandler(self)
    }
}

/// A handler that has begun, until it returns, panics or is cancelled.
struct OpenHandler<'a, M>(&'a Shelf<M>);

impl<M> Drop for OpenHandler<'_, M> {
    fn drop(&mut self) {
        self.0.lock().handling = false;
    }
}

/// An actor that the test can have lay its messages out.
pub struct OnShelf<A, M> {
    actor: A,
    shelf: Arc<Shelf<M>>,
}

impl<A, M> OnShelf<A, M> {
    pub(super) fn new(actor: A, shelf: &Arc<Shelf<M>>) -> Self {
        Self { actor, shelf: shelf.clone() }
    }
}

impl<A: Behavior> Behavior for OnShelf<A, A::Msg> {
    type Msg = A::Msg;
    type Inner = A;

    fn inner(&self) -> Option<&A> {
        Some(&self.actor)
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        Some(&mut self.actor)
    }

    fn handle(&mut self, msg: A::Msg, ctx: &mut Context<'_, Self>) {
        const { assert!(!A::BOUNDED, "a stepped actor has no bounds: step the actor inside") };
        let passed = self.shelf.pass(ctx.mailbox(), msg);
        settle_answer(ctx, passed.is_some());
        if let Some(msg) = passed {
            lend(ctx, |ctx| self.actor.handle(msg, ctx));
        }
    }

    /// The test decides what goes next.
    fn selection(&self) -> Selection {
        Selection::priority().when_all_closed(self.actor.selection().all_closed())
    }
}

impl<A: AsyncBehavior> AsyncBehavior for OnShelf<A, A::Msg> {
    type Msg = A::Msg;
    type Inner = A;

    fn inner(&self) -> Option<&A> {
        Some(&self.actor)
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        Some(&mut self.actor)
    }

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        let _handling = self.shelf.handling();
        self.actor.started(lend_async(ctx)).await;
    }

    async fn handle(&mut self, msg: A::Msg, ctx: &mut AsyncContext<'_, Self>) {
        const { assert!(!A::BOUNDED, "a stepped actor has no bounds: step the actor inside") };
        let passed = self.shelf.pass(ctx.mailbox(), msg);
        settle_answer_async(ctx, passed.is_some());
        if let Some(msg) = passed {
            let _handling = self.shelf.handling();
            self.actor.handle(msg, lend_async(ctx)).await;
        }
    }

    /// As of [`OnShelf`].
    fn selection(&self) -> Selection {
        Selection::priority().when_all_closed(self.actor.selection().all_closed())
    }
}
