//! What can be spawned: an actor of either kind, by one function.

use std::convert::identity;

use crate::lifecycle::lazy::Lazy;
use crate::lifecycle::spawn::{self, Location};
use crate::messaging::actor_ref::ActorRef;
use crate::process::supervision::Supervision;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::asynchronous;
use crate::turn::behavior::Behavior;
use crate::vocabulary::message::Message;

/// The kind of actors whose handlers never wait: every [`Actor`](crate::Actor).
pub enum Plain {}

/// The kind of actors whose handlers wait: every [`AsyncActor`](crate::AsyncActor).
pub enum Asynchronous {}

/// What [`Theater::spawn`](crate::Theater::spawn) and its like take: every [`Actor`](crate::Actor),
/// every [`AsyncActor`](crate::AsyncActor), and what stands around one.
///
/// The compiler finds the `Kind`, unless a type is an actor of both kinds:
/// `theater.spawn::<Plain, _>(actor)`. A function that passes on whatever it is given asks for the
/// same:
///
/// ```
/// use odeon_core::extend::Spawnable;
/// use odeon_core::{ActorRef, Theater};
///
/// fn spawn_some<Kind, A: Spawnable<Kind>>(
///     theater: &Theater,
///     count: usize,
///     make: impl Fn(usize) -> A,
/// ) -> Vec<ActorRef<A::Msg>> {
///     (0..count).map(|number| theater.spawn(make(number))).collect()
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no actor that can be spawned here",
    note = "an actor implements `Actor` or `AsyncActor`",
    note = "a `SpeculativeActor` is spawned with `spawn_speculative` and its like",
    note = "a `ReadWriteActor` is spawned as what `ReadWriting::new` makes of it"
)]
pub trait Spawnable<Kind>: Send + Sized + 'static {
    /// What it can be sent.
    type Msg: Message;

    /// Creates it.
    fn create(self, at: Location<'_>) -> ActorRef<Self::Msg>;

    /// Creates a supervised one: `make` is called now, and for each restart.
    fn create_supervised(
        at: Location<'_>,
        supervision: Supervision,
        make: impl FnMut() -> Self + Send + 'static,
    ) -> ActorRef<Self::Msg>;

    /// Creates one that is made in its own turn, so that nothing of the user's runs here.
    fn create_lazily(
        at: Location<'_>,
        make: impl FnOnce() -> Self + Send + 'static,
    ) -> ActorRef<Self::Msg>;

    /// Creates a supervised one that is made, and made anew, in its own turns.
    fn create_lazily_supervised(
        at: Location<'_>,
        supervision: Supervision,
        make: impl Fn() -> Self + Clone + Send + 'static,
    ) -> ActorRef<Self::Msg>;
}

impl<A: Behavior> Spawnable<Plain> for A {
    type Msg = A::Msg;

    #[inline]
    fn create(self, at: Location<'_>) -> ActorRef<A::Msg> {
        spawn::at(at, self)
    }

    fn create_supervised(
        at: Location<'_>,
        supervision: Supervision,
        make: impl FnMut() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        spawn::supervised(at, supervision, Box::new(make), identity)
    }

    fn create_lazily(
        at: Location<'_>,
        make: impl FnOnce() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        spawn::at(at, Lazy::new(once(make)))
    }

    fn create_lazily_supervised(
        at: Location<'_>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> ActorRef<A::Msg> {
        spawn::supervised(at, supervision, Box::new(move || Lazy::new(make.clone())), identity)
    }
}

impl<A: AsyncBehavior> Spawnable<Asynchronous> for A {
    type Msg = A::Msg;

    #[inline]
    fn create(self, at: Location<'_>) -> ActorRef<A::Msg> {
        spawn::at(at, asynchronous::new_actor(self))
    }

    fn create_supervised(
        at: Location<'_>,
        supervision: Supervision,
        make: impl FnMut() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        spawn::supervised(at, supervision, Box::new(make), asynchronous::new_actor)
    }

    fn create_lazily(
        at: Location<'_>,
        make: impl FnOnce() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        spawn::at(at, asynchronous::new_actor(Lazy::new(once(make))))
    }

    fn create_lazily_supervised(
        at: Location<'_>,
        supervision: Supervision,
        make: impl Fn() -> A + Clone + Send + 'static,
    ) -> ActorRef<A::Msg> {
        let lazy = Box::new(move || Lazy::new(make.clone()));
        spawn::supervised(at, supervision, lazy, asynchronous::new_actor)
    }
}

/// What makes an actor that is not supervised.
fn once<A>(make: impl FnOnce() -> A) -> impl FnMut() -> A {
    let mut make = Some(make);
    move || make.take().expect("an actor without supervision is made once")()
}
