//! What the runtime asks of an asynchronous actor: [`Behavior`](super::behavior::Behavior) for
//! handlers that wait.

use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::messaging::bounded::Bound;
use crate::process::piped::Continuation;
use crate::turn::async_actor::AsyncActor;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::NoInner;
use crate::vocabulary::message::Message;

/// What can be given turns in which handlers wait. See the module; not for applications, which
/// implement [`AsyncActor`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no asynchronous actor",
    note = "an `Actor` is bounded with `Bounded::new`"
)]
pub trait AsyncBehavior: Send + Sized + 'static {
    /// What it can be sent.
    type Msg: Message;

    /// The behavior inside; [`NoInner`] if it is no wrapper.
    type Inner: AsyncBehavior<Msg = Self::Msg>;

    /// The one inside, if it is there.
    fn inner(&self) -> Option<&Self::Inner> {
        None
    }

    /// As [`inner`](Self::inner).
    fn inner_mut(&mut self) -> Option<&mut Self::Inner> {
        None
    }

    /// Handles one message.
    fn handle(
        &mut self,
        msg: Self::Msg,
        ctx: &mut AsyncContext<'_, Self>,
    ) -> impl Future<Output = ()> + Send;

    /// As [`AsyncActor::started`].
    fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) -> impl Future<Output = ()> + Send;

    /// As [`AsyncActor::stopped`].
    fn stopped(&mut self) {
        if let Some(inner) = self.inner_mut() {
            inner.stopped();
        }
    }

    /// As [`AsyncActor::selection`].
    fn selection(&self) -> Selection {
        self.inner().map_or_else(Selection::default, AsyncBehavior::selection)
    }

    /// As [`AsyncActor::guards`].
    #[inline(always)]
    fn guards(&self, guards: &mut DeclaredGuards<'_, Self::Msg>) {
        if let Some(inner) = self.inner() {
            inner.guards(guards);
        }
    }

    /// Goes on with the output of a pipe that the innermost one has begun.
    fn go_on(&mut self, continuation: Continuation, ctx: &mut AsyncContext<'_, Self>) {
        if let Some(inner) = self.inner_mut() {
            inner.go_on(continuation, ctx.lent_to());
        }
    }

    /// Whether there is a state to go on with.
    fn is_made(&self) -> bool {
        self.inner().is_none_or(AsyncBehavior::is_made)
    }

    /// Whether its mailboxes have bounds.
    const BOUNDED: bool = false;

    /// Whether the drain of a shutdown waits while a handler waits: not for the futures of pipes.
    const AWAITED: bool = true;

    /// The bounds that it wants, by mailbox, if they are known already.
    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        self.inner()?.wanted_bounds()
    }
}

impl<A: AsyncActor> AsyncBehavior for A {
    type Msg = A::Msg;
    type Inner = NoInner<A::Msg>;

    #[inline(always)]
    fn handle(
        &mut self,
        msg: A::Msg,
        ctx: &mut AsyncContext<'_, A>,
    ) -> impl Future<Output = ()> + Send {
        AsyncActor::handle(self, msg, ctx)
    }

    #[inline(always)]
    fn started(&mut self, ctx: &mut AsyncContext<'_, A>) -> impl Future<Output = ()> + Send {
        AsyncActor::started(self, ctx)
    }

    fn stopped(&mut self) {
        AsyncActor::stopped(self);
    }

    fn selection(&self) -> Selection {
        AsyncActor::selection(self)
    }

    #[inline(always)]
    fn guards(&self, guards: &mut DeclaredGuards<'_, A::Msg>) {
        AsyncActor::guards(self, guards);
    }

    fn go_on(&mut self, continuation: Continuation, ctx: &mut AsyncContext<'_, A>) {
        continuation.run_async(self, ctx);
    }
}

impl<M: Message> AsyncBehavior for NoInner<M> {
    type Msg = M;
    type Inner = Self;

    async fn handle(&mut self, _: M, _: &mut AsyncContext<'_, Self>) {
        match self.never {}
    }

    async fn started(&mut self, _: &mut AsyncContext<'_, Self>) {
        match self.never {}
    }
}
