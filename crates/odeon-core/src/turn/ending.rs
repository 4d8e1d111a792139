//! The end of an actor: close the inbox, hand what is left to the dead letters, drop the state,
//! give the cell back.

use std::ptr::NonNull;
use std::sync::Arc;

use odeon_sync::atomic::Ordering;

use crate::mailbox::memory;
use crate::mailbox::{InboxOwner, label};
use crate::messaging::bounded;
use crate::messaging::lane::companion;
use crate::messaging::send;
use crate::messaging::shards;
use crate::messaging::tag;
use crate::process::cell::{self, Header, MessageCell, signal};
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::piped;
use crate::process::relations::{EndedRelations, Relations};
use crate::process::unanswered;
use crate::turn::actor_cell::{ActorCell, CellOwner};
use crate::turn::behavior::Behavior;
use crate::turn::failing::contained;
use crate::vocabulary::contain::contain;
use crate::vocabulary::dead_letter::DeadLetterReason;
use crate::vocabulary::ended::Ended;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

/// Ends the actor. Its user code (`stopped`, destructors of state and messages) may panic without
/// harm to the caller.
///
/// # Safety
/// The caller owns the actor, which has not ended yet, and does not touch the cell afterwards.
pub(crate) unsafe fn end<A: Behavior>(
    cell: NonNull<ActorCell<A>>,
    reason: EndReason,
    failure: Option<Arc<str>>,
) {
    // SAFETY: by contract; the references end before the cell is given back.
    unsafe {
        let owner = (*cell.as_ptr()).owner.get();
        let is_lost = (*owner).actor.as_ref().is_some_and(Behavior::is_lost);
        let reason =
            if is_lost && reason == EndReason::Stopped { EndReason::Unreachable } else { reason };
        let inbox = NonNull::from(&mut (*owner).inbox);
        end_cell(cell.cast::<MessageCell<A::Msg>>(), inbox, reason, failure, |header| {
            drop_state(header, &mut *owner, reason);
        });
    }
}

/// The end of an actor, whatever way it was processed: `drop_state` is called when the inbox has
/// been closed and emptied, and drops all that belongs to the owner. It must not panic.
///
/// # Safety
/// As [`end`], for the actor with this cell and this owner's side of its inbox.
// Pointers and not references: the cell may be freed before this returns.
pub(super) unsafe fn end_cell<M: Message>(
    cell: NonNull<MessageCell<M>>,
    inbox: NonNull<InboxOwner<M>>,
    reason: EndReason,
    failure: Option<Arc<str>>,
    drop_state: impl FnOnce(&Header),
) {
    // SAFETY: by contract; the actor's alive count keeps the cell until `release_weak`.
    let message = unsafe { &*cell.as_ptr() };
    let header = &message.header;
    // The theater stops its actors as references do: only here is it seen that it was the theater.
    let reason = match reason {
        EndReason::Stopped if header.stage.theater().is_stopping() => EndReason::Shutdown,
        reason => reason,
    };
    let mut lost = Vec::new();
    // SAFETY: we own the actor; it ends once.
    unsafe {
        (*inbox.as_ptr()).close(&message.inbox, |label, content| {
            let (mailbox, tag) = label::split(label);
            if tag != 0 && !header.vtable.laned {
                tag::forget(header, tag);
            } else if tag != 0 && companion::is_told_by(tag) {
                lost.push(companion::take(tag));
            }
            if mailbox <= M::MAILBOXES as u32 {
                // A mailbox label comes with a message.
                dead_letter(header, reason, content.assume_init());
            }
        });
    }
    if header.home.is_bounded() {
        bounded::close(message, |content| dead_letter(header, reason, content));
    }
    drop_state(header);
    // Other crates' code.
    lost.into_iter().for_each(|companion| contain(|| drop(companion)));
    let theater = header.stage.theater();
    theater.actor_ended(header, reason);
    if let Some(relations) = header.relations.get() {
        // The inbox is closed: nobody is to wait for it any more.
        relations.waiters.release();
    }
    let tell = move |header: &Header| {
        let ended = || Ended::new(header.id, reason, failure);
        if let Some(sealed) = header.relations.seal(ended, reason) {
            unanswered::apart(|| release(sealed));
        }
    };
    match shards::of(message) {
        // What waits in them is to be dead letters by then, too (S14). Whoever they serve ends with
        // the way to make the actor anew, if not before.
        Some(shards) => {
            let supervised = header.relations.get().and_then(Relations::take_supervised);
            contain(|| drop(supervised));
            shards.end(header, tell);
        }
        None => tell(header),
    }
    if let Some(stage) = header.pinned() {
        stage.actor_ended();
    }
    // SAFETY: the alive count is the owner's to give back, once.
    unsafe { cell::release_weak(cell.cast()) }
}

/// Tells everybody who is bound to an actor that it has ended.
#[cold]
fn release(sealed: EndedRelations) {
    let EndedRelations { ended, watchers, children, mut supervised, requests, piped } = sealed;
    children.values().for_each(ErasedWeakRef::stop);
    // Before anybody is told, the parent forgets it.
    drop(supervised.as_mut().and_then(|supervised| supervised.birth.take()));
    // A user's code all of it: conversions to messages, and the destructor of the way to make it
    // anew.
    for (_, watcher) in watchers {
        contain(|| watcher(&ended));
    }
    contain(|| drop((supervised, requests)));
    piped::discard(piped);
}

/// Drops what the actor deferred and then its state.
fn drop_state<A: Behavior>(header: &Header, owner: &mut CellOwner<A>, reason: EndReason) {
    if let Some(mut selector) = owner.selector.take() {
        while let Some((_, content)) = selector.set.take_any() {
            dead_letter(header, reason, content);
        }
        // A policy of selection is a user's.
        contained(header, || drop(selector));
    }
    let Some(mut actor) = owner.actor.take() else { return };
    if A::DEFERS {
        actor.give_back(&mut |content| dead_letter(header, reason, content));
    }
    if reason != EndReason::Failed {
        contained(header, || actor.stopped());
    }
    // Not while a panic passes: its destructor may have one of its own.
    contained(header, move || drop(actor));
    if A::SERVES {
        shards::ended::<A::Msg>(header);
    }
}

/// Counts and reports a message that will not be handled.
pub(crate) fn dead_letter<M: Message>(header: &Header, reason: EndReason, message: M) {
    let theater = header.stage.theater();
    // What serves another actor loses that one's messages, for its reasons.
    let served = header.relations.get().and_then(Relations::works_for);
    // ORDERING: Relaxed: set before whoever fails tells its shards to end.
    let has_failed = |actor: &ErasedWeakRef| {
        actor.header().signals.load(Ordering::Relaxed) & signal::FAILED != 0
    };
    let reason = if served.as_ref().is_some_and(has_failed) { EndReason::Failed } else { reason };
    let of = served.map_or(header.id, |actor| actor.id());
    let reason = match reason {
        EndReason::Failed => DeadLetterReason::Failed,
        EndReason::Stopped if theater.is_stopping() => DeadLetterReason::Shutdown,
        EndReason::Stopped => DeadLetterReason::Stopped,
        EndReason::Shutdown => DeadLetterReason::Shutdown,
        EndReason::Unreachable => DeadLetterReason::Unreachable,
    };
    // A question among those that wait has nothing to do with why the actor ends.
    unanswered::apart(|| theater.dead_letter(of, reason, message));
}

/// Leaves a signal for an actor whose type is only known here.
///
/// # Safety
/// `cell` begins with a `MessageCell<M>` that somebody's count keeps.
pub(crate) unsafe fn signal<M>(cell: NonNull<Header>, label: u32) {
    // SAFETY: by contract.
    send::signal(unsafe { &*cell.cast::<MessageCell<M>>().as_ptr() }, label);
}

/// Ends an actor that no stage will run any more.
///
/// # Safety
/// As [`end`].
pub(crate) unsafe fn end_by_theater<A: Behavior>(cell: NonNull<Header>) {
    // SAFETY: by contract.
    unsafe { end(cell.cast::<ActorCell<A>>(), EndReason::Shutdown, None) }
}

/// Whether senders to the actor are to hold back.
///
/// # Safety
/// `cell` begins with a `MessageCell<M>` that somebody's count keeps.
pub(crate) unsafe fn is_pressed<M>(cell: NonNull<Header>) -> bool {
    // SAFETY: by contract.
    unsafe { &(*cell.cast::<MessageCell<M>>().as_ptr()).inbox }.is_pressed()
}

/// How many messages wait in the inbox of an actor whose owner is at `position`.
///
/// # Safety
/// As [`is_pressed`].
pub(crate) unsafe fn waiting<M>(cell: NonNull<Header>, position: u64) -> usize {
    // SAFETY: by contract.
    unsafe { &(*cell.cast::<MessageCell<M>>().as_ptr()).inbox }.waiting(position)
}

/// Frees the memory.
///
/// # Safety
/// `cell` was placed as a `Cell` and nobody can reach it any more.
pub(crate) unsafe fn dealloc<Cell>(cell: NonNull<Header>) {
    // SAFETY: by contract.
    unsafe { memory::remove(cell.cast::<Cell>()) }
}
