//! How worker pools come to be, of plain and of asynchronous actors.

use std::sync::Arc;

use super::member::{LoadedMember, PoolMember};
use super::{Routing, WorkerPool};
use crate::lifecycle::actor_builder::{ActorBuilder, SupervisedBuilder};

impl SupervisedBuilder<ActorBuilder<'_>> {
    /// Creates a [`WorkerPool`] of `size` actors, each supervised by itself: on the theater's pool,
    /// also if a handler creates it, or on the stage that was [named](ActorBuilder::on). They are
    /// nobody's children: they end when nobody has the worker pool any more.
    ///
    /// `make` makes the state of the member with the number that it is given, now and for each
    /// restart. It runs in that member's turn; a panic in it is a failure of the member.
    ///
    /// Of asynchronous actors at most `size` messages are being waited for at a time, and the
    /// threads of the theater do other things meanwhile. For [`Routing::LeastLoaded`] a message
    /// whose handler waits is part of its member's load.
    ///
    /// ```
    /// # use odeon_core::*;
    /// struct Shelf;
    /// enum Fetch { Length(&'static str, Reply<usize>) }
    /// # impl Message for Fetch {}
    /// # impl Actor for Shelf {
    /// #     type Msg = Fetch;
    /// #     fn handle(&mut self, Fetch::Length(book, reply): Fetch, _: &mut Context<'_, Self>) {
    /// #         reply.send(book.len());
    /// #     }
    /// # }
    /// struct Fetcher(ActorRef<Fetch>);
    /// impl AsyncActor for Fetcher {
    ///     type Msg = Fetch;
    ///     async fn handle(&mut self, Fetch::Length(book, reply): Fetch, _: &mut AsyncContext<'_, Self>) {
    ///         if let Ok(length) = self.0.ask(|reply| Fetch::Length(book, reply)).await {
    ///             reply.send(length);
    ///         }
    ///     }
    /// }
    ///
    /// let theater = Theater::new()?;
    /// let shelf = theater.spawn(Shelf);
    /// let supervision = Supervision::new();
    /// let make = move |_number| Fetcher(shelf.clone());
    /// let fetchers = theater.actor().supervised(supervision).pool(4, Routing::LeastLoaded, make);
    /// assert_eq!(fetchers.ask(|reply| Fetch::Length("Emma", reply)).wait()?, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pool<Kind, A: PoolMember<Kind>>(
        self,
        size: usize,
        routing: Routing<A::Msg>,
        make: impl Fn(usize) -> A + Send + Sync + 'static,
    ) -> WorkerPool<A::Msg> {
        let (location, supervision) = (self.builder.location.for_good(), self.supervision);
        let by_load = matches!(routing, Routing::LeastLoaded);
        let make = Arc::new(make);
        let theater = location.theater().clone();
        WorkerPool::new(size, routing, theater, move |number| {
            let (make, supervision) = (make.clone(), supervision.clone());
            let (make, location) = (move || make(number), location.location());
            if by_load {
                LoadedMember::with_load(location, supervision, make)
            } else {
                LoadedMember::new(location, supervision, make)
            }
        })
    }
}
