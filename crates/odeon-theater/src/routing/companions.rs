//! Messages that go to another theater together with a companion: `odeon-coordination` has
//! transactions that several theaters take part in.
//!
//! The companion is written in front of the message, and made anew where it comes. Both keep the
//! order of all messages for their actor.

use std::sync::{Arc, Weak};

use odeon_core::extend::Companion;
use odeon_core::wire::Slot;
use odeon_sync::Mutex;

use crate::TheaterId;
use crate::routing::marks::{ACCOMPANIED, read_slot, write_slot};

/// Who knows what goes with messages to other theaters.
pub trait Companions: Send + Sync {
    /// A message comes from a theater, with this companion: answers what its actor gets with it, at
    /// once. `None`: it is refused.
    fn comes(&self, from: TheaterId, companion: &[u8]) -> Option<Companion>;

    /// Whether a message with this companion, sent here, is to go to this theater. Otherwise it is
    /// lost.
    fn is_for(&self, companion: &[u8], to: TheaterId) -> bool;

    /// A message that has left here with this companion does not come to its actor, or nobody knows
    /// whether it does.
    fn is_lost(&self, companion: &[u8]);
}

/// See the module.
#[derive(Default)]
pub(crate) struct Accompanied(Mutex<Option<Weak<dyn Companions>>>);

impl Accompanied {
    /// In place of who did before.
    pub(crate) fn by(&self, companions: Weak<dyn Companions>) {
        let mut place = self.0.lock().expect("nothing panics under this lock");
        let before = place.replace(companions);
        drop(place);
        drop(before);
    }

    pub(crate) fn companions(&self) -> Option<Arc<dyn Companions>> {
        self.0.lock().expect("nothing panics under this lock").as_ref()?.upgrade()
    }

    pub(crate) fn is_for(&self, companion: &[u8], to: TheaterId) -> bool {
        self.companions().is_some_and(|companions| companions.is_for(companion, to))
    }

    pub(crate) fn is_lost(&self, companion: &[u8]) {
        if let Some(companions) = self.companions() {
            companions.is_lost(companion);
        }
    }

    /// A message with a companion was not acknowledged before its link ended. Answers the message
    /// itself.
    pub(crate) fn undelivered<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let Some((_, companion, message)) = read_head(bytes) else { return &[] };
        self.is_lost(companion);
        message
    }
}

/// Writes what stands before a message with a companion.
pub(crate) fn write_head(slot: Slot, companion: &[u8], bytes: &mut Vec<u8>) {
    let length = u16::try_from(companion.len()).expect("companions are short");
    bytes.push(ACCOMPANIED);
    write_slot(slot, bytes);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(companion);
}

/// Where it goes, companion and message, of what stands behind [`ACCOMPANIED`].
pub(crate) fn read_head(bytes: &[u8]) -> Option<(Slot, &[u8], &[u8])> {
    let (slot, bytes) = read_slot(bytes)?;
    let (&length, bytes) = bytes.split_first_chunk()?;
    let (companion, message) = bytes.split_at_checked(u16::from_le_bytes(length).into())?;
    Some((slot, companion, message))
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
