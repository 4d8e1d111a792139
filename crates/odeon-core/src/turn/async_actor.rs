//! What a user implements for an actor whose handlers wait.

use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::turn::async_context::AsyncContext;
use crate::vocabulary::message::Message;

/// An actor whose handlers are `async fn`: while one waits, its worker does other things, and the
/// actor's next message waits for it.
///
/// For handlers that wait for answers, timers, sockets or channels. One that never waits costs a
/// little more than a handler of an [`Actor`](crate::Actor): one poll. The actor and the future of
/// its present message lie in one piece of memory: handling a message allocates nothing.
///
/// # Guarantees
/// As for [`Actor`](crate::Actor): one message at a time, also across awaits (S1, S13); order (S2);
/// guarded mailboxes (S3); a panic ends this actor and nothing else (S5), or has it made anew if it
/// is supervised (S15).
///
/// # Cancellation
/// An actor that is stopped from outside ([`ActorRef::stop`](crate::ActorRef::stop), the end of its
/// theater) while a handler waits is cancelled there: the future is dropped at the `await` it waits
/// at, then [`stopped`](Self::stopped) runs. [`AsyncContext::stop`] takes effect when the handler
/// has returned.
///
/// # Example
/// ```
/// use odeon_core::*;
///
/// struct Prices;
/// impl Actor for Prices {
///     type Msg = Box<Reply<u64>>;
///     fn handle(&mut self, reply: Box<Reply<u64>>, _ctx: &mut Context<'_, Self>) {
///         reply.send(7);
///     }
/// }
///
/// struct Till { prices: ActorRef<Box<Reply<u64>>>, taken: u64 }
/// enum Sale { Of(u64), Total(Reply<u64>) }
/// impl Message for Sale {}
///
/// impl AsyncActor for Till {
///     type Msg = Sale;
///     async fn handle(&mut self, msg: Sale, _ctx: &mut AsyncContext<'_, Self>) {
///         match msg {
///             Sale::Of(pieces) => {
///                 // Blocks nobody. The next sale waits.
///                 let price = self.prices.ask(Box::new).await;
///                 self.taken += pieces * price.unwrap_or(0);
///             }
///             Sale::Total(reply) => reply.send(self.taken),
///         }
///     }
/// }
///
/// let theater = Theater::new()?;
/// let till = theater.spawn(Till { prices: theater.spawn(Prices), taken: 0 });
/// till.send(Sale::Of(3))?;
/// till.send(Sale::Of(2))?;
/// assert_eq!(till.ask(Sale::Total).wait()?, 35);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no asynchronous actor",
    note = "an `Actor` is bounded with `Bounded::new`"
)]
pub trait AsyncActor: Send + Sized + 'static {
    /// What this actor can be sent.
    type Msg: Message;

    /// Handles one message: implement it as an `async fn`.
    fn handle(
        &mut self,
        msg: Self::Msg,
        ctx: &mut AsyncContext<'_, Self>,
    ) -> impl Future<Output = ()> + Send;

    /// Runs once on the actor's stage before its first message, also if none ever comes. May wait,
    /// as a handler may.
    fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) -> impl Future<Output = ()> + Send {
        let _ = ctx;
        std::future::ready(())
    }

    /// Runs once after the last message, before the state is dropped. Not called after a panic. An
    /// actor that its theater ends before its first turn gets this without `started`.
    ///
    /// Not a future, so that an end cannot be waited for without end. An actor that must wait for
    /// something before it goes does so in a handler, and stops itself there.
    fn stopped(&mut self) {}

    /// How the next message is selected if there are several mailboxes: as
    /// [`Actor::selection`](crate::Actor::selection).
    fn selection(&self) -> Selection {
        Selection::priority()
    }

    /// The declared guards: as [`Actor::guards`](crate::Actor::guards). Asked when no handler
    /// waits.
    #[inline(always)]
    fn guards(&self, guards: &mut DeclaredGuards<'_, Self::Msg>) {
        let _ = guards;
    }
}
