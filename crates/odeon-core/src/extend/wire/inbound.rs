//! The way in: what comes from elsewhere, to the actor that it is meant for.

use std::any::{Any, TypeId, type_name};
use std::iter;
use std::pin::Pin;

use odeon_sync::atomic::Ordering;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::codec::decode;
use super::doorman;
use super::error::WireError;
use super::layout::layout_of;
use super::native::{Native, native};
use super::passage::Passage;
use super::slot::Slot;
use crate::lifecycle::watch::Watch;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::lane::companion::Companion;
use crate::messaging::pressure;
use crate::messaging::send::Hindered;
use crate::process::submit::Submit;
use crate::vocabulary::actor_id::{ActorId, SHARD_BITS};
use crate::vocabulary::dead_letter::DeadLetterReason;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

/// What became of a message from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Delivered {
    /// It waits in its mailbox.
    Yes,
    /// The same, and the actor is under pressure (S17): whoever sends more is to wait.
    UnderPressure,
    /// The actor has stopped, or its mailbox is full: the message is a dead letter.
    No,
}

/// The way in for messages from elsewhere to one actor, the type of its messages forgotten. Keeps
/// the actor.
pub trait Inbound: Send + Sync {
    /// The actor's number.
    fn actor(&self) -> u64;

    /// The actor's stage.
    fn stage(&self) -> &dyn Submit;

    /// The actor, if it sits where it was created and has not been introduced.
    fn native(&self) -> Option<Native>;

    /// Whether the actor has ended.
    fn is_stopped(&self) -> bool;

    /// Whether nobody else refers to the actor: no `ActorRef` but those that this keeps is left.
    fn is_alone(&self) -> bool;

    /// Whether messages to the actor come with lanes.
    fn has_lanes(&self) -> bool;

    /// The type of the actor's messages.
    fn message_type(&self) -> TypeId;

    /// What the type is called.
    fn message_name(&self) -> &'static str;
    /// The [layout](super::layout_of) of the type.
    fn message_layout(&self) -> u64;

    /// The `ActorRef` to the actor.
    fn reference(&self) -> Box<dyn Any + Send + Sync>;

    /// Delivers a message, without waiting.
    ///
    /// # Errors
    /// If these bytes are no message for it.
    fn deliver(
        &self,
        passage: &dyn Passage,
        slot: Slot,
        bytes: &[u8],
    ) -> Result<Delivered, WireError>;

    /// As [`deliver`](Self::deliver), with a companion, to an actor that takes messages with these.
    /// The companion is dropped if it is none, or the message cannot be delivered.
    ///
    /// # Errors
    /// If these bytes are no message for it, or it takes no companions.
    fn deliver_accompanied(
        &self,
        passage: &dyn Passage,
        slot: Slot,
        bytes: &[u8],
        companion: Companion,
    ) -> Result<Delivered, WireError>;

    /// Completes when the actor is not under pressure any more, or has stopped.
    fn relieved(&self) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// Calls `told` when the actor ends, at once if it has ended.
    fn on_end(&self, told: Box<dyn FnOnce(EndReason) + Send>) -> Watch;
}

/// The way in to an actor that lives here.
pub(super) struct LocalInbound<M: Message> {
    actor: ActorRef<M>,
    /// One for each mailbox, if the actor has bounds.
    doormen: Vec<ActorRef<M>>,
}

impl<M: Message> LocalInbound<M> {
    pub(super) fn to(actor: ActorRef<M>) -> Self {
        Self { doormen: doorman::at(&actor), actor }
    }
}

impl<M: Message + Serialize + DeserializeOwned> Inbound for LocalInbound<M> {
    fn actor(&self) -> u64 {
        self.actor.id().number()
    }

    fn stage(&self) -> &dyn Submit {
        &*self.actor.cell().header.stage
    }

    fn native(&self) -> Option<Native> {
        native(&self.actor)
    }

    fn is_stopped(&self) -> bool {
        self.actor.is_stopped()
    }

    fn is_alone(&self) -> bool {
        // ORDERING: Relaxed: whoever finds only references of its own has them all, and others come
        // only from those, or from the actor itself.
        let references = self.actor.cell().header.strong.load(Ordering::Relaxed);
        // Each doorman has one, too.
        references as usize == 1 + self.doormen.len()
    }

    fn has_lanes(&self) -> bool {
        self.actor.cell().header.vtable.laned
    }

    fn message_type(&self) -> TypeId {
        TypeId::of::<M>()
    }

    fn message_name(&self) -> &'static str {
        type_name::<M>()
    }

    fn message_layout(&self) -> u64 {
        layout_of::<M>()
    }

    fn reference(&self) -> Box<dyn Any + Send + Sync> {
        Box::new(self.actor.clone())
    }

    fn deliver(
        &self,
        passage: &dyn Passage,
        slot: Slot,
        bytes: &[u8],
    ) -> Result<Delivered, WireError> {
        let Slot { mailbox, sender } = slot;
        // Before it is read: who drops a message runs its user's code.
        if mailbox >= M::MAILBOXES {
            return Err(WireError::Refused("the actor has no such mailbox"));
        }
        let message: M = decode(passage, bytes)?;
        let (sent, is_pressed) = match self.doormen.get(mailbox) {
            None => {
                let send = || {
                    let sent = self.actor.send_unhindered_into(mailbox, message);
                    (sent, self.actor.is_under_pressure())
                };
                match sender {
                    Some(lane) => lane.lend_during(send),
                    None => send(),
                }
            }
            Some(doorman) => {
                (doorman.send_unhindered_into(0, message), doorman.is_under_pressure())
            }
        };
        Ok(match sent {
            Ok(()) if is_pressed => Delivered::UnderPressure,
            Ok(()) => Delivered::Yes,
            Err(error) => {
                self.actor.dead_letter(error);
                Delivered::No
            }
        })
    }

    fn deliver_accompanied(
        &self,
        passage: &dyn Passage,
        slot: Slot,
        bytes: &[u8],
        companion: Companion,
    ) -> Result<Delivered, WireError> {
        let Slot { mailbox, sender } = slot;
        if mailbox >= M::MAILBOXES || !self.actor.cell().header.vtable.laned {
            return Err(WireError::Refused("the actor takes no such messages"));
        }
        let message: M = decode(passage, bytes)?;
        let send = || {
            let sent = self.actor.send_accompanied(mailbox, message, companion, Hindered::No);
            (sent, self.actor.is_under_pressure())
        };
        let (sent, is_pressed) = match sender {
            Some(lane) => lane.lend_during(send),
            None => send(),
        };
        match sent {
            Ok(()) if is_pressed => Ok(Delivered::UnderPressure),
            Ok(()) => Ok(Delivered::Yes),
            Err(error) => {
                self.actor.dead_letter(error);
                Ok(Delivered::No)
            }
        }
    }

    fn relieved(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let all = iter::once(&self.actor).chain(&self.doormen);
        let receivers: Vec<_> = all.flat_map(ActorRef::receivers).collect();
        Box::pin(async move {
            for receiver in receivers {
                pressure::relieved(receiver).await;
            }
        })
    }

    fn on_end(&self, told: Box<dyn FnOnce(EndReason) + Send>) -> Watch {
        self.actor.on_end(move |ended| told(ended.reason()))
    }
}

/// A message that was written for an actor of the stage's theater, which nobody can read any more,
/// is a dead letter.
pub fn unreadable(stage: &dyn Submit, actor: u64, reason: DeadLetterReason, bytes: &[u8]) {
    let shard = (actor & ((1 << SHARD_BITS) - 1)) as usize;
    stage.theater().dead_letter(ActorId::new(shard, actor >> SHARD_BITS), reason, bytes.to_vec());
}
