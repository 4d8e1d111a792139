//! An actor and its theater, for work done for it elsewhere.

use std::sync::Arc;
use std::time::Duration;

use odeon_sync::atomic::Ordering;

use crate::lifecycle::spawn::{self, Location};
use crate::lifecycle::spawnable::Spawnable;
use crate::messaging::actor_ref::ActorRef;
use crate::process::cell::signal;
use crate::process::current;
use crate::process::outbox;
use crate::process::submit::Submit;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::farewells::Farewells;
use crate::runtime::theater::Theater;
use crate::scheduler::foreign::ForeignStage;
use crate::scheduler::pinned::PinnedShared;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::clock::Clock;
use crate::vocabulary::message::Message;

/// Whether an actor of the pool may go on in its turn with what could be a turn of its own: nobody
/// waits for this thread, and nothing is asked of it that is done between messages.
pub fn may_go_on<A: Behavior>(ctx: &Context<'_, A>) -> bool {
    let header = &ctx.cell().header;
    // ORDERING: Relaxed: who has just asked is heard after the next piece.
    let signals = header.signals.load(Ordering::Relaxed);
    signals & signal::BETWEEN_MESSAGES == 0 && !header.stage.has_waiting()
}

/// Whether an actor of the pool, whose turn this is, is to wait for somebody when it has handled
/// its message.
pub fn is_held<A: Behavior>(ctx: &Context<'_, A>) -> bool {
    // ORDERING: Relaxed: set by this thread, the owner.
    ctx.cell().header.signals.load(Ordering::Relaxed) & signal::HELD != 0
}

/// Counts messages of actors with lanes that this turn has handled.
pub fn note_handled(messages: u32) {
    let handled = &current::here().handled;
    handled.set(handled.get().saturating_add(messages));
}

/// Has an effect happen: at once, or with the outbox that is in force on this thread.
pub fn let_happen(effect: impl FnOnce() + Send + 'static) {
    match outbox::held() {
        None => effect(),
        Some(outbox) => outbox.hold(effect),
    }
}

/// Has none of the effects happen that this thread's attempt has asked for so far.
///
/// # Panics
/// If a destructor of what was to be sent panics.
pub fn forget_effects() {
    outbox::forget_held();
}

/// Does what is no effect of whatever attempt this thread may be in the middle of: its effects
/// happen at once.
pub fn let_out<R>(work: impl FnOnce() -> R) -> R {
    outbox::let_out(work)
}

/// Creates an actor on the stage of another one, which is one of the pool.
pub fn spawn_beside<M: Message, Kind, B: Spawnable<Kind>>(
    actor: &ActorRef<M>,
    new: B,
) -> ActorRef<B::Msg> {
    new.create(Location::beside(&actor.cell().header))
}

/// As [`spawn_beside`], for an actor that handles messages of `actor` in its place: while it is
/// held back for what it sends, `actor` counts as waiting, so that no circle goes unseen (S17).
pub fn spawn_working_for<M: Message, B: Behavior>(actor: &ActorRef<M>, new: B) -> ActorRef<B::Msg> {
    spawn::working_for(&actor.cell().header, new)
}

/// Creates an actor on a stage: the pool of its theater, or one that the theater does not know.
///
/// From there it cannot be ended by the theater, which only tells it to end: it does so in the next
/// turn that it is given, also if the theater is gone by then. Until that is so the shutdown counts
/// it as [stuck](crate::StopReport::stuck), and an actor whose task is never run stays.
pub fn spawn_on<A: Behavior>(stage: &Arc<dyn Submit>, actor: A) -> ActorRef<A::Msg> {
    spawn::at(Location::on(&ForeignStage::before(stage)), actor)
}

/// Whether the actor is asked to go on with what it defers: not inside another one that does
/// not pass that on.
pub fn handles_deferred<A: Behavior>(ctx: &Context<'_, A>) -> bool {
    ctx.cell().header.vtable.defers
}

/// Whether the actor has a thread of its own, in which it may wait.
pub fn has_own_thread<A: Behavior>(ctx: &Context<'_, A>) -> bool {
    ctx.cell().header.pinned().is_some_and(PinnedShared::is_dedicated)
}

/// The clock of the theater of the actor whose turn it is.
pub fn clock_here<A: Behavior>(ctx: &Context<'_, A>) -> Arc<dyn Clock> {
    ctx.theater().clock.clone()
}

/// The clock of a theater.
pub fn clock(theater: &Theater) -> Arc<dyn Clock> {
    theater.shared().clock.clone()
}

/// How many workers the pool of a theater has.
pub fn workers(theater: &Theater) -> usize {
    theater.shared().config.workers
}

/// What a crate keeps for a theater: the one value of this type there, made by `default` when it is
/// first asked for.
pub fn belonging<T: Default + Send + Sync + 'static>(theater: &Theater) -> Arc<T> {
    belonging_of(theater.shared())
}

/// Has something done before a theater ends its actors, which is told how long it may take; at
/// once, if they end already.
pub fn before_the_end(theater: &Theater, farewell: impl FnOnce(Duration) + Send + 'static) {
    Farewells::of(theater.shared()).add(Box::new(farewell));
}

/// As [`belonging`], for the theater of an actor.
pub fn belonging_at<T: Default + Send + Sync + 'static, M: Message>(actor: &ActorRef<M>) -> Arc<T> {
    belonging_of(actor.cell().header.stage.theater())
}

fn belonging_of<T: Default + Send + Sync + 'static>(theater: &TheaterShared) -> Arc<T> {
    theater.attachments.get_or_attach(Arc::<T>::default).clone()
}
