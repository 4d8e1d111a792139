//! What a user implements.

use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::messaging::bounded::Bound;
use crate::messaging::lane::Lane;
use crate::messaging::lane::companion::Companion;
use crate::process::piped::Continuation;
use crate::turn::context::Context;
use crate::turn::interior::Interior;
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
    note = "an `AsyncActor` is spawned with `spawn_async` and its like, and bounded with `Bounded::new_async`",
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

    /// How the next message is selected if there are several mailboxes. Asked once, when the actor has
    /// [started](Self::started), and again after a restart.
    fn selection(&self) -> Selection {
        Selection::priority()
    }

    /// The declared guards: which mailboxes are open in this state. Asked after everything that may have changed the
    /// state: [`started`](Self::started), each message, what goes on after a pipe. Mailboxes that are not
    /// named keep the guards that handlers have set. Not asked with one mailbox.
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

    /// Goes on with the output of a pipe. Not for implementors: an actor that contains another one, and
    /// lends it its context, passes on what belongs to that.
    #[doc(hidden)]
    fn __go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Self>) {
        continuation.run(self, ctx);
    }

    /// The actor comes to a mark that was left among its messages ([`extend::mark`](crate::extend::mark)): what was sent before has been handled or waits in the
    /// interior. `true`: it wants to stop.
    #[doc(hidden)]
    fn __marked(&mut self, interior: &mut Interior<'_, Self::Msg>) -> bool {
        let _ = interior;
        false
    }

    /// Whether it ends because the theater is lost in which its own actor lives: for seats.
    #[doc(hidden)]
    fn __is_lost(&self) -> bool {
        false
    }

    /// Whether there is a state to go on with: for an actor that is made in its first turn.
    #[doc(hidden)]
    fn __is_made(&self) -> bool {
        true
    }

    /// What the actor is called in lines for people: the type that its user knows.
    #[doc(hidden)]
    fn __type_name() -> &'static str {
        std::any::type_name::<Self>()
    }

    /// Whether its mailboxes have bounds: for [`Bounded`](crate::Bounded), and for actors with lanes that may
    /// [want](Self::wanted_bounds) some.
    #[doc(hidden)]
    const BOUNDED: bool = false;

    /// Whether each message comes with the lane of its sender (`messaging/lane.rs`): for actors that another crate has processed in
    /// its own way.
    #[doc(hidden)]
    const LANED: bool = false;

    /// Whether messages may be put aside, to be handled later or by others: those below ask about that. An actor that contains
    /// another one, and does not pass these questions on, says no; the one inside finds out by its cell.
    #[doc(hidden)]
    const PUTS_ASIDE: bool = Self::LANED;

    /// Whether it may go on in another theater, so that account is kept of the timers that it begins for itself and of the questions for whose answers
    /// it waits: for seats.
    #[doc(hidden)]
    const MAY_MOVE: bool = false;

    /// How it is made known to a network that knows nothing of it (`extend/wire/native.rs`): for seats in which an actor has been created.
    #[doc(hidden)]
    const INTRODUCTION: Option<crate::process::vtable::AnyIntroduction> = None;

    /// Takes a message with its sender's lane in its mailbox.
    #[doc(hidden)]
    fn __take_laned(&mut self, msg: Self::Msg, lane: Lane, ctx: &mut Context<'_, Self>) {
        let _ = lane;
        self.handle(msg, ctx);
    }

    /// Takes a message that has come with a companion.
    #[doc(hidden)]
    fn __take_accompanied(
        &mut self,
        msg: Self::Msg,
        lane: Lane,
        companion: Companion,
        ctx: &mut Context<'_, Self>,
    ) {
        drop(companion);
        self.__take_laned(msg, lane, ctx);
    }

    /// Whether the next one is to be asked at all.
    #[doc(hidden)]
    fn __has_aside(&self) -> bool {
        true
    }

    /// The inbox is empty: goes on with what has been put aside. `false`: there is nothing to do until a
    /// message or [`extend::wake`](crate::extend::wake) comes.
    #[doc(hidden)]
    fn __go_on_with_aside(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        let _ = ctx;
        false
    }

    /// On a stage that owns its actors, after each delivery: whether it wants to go on
    /// ([`__go_on_with_aside`](Self::__go_on_with_aside)) behind what has come already. For each `true` it is given one call.
    #[doc(hidden)]
    fn __resumes(&mut self) -> bool {
        false
    }

    /// Whether it goes on with what it has put aside on every stage, those that own their actors too, and with bounds around it. It has one
    /// mailbox.
    #[doc(hidden)]
    const GOES_ON_ANYWHERE: bool = false;

    /// How many messages have been put aside.
    #[doc(hidden)]
    fn __aside(&self) -> usize {
        0
    }

    /// How many of these count as pressure: not those that wait for what only another message can bring about, as
    /// those in a closed mailbox.
    #[doc(hidden)]
    fn __pressing(&self) -> usize {
        self.__aside()
    }

    /// The actor is to end: begins no more of what it has put aside. `false`: some of that is being handled at this moment
    /// by those that work for it, and it is to be asked again.
    #[doc(hidden)]
    fn __may_end(&mut self) -> bool {
        true
    }

    /// The theater waits no longer for the actor, which may not end yet: whether it can end all the same, and leave what is being
    /// handled elsewhere behind.
    #[doc(hidden)]
    fn __may_be_left_behind(&mut self) -> bool {
        false
    }

    /// The actor is to see to what others request, or to go on with a pipe: it needs its state to itself. `false`: it is
    /// signalled again when it has.
    #[doc(hidden)]
    fn __may_pause(&mut self) -> bool {
        true
    }

    /// The actor is to be made anew: drops its state and keeps what it has put aside for the next one. `false`: all of it is
    /// to be dropped.
    #[doc(hidden)]
    fn __shed(&mut self) -> bool {
        false
    }

    /// Goes on with the state of `new`, after it has [shed](Self::__shed) its own.
    #[doc(hidden)]
    fn __renew(&mut self, new: Self) {
        *self = new;
    }

    /// The actor ends: hands over the messages that it has put aside.
    #[doc(hidden)]
    fn __give_back(&mut self, take: &mut dyn FnMut(Self::Msg)) {
        let _ = take;
    }

    /// The bounds that it wants, by mailbox, if they are known already.
    #[doc(hidden)]
    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        None
    }
}
