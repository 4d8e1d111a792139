//! Senders, and an actor that takes messages of several of them at once.

use crate::lifecycle::spawn;
use crate::mailbox::label;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::entrance::{self, Entrance};
use crate::messaging::lane::Lane;
use crate::messaging::lane::companion::Companion;
use crate::messaging::mailbox_ref::MailboxRef;
use crate::messaging::pressure::{self, Pause};
use crate::messaging::send;
use crate::messaging::send::Hindered;
use crate::messaging::shards;
use crate::process::current;
use crate::process::submit::Origin;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;
use crate::vocabulary::message::mailbox_of;

/// Does `work` so that what it sends comes from `actor`, whatever thread this is.
pub fn as_sender<M: Message, R>(actor: &ActorRef<M>, work: impl FnOnce() -> R) -> R {
    Lane::of_actor(&actor.cell().header).lend_during(work)
}

/// As [`as_sender`], from a sender that this number tells from all others: one that is no actor,
/// and sends from several threads.
pub fn as_numbered_sender<R>(number: u64, work: impl FnOnce() -> R) -> R {
    Lane::of_number(number).lend_during(work)
}

/// Gives an actor of the pool a way in for callers, beside its own turn.
pub fn open_entrance<M: Message>(actor: &ActorRef<M>, entrance: impl Entrance<M> + 'static) {
    entrance::open(actor, entrance);
}

/// How many [shards](divide) an actor has at most.
pub const SHARDS: usize = shards::SHARDS;

/// Gives an actor of the pool, whose messages come with lanes, several inboxes, each with an actor
/// that [serves](Behavior::SERVES) it and is made by its number, when somebody needs it: it takes
/// what comes from senders whose lanes have this [place](Lane::place). Before the actor has started
/// and before anybody else knows it.
pub fn divide<M: Message, B: Behavior<Msg = M>>(
    actor: &ActorRef<M>,
    new: impl Fn(usize) -> B + Send + Sync + 'static,
) {
    shards::divide(actor, move |number, actor| spawn::serving(actor, new(number)));
}

/// The actor that the one whose turn this is [serves](Behavior::SERVES). `None`: it has ended, or
/// is about to.
pub fn served<A: Behavior>(ctx: &Context<'_, A>) -> Option<ActorRef<A::Msg>> {
    shards::served(&ctx.cell().header)
}

/// As [`wake_shared`], of a shard of `actor`.
pub fn wake_shard<M: Message>(actor: &ActorRef<M>, shard: &ActorRef<M>) {
    shards::wake_shared(actor, shard);
}

/// Has the actor of the pool whose turn this is pause: after what it is handling it gets no turn
/// before the pause [ends](Pause::end).
pub fn pause<A: Behavior>(ctx: &Context<'_, A>, pause: &Pause) {
    pressure::pause(&ctx.cell().header, pause.clone());
}

/// Whether an actor takes messages with lanes, and so with [companions](Companion).
pub fn has_lanes<M: Message>(actor: &ActorRef<M>) -> bool {
    actor.cell().header.vtable.laned
}

/// The mailbox of `actor` that a message says.
///
/// # Panics
/// If there is no such mailbox.
#[track_caller]
pub fn mailbox_said<'a, M: Message>(actor: &'a ActorRef<M>, message: &M) -> MailboxRef<'a, M> {
    actor.mailbox(mailbox_of(message))
}

/// The number by which an actor is known to the way to other theaters (`odeon-theater`).
pub fn number_of(actor: ActorId) -> u64 {
    actor.number()
}

/// Sends a message to a mailbox of an actor with lanes, and `companion` with it: it comes with the
/// message, or is dropped when that is. The sender holds back for a receiver under pressure if it
/// `may_hold_back`.
///
/// # Errors
/// The message, if the actor has stopped or there are more companions under way than there can be
/// (8 million).
///
/// # Panics
/// If the actor has no lanes.
pub fn send_accompanied<M: Message>(
    mailbox: MailboxRef<'_, M>,
    message: M,
    companion: Companion,
    may_hold_back: bool,
) -> Result<(), SendError<M>> {
    let hindered = if may_hold_back { Hindered::Yes } else { Hindered::No };
    mailbox.actor().send_accompanied(mailbox.number(), message, companion, hindered)
}

/// Gives an actor a turn. Nothing happens if it has stopped.
pub fn wake<M: Message>(actor: &ActorRef<M>) {
    send::signal(actor.cell(), label::WAKE);
}

/// As [`wake`], of an actor of the pool, by somebody whose turn goes on and may take long: another
/// worker can take it meanwhile.
pub fn wake_shared<M: Message>(actor: &ActorRef<M>) {
    send::wake_from(actor.cell(), Origin::Shared);
}

/// As [`wake`], of an actor of the pool, behind those that wait for a turn on this thread.
pub fn wake_behind<M: Message>(actor: &ActorRef<M>) {
    send::wake_from(actor.cell(), Origin::Behind);
}

/// Whether this thread is of the stage of an actor: of a pool, one of its workers.
#[inline]
pub fn is_neighbour<M: Message>(actor: &ActorRef<M>) -> bool {
    current::here().home.get() == actor.cell().header.home.of_stage()
}
