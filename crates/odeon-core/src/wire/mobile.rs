//! Actors that may move to other theaters, and how they are written and read.

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::{decode, encode};
use super::error::WireError;
use super::outbound::{Outbound, ReadState, Settler};
use super::passage::{Arriving, Passage};
use super::reference::Of;
use super::seat::Seat;
use super::stand_in::StandIn;
use crate::actor::Actor;
use crate::actor_ref::ActorRef;
use crate::context::Context;
use crate::declared_guards::DeclaredGuards;
use crate::extend::Interior;
use crate::message::Message;
use crate::pipe::Continuation;
use crate::scheduler::submit::Submit;
use crate::selection::Selection;

/// An actor that may move from one theater to another one: its state is what serde writes of it.
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
    /// What actors of this type are called between theaters: the same in all programs that they move between.
    const KIND: &'static str;

    /// How the state is written: theaters that have another one refuse it.
    const VERSION: u32 = 0;

    /// Runs in the theater to which the actor has moved, before it handles anything there. `started` is not called again.
    fn arrived(&mut self, ctx: &mut Context<'_, Self>) {
        let _ = ctx;
    }
}

/// A mobile actor where it sits: what its seat has it do.
pub(super) trait Guest<M: Message + Serialize + DeserializeOwned>: Send {
    fn handle(&mut self, message: M, ctx: &mut Context<'_, Seat<M>>);
    fn started(&mut self, ctx: &mut Context<'_, Seat<M>>);
    fn arrived(&mut self, interior: &mut Interior<'_, M>) -> bool;
    fn stopped(&mut self);
    fn selection(&self) -> Selection;
    fn guards(&self, guards: &mut DeclaredGuards<'_, M>);
    fn go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Seat<M>>);
    fn kind(&self) -> &'static str;
    fn version(&self) -> u32;
    fn read_again(&self) -> ReadState;
    fn write(&self, passage: &dyn Passage, bytes: &mut Vec<u8>) -> Result<(), WireError>;
}

/// See [`Guest`].
pub(super) struct Seated<A>(pub(super) A);

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

    fn go_on(&mut self, continuation: Continuation, ctx: &mut Context<'_, Seat<A::Msg>>) {
        ctx.lent_to(|ctx| self.0.__go_on(continuation, ctx));
    }

    fn kind(&self) -> &'static str {
        A::KIND
    }

    fn version(&self) -> u32 {
        A::VERSION
    }

    fn read_again(&self) -> ReadState {
        read::<A>
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

    /// References to actors of this kind.
    fn arriving(&self) -> &dyn Arriving;

    /// The type of their messages, as [`Inbound::message_type`](super::Inbound::message_type) says it.
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
    let actor: A = decode(passage, bytes)?;
    Ok(Settler(Box::new(Box::new(Seated(actor)) as Box<dyn Guest<A::Msg>>)))
}

/// Creates an actor in a seat of its own, on a stage, from which `outbound` is its way out.
pub fn spawn_mobile<A: Mobile>(
    stage: &Arc<dyn Submit>,
    outbound: Arc<dyn Outbound>,
    actor: A,
) -> (ActorRef<A::Msg>, Arc<dyn StandIn>) {
    const {
        assert!(!A::BOUNDED, "a mobile actor has no bounded mailboxes");
        assert!(!A::PUTS_ASIDE, "a mobile actor handles its messages itself");
    }
    let (actor, stands) = Seat::of(stage, outbound, actor);
    (actor, Arc::new(stands))
}
