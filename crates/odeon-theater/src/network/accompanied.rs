//! Messages that go to another theater together with a companion: `odeon-coordination` has transactions that several theaters take part in.
//!
//! The companion is written in front of the message, and made anew where it comes. Both keep the order of all messages for their actor.

use std::any::Any;
use std::sync::{Arc, Weak};

use odeon_core::DeadLetterReason;
use odeon_core::extend::Companion;
use odeon_core::wire::{Address, Delivered, Slot};
use odeon_sync::Mutex;

use super::marks::{ACCOMPANIED, read_slot, write_slot};
use super::passage::Between;
use super::peer::Peer;
use super::seats::Leads;
use super::{Inner, Network};
use crate::TheaterId;

/// Who knows what goes with messages to other theaters.
pub trait Companions: Send + Sync {
    /// A message comes from a theater, with this companion: answers what its actor gets with it, at once. `None`: it is refused.
    fn comes(&self, from: TheaterId, companion: &[u8]) -> Option<Companion>;

    /// Whether a message with this companion, sent here, is to go to this theater. Otherwise it is lost.
    fn is_for(&self, companion: &[u8], to: TheaterId) -> bool;

    /// A message that has left here with this companion does not come to its actor, or nobody knows whether it does.
    fn is_lost(&self, companion: &[u8]);
}

/// See the module.
#[derive(Default)]
pub(super) struct Accompanied(Mutex<Option<Weak<dyn Companions>>>);

impl Accompanied {
    fn companions(&self) -> Option<Arc<dyn Companions>> {
        self.0.lock().expect("nothing panics under this lock").as_ref()?.upgrade()
    }

    pub(super) fn is_for(&self, companion: &[u8], to: TheaterId) -> bool {
        self.companions().is_some_and(|companions| companions.is_for(companion, to))
    }

    pub(super) fn is_lost(&self, companion: &[u8]) {
        if let Some(companions) = self.companions() {
            companions.is_lost(companion);
        }
    }

    /// A message with a companion was not acknowledged before its link ended. Answers the message itself.
    pub(super) fn undelivered<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let Some((_, companion, message)) = read_head(bytes) else { return &[] };
        self.is_lost(companion);
        message
    }
}

/// Writes what stands before a message with a companion.
pub(super) fn write_head(slot: Slot, companion: &[u8], bytes: &mut Vec<u8>) {
    let length = u16::try_from(companion.len()).expect("companions are short");
    bytes.push(ACCOMPANIED);
    write_slot(slot, bytes);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(companion);
}

/// Where it goes, companion and message, of what stands behind [`ACCOMPANIED`].
fn read_head(bytes: &[u8]) -> Option<(Slot, &[u8], &[u8])> {
    let (slot, bytes) = read_slot(bytes)?;
    let (&length, bytes) = bytes.split_first_chunk()?;
    let (companion, message) = bytes.split_at_checked(u16::from_le_bytes(length).into())?;
    Some((slot, companion, message))
}

impl Network {
    pub(crate) fn accompany_by(&self, companions: Weak<dyn Companions>) {
        let before = self
            .inner
            .accompanied
            .0
            .lock()
            .expect("nothing panics under this lock")
            .replace(companions);
        drop(before);
    }

    /// Where the actor lives for which an actor of this theater stands.
    pub(crate) fn leads_to(&self, actor: u64) -> Option<Address> {
        match self.inner.seats.leads(actor)? {
            Leads::Here => None,
            Leads::To(reference) => Some(reference.at),
        }
    }

    pub(crate) fn send_accompanied(
        &self,
        actor: u64,
        mailbox: usize,
        message: Box<dyn Any + Send>,
        companion: Vec<u8>,
    ) -> Result<(), Box<dyn Any + Send>> {
        match self.inner.seats.get(actor) {
            Some(stands) => stands.accompany(mailbox, message, companion),
            None => Err(message),
        }
    }
}

impl Inner {
    pub(super) fn accompanied_arrives(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        actor: u64,
        bytes: &[u8],
    ) {
        let Some((slot, companion, message)) = read_head(bytes) else { return };
        let made = self.accompanied.companions().and_then(|it| it.comes(peer.id, companion));
        if self.seats.are_mobile() {
            self.tell_moved(actor, peer);
        }
        let Some(inbound) = self.exports.get(actor) else {
            // Dropped first, the companion tells whom it concerns.
            drop(made);
            return self.lost(actor, DeadLetterReason::Stopped, message);
        };
        let Some(made) = made else {
            return self.lost(actor, DeadLetterReason::Stopped, message);
        };
        match inbound.deliver_accompanied(&Between::new(self, peer), slot, message, made) {
            Ok(Delivered::Yes) => peer.does_not_press(actor),
            Ok(Delivered::No) => self.tell_if_ended(actor, peer),
            Ok(Delivered::UnderPressure) => peer.presses(self, actor, bytes.len(), &inbound),
            Err(_) => self.lost(actor, DeadLetterReason::Unwritable, message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_core::extend::Lane;

    #[test]
    fn what_stands_before_a_message_is_read_as_it_was_written_and_nothing_shorter_is() {
        for sender in [None, Lane::of_known(7)] {
            let (slot, mut bytes) = (Slot { mailbox: 3, sender }, Vec::new());
            write_head(slot, b"with it", &mut bytes);
            bytes.extend_from_slice(b"message");
            assert_eq!(bytes[0], ACCOMPANIED);
            assert_eq!(read_head(&bytes[1..]), Some((slot, &b"with it"[..], &b"message"[..])));
            let head = bytes.len() - b"message".len();
            assert!((1..head).all(|end| read_head(&bytes[1..end]).is_none()));
        }
    }
}
