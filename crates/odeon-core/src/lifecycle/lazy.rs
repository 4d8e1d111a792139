//! An actor that is made on its own stage, in its first turn, instead of by whoever spawns it.
//!
//! So the spawn runs none of the user's code: it can happen while others wait for it, and a panic
//! of the user's function is a failure of the actor (S5, S15), not of the spawner.

use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;

/// Makes its actor when it starts and is that actor from then on. If that fails there is no state
/// to resume with (S15).
pub(crate) struct Lazy<A, F> {
    make: F,
    actor: Option<A>,
}

impl<A, F: FnMut() -> A> Lazy<A, F> {
    /// `make` is called once.
    pub(crate) fn new(make: F) -> Self {
        Self { make, actor: None }
    }
}

impl<A: Behavior, F: FnMut() -> A + Send + 'static> Behavior for Lazy<A, F> {
    type Msg = A::Msg;
    type Inner = A;
    /// Its bounds are known when it has been made.
    const BOUNDED: bool = A::BOUNDED;
    const DEFERS: bool = A::DEFERS && !A::LANED;
    const DEFERS_ANYWHERE: bool = A::DEFERS_ANYWHERE;

    fn inner(&self) -> Option<&A> {
        self.actor.as_ref()
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        self.actor.as_mut()
    }

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        let made = (self.make)();
        match &mut self.actor {
            // It has deferred messages before it was made anew.
            Some(kept) => kept.renew(made),
            place => *place = Some(made),
        }
        let actor = self.actor.as_mut().expect("made just above");
        ctx.lent_to(|ctx| actor.started(ctx));
    }

    #[inline]
    fn handle(&mut self, msg: A::Msg, ctx: &mut Context<'_, Self>) {
        if let Some(actor) = &mut self.actor {
            ctx.lent_to(|ctx| actor.handle(msg, ctx));
        }
    }

    fn is_made(&self) -> bool {
        self.actor.as_ref().is_some_and(A::is_made)
    }

    fn renew(&mut self, new: Self) {
        self.make = new.make;
    }
}

impl<A: AsyncBehavior, F: FnMut() -> A + Send + 'static> AsyncBehavior for Lazy<A, F> {
    type Msg = A::Msg;
    type Inner = A;
    /// Its bounds are known when it has been made.
    const BOUNDED: bool = A::BOUNDED;

    fn inner(&self) -> Option<&A> {
        self.actor.as_ref()
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        self.actor.as_mut()
    }

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        let actor = self.actor.insert((self.make)());
        actor.started(ctx.lent_to()).await;
    }

    async fn handle(&mut self, msg: A::Msg, ctx: &mut AsyncContext<'_, Self>) {
        if let Some(actor) = &mut self.actor {
            actor.handle(msg, ctx.lent_to()).await;
        }
    }

    fn is_made(&self) -> bool {
        self.actor.is_some()
    }
}
