//! What the network knows of a seat.

use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::sync::Arc;

use odeon_sync::atomic::{AtomicBool, AtomicU64, Ordering};
use odeon_sync::{Mutex, MutexGuard};

use odeon_sync::contained::quietly;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::decode;
use super::error::WireError;
use super::inbound::{Inbound, LocalInbound};
use super::outbound::{Earlier, Outbound};
use super::passage::Passage;
use super::slot::Slot;
use crate::extend::{self, Awaits, LetterName, TakenLetter};
use crate::messaging::actor_ref::{ActorRef, WeakRef};
use crate::messaging::lane::Lane;
use crate::messaging::open_question;
use crate::vocabulary::contain::contain;
use crate::vocabulary::dead_letter::DeadLetterReason;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

/// A seat, the type of its messages forgotten. Does not keep its actor.
pub trait StandIn: Send + Sync {
    /// The number of the seat's actor.
    fn actor(&self) -> u64;

    /// The type of its messages.
    fn message_type(&self) -> TypeId;

    /// Whether messages to it come with lanes.
    fn has_lanes(&self) -> bool;

    /// The `ActorRef` to it, unless it has gone because nobody referred to it.
    fn reference(&self) -> Option<Box<dyn Any + Send + Sync>>;

    /// Gives it a turn: fewer messages are pressing.
    fn wake(&self);

    /// Lets those go on that wait because it has too much to send, each until it sends to it again.
    fn let_go(&self);

    /// The actor elsewhere, for which it stands, has ended: so does it, for the same reason.
    fn end(&self, reason: EndReason);

    /// The theater to which it writes is lost: it ends behind what has come, which is not to be
    /// reached any more.
    fn lose(&self);

    /// Leaves a mark among the messages, behind all that have come. `false`: the seat's actor has
    /// gone, and does not come to it.
    fn mark(&self, mark: Vec<u8>) -> bool;

    /// Leaves a message behind all that have come, which goes to its actor together with a
    /// companion that has been written. If it cannot, the way out is
    /// [told](super::Outbound::lost_companion).
    ///
    /// # Errors
    /// The message, if the seat's actor has gone, or takes others.
    fn accompany(
        &self,
        mailbox: usize,
        message: Box<dyn Any + Send>,
        companion: Vec<u8>,
    ) -> Result<(), Box<dyn Any + Send>>;

    /// Nothing that has come before an actor sits.
    fn nothing_earlier(&self) -> Earlier;

    /// Adds a message to what has come before the actor sits.
    ///
    /// # Errors
    /// If these bytes are no message for it.
    fn came_earlier(
        &self,
        passage: &dyn Passage,
        slot: Slot,
        bytes: &[u8],
        earlier: &mut Earlier,
    ) -> Result<(), WireError>;

    /// Adds a letter of the actor to that; [`Awaits::Time`] is the time that is left.
    ///
    /// # Errors
    /// If these bytes are no message for it.
    fn letter_came_earlier(
        &self,
        passage: &dyn Passage,
        name: LetterName,
        awaits: Awaits,
        bytes: &[u8],
        earlier: &mut Earlier,
    ) -> Result<(), WireError>;

    /// Adds a mark to that.
    fn marked_earlier(&self, mark: &[u8], earlier: &mut Earlier);

    /// What has come before the actor sits will not come to it.
    fn lost_earlier(&self, earlier: Earlier, reason: DeadLetterReason);

    /// How many messages actors have handled in this seat, as it knows since its last turn.
    fn handled(&self) -> u64;

    /// Whether something is under way to the seat within this theater: an answer for which its
    /// actor waits, or a message.
    fn expects(&self) -> bool;

    /// The way in to the seat's actor from elsewhere, unless that has gone.
    fn inbound(&self) -> Option<Arc<dyn Inbound>>;

    /// A message that it took will not come to the actor.
    ///
    /// # Errors
    /// If these bytes are no message for it.
    fn dead_letter(
        &self,
        passage: &dyn Passage,
        reason: DeadLetterReason,
        bytes: &[u8],
    ) -> Result<(), WireError>;
}

/// A mark of the seat's own: its way is lost. The network's marks are none of these.
pub(super) const LOST: &[u8] = &[u8::MAX];
/// Another one: it is to look whether its actor can leave.
pub(super) const LOOK: &[u8] = &[];

/// What a seat and the network have between them: the seat's way out, what others leave for it, and
/// what they are told of it.
pub(crate) struct Desk {
    pub(super) outbound: Arc<dyn Outbound>,
    /// As the seat has counted.
    handled: AtomicU64,
    /// The actor elsewhere has failed.
    pub(super) has_failed: AtomicBool,
    /// One for each mark among the messages, in their order; `None` once the seat has ended.
    marks: Mutex<Option<VecDeque<Left>>>,
    /// Whether the seat has come to it, and closes it.
    pub(super) is_taken: AtomicBool,
}

/// What a mark among the messages stands for.
pub(super) enum Left {
    Mark(Vec<u8>),
    /// A message of the seat's type, and its companion.
    Accompanied(Slot, Box<dyn Any + Send>, Vec<u8>),
}

impl Desk {
    pub(super) fn new(outbound: Arc<dyn Outbound>) -> Self {
        Self {
            outbound,
            handled: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
            marks: Mutex::new(Some(VecDeque::new())),
            is_taken: AtomicBool::new(false),
        }
    }

    /// Leaves a mark among the messages of the seat's actor. `false`: the seat has ended.
    pub(super) fn leave_mark<M: Message>(&self, actor: &ActorRef<M>, mark: Vec<u8>) -> bool {
        self.leave(actor, Left::Mark(mark)).is_ok()
    }

    fn leave<M: Message>(&self, actor: &ActorRef<M>, left: Left) -> Result<(), Left> {
        // Both under the lock: of two marks the first is the first in both.
        let mut marks = self.marks();
        let Some(marks) = &mut *marks else { return Err(left) };
        marks.push_back(left);
        extend::mark(actor);
        Ok(())
    }

    /// The seat has ended: what has been left is lost.
    pub(super) fn close(&self) {
        let left = self.marks().take();
        for left in left.into_iter().flatten() {
            match left {
                Left::Mark(mark) => self.outbound.lost(&mark),
                Left::Accompanied(_, message, companion) => {
                    // The user's code.
                    contain(|| drop(message));
                    self.outbound.lost_companion(&companion);
                }
            }
        }
        self.outbound.ended();
    }

    fn marks(&self) -> MutexGuard<'_, Option<VecDeque<Left>>> {
        self.marks.lock().expect("nothing panics under this lock")
    }

    /// In the seat's turn: so many messages have been given to an actor there.
    #[inline]
    pub(super) fn has_handled(&self, messages: u64) {
        // ORDERING: Relaxed: nothing else hangs on what others read.
        self.handled.store(messages, Ordering::Relaxed);
    }

    /// What the mark stands for that the seat has come to.
    pub(super) fn next(&self) -> Option<Left> {
        self.marks().as_mut()?.pop_front()
    }
}

/// What waits for an actor, in its order.
pub(super) enum PendingDelivery<M> {
    Message(Slot, M),
    /// The same, with a companion that goes with it to another theater.
    Accompanied(Slot, M, Vec<u8>),
    Mark(Vec<u8>),
}

/// What has come for an actor before it sits.
pub(super) struct Before<M> {
    pub(super) waiting: Vec<PendingDelivery<M>>,
    /// Its timers and watches, by the clock of its theater.
    pub(super) letters: Vec<TakenLetter<M>>,
}

/// See [`StandIn`].
pub(super) struct Stands<M: Message> {
    pub(super) actor: WeakRef<M>,
    pub(super) desk: Arc<Desk>,
}

fn of_type<M: Message>(earlier: &mut Earlier) -> &mut Before<M> {
    earlier.all_mut()
}

impl<M: Message + Serialize + DeserializeOwned> StandIn for Stands<M> {
    fn actor(&self) -> u64 {
        self.actor.id().number()
    }

    fn message_type(&self) -> TypeId {
        TypeId::of::<M>()
    }

    fn has_lanes(&self) -> bool {
        self.actor.header().vtable.laned
    }

    fn reference(&self) -> Option<Box<dyn Any + Send + Sync>> {
        let actor = self.actor.upgrade().filter(|actor| !actor.is_stopped())?;
        Some(Box::new(actor))
    }

    fn wake(&self) {
        if let Some(actor) = self.actor.upgrade() {
            extend::wake(&actor);
        }
    }

    fn let_go(&self) {
        let Some(actor) = self.actor.upgrade() else { return };
        if let Some(relations) = actor.cell().header.relations.get() {
            relations.waiters.release();
        }
    }

    fn end(&self, reason: EndReason) {
        let Some(actor) = self.actor.upgrade() else { return };
        if reason == EndReason::Failed {
            // ORDERING: Release: pairs with the Acquire in its turn.
            self.desk.has_failed.store(true, Ordering::Release);
            extend::wake(&actor);
        } else {
            actor.stop();
        }
    }

    fn lose(&self) {
        if let Some(actor) = self.actor.upgrade() {
            self.desk.leave_mark(&actor, LOST.to_vec());
        }
    }

    fn mark(&self, mark: Vec<u8>) -> bool {
        let Some(actor) = self.actor.upgrade().filter(|actor| !actor.is_stopped()) else {
            return false;
        };
        self.desk.leave_mark(&actor, mark)
    }

    fn accompany(
        &self,
        mailbox: usize,
        message: Box<dyn Any + Send>,
        companion: Vec<u8>,
    ) -> Result<(), Box<dyn Any + Send>> {
        let actor = self.actor.upgrade().filter(|actor| !actor.is_stopped());
        let Some(actor) = actor.filter(|_| message.is::<M>() && mailbox < M::MAILBOXES) else {
            return Err(message);
        };
        let theater = self.actor.header().stage.theater();
        let sender = self.has_lanes().then(|| Lane::here(self.actor.header()).everywhere(theater));
        let slot = Slot { mailbox, sender };
        match self.desk.leave(&actor, Left::Accompanied(slot, message, companion)) {
            Err(Left::Accompanied(_, message, _)) => Err(message),
            _ => Ok(()),
        }
    }

    fn nothing_earlier(&self) -> Earlier {
        Earlier::of(Before::<M> { waiting: Vec::new(), letters: Vec::new() })
    }

    fn came_earlier(
        &self,
        passage: &dyn Passage,
        slot: Slot,
        bytes: &[u8],
        earlier: &mut Earlier,
    ) -> Result<(), WireError> {
        if slot.mailbox >= M::MAILBOXES {
            return Err(WireError::Refused("the actor has no such mailbox"));
        }
        let message: M = decode(passage, bytes)?;
        of_type(earlier).waiting.push(PendingDelivery::Message(slot, message));
        Ok(())
    }

    fn letter_came_earlier(
        &self,
        passage: &dyn Passage,
        name: LetterName,
        awaits: Awaits,
        bytes: &[u8],
        earlier: &mut Earlier,
    ) -> Result<(), WireError> {
        let message: M = decode(passage, bytes)?;
        // The user's code.
        let is_known = quietly(|| message.mailbox() < M::MAILBOXES);
        if is_known != Some(true) {
            contain(|| drop(message));
            return Err(WireError::Refused("the actor has no such mailbox"));
        }
        let awaits = match awaits {
            Awaits::Time(left) => {
                Awaits::Time(self.actor.header().stage.theater().now().saturating_add(left))
            }
            Awaits::End => Awaits::End,
        };
        of_type(earlier).letters.push(TakenLetter { name, awaits, message });
        Ok(())
    }

    fn marked_earlier(&self, mark: &[u8], earlier: &mut Earlier) {
        of_type::<M>(earlier).waiting.push(PendingDelivery::Mark(mark.to_vec()));
    }

    fn lost_earlier(&self, mut earlier: Earlier, reason: DeadLetterReason) {
        let header = self.actor.header();
        let Before { waiting, letters } = of_type::<M>(&mut earlier);
        for waiting in waiting.drain(..) {
            match waiting {
                PendingDelivery::Message(_, message)
                | PendingDelivery::Accompanied(_, message, _) => {
                    header.stage.theater().dead_letter(header.id, reason, message);
                }
                PendingDelivery::Mark(mark) => self.desk.outbound.lost(&mark),
            }
        }
        for letter in letters.drain(..) {
            header.stage.theater().dead_letter(header.id, reason, letter.message);
        }
    }

    fn handled(&self) -> u64 {
        // ORDERING: Relaxed: see `has_handled`.
        self.desk.handled.load(Ordering::Relaxed)
    }

    fn expects(&self) -> bool {
        let Some(actor) = self.actor.upgrade().filter(|actor| !actor.is_stopped()) else {
            return false;
        };
        // In this order: an answer that has come since is seen in the inbox.
        open_question::count(self.actor.header()) > 0 || !actor.cell().inbox.is_idle()
    }

    fn inbound(&self) -> Option<Arc<dyn Inbound>> {
        let actor = self.actor.upgrade().filter(|actor| !actor.is_stopped())?;
        Some(Arc::new(LocalInbound::to(actor)))
    }

    fn dead_letter(
        &self,
        passage: &dyn Passage,
        reason: DeadLetterReason,
        bytes: &[u8],
    ) -> Result<(), WireError> {
        let message: M = decode(passage, bytes)?;
        let header = self.actor.header();
        header.stage.theater().dead_letter(header.id, reason, message);
        Ok(())
    }
}
