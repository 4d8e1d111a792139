//! The one door for the sibling crates of Odeon: the seams, not for applications.
//!
//! | seam | between | here |
//! |---|---|---|
//! | mailbox | senders and owner | [`Inbox`], [`InboxOwner`], [`Arrival`], [`Pushed`], [`WentIdle`], [`label`] |
//! | turn | worker and way of processing | [`Task`], [`TurnReport`], [`TurnLimits`] |
//! | submit | waking and running | [`Submit`], [`Origin`], [`theater_on_stage`] |
//! | tracer | sending and handling | [`Tracer`], [`Scope`], [`Cause`], [`Handling`], [`Followed`], [`follow_sends`] |
//! | outbox | a turn and the world | [`Outbox`], [`Effect`] |
//! | actor | one actor inside another, in its place | [`lend`], [`lend_async`], [`settle_answer`], [`settle_answer_async`], [`Continuation`], [`dead_letter`] |
//! | lanes | senders and an actor that takes messages of several of them at once | [`Lane`], [`Companion`], [`has_lanes`], [`mailbox_said`], [`send_accompanied`], [`as_sender`], [`as_numbered_sender`], [`wake`], [`wake_shared`], [`wake_behind`], [`is_neighbour`], [`lend_reply`], [`LentReply`], [`question`], [`is_awaited`], [`begin_question`], [`waiting_about`], [`number_of`], [`RELIEVED_AT`] |
//! | surroundings | an actor and its theater, for work done for it elsewhere | [`may_go_on`], [`note_handled`], [`goes_on_with_aside`], [`has_own_thread`], [`clock_here`], [`let_happen`], [`forget_effects`], [`let_out`], [`spawn_beside`], [`spawn_working_for`], [`spawn_on`], [`clock`], [`workers`], [`belonging`], [`belonging_at`], [`before_the_end`] |
//! | failure | errors of handlers, supervision, and who has asked | [`fail_with`], [`text_of`], [`drop_failed`] |
//! | congestion | what is under way at actors with lanes and those who begin more of it | [`Congestion`], [`congestion()`], [`congestion_at`], [`heed_congestion`] |
//! | interior | an actor that moves and its mailboxes | [`Interior`], [`WrittenGuards`], [`mark`] |
//! | reporter | what is counted of an actor elsewhere and a theater's numbers | [`Reporter`], [`report_by`] |
//! | bounds | a source that can wait and a mailbox that rejects | [`room_in`] |
//! | timers | time and a stage driven from outside | [`TheaterShared::next_deadline`], [`TheaterShared::has_due`], [`TheaterShared::fire_due`] |
//! | luggage | an actor that moves, and its timers and watches | [`LetterName`], [`TakenLetter`], [`Awaits`], [`send_own_after`], [`packs`], [`take_letters`], [`keep_letter`], [`timer_named`], [`name_of_timer`], [`write_watch`], [`read_watch`] |

pub mod wire;

use std::any::Any;
use std::error::Error;
use std::sync::{Arc, Weak};
use std::time::Duration;

use odeon_sync::atomic::Ordering;

pub use crate::lifecycle::watch::WrittenWatch;
pub use crate::mailbox::{
    Arrival, Inbox, InboxOwner, MAX_MAILBOXES, Pushed, RELIEVED_AT, WentIdle, label,
};
pub use crate::messaging::bounded::Place;
pub use crate::messaging::lane::Lane;
pub use crate::messaging::lane::companion::Companion;
pub use crate::messaging::pressure::congestion::{Congestion, Congests, Suspends};
pub use crate::messaging::reply::{LentReply, SendBorrowed};
pub use crate::process::outbox::{Effect, Outbox};
pub use crate::runtime::luggage::{Awaits, LetterName, TakenLetter};
pub use crate::runtime::theater::shared::TheaterShared;
pub use crate::scheduler::submit::{Origin, Submit};
pub use crate::telemetry::Reporter;
pub use crate::telemetry::Sight;
pub use crate::telemetry::follow::{Cause, Followed, Handling, Scope, Tracer, follow_sends};
pub use crate::turn::interior::{Interior, WrittenGuards};
pub use crate::turn::pipe::Continuation;
pub use crate::turn::{Task, TurnLimits, TurnOutcome, TurnReport};

use crate::lifecycle::watch::Watching;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::Ask;
use crate::messaging::bounded;
use crate::messaging::mailbox_ref::MailboxRef;
use crate::messaging::pressure::congestion;
use crate::messaging::reply::Reply;
use crate::messaging::send::{self, Hindered};
use crate::messaging::unanswered;
use crate::process::cell::signal;
use crate::process::current;
use crate::process::outbox;
use crate::process::supervision;
use crate::runtime::theater::Theater;
use crate::runtime::theater::builder::TheaterBuilder;
use crate::runtime::theater::spawn;
use crate::runtime::timer;
use crate::runtime::timer::Timer;
use crate::scheduler::foreign::ForeignStage;
use crate::scheduler::pinned::PinnedShared;
use crate::turn::actor::Actor;
use crate::turn::async_actor::AsyncActor;
use crate::turn::async_context::AsyncContext;
use crate::turn::context::Context;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::clock::Clock;
use crate::vocabulary::error::{AskError, BuildError, SendError};
use crate::vocabulary::failure_text::FailureText;
use crate::vocabulary::message::{Message, mailbox_of};

/// Builds a theater whose actors run where the stage made by `make_stage` has them run. The theater
/// starts no threads; whoever made the stage runs its tasks and fires its timers.
///
/// # Safety
/// No task of the stage is run after the theater was shut down or dropped (that ends its actors and
/// frees them), nor while it is; so the theater must not be owned by one of its actors.
///
/// # Errors
/// If a setting is out of its range.
pub unsafe fn theater_on_stage(
    builder: TheaterBuilder,
    make_stage: impl FnOnce(Arc<TheaterShared>) -> Arc<dyn Submit>,
) -> Result<Theater, BuildError> {
    builder.build_on(make_stage)
}

/// Has an actor inside the one of `ctx` work in its place: what `work` does with its context is done
/// by the outer actor, and a stop that it asks for is the outer one's. The outer actor also passes on
/// what goes on with the inner one's pipes, by its `__go_on`.
#[inline]
pub fn lend<A: Actor, B: Actor<Msg = A::Msg>>(
    ctx: &mut Context<'_, A>,
    work: impl FnOnce(&mut Context<'_, B>),
) {
    ctx.lent_to(work);
}

/// As [`lend`], for handlers that wait.
#[inline]
pub fn lend_async<'c, 'a, A: AsyncActor, B: AsyncActor<Msg = A::Msg>>(
    ctx: &'c mut AsyncContext<'a, A>,
) -> &'c mut AsyncContext<'a, B> {
    ctx.lent_to()
}

/// Says of the message that an actor has been given whether it is handled: one that is only looked at, and sent again, is no
/// answer yet (`Context::reply_blocked`).
pub fn settle_answer<A: Actor>(ctx: &mut Context<'_, A>, handled: bool) {
    ctx.settle_answer(handled);
}

/// As [`settle_answer`], for handlers that wait.
pub fn settle_answer_async<A: AsyncActor>(ctx: &mut AsyncContext<'_, A>, handled: bool) {
    ctx.guards.settle_answer(handled);
}

/// Waits until there has been room in a mailbox that was full, also in one that makes no sender wait
/// ([`Bound::reject`](crate::Bound::reject)), or `actor` has ended. Somebody else's message may come in between.
pub async fn room_in<M: Message>(actor: &ActorRef<M>, mailbox: usize) {
    bounded::room(actor, mailbox).await;
}

/// Does `work` so that what it sends comes from `actor`, whatever thread this is.
pub fn as_sender<M: Message, R>(actor: &ActorRef<M>, work: impl FnOnce() -> R) -> R {
    Lane::of_actor(&actor.cell().header).lend_during(work)
}

/// As [`as_sender`], from a sender that this number tells from all others: one that is no actor, and sends from several threads.
pub fn as_numbered_sender<R>(number: u64, work: impl FnOnce() -> R) -> R {
    Lane::of_number(number).lend_during(work)
}

/// The place, in a mailbox with a bound, of a message that an actor with lanes has taken: it is free when this is dropped. `None` if
/// the actor has no bounds.
#[inline]
pub fn place_taken<A: Actor>(ctx: &Context<'_, A>, mailbox: usize) -> Option<Place> {
    bounded::taken_aside(ctx.cell(), mailbox)
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

/// Sends a message to a mailbox of an actor with lanes, and `companion` with it: it comes with the message, or is dropped when that is.
/// The sender holds back for a receiver under pressure if it `may_hold_back`.
///
/// # Errors
/// The message, if the actor has stopped or there are more companions under way than there can be (8 million).
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

/// A question of which whoever answers it does not come to know by a message: the right to answer, and the answer to come.
pub fn question<T: Send + 'static>() -> (Reply<T>, Ask<T>) {
    Ask::pair()
}

/// Whether somebody waits for this answer: no thread or future that has given up.
pub fn is_awaited<T: Send + 'static>(reply: &mut Reply<T>) -> bool {
    reply.is_awaited()
}

/// Has `begin` begin something at actors with lanes in the theater of `beside`, one of them, which answers the question of `ask`: with the outbox
/// that is in force on this thread, or at once. But where the thread would be blocked since these actors are congested (S17), then when
/// the answer is awaited or waited for, once they are not; at the latest when `ask` is dropped.
pub fn begin_question<T: Send + 'static, M: Message>(
    ask: Ask<T>,
    beside: &ActorRef<M>,
    begin: Effect,
) -> Ask<T> {
    ask.begun_by(&beside.cell().header, begin)
}

/// A [`Reply`] whose answer a function gets, at once.
pub fn reply_by<T: Send + 'static>(
    answer: impl FnOnce(Result<T, AskError>) + Send + 'static,
) -> Reply<T> {
    Reply::to_function(Box::new(answer))
}

/// Calls `ring` once `delay` has passed in the theater of an actor, in virtual time too, unless the timer is cancelled.
pub fn alarm<M: Message>(
    actor: &ActorRef<M>,
    delay: Duration,
    ring: impl FnOnce() + Send + 'static,
) -> Timer {
    Timer::alarm(actor.cell().header.stage.theater(), delay, ring)
}

/// As [`alarm`], in the theater of a stage, and also in an attempt at once: for what is no effect of it.
pub fn alarm_at(
    stage: &dyn Submit,
    delay: Duration,
    ring: impl FnOnce() + Send + 'static,
) -> Timer {
    outbox::let_out(|| Timer::alarm(stage.theater(), delay, ring))
}

/// As [`Context::send_after`], of an actor that is at work beside its turn.
///
/// # Panics
/// As there.
#[track_caller]
pub fn send_own_after<M: Message>(actor: &ActorRef<M>, delay: Duration, message: M) -> Timer {
    timer::send_own_after(actor.cell(), delay, message)
}

/// An actor is written, by `work`: of its watches those go with it whose [`Watching`] is written by that.
pub fn packs<M: Message, R>(actor: &ActorRef<M>, work: impl FnOnce() -> R) -> R {
    actor.packs(work)
}

/// Takes out the letters that go with an actor, if it is one that [keeps](Actor::MAY_MOVE) them: the timers that it has begun for itself by
/// [`Context::send_after`], those that are due first before the others, and behind them the watches that it has [packed](packs).
pub fn take_letters<M: Message>(actor: &ActorRef<M>) -> Vec<TakenLetter<M>> {
    actor.take_letters()
}

/// Has a letter that was taken out wait on, as one of this actor, in whose theater it is due by that one's clock.
///
/// # Errors
/// The message, if it waits for the end of an actor, and nobody has a [`Watching`] of its name here.
///
/// # Panics
/// If the theater's first timer needs a thread that the operating system refuses.
pub fn keep_letter<M: Message>(actor: &ActorRef<M>, letter: TakenLetter<M>) -> Result<(), M> {
    actor.keep_letter(letter)
}

/// The timer with this name in the theater of a stage, where it may be still to come.
pub fn timer_named(stage: &dyn Submit, name: LetterName) -> Timer {
    Timer::named(stage.theater(), name)
}

/// What a timer is called, if it is one that goes with its actor.
pub fn name_of_timer(timer: &Timer) -> Option<LetterName> {
    timer.name()
}

/// What is to be written of a watch in its actor's state: one that is in force goes with that.
pub fn write_watch<W: Message>(watching: &Watching<W>) -> WrittenWatch<W> {
    watching.write()
}

/// Reads what was written of a watch, in a theater to which its actor comes.
pub fn read_watch<W: Message>(stage: &dyn Submit, written: WrittenWatch<W>) -> Watching<W> {
    Watching::read(stage.theater(), written)
}

/// Gives an actor a turn. Nothing happens if it has stopped.
pub fn wake<M: Message>(actor: &ActorRef<M>) {
    send::signal(actor.cell(), label::WAKE);
}

/// Leaves a mark among the messages of an actor, behind all that has been sent to it: it will be told when it comes to it. Nothing happens if it has
/// stopped.
pub fn mark<M: Message>(actor: &ActorRef<M>) {
    send::signal(actor.cell(), label::MARK);
}

/// As [`wake`], of an actor of the pool, by somebody whose turn goes on and may take long: another worker can take it meanwhile.
pub fn wake_shared<M: Message>(actor: &ActorRef<M>) {
    send::rouse(actor.cell(), Origin::Shared);
}

/// As [`wake`], of an actor of the pool, behind those that wait for a turn on this thread.
pub fn wake_behind<M: Message>(actor: &ActorRef<M>) {
    send::rouse(actor.cell(), Origin::Behind);
}

/// Whether an actor of the pool may go on in its turn with what could be a turn of its own: nobody waits for this thread, and nothing is asked of it
/// that is done between messages.
pub fn may_go_on<A: Actor>(ctx: &Context<'_, A>) -> bool {
    let header = &ctx.cell().header;
    // ORDERING: Relaxed: who has just asked is heard after the next piece.
    let signals = header.signals.load(Ordering::Relaxed);
    signals & signal::BETWEEN_MESSAGES == 0 && !header.stage.has_waiting()
}

/// Whether this thread is of the stage of an actor: of a pool, one of its workers.
#[inline]
pub fn is_neighbour<M: Message>(actor: &ActorRef<M>) -> bool {
    current::here().home.get() == actor.cell().header.home.of_stage()
}

/// Counts messages of actors with lanes that this turn has handled.
pub fn note_handled(messages: u32) {
    let handled = &current::here().handled;
    handled.set(handled.get().saturating_add(messages));
}

/// Has an effect happen: at once, or with the outbox that is in force on this thread.
pub fn let_happen(effect: Effect) {
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

/// Does what is no effect of whatever attempt this thread may be in the middle of: its effects happen at once.
pub fn let_out<R>(work: impl FnOnce() -> R) -> R {
    outbox::let_out(work)
}

/// Creates an actor on the stage of another one, which is one of the pool.
pub fn spawn_beside<M: Message, B: Actor>(actor: &ActorRef<M>, new: B) -> ActorRef<B::Msg> {
    spawn::beside(&actor.cell().header, new)
}

/// As [`spawn_beside`], for an actor that handles messages of `actor` in its place: while it is held back for
/// what it sends, `actor` counts as waiting, so that no circle goes unseen (S17).
pub fn spawn_working_for<M: Message, B: Actor>(actor: &ActorRef<M>, new: B) -> ActorRef<B::Msg> {
    spawn::working_for(&actor.cell().header, new)
}

/// Creates an actor on a stage: the pool of its theater, or one that the theater does not know.
///
/// From there it cannot be ended by the theater, which only tells it to end: it does so in the next turn that it is given, also if
/// the theater is gone by then. Until that is so the shutdown counts it as [stuck](crate::StopReport::stuck), and an actor whose task is
/// never run stays.
pub fn spawn_on<A: Actor>(stage: &Arc<dyn Submit>, actor: A) -> ActorRef<A::Msg> {
    spawn::on(&ForeignStage::before(stage), None, actor)
}

/// Has `reporter` asked about `actor` whenever the theater's numbers are collected
/// ([`Theater::stats`]). Nothing happens in a theater that does not count.
pub fn report_by<M: Message>(theater: &Theater, actor: &ActorRef<M>, reporter: Weak<dyn Reporter>) {
    if let Some(sight) = theater.shared().sight().filter(|sight| sight.counts) {
        sight.reporters.add(actor.id(), reporter);
    }
}

/// Whether the actor is asked to go on with what it puts aside: not inside another one that does not pass that on.
pub fn goes_on_with_aside<A: Actor>(ctx: &Context<'_, A>) -> bool {
    ctx.cell().header.vtable.puts_aside
}

/// Whether the actor has a thread of its own, in which it may wait.
pub fn has_own_thread<A: Actor>(ctx: &Context<'_, A>) -> bool {
    ctx.cell().header.pinned().is_some_and(PinnedShared::is_dedicated)
}

/// The clock of the theater of the actor whose turn it is.
pub fn clock_here<A: Actor>(ctx: &Context<'_, A>) -> Arc<dyn Clock> {
    ctx.theater().clock.clone()
}

/// Has the actor whose turn it is fail with an error instead of a panic: supervision and observers are told its text and the
/// error ([`Failure::error`](crate::Failure::error)), the panic hook is not.
pub fn fail_with(error: impl Error + Send + Sync + 'static) -> ! {
    supervision::fail_with(Box::new(error))
}

/// Drops what is left of a message that has failed with `panic`, and of its state: who has asked by a [`Reply`] in them is told what that said
/// ([`AskError::Failed`]). A message that is dropped otherwise, by an actor that another crate processes in its way, tells only that there is no
/// answer.
pub fn drop_failed<R>(panic: &(dyn Any + Send), dropping: impl FnOnce() -> R) -> R {
    unanswered::during(&FailureText::of(panic), dropping)
}

/// The text of what an [`Observer`](crate::Observer) is told of a failure: that of a panic, or of an error.
pub fn text_of(panic: &(dyn Any + Send)) -> Option<&str> {
    supervision::text_of(panic)
}

/// How many messages wait in the inbox of the actor whose turn it is, off by 32 or less.
pub fn waiting_about<A: Actor>(ctx: &Context<'_, A>) -> usize {
    ctx.cell().inbox.waiting_about()
}

/// The clock of a theater.
pub fn clock(theater: &Theater) -> Arc<dyn Clock> {
    theater.shared().clock.clone()
}

/// The pool of a theater, for those that may live longer than it.
pub fn pool(theater: &Theater) -> Weak<dyn Submit> {
    Arc::downgrade(&theater.shared().pool())
}

/// Sends without holding back, whatever the receiver's pressure and bounds: for what the runtime tells somebody who has asked for it.
///
/// # Errors
/// The message, if the actor has stopped.
pub fn send_unhindered<M: Message>(actor: &ActorRef<M>, message: M) -> Result<(), SendError<M>> {
    actor.send_unhindered(message)
}

/// How many workers the pool of a theater has.
pub fn workers(theater: &Theater) -> usize {
    theater.shared().config.workers
}

/// What a crate keeps for a theater: the one value of this type there, made by `default` when it is first asked for.
pub fn belonging<T: Default + Send + Sync + 'static>(theater: &Theater) -> Arc<T> {
    theater.shared().belongings.get()
}

/// Has something done before a theater ends its actors, which is told how long it may take; at once, if they end already.
pub fn before_the_end(theater: &Theater, farewell: impl FnOnce(Duration) + Send + 'static) {
    theater.shared().farewells.add(Box::new(farewell));
}

/// As [`belonging`], for the theater of an actor.
pub fn belonging_at<T: Default + Send + Sync + 'static, M: Message>(actor: &ActorRef<M>) -> Arc<T> {
    actor.cell().header.stage.theater().belongings.get()
}

/// What has been begun at the actors with lanes of a theater and is not over.
pub fn congestion(theater: &Theater) -> Arc<Congestion> {
    theater.shared().congestion.clone()
}

/// As [`congestion()`], in the theater of an actor.
pub fn congestion_at<M: Message>(actor: &ActorRef<M>) -> Arc<Congestion> {
    actor.cell().header.stage.theater().congestion.clone()
}

/// Has whoever calls this hold back, as for a receiver under pressure, if the actors with lanes of the theater of `actor` are congested (S17).
pub fn heed_congestion<M: Message>(actor: &ActorRef<M>) {
    let theater = actor.cell().header.stage.theater();
    congestion::felt(&theater.congestion, theater, true);
}

/// A [`Reply`] whose answer comes to `asker` as a message, as by [`Context::reply_to`].
pub fn reply_to<M, T, F>(asker: ActorRef<M>, message: F) -> Reply<T>
where
    M: Message,
    T: Send + 'static,
    F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
{
    Reply::to_actor(asker, message)
}

/// Has somebody else answer by a reply that is only borrowed: at a later time, at which the reply may have been moved or dropped.
///
/// # Safety
/// Nobody else uses the reply until this returns.
pub unsafe fn lend_reply<T: Send + 'static>(reply: &Reply<T>) -> LentReply<T> {
    // SAFETY: by contract.
    unsafe { reply.lend() }
}

/// Counts and reports a message that `actor` has taken and not handled, and now has ended (S4).
pub fn dead_letter<M: Message>(actor: &ActorRef<M>, message: M) {
    actor.dead_letter(SendError::Stopped(message));
}
