//! How an actor that nobody has found by its name comes to be: it is made in its own first turn.

use std::sync::Arc;

use super::{Naming, OtherType};
use crate::lifecycle::actor_builder::{ActorBuilder, SupervisedBuilder};
use crate::lifecycle::spawnable::Spawnable;
use crate::messaging::actor_ref::ActorRef;

impl ActorBuilder<'_> {
    /// The actor that has this name; if there is none, a new one gets it.
    ///
    /// A new one lives on the theater's pool, also if a handler asks, or on the stage that was
    /// [named](Self::on). However many callers race, one actor is spawned, and `make` is called
    /// once. It runs in the new actor's first turn, not in the caller: it holds up nobody but this
    /// actor's messages, it may look up or spawn other names, and a panic in it ends the actor as
    /// failed, which frees the name.
    ///
    /// # Errors
    /// If the actor that has the name has other messages than `A`.
    ///
    /// ```
    /// # use odeon_core::*;
    /// struct Counter(u32);
    /// enum Count { Next(Reply<u32>) }
    /// # impl Message for Count {}
    /// impl Actor for Counter {
    ///     type Msg = Count;
    ///     fn handle(&mut self, Count::Next(reply): Count, _: &mut Context<'_, Self>) {
    ///         self.0 += 1;
    ///         reply.send(self.0);
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// let tickets = || theater.actor().lookup_or_spawn("tickets", || Counter(0)).unwrap();
    /// let next = || tickets().ask(Count::Next).wait();
    /// assert_eq!((next(), next()), (Ok(1), Ok(2)));
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn lookup_or_spawn<Kind, A: Spawnable<Kind>>(
        self,
        name: &str,
        make: impl FnOnce() -> A + Send + 'static,
    ) -> Result<ActorRef<A::Msg>, OtherType> {
        let create = || A::create_lazily(self.location.for_good().location(), make);
        Naming::of(self.theater).names.lookup_or(name, create)
    }
}

impl SupervisedBuilder<ActorBuilder<'_>> {
    /// As [`ActorBuilder::lookup_or_spawn`], for a supervised actor: `make` is called again for
    /// each restart, during which the actor keeps its name. It is nobody's child.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_or_spawn<Kind, A: Spawnable<Kind>>(
        self,
        name: &str,
        make: impl Fn() -> A + Send + Sync + 'static,
    ) -> Result<ActorRef<A::Msg>, OtherType> {
        let Self { builder, supervision } = self;
        Naming::of(builder.theater).names.lookup_or(name, || {
            let make = Arc::new(make);
            let location = builder.location.for_good();
            A::create_lazily_supervised(location.location(), supervision, move || make())
        })
    }
}
