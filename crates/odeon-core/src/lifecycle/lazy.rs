//! An actor that is made on its own stage, in its first turn, instead of by whoever spawns it.
//!
//! So the spawn runs none of the user's code: it can happen while others wait for it, and a panic of
//! the user's function is a failure of the actor (S5, S15), not of the spawner.

use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::process::piped::Continuation;
use crate::turn::actor::Actor;
use crate::turn::async_actor::AsyncActor;
use crate::turn::async_context::AsyncContext;
use crate::turn::context::Context;

/// Makes its actor when it starts and is that actor from then on. If that fails there is no state to
/// resume with (S15).
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

impl<A: Actor, F: FnMut() -> A + Send + 'static> Actor for Lazy<A, F> {
    type Msg = A::Msg;
    /// Its bounds are known when it has been made.
    const BOUNDED: bool = A::BOUNDED;
    const PUTS_ASIDE: bool = A::PUTS_ASIDE && !A::LANED;
    const GOES_ON_ANYWHERE: bool = A::GOES_ON_ANYWHERE;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        let made = (self.make)();
        match &mut self.actor {
            // It has put messages aside before it was made anew.
            Some(kept) => kept.__renew(made),
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

    fn selection(&self) -> Selection {
        self.actor.as_ref().map_or_else(Selection::default, A::selection)
    }

    #[inline]
    fn guards(&self, guards: &mut DeclaredGuards<'_, A::Msg>) {
        if let Some(actor) = &self.actor {
            actor.guards(guards);
        }
    }

    fn __is_made(&self) -> bool {
        self.actor.as_ref().is_some_and(A::__is_made)
    }

    fn __has_aside(&self) -> bool {
        self.actor.as_ref().is_some_and(A::__has_aside)
    }

    fn __go_on_with_aside(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        let mut went_on = false;
        if let Some(actor) = &mut self.actor {
            ctx.lent_to(|ctx| went_on = actor.__go_on_with_aside(ctx));
        }
        went_on
    }

    fn __resumes(&mut self) -> bool {
        self.actor.as_mut().is_some_and(A::__resumes)
    }

    fn __aside(&self) -> usize {
        self.actor.as_ref().map_or(0, A::__aside)
    }

    fn __pressing(&self) -> usize {
        self.actor.as_ref().map_or(0, A::__pressing)
    }

    fn __may_end(&mut self) -> bool {
        self.actor.as_mut().is_none_or(A::__may_end)
    }

    fn __may_be_left_behind(&mut self) -> bool {
        self.actor.as_mut().is_none_or(A::__may_be_left_behind)
    }

    fn __may_pause(&mut self) -> bool {
        self.actor.as_mut().is_none_or(A::__may_pause)
    }

    fn __shed(&mut self) -> bool {
        self.actor.as_mut().is_some_and(A::__shed)
    }

    fn __renew(&mut self, new: Self) {
        self.make = new.make;
    }

    fn __give_back(&mut self, take: &mut dyn FnMut(A::Msg)) {
        if let Some(actor) = &mut self.actor {
            actor.__give_back(take);
        }
    }

    fn __go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Self>) {
        if let Some(actor) = &mut self.actor {
            ctx.lent_to(|ctx| actor.__go_on(continuation, ctx));
        }
    }

    fn stopped(&mut self) {
        if let Some(actor) = &mut self.actor {
            actor.stopped();
        }
    }
}

impl<A: AsyncActor, F: FnMut() -> A + Send + 'static> AsyncActor for Lazy<A, F> {
    type Msg = A::Msg;
    /// Its bounds are known when it has been made.
    const BOUNDED: bool = A::BOUNDED;

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        let actor = self.actor.insert((self.make)());
        actor.started(ctx.lent_to()).await;
    }

    async fn handle(&mut self, msg: A::Msg, ctx: &mut AsyncContext<'_, Self>) {
        if let Some(actor) = &mut self.actor {
            actor.handle(msg, ctx.lent_to()).await;
        }
    }

    fn selection(&self) -> Selection {
        self.actor.as_ref().map_or_else(Selection::default, A::selection)
    }

    #[inline]
    fn guards(&self, guards: &mut DeclaredGuards<'_, A::Msg>) {
        if let Some(actor) = &self.actor {
            actor.guards(guards);
        }
    }

    fn __is_made(&self) -> bool {
        self.actor.is_some()
    }

    fn __go_on(&mut self, continuation: Continuation, ctx: &mut AsyncContext<'_, Self>) {
        if let Some(actor) = &mut self.actor {
            actor.__go_on(continuation, ctx.lent_to());
        }
    }

    fn stopped(&mut self) {
        if let Some(actor) = &mut self.actor {
            actor.stopped();
        }
    }
}
