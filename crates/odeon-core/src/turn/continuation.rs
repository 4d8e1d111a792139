//! What an actor goes on with, on its way past everything that does not know the actor's type.

use crate::process::piped::Continuation;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;

type GoOn<A> = Box<dyn FnOnce(&mut A, &mut Context<'_, A>) + Send>;
type GoOnAsync<A> = Box<dyn FnOnce(&mut A, &mut AsyncContext<'_, A>) + Send>;

const OF_THIS_ACTOR: &str = "a continuation goes to the actor that began its pipe";

impl Continuation {
    pub(crate) fn of_actor<A: Behavior>(
        go_on: impl FnOnce(&mut A, &mut Context<'_, A>) + Send + 'static,
    ) -> Self {
        let go_on: GoOn<A> = Box::new(go_on);
        Self(Box::new(go_on))
    }

    pub(crate) fn of_async_actor<A: AsyncBehavior>(
        go_on: impl FnOnce(&mut A, &mut AsyncContext<'_, A>) + Send + 'static,
    ) -> Self {
        let go_on: GoOnAsync<A> = Box::new(go_on);
        Self(Box::new(go_on))
    }

    /// In a turn of the actor.
    pub(crate) fn run<A: Behavior>(self, actor: &mut A, ctx: &mut Context<'_, A>) {
        self.0.downcast::<GoOn<A>>().expect(OF_THIS_ACTOR)(actor, ctx);
    }

    /// In a turn of the actor, when no future of it is pending.
    pub(crate) fn run_async<A: AsyncBehavior>(self, actor: &mut A, ctx: &mut AsyncContext<'_, A>) {
        self.0.downcast::<GoOnAsync<A>>().expect(OF_THIS_ACTOR)(actor, ctx);
    }
}
