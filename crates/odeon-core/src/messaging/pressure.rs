//! Pressure: senders hold back while a receiver has too much waiting.
//!
//! An inbox comes under pressure when about a thousand messages wait in it, and is relieved at half
//! of that (`mailbox/inbox.rs`). Whoever sends to it meanwhile has its message accepted, and then
//! * a thread that belongs to no stage, or a dedicated one, waits in `send` until the receiver is
//!   relieved, unless it runs a task (`messaging/foreign_task.rs`): nothing blocks that;
//! * a pool actor is *held back*: after the message it is handling it gets no turn until then;
//! * a pinned stage is held back as a whole, after the batch of messages it is handling;
//! * an actor that sends to itself is not held back.
//!
//! Replies, watches, timers and messages to oneself make nobody wait. Whatever is awaited waits as
//! a future, before its message is sent: [`relieved`] and [`place`].
//!
//! NO DEADLOCK. Whoever waits has entered for whom, and whoever closes a circle lets those in it go
//! (`messaging/pressure/waits.rs`). So at the end of every chain of waiting is somebody who gets
//! turns, and with each it has less waiting.
//!
//! Bounded mailboxes (`messaging/bounded.rs`) hold back in the same way, and so does what is under
//! way at several actors with lanes at once (`messaging/pressure/congestion.rs`).
//!
//! The protocol of waiting: `process/waiters.rs`.
//!
//! After Pony's backpressure, which mutes senders of overloaded actors in the same way (Blessing et
//! al.: "Run, actor, run", AGERE 2019).

use std::ptr;
use std::ptr::NonNull;

use odeon_sync::atomic::Ordering;
use odeon_sync::{Arc, Mutex, MutexGuard};

use crate::mailbox::{PRESSED_FROM, RELIEVED_AT};
use crate::messaging::bounded::{Gate, Place};
use crate::process::cell::{Header, MessageCell, signal};
use crate::process::current;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::parked::Parked;
use crate::process::task::Task;
use crate::process::theater_shared::TheaterShared;
use crate::process::waiters::Waiter;
use crate::scheduler::pinned::PinnedShared;
use crate::vocabulary::message::Message;
use crate::vocabulary::oneshot;
use sleeper::{Entered, Relief, Sleeper};
use waits::{WaitEntry, WaitNode, WaitReason};

pub(crate) mod congestion;
mod pause;
mod sleeper;
mod waits;

pub use pause::Pause;
pub(crate) use waits::Question;

/// Whom an actor, or a stage, is to wait for when its turn is over.
pub(crate) enum HeldBy {
    /// A receiver under pressure.
    Pressure(ErasedWeakRef),
    /// A receiver with a full mailbox.
    Bound(ErasedWeakRef, Gate),
    /// What is under way at actors with lanes.
    Congestion(congestion::SharedCongestion),
    /// Whoever ends the pause.
    Pause(Pause),
}

/// An actor that is held back. In this order: it may wait anew as soon as it is no longer parked.
struct HeldBack {
    _waiting: Option<WaitEntry>,
    /// What waits for the actor, if it is one with lanes, waits for the same.
    _congested: Option<WaitEntry>,
    _parked: Parked,
}

/// Whether senders to this actor are to hold back.
pub(crate) fn is_pressed(receiver: &Header) -> bool {
    match receiver.pinned() {
        Some(stage) => stage.is_pressed(),
        // SAFETY: the vtable belongs to this cell.
        None => unsafe { (receiver.vtable.is_pressed)(NonNull::from(receiver)) },
    }
}

/// Enters that `who` waits for `giver`, as `waiter`; lets it go at once if there is no pressure,
/// nobody will take it off, or `giver` waits for `who`. A key to take it out by; `None`: it has
/// been let go.
fn enter(
    who: Option<&WaitNode>,
    giver: &WaitNode,
    waiter: impl FnOnce(Option<WaitEntry>) -> Waiter,
) -> Option<u64> {
    let waiting =
        who.and_then(|who| WaitEntry::enter(who.clone(), giver.clone(), WaitReason::Relief));
    let waiter = waiter(waiting);
    let key = giver.waiters()?.enter(waiter, || giver.is_pressed());
    if let Some(who) = who {
        waits::open_circles(who, giver, WaitReason::Relief);
    }
    Some(key)
}

/// The sender's side: a message has been accepted by a receiver under pressure. The thread waits
/// for its relief only if this `blocks`.
#[cold]
#[inline(never)]
pub(crate) fn on_pressure(receiver: &Header, blocks: bool) {
    let here = current::here();
    if let Some(sender) = NonNull::new(here.actor.get()) {
        // SAFETY: set by this thread for the length of the turn, which keeps the cell.
        let sender = unsafe { sender.as_ref() };
        if !is_held(sender) && !is_itself(sender, receiver) {
            hold_back(sender, HeldBy::Pressure(ErasedWeakRef::new(receiver)));
        }
        return;
    }
    let Some(stage) = stage_to_wait(receiver) else { return };
    match stage {
        Some(stage) if !stage.is_dedicated() => {
            hold_stage_back(stage, || HeldBy::Pressure(ErasedWeakRef::new(receiver)));
        }
        _ if !blocks || runs_a_task(stage, receiver.stage.theater()) => {}
        None => wait(None, &WaitNode::of(receiver)),
        Some(stage) => wait_as_stage(stage, HeldBy::Pressure(ErasedWeakRef::new(receiver))),
    }
}

/// Whether this thread, one of no stage or that of `stage`, runs a task, so that nothing may block
/// it.
fn runs_a_task(stage: Option<&PinnedShared>, receivers: &TheaterShared) -> bool {
    current::here().in_task.get() || stage.is_none() && receivers.foreign_task().is_some()
}

/// Whether a question to a receiver under pressure is to wait for its relief before it is sent: the
/// thread runs a task. Any other asker is held back by waiting for the answer, and its messages
/// keep their order (S2).
#[cold]
pub(crate) fn keeps_questions(receiver: &Header) -> bool {
    stage_to_wait(receiver).is_some_and(|stage| {
        stage.is_none_or(PinnedShared::is_dedicated) && runs_a_task(stage, receiver.stage.theater())
    })
}

/// Whether a send to a full mailbox that makes its senders wait would block this thread, if that
/// runs no task.
pub(crate) fn would_block_for_place(receiver: &Header) -> bool {
    stage_to_wait(receiver).is_some()
}

/// As [`would_block_for_place`], for what is begun in a congested theater.
pub(crate) fn would_block_for_congestion(theater: &TheaterShared) -> bool {
    let stage = stage_here().filter(|_| !theater.is_driven_from_outside());
    stage.is_some_and(|stage| stage.is_none_or(PinnedShared::is_dedicated))
}

/// The stage whose thread this is, or none, if it could be made to wait for a receiver.
fn stage_to_wait<'a>(receiver: &Header) -> Option<Option<&'a PinnedShared>> {
    // A theater that the caller drives must not wait for itself, nor a stage.
    let is_beside = receiver.home.of_stage() == current::here().home.get();
    let may_wait = !is_beside && !receiver.stage.theater().is_driven_from_outside();
    stage_here().filter(|_| may_wait)
}

/// The stage whose thread this is, or none; `None` where an actor of the pool has its turn, and on
/// a thread of some pool or of timers: there nothing may wait.
fn stage_here<'a>() -> Option<Option<&'a PinnedShared>> {
    let here = current::here();
    let stage = here.home.get().as_pinned().filter(|_| here.actor.get().is_null())?;
    // SAFETY: set by this very thread for as long as its stage lives; null on threads of no stage.
    Some(unsafe { stage.as_ref() })
}

/// A message has been accepted beyond the capacity of a mailbox: the actor on the pool, or the
/// stage, whose code this is has to wait after what it is handling.
pub(crate) fn on_full(receiver: &Header, gate: &Gate) {
    let by = || HeldBy::Bound(ErasedWeakRef::new(receiver), gate.clone());
    let here = current::here();
    if let Some(sender) = NonNull::new(here.actor.get()) {
        // SAFETY: as in `on_pressure`.
        let sender = unsafe { sender.as_ref() };
        if !is_held(sender) && !is_itself(sender, receiver) {
            hold_back(sender, by());
        }
    } else if receiver.home.of_stage() != here.home.get() {
        // SAFETY: as in `on_pressure`.
        if let Some(stage) = here.home.get().as_pinned().and_then(|stage| unsafe { stage.as_ref() })
        {
            hold_stage_back(stage, by);
        }
    }
}

/// Remembers whom the stage whose thread this is has to wait for after its batch.
fn hold_stage_back(stage: &PinnedShared, by: impl FnOnce() -> HeldBy) {
    stage.hold_back(|| {
        let by = by();
        Box::new(|stage| wait_as_stage(stage, by))
    });
}

/// Whether the actor, whose turn this thread gives, has to wait for somebody already.
#[inline(always)]
fn is_held(sender: &Header) -> bool {
    // ORDERING: Relaxed, here and below: this thread is the owner.
    sender.signals.load(Ordering::Relaxed) & signal::HELD != 0
}

/// Whether the actor sends to itself, or to one with which it works for the same.
fn is_itself(sender: &Header, receiver: &Header) -> bool {
    let of = |actor: &Header| match works_for(actor) {
        Some(other) => ptr::from_ref(other.header()),
        None => ptr::from_ref(actor),
    };
    of(sender) == of(receiver)
}

fn works_for(actor: &Header) -> Option<ErasedWeakRef> {
    actor.relations.get()?.works_for()
}

/// Whom an actor has to wait for, kept with it; by its owner alone.
#[derive(Default)]
struct HoldingReceiver(Mutex<Option<HeldBy>>);

impl HoldingReceiver {
    fn lock(&self) -> MutexGuard<'_, Option<HeldBy>> {
        self.0.lock().expect("no panic happens under this lock")
    }
}

/// The actor of the pool whose turn this is pauses after what it is handling.
pub(crate) fn pause(actor: &Header, pause: Pause) {
    hold_back(actor, HeldBy::Pause(pause));
}

/// Remembers the first receiver that the actor whose turn this is has to wait for.
fn hold_back(sender: &Header, by: HeldBy) {
    let Ok(relations) = sender.relations.get_or_make() else { return };
    relations.attachments.get_or_attach(HoldingReceiver::default).lock().get_or_insert(by);
    sender.signals.fetch_or(signal::HELD, Ordering::Relaxed);
}

/// The thread of a stage waits for a receiver.
fn wait_as_stage(stage: &PinnedShared, by: HeldBy) {
    match by {
        HeldBy::Pressure(receiver) => {
            wait(Some(&WaitNode::Stage(stage.to_arc())), &WaitNode::of(receiver.header()));
        }
        HeldBy::Congestion(congestion) => {
            wait(Some(&WaitNode::Stage(stage.to_arc())), &WaitNode::Congestion(congestion));
        }
        HeldBy::Pause(_) => unreachable!("only actors of the pool pause"),
        // The place is for nobody: the message is behind the gate already.
        HeldBy::Bound(receiver, gate) => drop(wait_for_place_as_stage(stage, &receiver, &gate)),
    }
}

/// The thread of a stage waits for a place. `None`: it goes on without one.
fn wait_for_place_as_stage(
    stage: &PinnedShared,
    receiver: &ErasedWeakRef,
    gate: &Gate,
) -> Option<Place> {
    let (who, giver) = (WaitNode::Stage(stage.to_arc()), WaitNode::of_handler(receiver.header()));
    let what = WaitReason::Place(gate.clone());
    let _waiting = WaitEntry::enter(who.clone(), giver.clone(), what.clone());
    let call = gate.line_up_stage();
    waits::open_circles(&who, &giver, what);
    call.wait()
}

/// This thread, one of no stage or that of a pinned or dedicated one, waits for a place. `None`: it
/// goes on without one.
pub(crate) fn wait_for_place(receiver: &Header, gate: &Gate) -> Option<Place> {
    let stage = stage_to_wait(receiver)?;
    if runs_a_task(stage, receiver.stage.theater()) {
        return None;
    }
    match stage {
        None => gate.line_up_thread().wait(),
        Some(stage) => wait_for_place_as_stage(stage, &ErasedWeakRef::new(receiver), gate),
    }
}

/// A handler, or a future outside of all actors, waits for a place without blocking. `None`: it
/// goes on without one.
pub(crate) async fn place(receiver: ErasedWeakRef, gate: &Gate) -> Option<Place> {
    let (who, giver) = (WaitNode::here(), WaitNode::of_handler(receiver.header()));
    let what = WaitReason::Place(gate.clone());
    let enter = |who: &WaitNode| WaitEntry::enter(who.clone(), giver.clone(), what.clone());
    let waiting = who.as_ref().and_then(enter);
    let place = gate.line_up_future(who.is_some());
    if let Some(who) = who {
        waits::open_circles(&who, &giver, what);
    }
    let place = place.wait().await;
    drop(waiting);
    place
}

fn wait(who: Option<&WaitNode>, giver: &WaitNode) {
    let relief = Arc::new(Relief::default());
    let (sleeper, mut entry) = (Sleeper(relief.clone()), None);
    enter(who, giver, |waiting| {
        entry = waiting;
        Box::new(sleeper)
    });
    relief.wait();
}

/// Waits without blocking until `receiver` is relieved or has ended, or whoever waits here must go
/// on because `receiver` waits for it.
pub(crate) async fn relieved(receiver: ErasedWeakRef) {
    relieved_by(WaitNode::of(receiver.header())).await;
}

/// Waits without blocking until a theater is not congested.
pub(crate) async fn uncongested(congestion: congestion::SharedCongestion) {
    relieved_by(WaitNode::Congestion(congestion)).await;
}

async fn relieved_by(giver: WaitNode) {
    while giver.is_pressed() {
        let who = WaitNode::here();
        let (relieved, wait) = oneshot::channel::<()>();
        let mut entry = None;
        let key = enter(who.as_ref(), &giver, |waiting| {
            entry = waiting;
            Box::new(relieved)
        });
        // Given up here, nothing of it is left with the receiver.
        let entered = Entered { giver: &giver, key };
        // An error is how a relief arrives.
        let _ = wait.await;
        drop((entered, entry));
        if who.is_some() && giver.is_pressed() {
            // Let go without relief, from a circle.
            return;
        }
    }
}

/// The owner's side, between two turns or before going idle: puts pressure on or takes it off.
/// `deferred`: messages that the owner has taken from the inbox and could handle.
pub(crate) fn weigh<M: Message>(cell: &MessageCell<M>, deferred: usize) {
    let waiting = cell.inbox.backlog() + deferred;
    if waiting >= PRESSED_FROM {
        cell.inbox.press();
    } else if waiting <= RELIEVED_AT && cell.inbox.is_pressed() {
        relieve(cell);
    }
}

/// The owner: how many senders wait for it, if so much waits that pressure is not to be taken off
/// yet; `deferred` as for [`weigh`].
pub(crate) fn senders_waiting<M: Message>(cell: &MessageCell<M>, deferred: usize) -> usize {
    if !cell.inbox.is_pressed() || cell.inbox.backlog() + deferred <= RELIEVED_AT {
        return 0;
    }
    cell.header.relations.get().map_or(0, |relations| relations.waiters.len())
}

/// The owner takes pressure off and lets all senders go on.
#[cold]
pub(crate) fn relieve<M: Message>(cell: &MessageCell<M>) {
    cell.inbox.relieve();
    if let Some(relations) = cell.header.relations.get() {
        relations.waiters.release();
    }
}

/// The owner, between two turns: whom the actor has to wait for, if it is to be held back.
pub(crate) fn take_held(header: &Header) -> Option<HeldBy> {
    // ORDERING: Relaxed, here and below: set and cleared by the owner.
    if header.signals.load(Ordering::Relaxed) & signal::HELD == 0 {
        return None;
    }
    header.signals.fetch_and(!signal::HELD, Ordering::Relaxed);
    header.relations.get()?.attachments.get::<HoldingReceiver>()?.lock().take()
}

/// Who waits while this actor is parked: the one that it works for, whose messages it would handle.
/// (That others may go on with them does no harm: to be let go too early costs memory only.)
fn waits_as(actor: &Header) -> ErasedWeakRef {
    works_for(actor).unwrap_or_else(|| ErasedWeakRef::new(actor))
}

/// Parks an actor until a receiver has room again.
///
/// # Safety
/// The caller owns the actor, and does not touch it any more.
pub(crate) unsafe fn park<M>(cell: NonNull<MessageCell<M>>, by: HeldBy) {
    // SAFETY: by contract; the borrow ends before the actor is parked.
    let header = unsafe { &(*cell.as_ptr()).header };
    let who = WaitNode::Actor(waits_as(header));
    let congestion = header.vtable.laned.then(|| {
        let theater = header.stage.theater();
        WaitNode::Congestion(congestion::of(theater).clone())
    });
    // SAFETY: the owner passes its right to run on to the waiter.
    let parked = Parked::new(unsafe { Task::new(cell.cast()) });
    match by {
        HeldBy::Pressure(receiver) => {
            let giver = WaitNode::of(receiver.header());
            let congested = congested_by(congestion.as_ref(), &giver, &WaitReason::Relief);
            enter(Some(&who), &giver, |waiting| {
                Box::new(HeldBack { _waiting: waiting, _congested: congested, _parked: parked })
            });
            if let Some(congestion) = congestion {
                waits::open_circles(&congestion, &giver, WaitReason::Relief);
            }
        }
        HeldBy::Pause(pause) => pause.park(parked),
        HeldBy::Congestion(congestion) => {
            enter(Some(&who), &WaitNode::Congestion(congestion), |waiting| {
                Box::new(HeldBack { _waiting: waiting, _congested: None, _parked: parked })
            });
        }
        HeldBy::Bound(receiver, gate) => {
            let giver = WaitNode::of_handler(receiver.header());
            let what = WaitReason::Place(gate.clone());
            let waiting = WaitEntry::enter(who.clone(), giver.clone(), what.clone());
            let congested = congested_by(congestion.as_ref(), &giver, &what);
            gate.line_up_actor(Box::new(HeldBack {
                _waiting: waiting,
                _congested: congested,
                _parked: parked,
            }));
            waits::open_circles(&who, &giver, what.clone());
            if let Some(congestion) = congestion {
                waits::open_circles(&congestion, &giver, what);
            }
        }
    }
}

/// Enters that what is under way at actors with lanes waits for whom one of these waits for.
fn congested_by(
    congestion: Option<&WaitNode>,
    giver: &WaitNode,
    what: &WaitReason,
) -> Option<WaitEntry> {
    WaitEntry::enter(congestion?.clone(), giver.clone(), what.clone())
}
