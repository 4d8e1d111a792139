//! Pipes: a future runs beside an actor, and what it comes to is a turn of that actor.
//!
//! The future lies in a hidden asynchronous actor, a child of the one that began it. When it is
//! complete the child leaves a *continuation* in the relations of its parent and has it look there,
//! as others do with requests. So the message path knows nothing of it.
//!
//! | question | file |
//! |---|---|
//! | what can a user do? | this one |
//! | who runs the future, who cancels it, what if it panics? | `lifecycle/pipe/carrier.rs` |
//! | how does the output find the actor whose type is forgotten on the way? | `turn/continuation.rs` |
//! | when does the continuation run? | `turn/sequential.rs`, `turn/asynchronous.rs` |

mod carrier;
mod within;

use std::fmt;
use std::time::Duration;

use crate::messaging::actor_ref::ActorRef;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::piped::Continuation;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::error::Elapsed;
use crate::vocabulary::message::Message;

/// A future that runs beside its actor; made by [`Context::pipe`]. Dropping this does *not* cancel
/// it.
pub struct Pipe {
    actor: ErasedWeakRef,
    number: u64,
}

impl Pipe {
    /// Cancels the pipe. `true`: its continuation will not run; a future that is not complete is
    /// dropped soon, at the `await` it waits at. `false`: the continuation has run or is running,
    /// or the actor has ended or been made anew.
    ///
    /// Takes effect at once, also in an attempt whose effects are held back (S8).
    pub fn cancel(self) -> bool {
        let Ok(relations) = self.actor.relations() else { return false };
        let cancelled = relations.cancel_pipe(self.number);
        if cancelled && !relations.has_pipes() {
            // An actor that has closed all its mailboxes waits for this pipe alone.
            self.actor.look_at_requests();
        }
        cancelled
    }
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipe").field("actor", &self.actor.id()).finish_non_exhaustive()
    }
}

/// Begins a pipe of the actor that `actor` leads to, in a turn of it.
fn begin<M, F>(
    actor: ActorRef<M>,
    future: F,
    go_on: impl FnOnce(F::Output) -> Continuation + Send + 'static,
) -> Pipe
where
    M: Message,
    F: Future<Output: Send + 'static> + Send + 'static,
{
    let erased = actor.erased();
    let number = carrier::start(actor, future, go_on, false);
    Pipe { actor: erased, number }
}

/// As [`begin`], on the pool whatever the stage of the actor, and beside its turn: the future is a
/// task that is forked.
pub(crate) fn fork<M, F>(
    actor: ActorRef<M>,
    future: F,
    go_on: impl FnOnce(F::Output) -> Continuation + Send + 'static,
) -> Pipe
where
    M: Message,
    F: Future<Output: Send + 'static> + Send + 'static,
{
    let erased = actor.erased();
    let number = carrier::start(actor, future, go_on, true);
    Pipe { actor: erased, number }
}

impl<A: Behavior> Context<'_, A> {
    /// Runs `future` beside this actor, on the workers of its stage, and calls `go_on` with its
    /// output as a turn of this actor: with its state, and never during a handler.
    ///
    /// Meanwhile the actor handles other messages. So it can wait for answers, timers, sockets and
    /// channels without blocking a worker, and without a message type for each result. A future
    /// that needs tokio finds it in a theater built with `odeon-tokio`.
    ///
    /// * `go_on` is no message: closed mailboxes do not hold it up, and pipes go on in the order in
    ///   which their futures were completed. There is no order between it and messages, whoever
    ///   sent them.
    /// * A pipe belongs to the state that began it. When the actor ends or is made anew, its pipes
    ///   are cancelled as an [`AsyncActor`](crate::AsyncActor) is, and outputs that it has not gone
    ///   on with are dropped.
    /// * A panic of the future is a failure of this actor, as if a handler had panicked.
    /// * A pipe keeps its actor as a reference does, until the future is complete or cancelled.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::time::Duration;
    /// # struct Prices;
    /// # impl Actor for Prices {
    /// #     type Msg = Box<Reply<u64>>;
    /// #     fn handle(&mut self, reply: Box<Reply<u64>>, _ctx: &mut Context<'_, Self>) { reply.send(7) }
    /// # }
    /// struct Till { prices: ActorRef<Box<Reply<u64>>>, taken: u64 }
    /// enum Sale { Of(u64), Total(Reply<u64>) }
    /// impl Message for Sale {}
    ///
    /// impl Actor for Till {
    ///     type Msg = Sale;
    ///     fn handle(&mut self, msg: Sale, ctx: &mut Context<'_, Self>) {
    ///         match msg {
    ///             Sale::Of(pieces) => {
    ///                 let price = self.prices.ask_within(Duration::from_secs(1), Box::new);
    ///                 ctx.pipe(price, move |this, price, _ctx| {
    ///                     this.taken += pieces * price.unwrap_or(0);
    ///                 });
    ///             }
    ///             Sale::Total(reply) => reply.send(self.taken),
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// # let till = theater.spawn(Till { prices: theater.spawn(Prices), taken: 0 });
    /// # till.send(Sale::Of(3))?;
    /// # while till.ask(Sale::Total).wait()? != 21 { std::thread::yield_now() }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pipe<F, G>(&self, future: F, go_on: G) -> Pipe
    where
        F: Future<Output: Send + 'static> + Send + 'static,
        G: FnOnce(&mut A, F::Output, &mut Context<'_, A>) + Send + 'static,
    {
        begin(self.actor_ref(), future, |output| {
            Continuation::of_actor(move |actor, ctx| go_on(actor, output, ctx))
        })
    }

    /// As [`pipe`](Self::pipe), with a deadline: a future that is not complete within `limit` is
    /// dropped, and `go_on` gets [`Elapsed`]. The time begins at the call and is kept by the
    /// theater's timers (S12).
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// # use std::time::Duration;
    /// struct Impatient(Sender<Result<u32, Elapsed>>);
    /// impl Actor for Impatient {
    ///     type Msg = ();
    ///     fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
    ///         let never = std::future::pending::<u32>();
    ///         ctx.pipe_within(Duration::from_millis(5), never, |this, output, _ctx| {
    ///             this.0.send(output).unwrap();
    ///         });
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// # let (out, outputs) = channel();
    /// # theater.spawn(Impatient(out)).send(()).unwrap();
    /// # assert_eq!(outputs.recv().unwrap(), Err(Elapsed));
    /// # Ok::<(), BuildError>(())
    /// ```
    ///
    /// # Panics
    /// If this is the theater's first timer and the operating system refuses the thread that timers
    /// need.
    pub fn pipe_within<F, G>(&self, limit: Duration, future: F, go_on: G) -> Pipe
    where
        F: Future<Output: Send + 'static> + Send + 'static,
        G: FnOnce(&mut A, Result<F::Output, Elapsed>, &mut Context<'_, A>) + Send + 'static,
    {
        let theater = self.cell().header.stage.theater();
        self.pipe(within::within(theater, limit, future), go_on)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// Runs `future` beside this actor while it handles other messages, and calls `go_on` with its
    /// output as a turn of this actor: when no handler waits, and before messages that wait. For
    /// the rest see [`Context::pipe`]. To wait inside the handler instead, so that the next message
    /// waits too, `await` the future there.
    pub fn pipe<F, G>(&self, future: F, go_on: G) -> Pipe
    where
        F: Future<Output: Send + 'static> + Send + 'static,
        G: FnOnce(&mut A, F::Output, &mut AsyncContext<'_, A>) + Send + 'static,
    {
        begin(self.actor_ref(), future, |output| {
            Continuation::of_async_actor(move |actor, ctx| go_on(actor, output, ctx))
        })
    }

    /// As [`pipe`](Self::pipe), with a deadline. See [`Context::pipe_within`].
    ///
    /// # Panics
    /// As there.
    pub fn pipe_within<F, G>(&self, limit: Duration, future: F, go_on: G) -> Pipe
    where
        F: Future<Output: Send + 'static> + Send + 'static,
        G: FnOnce(&mut A, Result<F::Output, Elapsed>, &mut AsyncContext<'_, A>) + Send + 'static,
    {
        let theater = self.cell().header.stage.theater();
        self.pipe(within::within(theater, limit, future), go_on)
    }
}
