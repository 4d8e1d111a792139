//! What is sent to an actor whose messages come with lanes: with its sender's lane, to the inbox
//! that is for it.

use super::{Accepted, Hindered, beyond, push};
use crate::mailbox::{Pushed, label};
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::bounded;
use crate::messaging::lane::Lane;
use crate::messaging::lane::companion::{self, Companion};
use crate::messaging::shards;
use crate::process::cell::MessageCell;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

impl<M: Message> ActorRef<M> {
    /// Where what this thread sends to an actor without bounds comes to.
    pub(crate) fn receiver(&self) -> &MessageCell<M> {
        let cell = self.cell();
        let shards = cell.header.vtable.laned.then(|| shards::of(cell)).flatten();
        shards.and_then(|shards| shards.there(Lane::of_next(&cell.header))).unwrap_or(cell)
    }

    /// All that messages to an actor without bounds come to.
    #[allow(dead_code, reason = "only networks ask for this, and there need not be any")]
    pub(crate) fn receivers(&self) -> Vec<ErasedWeakRef> {
        let mut receivers = vec![self.erased()];
        if let Some(shards) = shards::of(self.cell()) {
            receivers.extend(shards.all().map(ActorRef::erased));
        }
        receivers
    }

    /// By itself, so that it costs no more than a lane.
    #[inline(never)]
    pub(super) fn send_in_lane(
        &self,
        mailbox: usize,
        message: M,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        let cell = self.cell();
        let lane = Lane::here(&cell.header);
        let (receiver, accepted) = self.push_in_lane(lane, lane.label(mailbox), message);
        hindered.apply(receiver, accepted)
    }

    /// Hands a message of this lane to the inbox that is for it. Answers whose that is, too.
    #[inline(always)]
    fn push_in_lane(&self, lane: Lane, label: u32, message: M) -> (&MessageCell<M>, Accepted<M>) {
        let cell = self.cell();
        let home = cell.header.home.of_stage();
        let Some(shards) = shards::of(cell) else {
            return (cell, push(cell, home, label, message));
        };
        let Some(shard) = shards.shard(self, lane) else { return (cell, Accepted::No(message)) };
        let pushed = shard.inbox.push(label, message);
        if let Pushed::AlreadyPending = pushed {
            return (shard, Accepted::Yes);
        }
        if pushed.wakes_owner() {
            shards::leave(self, &shard.header);
        }
        (shard, beyond(&shard.header, home, pushed))
    }

    /// Sends a message with a companion to a mailbox of an actor with lanes.
    pub(crate) fn send_accompanied(
        &self,
        mailbox: usize,
        message: M,
        companion: Companion,
        hindered: Hindered,
    ) -> Result<(), SendError<M>> {
        let cell = self.cell();
        assert!(cell.header.vtable.laned, "companions come to actors with lanes only");
        let lane = Lane::here(&cell.header);
        let Ok(tag) = companion::leave(lane, companion) else {
            return Err(SendError::Full(message));
        };
        if cell.header.home.is_bounded() {
            // A transaction waits for it: it is counted, and accepted in any case.
            bounded::enter_beyond(cell, mailbox);
        }
        let label = label::tagged(mailbox, tag);
        let (receiver, accepted) = self.push_in_lane(lane, label, message);
        if let Accepted::No(_) = accepted {
            drop(companion::take(tag));
        }
        hindered.apply(receiver, accepted)
    }
}
