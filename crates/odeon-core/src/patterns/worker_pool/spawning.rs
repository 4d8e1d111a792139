//! How worker pools come to be, of plain and of asynchronous actors.

use std::sync::Arc;

use super::load::Loaded;
use super::member::{Asynchronous, Kind, Member, Plain};
use super::{Routing, WorkerPool};
use crate::process::submit::Submit;
use crate::process::supervision::Supervision;
use crate::runtime::theater::Theater;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::Message;

impl Theater {
    /// Creates a [`WorkerPool`] of `size` actors on the theater's pool, each supervised by itself.
    ///
    /// `make` makes the state of the member with the number that it is given, now and for each
    /// restart. It runs in that member's turn; a panic in it is a failure of the member.
    pub fn spawn_worker_pool<A: Behavior>(
        &self,
        size: usize,
        routing: Routing<A::Msg>,
        supervision: Supervision,
        make: impl Fn(usize) -> A + Send + Sync + 'static,
    ) -> WorkerPool<A::Msg> {
        spawn::<A, Plain, _>(self.shared().pool(), size, routing, supervision, make)
    }

    /// As [`spawn_worker_pool`](Self::spawn_worker_pool), of asynchronous actors: at most `size`
    /// messages are being waited for at a time, and the threads of the theater do other things
    /// meanwhile.
    ///
    /// For [`Routing::LeastLoaded`] a message whose handler waits is part of its member's load.
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
    /// let fetchers = theater.spawn_async_worker_pool(
    ///     4,
    ///     Routing::LeastLoaded,
    ///     Supervision::new(),
    ///     move |_number| Fetcher(shelf.clone()),
    /// );
    /// assert_eq!(fetchers.ask(|reply| Fetch::Length("Emma", reply)).wait()?, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spawn_async_worker_pool<A: AsyncBehavior>(
        &self,
        size: usize,
        routing: Routing<A::Msg>,
        supervision: Supervision,
        make: impl Fn(usize) -> A + Send + Sync + 'static,
    ) -> WorkerPool<A::Msg> {
        spawn::<A, Asynchronous, _>(self.shared().pool(), size, routing, supervision, make)
    }
}

impl<A: Behavior> Context<'_, A> {
    /// As [`Theater::spawn_worker_pool`], in the theater of this actor. The members are no children
    /// of this actor: they end when nobody has the worker pool any more.
    pub fn spawn_worker_pool<B: Behavior>(
        &self,
        size: usize,
        routing: Routing<B::Msg>,
        supervision: Supervision,
        make: impl Fn(usize) -> B + Send + Sync + 'static,
    ) -> WorkerPool<B::Msg> {
        spawn::<B, Plain, _>(self.theater().pool(), size, routing, supervision, make)
    }

    /// As [`Theater::spawn_async_worker_pool`], in the theater of this actor. The members are no
    /// children of this actor.
    pub fn spawn_async_worker_pool<B: AsyncBehavior>(
        &self,
        size: usize,
        routing: Routing<B::Msg>,
        supervision: Supervision,
        make: impl Fn(usize) -> B + Send + Sync + 'static,
    ) -> WorkerPool<B::Msg> {
        spawn::<B, Asynchronous, _>(self.theater().pool(), size, routing, supervision, make)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// As [`Theater::spawn_worker_pool`], in the theater of this actor. The members are no children
    /// of this actor.
    pub fn spawn_worker_pool<B: Behavior>(
        &self,
        size: usize,
        routing: Routing<B::Msg>,
        supervision: Supervision,
        make: impl Fn(usize) -> B + Send + Sync + 'static,
    ) -> WorkerPool<B::Msg> {
        spawn::<B, Plain, _>(self.theater().pool(), size, routing, supervision, make)
    }

    /// As [`Theater::spawn_async_worker_pool`], in the theater of this actor. The members are no
    /// children of this actor.
    pub fn spawn_async_worker_pool<B: AsyncBehavior>(
        &self,
        size: usize,
        routing: Routing<B::Msg>,
        supervision: Supervision,
        make: impl Fn(usize) -> B + Send + Sync + 'static,
    ) -> WorkerPool<B::Msg> {
        spawn::<B, Asynchronous, _>(self.theater().pool(), size, routing, supervision, make)
    }
}

fn spawn<A: 'static, K, M: Message>(
    stage: Arc<dyn Submit>,
    size: usize,
    routing: Routing<M>,
    supervision: Supervision,
    make: impl Fn(usize) -> A + Send + Sync + 'static,
) -> WorkerPool<M>
where
    K: Kind<A, Msg = M> + Kind<Loaded<A>, Msg = M>,
{
    let by_load = matches!(routing, Routing::LeastLoaded);
    let make = Arc::new(make);
    WorkerPool::new(size, routing, stage.clone(), move |number| {
        let (make, supervision) = (make.clone(), supervision.clone());
        let make = move || make(number);
        if by_load {
            Member::with_load::<A, K>(&stage, supervision, make)
        } else {
            Member::new::<A, K>(&stage, supervision, make)
        }
    })
}
