//! What happens to a message: which mailbox, held back or not, where the actor lives, and who must
//! be woken.
//!
//! One message in five files: **`messaging/send.rs`** → `mailbox/inbox.rs` → `scheduler/submit.rs`
//! → `scheduler/worker.rs` → `turn/sequential.rs`.

mod in_lane;

use std::ptr::NonNull;

use crate::mailbox::{Pushed, label};
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::bounded;
use crate::messaging::lane::Lane;
use crate::messaging::pressure;
use crate::messaging::tag::Tag;
use crate::process::cell::{Header, MessageCell};
use crate::process::current;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::home::Home;
use crate::process::outbox;
use crate::process::submit::Origin;
use crate::process::task::Task;
use crate::scheduler::pinned::PinnedShared;
use crate::scheduler::submit;
use crate::vocabulary::error::{SendError, TrySendError};
use crate::vocabulary::message::{Message, mailbox_of};

impl<M: Message> ActorRef<M> {
    /// Sends a message. It is handled after all messages that this sender sent to the same mailbox
    /// of this actor before (S2).
    ///
    /// If about a thousand messages are waiting at the receiver, the sender holds back after this
    /// one (S17): a thread of its own waits here until half of them are gone, an actor gets no turn
    /// until then. Use [`try_send`](Self::try_send) or [`send_async`](Self::send_async) where the
    /// thread must not wait. A task of a runtime that the theater knows
    /// ([`foreign_tasks`](crate::TheaterBuilder::foreign_tasks), `odeon-tokio`), or one by
    /// [`as_task`](crate::as_task), does not wait: its message is accepted and counts.
    ///
    /// A bounded mailbox ([`Bounded`](crate::Bounded)) has its own rule for when it is full (S18).
    ///
    /// # Errors
    /// Gives the message back if the actor has stopped, or if the mailbox is full and its bound is
    /// [`Bound::reject`](crate::Bound::reject). A message accepted by an actor that stops
    /// before handling it goes to the theater's dead-letter hook instead (S4).
    ///
    /// # Panics
    /// If [`Message::mailbox`] names a mailbox that the message type does not have.
    // Inlined whole, so that the message is built where it will lie.
    #[inline(always)]
    #[track_caller]
    pub fn send(&self, message: M) -> Result<(), SendError<M>> {
        self.send_into(mailbox_of(&message), message)
    }

    /// As [`send`](Self::send), into this mailbox.
    #[inline(always)]
    pub(crate) fn send_into(&self, mailbox: usize, message: M) -> Result<(), SendError<M>> {
        self.send_hindered(mailbox, message, Hindered::Yes)
    }

    /// As [`send`](Self::send), into this mailbox, by a sender that holds back or not.
    #[inline(always)]
    pub(crate) fn send_hindered(
        &self,
        mailbox: usize,
        message: M,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        if let Some(exit) = outbox::exit() {
            return self.send_by(exit, mailbox, message, hindered);
        }
        match deliver(self.cell(), label::of_mailbox(mailbox), message) {
            Accepted::Yes => Ok(()),
            Accepted::UnderPressure => {
                hindered.on_pressure(self.cell());
                Ok(())
            }
            Accepted::No(message) => self.send_otherwise(mailbox, message, hindered),
        }
    }

    /// As [`send`](Self::send), but nobody holds back and no bound refuses it: for replies and
    /// other messages of the runtime, each of which somebody has asked for.
    #[inline]
    pub(crate) fn send_unhindered(&self, message: M) -> Result<(), SendError<M>> {
        self.send_unhindered_into(mailbox_of(&message), message)
    }

    /// As [`send_unhindered`](Self::send_unhindered), into this mailbox.
    #[inline]
    pub(crate) fn send_unhindered_into(
        &self,
        mailbox: usize,
        message: M,
    ) -> Result<(), SendError<M>> {
        self.send_hindered(mailbox, message, Hindered::No)
    }

    /// Sends a message unless the sender would have to hold back.
    ///
    /// # Errors
    /// [`TrySendError::Full`] if the receiver is under pressure (S17), or another sender is making
    /// room for more at this moment; if the mailbox is bounded, when it is full (S18).
    /// [`TrySendError::Stopped`] if the actor has stopped. Both give the message back.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    #[track_caller]
    pub fn try_send(&self, message: M) -> Result<(), TrySendError<M>> {
        self.try_send_into(mailbox_of(&message), message)
    }

    /// As [`try_send`](Self::try_send), into this mailbox.
    pub(crate) fn try_send_into(&self, mailbox: usize, message: M) -> Result<(), TrySendError<M>> {
        if self.cell().header.home.is_bounded() {
            return self.try_send_to_bounded(mailbox, message).map_err(TrySendError::from);
        }
        let receiver = self.receiver();
        if receiver.inbox.is_growing() || pressure::is_pressed(&receiver.header) {
            return Err(TrySendError::Full(message));
        }
        self.send_unhindered_into(mailbox, message).map_err(TrySendError::from)
    }

    #[cold]
    fn try_send_to_bounded(&self, mailbox: usize, message: M) -> Result<(), SendError<M>> {
        let Some(exit) = outbox::exit().filter(|exit| exit.holds()) else {
            return bounded::try_send(self.cell(), mailbox, message);
        };
        if bounded::is_full(self.cell(), mailbox) {
            return Err(SendError::Full(message));
        }
        self.send_by(exit, mailbox, message, Hindered::Yes)
    }

    /// Sends a message once the receiver is not under pressure (S17), or its bounded mailbox has
    /// room for it (S18), without blocking the thread.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    ///
    /// # Cancellation
    /// Dropped before it is ready, the future drops the message; nothing has been sent then. Of
    /// those that wait for a bounded mailbox the first gets the next place, and keeps it until it
    /// is polled or dropped.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    pub async fn send_async(&self, message: M) -> Result<(), SendError<M>> {
        self.send_async_into(mailbox_of(&message), message).await
    }

    /// As [`send_async`](Self::send_async), into this mailbox.
    pub(crate) async fn send_async_into(
        &self,
        mailbox: usize,
        message: M,
    ) -> Result<(), SendError<M>> {
        if self.cell().header.home.is_bounded() && !holds_back() {
            return bounded::send_async(self, mailbox, message).await;
        }
        if self.is_under_pressure() {
            pressure::relieved(ErasedWeakRef::new(&self.receiver().header)).await;
        }
        self.send_unhindered_into(mailbox, message)
    }

    /// Whether the actor, or its pinned stage, is under pressure at this moment (S17), so that a
    /// sender would hold back; of an actor with several inboxes, the one for what is sent here.
    pub fn is_under_pressure(&self) -> bool {
        pressure::is_pressed(&self.receiver().header)
    }

    /// Waits as a future until the actor is not under pressure (S17) or has ended: for adapters
    /// that say first whether they are ready, and send later. Somebody else's messages may come in
    /// between.
    pub fn relieved(&self) -> impl Future<Output = ()> + Send + use<M> {
        pressure::relieved(ErasedWeakRef::new(&self.receiver().header))
    }

    /// Effects of this thread are held back, or followed.
    #[cold]
    fn send_by(
        &self,
        exit: outbox::Exit,
        mailbox: usize,
        message: M,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        let Some(outbox) = exit.outbox() else {
            let tag = Tag::here(self.cell().header.stage.theater());
            return self.send_tagged(tag, mailbox, message, hindered);
        };
        if self.is_stopped() {
            return Err(SendError::Stopped(message));
        }
        if bounded::rejects(self.cell(), mailbox) {
            return Err(SendError::Full(message));
        }
        let to = self.clone();
        outbox.hold(move || {
            let tag = outbox::is_followed()
                .then(|| Tag::here(to.cell().header.stage.theater()))
                .flatten();
            if let Err(error) = to.send_tagged(tag, mailbox, message, Hindered::Yes) {
                to.dead_letter(error);
            }
        });
        Ok(())
    }

    /// Sends a message that is followed, if it has a tag.
    pub(crate) fn send_tagged(
        &self,
        tag: Option<Tag>,
        mailbox: usize,
        message: M,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        let cell = self.cell();
        let home = cell.header.home;
        let Some(tag) = tag.filter(|_| !home.is_bounded() && !home.is_laned()) else {
            return match deliver(cell, label::of_mailbox(mailbox), message) {
                Accepted::Yes => Ok(()),
                Accepted::UnderPressure => {
                    hindered.on_pressure(cell);
                    Ok(())
                }
                Accepted::No(message) => self.send_otherwise(mailbox, message, hindered),
            };
        };
        let accepted = match deliver(cell, tag.label(mailbox), message) {
            Accepted::No(message) => deliver_to_other_stage(cell, tag.label(mailbox), message),
            accepted => accepted,
        };
        if let Accepted::No(message) = accepted {
            return Err(SendError::Stopped(message));
        }
        tag.sent();
        if let Accepted::UnderPressure = accepted {
            hindered.on_pressure(cell);
        }
        Ok(())
    }

    /// A message that goes another way than straight into the inbox of a pool actor or to an actor
    /// beside the sender, or that found the actor stopped.
    #[inline(always)]
    fn send_otherwise(
        &self,
        mailbox: usize,
        message: M,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        if self.cell().header.home.is_laned() {
            return self.send_in_lane(mailbox, message, hindered);
        }
        self.send_aside(mailbox, message, hindered)
    }

    #[inline(never)]
    fn send_aside(
        &self,
        mailbox: usize,
        message: M,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        let cell = self.cell();
        if cell.header.home.is_bounded() {
            return match hindered {
                Hindered::Yes | Hindered::InTime => bounded::send(cell, mailbox, message),
                Hindered::No => bounded::send_unhindered(cell, mailbox, message),
            };
        }
        let label = label::of_mailbox(mailbox);
        hindered.apply(cell, deliver_to_other_stage(cell, label, message))
    }
}

/// Whether a sender holds back for a receiver under pressure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hindered {
    Yes,
    /// Only if that blocks no thread: whoever sends has looked before, and waits for an answer.
    InTime,
    No,
}

/// Whether the effects of this thread are held back.
pub(crate) fn holds_back() -> bool {
    outbox::exit().is_some_and(outbox::Exit::holds)
}

impl Hindered {
    /// What has become of a message that had no other way to go.
    #[inline(always)]
    fn apply<M>(
        self,
        receiver: &MessageCell<M>,
        accepted: Accepted<M>,
    ) -> Result<(), SendError<M>> {
        match accepted {
            Accepted::Yes => Ok(()),
            Accepted::UnderPressure => {
                self.on_pressure(receiver);
                Ok(())
            }
            Accepted::No(message) => Err(SendError::Stopped(message)),
        }
    }

    /// The receiver is under pressure.
    fn on_pressure<M>(self, receiver: &MessageCell<M>) {
        if self != Self::No {
            pressure::on_pressure(&receiver.header, self == Self::Yes);
        }
    }
}

/// What became of a message.
pub(crate) enum Accepted<M> {
    Yes,
    /// Accepted; but the sender should hold back before it sends more.
    UnderPressure,
    /// It has to go another way, or the actor has stopped.
    No(M),
}

/// Hands a message to the actor's inbox, or to an actor beside the sender.
#[inline(always)]
fn deliver<M: Message>(cell: &MessageCell<M>, label: u32, message: M) -> Accepted<M> {
    let home = cell.header.home;
    if home.is_aside() {
        if current::here().home.get() != home || cell.inbox.is_closed() {
            return Accepted::No(message);
        }
        // SAFETY: only a pinned stage's own thread has this home.
        unsafe { PinnedShared::deliver_to_neighbour(label, NonNull::from(cell).cast(), message) };
        return Accepted::Yes;
    }
    push(cell, home, label, message)
}

#[inline(always)]
fn push<M: Message>(cell: &MessageCell<M>, home: Home, label: u32, message: M) -> Accepted<M> {
    match cell.inbox.push(label, message) {
        Pushed::AlreadyPending => Accepted::Yes,
        Pushed::WakeOwner => {
            wake(&cell.header, home);
            Accepted::Yes
        }
        // Apart: four cases at once would become a jump through a table.
        rarely => beyond(&cell.header, home, rarely),
    }
}

#[cold]
#[inline(never)]
fn beyond<M>(header: &Header, home: Home, pushed: Pushed<M>) -> Accepted<M> {
    if pushed.wakes_owner() {
        wake(header, home);
    }
    match pushed {
        Pushed::AlreadyPending | Pushed::WakeOwner => Accepted::Yes,
        Pushed::UnderPressure { .. } => Accepted::UnderPressure,
        Pushed::Closed(message) => Accepted::No(message),
    }
}

/// Hands a message to the pinned stage of an actor, from another thread. Not accepted if there is
/// none.
fn deliver_to_other_stage<M: Message>(
    cell: &MessageCell<M>,
    label: u32,
    message: M,
) -> Accepted<M> {
    match cell.header.pinned().filter(|_| !cell.inbox.is_closed()) {
        None => Accepted::No(message),
        Some(stage) => {
            by_stage(stage.deliver_through_inbox(label, NonNull::from(cell).cast(), message))
        }
    }
}

fn by_stage<M>(delivered: Result<bool, M>) -> Accepted<M> {
    match delivered {
        Ok(false) => Accepted::Yes,
        Ok(true) => Accepted::UnderPressure,
        Err(message) => Accepted::No(message),
    }
}

/// Hands a message to an actor whose bounds have been heeded; not accepted only if it has stopped.
/// `from_elsewhere`: in the order of messages from other threads, also if this is the thread of the
/// actor's stage.
pub(crate) fn deliver_within_bounds<M: Message>(
    cell: &MessageCell<M>,
    mailbox: usize,
    message: M,
    from_elsewhere: bool,
) -> Accepted<M> {
    let Some(stage) = cell.header.pinned() else {
        let label = match cell.header.vtable.laned {
            true => Lane::here(&cell.header).label(mailbox),
            false => label::of_mailbox(mailbox),
        };
        return push(cell, cell.header.home.of_stage(), label, message);
    };
    let label = label::of_mailbox(mailbox);
    if cell.inbox.is_closed() {
        return Accepted::No(message);
    }
    let target = NonNull::from(cell).cast();
    by_stage(if from_elsewhere {
        stage.deliver_through_inbox(label, target, message)
    } else {
        stage.deliver(label, target, message)
    })
}

/// Has the owner of an inbox run: the push said that exactly this sender must.
#[inline(always)]
fn wake(header: &Header, home: Home) {
    // SAFETY: by the function's purpose.
    let task = unsafe { Task::new(NonNull::from(header)) };
    submit::woken(home, &header.stage, task);
}

/// Gives an actor of the pool a turn beside the one that this thread gives. Nothing happens if it
/// has stopped.
pub(crate) fn wake_from<M>(cell: &MessageCell<M>, origin: Origin) {
    if cell.inbox.push_signal(label::WAKE).wakes_owner() {
        let header = &cell.header;
        // SAFETY: as in `wake`. The caller's reference keeps the cell, and with it the stage, until
        // the task is queued.
        header.stage.submit(unsafe { Task::new(NonNull::from(header)) }, origin);
    }
}

/// Gives the actor a turn for something that is not a message. Nothing happens if it has stopped.
pub(crate) fn signal<M>(cell: &MessageCell<M>, label: u32) {
    match cell.header.pinned() {
        Some(stage) => {
            stage.signal(label, NonNull::from(cell).cast::<Header>());
        }
        None => {
            if cell.inbox.push_signal(label).wakes_owner() {
                wake(&cell.header, cell.header.home.of_stage());
            }
        }
    }
}
