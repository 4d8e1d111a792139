//! The actor that stands here for one elsewhere.

use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;

use odeon_sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Encode;
use super::codec::{decode, encode};
use super::error::WireError;
use super::passage::Passage;
use crate::actor::Actor;
use crate::actor_ref::{ActorRef, WeakRef};
use crate::context::Context;
use crate::dead_letter::DeadLetterReason;
use crate::extend;
use crate::message::Message;
use crate::observe::EndReason;
use crate::scheduler::submit::Submit;
use crate::theater::spawn;

/// Why a message was not taken to its actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotTaken {
    /// It cannot be written.
    Unwritable(WireError),
    /// The theater of its actor is not to be reached any more.
    Unreachable,
}

/// The way out to one actor elsewhere.
pub trait Outbound: Send + Sync {
    /// Takes a message for this mailbox of the actor, in the order of calls.
    ///
    /// # Errors
    /// Why it has not taken it.
    fn take(&self, mailbox: usize, encode: Encode<'_>) -> Result<(), NotTaken>;

    /// No more messages come for the moment: what has been taken is to go.
    fn flush(&self);

    /// Messages that have been taken and keep senders from sending more. Whoever lowers it below
    /// [`RELIEVED_AT`](crate::extend::RELIEVED_AT) wakes the actor that stands for the other one.
    fn pressing(&self) -> usize;

    /// Whether messages can be taken already: not while another actor here, which stood for the same one before, has messages to be
    /// taken first. Whoever changes that wakes the actor that stands for the other one.
    fn is_open(&self) -> bool;

    /// The actor that stands for the other one has ended.
    fn ended(&self);
}

/// What is known of an actor that stands here for another one, the type of its messages forgotten. Does not keep it.
pub trait StandIn: Send + Sync {
    /// The number of the actor that stands for the other one.
    fn actor(&self) -> u64;

    /// The type of its messages.
    fn message_type(&self) -> TypeId;

    /// The `ActorRef` to it, unless it has gone because nobody referred to it.
    fn reference(&self) -> Option<Box<dyn Any + Send + Sync>>;

    /// Gives it a turn: fewer messages are pressing.
    fn wake(&self);

    /// The other one has ended: so does this one, for the same reason.
    fn end(&self, reason: EndReason);

    /// A message that it took will not come to the other one.
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

/// See [`StandIn`].
pub(super) struct Stands<M: Message> {
    actor: WeakRef<M>,
    has_failed: Arc<AtomicBool>,
}

impl<M: Message + Serialize + DeserializeOwned> StandIn for Stands<M> {
    fn actor(&self) -> u64 {
        self.actor.id().number()
    }

    fn message_type(&self) -> TypeId {
        TypeId::of::<M>()
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

    fn end(&self, reason: EndReason) {
        let Some(actor) = self.actor.upgrade() else { return };
        if reason == EndReason::Failed {
            // ORDERING: Release: pairs with the Acquire in its turn.
            self.has_failed.store(true, Ordering::Release);
            extend::wake(&actor);
        } else {
            actor.stop();
        }
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

/// Stands here for an actor elsewhere: takes messages for it, and writes them.
pub struct Remote<M: Message> {
    outbound: Arc<dyn Outbound>,
    /// Messages that wait until the way is open, with their mailboxes.
    aside: VecDeque<(usize, M)>,
    /// Keeps this actor while there are any.
    keeps: Option<ActorRef<M>>,
    /// The other one has failed.
    has_failed: Arc<AtomicBool>,
    /// Whether messages have been taken since the last flush.
    is_flushed: bool,
}

impl<M: Message + Serialize + DeserializeOwned> Remote<M> {
    /// Creates one on a stage.
    pub(super) fn create(
        stage: &Arc<dyn Submit>,
        outbound: Arc<dyn Outbound>,
    ) -> (ActorRef<M>, Stands<M>) {
        let has_failed = Arc::<AtomicBool>::default();
        let remote = Self {
            outbound,
            aside: VecDeque::new(),
            keeps: None,
            has_failed: has_failed.clone(),
            is_flushed: true,
        };
        let actor = spawn::on(stage, None, remote);
        let actor_known = actor.downgrade();
        (actor, Stands { actor: actor_known, has_failed })
    }

    fn hand_over(&mut self, mailbox: usize, message: M, ctx: &Context<'_, Self>) {
        let taken =
            self.outbound.take(mailbox, &mut |passage, bytes| encode(passage, &message, bytes));
        self.is_flushed = false;
        let reason = match taken {
            Ok(()) => return,
            Err(NotTaken::Unwritable(_)) => DeadLetterReason::Unwritable,
            Err(NotTaken::Unreachable) => DeadLetterReason::Unreachable,
        };
        ctx.theater().dead_letter(ctx.id(), reason, message);
    }
}

impl<M: Message + Serialize + DeserializeOwned> Actor for Remote<M> {
    type Msg = M;
    const PUTS_ASIDE: bool = true;

    fn handle(&mut self, message: M, ctx: &mut Context<'_, Self>) {
        let mailbox = ctx.mailbox();
        if self.aside.is_empty() && self.outbound.is_open() {
            self.hand_over(mailbox, message, ctx);
        } else {
            self.keeps.get_or_insert_with(|| ctx.actor_ref());
            self.aside.push_back((mailbox, message));
        }
    }

    fn stopped(&mut self) {
        self.outbound.ended();
    }

    fn __has_aside(&self) -> bool {
        // ORDERING: Acquire: pairs with the Release of whoever says so.
        !self.is_flushed
            || !self.aside.is_empty()
            || self.outbound.pressing() > 0
            || self.has_failed.load(Ordering::Acquire)
    }

    fn __go_on_with_aside(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        // ORDERING: Acquire: as above.
        if self.has_failed.load(Ordering::Acquire) {
            self.outbound.ended();
            resume_unwind(Box::new("the actor elsewhere, for which this one stands, has failed"));
        }
        if !self.aside.is_empty() && self.outbound.is_open() {
            while let Some((mailbox, message)) = self.aside.pop_front() {
                self.hand_over(mailbox, message, ctx);
            }
            self.keeps = None;
        }
        if !std::mem::replace(&mut self.is_flushed, true) {
            self.outbound.flush();
        }
        false
    }

    fn __aside(&self) -> usize {
        self.aside.len()
    }

    fn __pressing(&self) -> usize {
        self.aside.len() + self.outbound.pressing()
    }

    fn __give_back(&mut self, take: &mut dyn FnMut(M)) {
        self.aside.drain(..).for_each(|(_, message)| take(message));
    }
}
