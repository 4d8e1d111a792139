//! What a sender does whose message is for an actor with bounds; all of it off the fast path of
//! `messaging/send.rs`.

use super::bound::WhenFull;
use super::bounds::{self, BoundedMailbox, Rule};
use super::gate::GateOutcome;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::sending::Unsent;
use crate::messaging::pressure;
use crate::messaging::send::{Accepted, deliver_within_bounds};
use crate::process::cell::MessageCell;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

type Sent<M> = Result<(), SendError<M>>;

/// [`ActorRef::send`].
pub(crate) fn send<M: Message>(to: &MessageCell<M>, number: usize, message: M) -> Sent<M> {
    let mailbox = bounds::of(to).mailbox(number);
    match mailbox.rule() {
        Rule::Unbounded => {
            if leave_beyond(mailbox, to, number, message)? {
                pressure::on_pressure(&to.header, true);
            }
            Ok(())
        }
        Rule::When(WhenFull::DropOldest) => mailbox.newest.send(&mailbox.gate, to, number, message),
        Rule::When(when_full) => match (mailbox.gate.enter(), when_full) {
            (GateOutcome::Place, _) => leave(to, number, message),
            (GateOutcome::Closed, _) => Err(SendError::Stopped(message)),
            (GateOutcome::Full, WhenFull::Reject) => Err(SendError::Full(message)),
            (GateOutcome::Full, _) => send_to_full(mailbox, to, number, message),
        },
    }
}

/// As [`send`], of a question: what has to wait for room comes back, and the thread is not blocked.
pub(crate) fn send_or_keep<M: Message>(
    to: &MessageCell<M>,
    number: usize,
    message: M,
) -> Result<(), Unsent<M>> {
    let mailbox = bounds::of(to).mailbox(number);
    match mailbox.rule() {
        Rule::Unbounded
            if pressure::is_pressed(&to.header) && pressure::keeps_questions(&to.header) =>
        {
            Err(Unsent::Kept(message))
        }
        Rule::Unbounded => {
            if leave_beyond(mailbox, to, number, message)? {
                pressure::on_pressure(&to.header, false);
            }
            Ok(())
        }
        Rule::When(WhenFull::Wait) => match mailbox.gate.enter() {
            GateOutcome::Place => Ok(leave(to, number, message)?),
            GateOutcome::Closed => Err(Unsent::Refused(SendError::Stopped(message))),
            GateOutcome::Full if pressure::would_block_for_place(&to.header) => {
                Err(Unsent::Kept(message))
            }
            GateOutcome::Full => Ok(send_beyond(mailbox, to, number, message)?),
        },
        Rule::When(WhenFull::Reject | WhenFull::DropOldest) => Ok(send(to, number, message)?),
    }
}

/// The mailbox is full, and its senders wait.
fn send_to_full<M: Message>(
    mailbox: &BoundedMailbox<M>,
    to: &MessageCell<M>,
    number: usize,
    message: M,
) -> Sent<M> {
    match pressure::wait_for_place(&to.header, &mailbox.gate) {
        Some(place) => {
            place.fill();
            leave(to, number, message)
        }
        None => send_beyond(mailbox, to, number, message),
    }
}

/// The message is accepted although the mailbox is full; whoever sends it waits afterwards.
fn send_beyond<M: Message>(
    mailbox: &BoundedMailbox<M>,
    to: &MessageCell<M>,
    number: usize,
    message: M,
) -> Sent<M> {
    leave_beyond(mailbox, to, number, message)?;
    pressure::on_full(&to.header, &mailbox.gate);
    Ok(())
}

/// A message that nobody is to be refused or to wait for.
#[cold]
#[inline(never)]
pub(crate) fn send_unhindered<M: Message>(
    to: &MessageCell<M>,
    number: usize,
    message: M,
) -> Sent<M> {
    let mailbox = bounds::of(to).mailbox(number);
    match mailbox.rule() {
        Rule::When(WhenFull::DropOldest) => mailbox.newest.send(&mailbox.gate, to, number, message),
        Rule::Unbounded | Rule::When(_) => {
            leave_beyond(mailbox, to, number, message).map(|_under_pressure| ())
        }
    }
}

/// [`ActorRef::try_send`].
pub(crate) fn try_send<M: Message>(to: &MessageCell<M>, number: usize, message: M) -> Sent<M> {
    let mailbox = bounds::of(to).mailbox(number);
    match mailbox.rule() {
        Rule::Unbounded if pressure::is_pressed(&to.header) => Err(SendError::Full(message)),
        Rule::Unbounded | Rule::When(WhenFull::DropOldest) => send_unhindered(to, number, message),
        Rule::When(WhenFull::Wait | WhenFull::Reject) => match mailbox.gate.enter() {
            GateOutcome::Place => leave(to, number, message),
            GateOutcome::Full => Err(SendError::Full(message)),
            GateOutcome::Closed => Err(SendError::Stopped(message)),
        },
    }
}

/// [`ActorRef::send_async`].
// A reference to the actor, since a cell is not to be shared between threads in any other way.
pub(crate) async fn send_async<M: Message>(to: &ActorRef<M>, number: usize, message: M) -> Sent<M> {
    let mailbox = bounds::of(to.cell()).mailbox(number);
    match mailbox.rule() {
        Rule::Unbounded => {
            if pressure::is_pressed(&to.cell().header) {
                pressure::relieved(ErasedWeakRef::new(&to.cell().header)).await;
            }
            send_unhindered(to.cell(), number, message)
        }
        Rule::When(WhenFull::Reject) => try_send(to.cell(), number, message),
        Rule::When(WhenFull::DropOldest) => send_unhindered(to.cell(), number, message),
        Rule::When(WhenFull::Wait) => match mailbox.gate.enter() {
            GateOutcome::Place => leave(to.cell(), number, message),
            GateOutcome::Closed => Err(SendError::Stopped(message)),
            GateOutcome::Full => send_async_to_full(mailbox, to, number, message).await,
        },
    }
}

async fn send_async_to_full<M: Message>(
    mailbox: &BoundedMailbox<M>,
    to: &ActorRef<M>,
    number: usize,
    message: M,
) -> Sent<M> {
    match pressure::place(ErasedWeakRef::new(&to.cell().header), &mailbox.gate).await {
        Some(place) => {
            place.fill();
            leave(to.cell(), number, message)
        }
        None => send_unhindered(to.cell(), number, message),
    }
}

/// Waits until there has been room in a mailbox that was full, whatever its rule, or the actor has
/// ended. Somebody else's message may come in between.
pub(crate) async fn room<M: Message>(to: &ActorRef<M>, number: usize) {
    if to.cell().header.home.is_bounded() {
        let gate = &bounds::of(to.cell()).mailbox(number).gate;
        drop(pressure::place(ErasedWeakRef::new(&to.cell().header), gate).await);
    }
}

/// A message comes to this mailbox whether there is a place for it or not.
#[cold]
pub(crate) fn enter_beyond<M: Message>(to: &MessageCell<M>, number: usize) {
    bounds::of(to).mailbox(number).gate.enter_beyond();
}

/// Whether a message of an attempt is to come back at once.
pub(crate) fn rejects<M: Message>(to: &MessageCell<M>, number: usize) -> bool {
    to.header.home.is_bounded() && {
        let mailbox = bounds::of(to).mailbox(number);
        mailbox.rule() == Rule::When(WhenFull::Reject) && mailbox.gate.is_full()
    }
}

/// Whether [`try_send`] would give a message back.
pub(crate) fn is_full<M: Message>(to: &MessageCell<M>, number: usize) -> bool {
    let mailbox = bounds::of(to).mailbox(number);
    match mailbox.rule() {
        Rule::Unbounded => pressure::is_pressed(&to.header),
        Rule::When(WhenFull::DropOldest) => false,
        Rule::When(WhenFull::Wait | WhenFull::Reject) => mailbox.gate.is_full(),
    }
}

/// Leaves a message for which there is a place. Whether the inbox is under pressure is no matter:
/// the bound stands in its place.
fn leave<M: Message>(to: &MessageCell<M>, number: usize, message: M) -> Sent<M> {
    match deliver_within_bounds(to, number, message, false) {
        Accepted::Yes | Accepted::UnderPressure => Ok(()),
        Accepted::No(message) => Err(SendError::Stopped(message)),
    }
}

/// Leaves a message whether there is a place or not; `true`: the inbox is under pressure.
fn leave_beyond<M: Message>(
    mailbox: &BoundedMailbox<M>,
    to: &MessageCell<M>,
    number: usize,
    message: M,
) -> Result<bool, SendError<M>> {
    mailbox.gate.enter_beyond();
    match deliver_within_bounds(to, number, message, false) {
        Accepted::Yes => Ok(false),
        Accepted::UnderPressure => Ok(true),
        Accepted::No(message) => Err(SendError::Stopped(message)),
    }
}
