//! Actors that may move to other theaters, and how they are written and read.

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::{decode_whole, encode};
use super::error::WireError;
use super::laned_seat::LanedSeat;
use super::layout::Layouts;
use super::outbound::{ReadState, Settler};
use super::passage::{Arriving, Passage};
use super::reference::Of;
use super::seat::Seat;
use super::slot::Slot;
use crate::extend::Interior;
use crate::lifecycle::spawn::{self, Location};
use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::Selection;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::lane::companion::Companion;
use crate::process::piped::Continuation;
use crate::process::submit::Submit;
use crate::turn::actor::Actor;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::Message;

/// An actor that may move from one theater to another one: its state is what serde writes of it. A
/// [`Timer`](crate::Timer) in it goes with the actor, if it is one of
/// [`send_after`](Context::send_after); others cannot be written.
///
/// ```
/// # use odeon_core::{Actor, Context, Message, Reply, wire::Mobile};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Account { balance: u64 }
/// # #[derive(Serialize, Deserialize)]
/// # enum Use { Deposit(u64), Balance(Reply<u64>) }
/// # impl Message for Use {}
///
/// impl Actor for Account {
///     type Msg = Use;
///     fn handle(&mut self, msg: Use, _ctx: &mut Context<'_, Self>) {
///         match msg {
///             Use::Deposit(amount) => self.balance += amount,
///             Use::Balance(reply) => reply.send(self.balance),
///         }
///     }
/// }
///
/// impl Mobile for Account {
///     const KIND: &'static str = "account";
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no actor that moves",
    note = "an actor moves if it implements `Mobile`, and serde's `Serialize` and `Deserialize`, as its messages do"
)]
pub trait Mobile: Actor<Msg: Serialize + DeserializeOwned> + Serialize + DeserializeOwned {
    /// What actors of this type are called between theaters: the same in all programs that they
    /// move between.
    const KIND: &'static str;

    /// How the state is written: theaters that have another one refuse it. Change it when older
    /// states would be misread; what is more in a state than a theater's program knows it refuses
    /// in any case.
    const VERSION: u32 = 0;

    /// Runs in the theater to which the actor has moved, before it handles anything there.
    /// `started` is not called again.
    fn arrived(&mut self, ctx: &mut Context<'_, Self>) {
        let _ = ctx;
    }
}

/// A mobile actor where it sits: what its seat has it do. One whose messages come with lanes is of
/// another crate, and handles them beside its seat's turn too; it is [spawned](spawn_guest) with a
/// seat for such messages.
pub trait Guest<M: Message + Serialize + DeserializeOwned>: Send {
    /// Handles a message.
    fn handle(&mut self, message: M, ctx: &mut Context<'_, Seat<M>>);

    /// Takes a message, which may have waited somewhere before.
    fn take(&mut self, slot: Slot, message: M, ctx: &mut Context<'_, Seat<M>>) {
        let _ = slot;
        self.handle(message, ctx);
    }

    /// Takes a message with a companion, that of a guest whose messages come with lanes.
    fn take_with(
        &mut self,
        slot: Slot,
        message: M,
        companion: Companion,
        ctx: &mut Context<'_, Seat<M>>,
    ) {
        drop(companion);
        self.take(slot, message, ctx);
    }

    /// It begins, where it was created.
    fn started(&mut self, ctx: &mut Context<'_, Seat<M>>);

    /// It has come here. `true`: it wants to stop.
    fn arrived(&mut self, interior: &mut Interior<'_, M>) -> bool;

    /// It has ended.
    fn stopped(&mut self);

    /// How its messages are selected.
    fn selection(&self) -> Selection {
        Selection::priority()
    }

    /// Its declared guards.
    fn guards(&self, guards: &mut DeclaredGuards<'_, M>) {
        let _ = guards;
    }

    /// Goes on with what has come out of a pipe.
    fn pipe(&mut self, continuation: Continuation, ctx: &mut Context<'_, Seat<M>>) {
        let _ = (continuation, ctx);
    }

    /// Goes on with messages that it has taken and not handled. `false`: there is nothing to do
    /// until more come, or its seat's actor is woken.
    fn go_on(&mut self, ctx: &mut Context<'_, Seat<M>>) -> bool {
        let _ = ctx;
        false
    }

    /// How many messages it has taken that wait.
    fn deferred(&self) -> usize {
        0
    }

    /// How many of these count as pressure.
    fn pressing(&self) -> usize {
        0
    }

    /// It is to end, and begins nothing more. `false`: it is asked again.
    fn may_end(&mut self) -> bool {
        true
    }

    /// It ends: hands over what it has taken and not handled.
    fn give_back(&mut self, take: &mut dyn FnMut(M)) {
        let _ = take;
    }

    /// It is to leave, and begins nothing that it need not. `false`: some of what it has begun goes
    /// on. Then the actor of its seat, `me`, is woken when that may be over, and it is asked again.
    fn may_leave(&mut self, me: &dyn Fn() -> ActorRef<M>) -> bool {
        let _ = me;
        true
    }

    /// It does not leave after all.
    fn stays(&mut self) {}

    /// It leaves: hands over what it has taken and not handled, that of each sender in its order.
    /// It may have to stay all the same, and is given that again.
    fn hand_over(&mut self, take: &mut dyn FnMut(Slot, M)) {
        let _ = take;
    }

    /// What it is called where it is to be read.
    fn kind(&self) -> &'static str;

    /// How its state is written.
    fn version(&self) -> u32;

    /// What its state and its messages are made of.
    fn layouts(&self) -> Layouts;

    /// Reads it again.
    fn read_again(&self) -> ReadState;

    /// Writes it.
    ///
    /// # Errors
    /// Why it cannot be written.
    fn write(&self, passage: &dyn Passage, bytes: &mut Vec<u8>) -> Result<(), WireError>;
}

/// For which kind of actors seats of this type are made when one is created.
pub trait OfKind {
    /// What [`Guest::kind`] answers. `None`: no actor is created in such a seat.
    const KIND: Option<&'static str>;
}

/// See [`Guest`].
pub(super) struct Seated<A>(pub(super) A);

impl<A: Mobile> OfKind for Seated<A> {
    const KIND: Option<&'static str> = Some(A::KIND);
}

impl<A: Mobile> Guest<A::Msg> for Seated<A> {
    #[inline]
    fn handle(&mut self, message: A::Msg, ctx: &mut Context<'_, Seat<A::Msg>>) {
        ctx.lent_to(|ctx| self.0.handle(message, ctx));
    }

    fn started(&mut self, ctx: &mut Context<'_, Seat<A::Msg>>) {
        ctx.lent_to(|ctx| self.0.started(ctx));
    }

    fn arrived(&mut self, interior: &mut Interior<'_, A::Msg>) -> bool {
        interior.lend(|ctx| self.0.arrived(ctx))
    }

    fn stopped(&mut self) {
        self.0.stopped();
    }

    fn selection(&self) -> Selection {
        self.0.selection()
    }

    fn guards(&self, guards: &mut DeclaredGuards<'_, A::Msg>) {
        self.0.guards(guards);
    }

    fn pipe(&mut self, continuation: Continuation, ctx: &mut Context<'_, Seat<A::Msg>>) {
        ctx.lent_to(|ctx| self.0.go_on(continuation, ctx));
    }

    fn kind(&self) -> &'static str {
        A::KIND
    }

    fn version(&self) -> u32 {
        A::VERSION
    }

    fn layouts(&self) -> Layouts {
        Layouts::of::<A, A::Msg>()
    }

    fn read_again(&self) -> ReadState {
        Arc::new(read::<A>)
    }

    fn write(&self, passage: &dyn Passage, bytes: &mut Vec<u8>) -> Result<(), WireError> {
        encode(passage, &self.0, bytes)
    }
}

/// A type of mobile actors, forgotten but for what a theater needs to take one in.
pub trait Kind: Send + Sync {
    /// [`Mobile::KIND`].
    fn name(&self) -> &'static str;

    /// [`Mobile::VERSION`].
    fn version(&self) -> u32;

    /// What their states and their messages are made of.
    fn layouts(&self) -> Layouts;

    /// Whether their messages come with lanes.
    fn has_lanes(&self) -> bool {
        false
    }

    /// References to actors of this kind.
    fn arriving(&self) -> &dyn Arriving;

    /// The type of their messages, as [`Inbound::message_type`](super::Inbound::message_type) says
    /// it.
    fn message_type(&self) -> TypeId;

    /// Reads an actor.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(&self, passage: &dyn Passage, bytes: &[u8]) -> Result<Settler, WireError>;
}

/// The kind of the actors of a type.
pub fn kind_of<A: Mobile>() -> impl Kind + 'static {
    KindOf::<A> { messages: Of(PhantomData), actors: PhantomData }
}

struct KindOf<A: Mobile> {
    messages: Of<A::Msg>,
    actors: PhantomData<fn(A)>,
}

impl<A: Mobile> Kind for KindOf<A> {
    fn name(&self) -> &'static str {
        A::KIND
    }

    fn version(&self) -> u32 {
        A::VERSION
    }

    fn layouts(&self) -> Layouts {
        Layouts::of::<A, A::Msg>()
    }

    fn arriving(&self) -> &dyn Arriving {
        &self.messages
    }

    fn message_type(&self) -> TypeId {
        TypeId::of::<A::Msg>()
    }

    fn read(&self, passage: &dyn Passage, bytes: &[u8]) -> Result<Settler, WireError> {
        read::<A>(passage, bytes)
    }
}

fn read<A: Mobile>(passage: &dyn Passage, bytes: &[u8]) -> Result<Settler, WireError> {
    let actor: A = decode_whole(passage, bytes)?;
    Ok(Settler::of::<A::Msg>(Box::new(Seated(actor))))
}

/// References to actors that take `M`, for a [`Kind`] of another crate.
pub fn references_to<M: Message + Serialize + DeserializeOwned>() -> impl Arriving + Send + Sync {
    Of::<M>(PhantomData)
}

/// Puts a guest whose messages come with lanes into a seat of its own, on a stage of the pool. It
/// is to be [introduced](super::Native).
pub fn spawn_guest<M, G>(stage: &Arc<dyn Submit>, guest: G) -> ActorRef<M>
where
    M: Message + Serialize + DeserializeOwned,
    G: Guest<M> + OfKind + 'static,
{
    spawn::at(Location::on(stage), LanedSeat(Seat::of(guest)))
}

/// Creates an actor in a seat of its own, on a stage. It is to be [introduced](super::Native).
pub fn spawn_mobile<A: Mobile>(stage: &Arc<dyn Submit>, actor: A) -> ActorRef<A::Msg> {
    spawn::at(Location::on(stage), Seat::of(Seated(actor)))
}
