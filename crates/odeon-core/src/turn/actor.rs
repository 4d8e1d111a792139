//! What a user implements.

use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::turn::context::Context;
use crate::vocabulary::message::Message;

/// An actor: private state, and what it does with each message.
///
/// # Guarantees
/// Messages are handled one at a time (S1), those of one sender in the order they were sent (S2).
/// A panic in any of these functions ends this actor and nothing else (S5).
///
/// # Example
/// ```
/// use odeon_core::{Actor, Context, Message, Reply, Theater};
///
/// enum Account { Deposit(u64), Balance(Reply<u64>) }
/// impl Message for Account {}
///
/// struct Plain { balance: u64 }
/// impl Actor for Plain {
///     type Msg = Account;
///     fn handle(&mut self, msg: Account, _ctx: &mut Context<'_, Self>) {
///         match msg {
///             Account::Deposit(n) => self.balance += n,
///             Account::Balance(reply) => reply.send(self.balance),
///         }
///     }
/// }
///
/// let theater = Theater::new()?;
/// let account = theater.spawn(Plain { balance: 0 });
/// account.send(Account::Deposit(5))?;
/// assert_eq!(account.ask(Account::Balance).wait()?, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no actor whose handlers never wait",
    note = "an `AsyncActor` is bounded with `Bounded::new_async`",
    note = "a `SpeculativeActor` is spawned with `spawn_speculative` and its like, and bounded by `Processing::bounded`",
    note = "a `ReadWriteActor` is spawned as what `ReadWriting::new` makes of it"
)]
pub trait Actor: Send + Sized + 'static {
    /// What this actor can be sent.
    type Msg: Message;

    /// Handles one message.
    fn handle(&mut self, msg: Self::Msg, ctx: &mut Context<'_, Self>);

    /// Runs once on the actor's stage before its first message, also if none ever comes.
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        let _ = ctx;
    }

    /// Runs once after the last message, before the state is dropped. Not called after a panic. An
    /// actor that its theater ends before its first turn gets this without `started`.
    fn stopped(&mut self) {}

    /// How the next message is selected if there are several mailboxes. Asked once, when the actor
    /// has [started](Self::started), and again after a restart.
    fn selection(&self) -> Selection {
        Selection::priority()
    }

    /// The declared guards: which mailboxes are open in this state. Asked after everything that may
    /// have changed the state: [`started`](Self::started), each message, what goes on after a pipe.
    /// Mailboxes that are not named keep the guards that handlers have set. Not asked with one
    /// mailbox.
    ///
    /// Usually written by `#[guards]` from functions marked `#[guard(..)]`.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::collections::VecDeque;
    /// struct Buffer { items: VecDeque<u32>, capacity: usize }
    /// enum Use { Put(u32), Get(Reply<u32>) }
    /// impl Message for Use {
    ///     const MAILBOXES: usize = 2;
    ///     fn mailbox(&self) -> usize { match self { Use::Put(_) => 0, Use::Get(_) => 1 } }
    /// }
    /// impl Actor for Buffer {
    ///     type Msg = Use;
    ///     fn guards(&self, guards: &mut DeclaredGuards<'_, Use>) {
    ///         guards.set(0, self.items.len() < self.capacity);
    ///         guards.set(1, !self.items.is_empty());
    ///     }
    ///     fn handle(&mut self, msg: Use, _ctx: &mut Context<'_, Self>) {
    ///         match msg {
    ///             Use::Put(item) => self.items.push_back(item),
    ///             Use::Get(reply) => reply.send(self.items.pop_front().expect("guarded")),
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// let buffer = theater.spawn(Buffer { items: VecDeque::new(), capacity: 1 });
    /// let waits = buffer.ask(Use::Get);
    /// buffer.send(Use::Put(1))?;
    /// buffer.send(Use::Put(2))?;
    /// assert_eq!((waits.wait()?, buffer.ask(Use::Get).wait()?), (1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)]
    fn guards(&self, guards: &mut DeclaredGuards<'_, Self::Msg>) {
        let _ = guards;
    }
}
