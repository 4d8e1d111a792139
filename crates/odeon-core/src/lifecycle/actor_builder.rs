//! How an actor is to be created: beside whom or on which stage, and what becomes of it when it
//! fails.

use crate::lifecycle::spawn::Location;
use crate::lifecycle::spawnable::Spawnable;
use crate::messaging::actor_ref::ActorRef;
use crate::process::cell::Header;
use crate::process::supervision::Supervision;
use crate::process::theater_shared::TheaterShared;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;

/// An actor to be created. Made by [`Theater::actor`](crate::Theater::actor), and in a handler by
/// [`Context::actor`] and [`AsyncContext::actor`].
///
/// First comes where it is to live, if not where [`spawn`](Self::spawn) alone would put it; then
/// whether it is [`supervised`](Self::supervised); last what is created:
///
/// ```
/// # use odeon_core::*;
/// # struct Counter(u64);
/// # enum Count { Up, Get(Reply<u64>) }
/// # impl Message for Count {}
/// # impl Actor for Counter {
/// #     type Msg = Count;
/// #     fn handle(&mut self, msg: Count, _: &mut Context<'_, Self>) {
/// #         match msg {
/// #             Count::Up => self.0 += 1,
/// #             Count::Get(reply) => reply.send(self.0),
/// #         }
/// #     }
/// # }
/// let theater = Theater::new()?;
/// let stage = theater.pinned("hot")?;
///
/// // On a thread that it shares with other actors, or has to itself.
/// let counter = theater.actor().on(&stage).spawn(Counter(0));
/// let blocks = theater.actor().dedicated("files").spawn(Counter(0))?;
///
/// // Made anew when it fails.
/// let renewed = theater.actor().supervised(Supervision::new()).spawn(|| Counter(0));
///
/// // One for each name, created by whoever asks first.
/// let named = theater.actor().lookup_or_spawn("visitors", || Counter(0))?;
///
/// // Several that share the work.
/// let supervision = Supervision::new();
/// let pool = theater.actor().supervised(supervision).pool(4, Routing::LeastLoaded, |_| Counter(0));
/// # drop((counter, blocks, renewed, named, pool));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing happens before `spawn`"]
#[derive(Clone, Copy)]
pub struct ActorBuilder<'a> {
    pub(crate) theater: &'a TheaterShared,
    pub(crate) location: Location<'a>,
}

/// A supervised actor to be created: it may be made anew when it fails. Made by
/// [`ActorBuilder::supervised`], and [`DedicatedBuilder::supervised`].
///
/// [`DedicatedBuilder::supervised`]: crate::DedicatedBuilder::supervised
#[must_use = "nothing happens before `spawn`"]
#[derive(Clone)]
pub struct SupervisedBuilder<B> {
    pub(crate) builder: B,
    pub(crate) supervision: Supervision,
}

impl<'a> ActorBuilder<'a> {
    /// It is made anew when it fails, or whatever else the supervision says.
    pub fn supervised(self, supervision: Supervision) -> SupervisedBuilder<Self> {
        SupervisedBuilder { builder: self, supervision }
    }

    /// Creates it.
    ///
    /// After the theater was shut down the actor is dropped and the reference leads to nobody.
    pub fn spawn<Kind, A: Spawnable<Kind>>(self, actor: A) -> ActorRef<A::Msg> {
        actor.create(self.location)
    }

    /// The actor with this header creates it: it is put on the same stage, from a dedicated one on
    /// the pool; a supervised one is a child.
    fn beside(header: &'a Header) -> Self {
        let location = Location::beside(header).below(header);
        Self { theater: header.stage.theater(), location }
    }
}

impl SupervisedBuilder<ActorBuilder<'_>> {
    /// Creates it. `make` makes its state, now and for each restart.
    ///
    /// What a handler creates so is a child of its actor: it stops when its parent ends or is made
    /// anew, and a failure that it escalates becomes one of its parent.
    ///
    /// ```
    /// # use odeon_core::*;
    /// struct Divider;
    /// enum Divide { By(u32, Reply<u32>) }
    /// impl Message for Divide {}
    /// impl AsyncActor for Divider {
    ///     type Msg = Divide;
    ///     async fn handle(&mut self, Divide::By(n, reply): Divide, _: &mut AsyncContext<'_, Self>) {
    ///         reply.send(100 / n);
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// let divider = theater.actor().supervised(Supervision::new()).spawn(|| Divider);
    /// # std::panic::set_hook(Box::new(|_| {}));
    /// let failed = AskError::Failed("attempt to divide by zero".into());
    /// assert_eq!(divider.ask(|r| Divide::By(0, r)).wait(), Err(failed));
    /// assert_eq!(divider.ask(|r| Divide::By(5, r)).wait(), Ok(20));
    /// # Ok::<(), BuildError>(())
    /// ```
    ///
    /// The handler that failed is cancelled, and every message that waits is kept (S15).
    ///
    /// # Panics
    /// If `make` does when it is called for the first time.
    pub fn spawn<Kind, A: Spawnable<Kind>>(
        self,
        make: impl FnMut() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        A::create_supervised(self.builder.location, self.supervision, make)
    }
}

impl<A: Behavior> Context<'_, A> {
    /// Creates an actor on the stage of this one; from a dedicated stage, on the theater's pool.
    pub fn spawn<Kind, B: Spawnable<Kind>>(&self, actor: B) -> ActorRef<B::Msg> {
        actor.create(Location::beside(&self.cell().header))
    }

    /// An actor to be created: elsewhere than [`spawn`](Self::spawn) does, or as a supervised
    /// child of this one, or with a name.
    pub fn actor(&self) -> ActorBuilder<'_> {
        ActorBuilder::beside(&self.cell().header)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// Creates an actor on the stage of this one; from a dedicated stage, on the theater's pool.
    pub fn spawn<Kind, B: Spawnable<Kind>>(&self, actor: B) -> ActorRef<B::Msg> {
        actor.create(Location::beside(&self.cell().header))
    }

    /// An actor to be created: elsewhere than [`spawn`](Self::spawn) does, or as a supervised
    /// child of this one, or with a name.
    pub fn actor(&self) -> ActorBuilder<'_> {
        ActorBuilder::beside(&self.cell().header)
    }
}

impl std::fmt::Debug for ActorBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ActorBuilder").finish_non_exhaustive()
    }
}

impl<B> std::fmt::Debug for SupervisedBuilder<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SupervisedBuilder").finish_non_exhaustive()
    }
}
