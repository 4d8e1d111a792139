//! Marks among the messages for an actor: what theaters tell each other about its place, and what
//! must come behind all messages that were sent before.

use std::time::Duration;

use odeon_core::extend::{Awaits, Lane, LetterName};
use odeon_core::wire::{Address, Slot};
use serde::{Deserialize, Serialize};

use crate::TheaterId;

/// Where the mailbox of a message is written: this is none.
pub(crate) const MARK: u8 = 64;
/// There too: a message with a companion.
pub(crate) const ACCOMPANIED: u8 = 65;
/// There too: a message with the lane of its sender.
const WITH_LANE: u8 = 66;

/// There too: a letter of an actor that comes, which waits for a time.
const TIMER: u8 = 67;
/// There too: one that waits for an end.
const WATCH: u8 = 68;

/// Writes what stands before the message of a letter. A time is rounded up: it is never too early.
pub(crate) fn write_letter(name: LetterName, awaits: Awaits, bytes: &mut Vec<u8>) {
    let left = match awaits {
        Awaits::Time(left) => Some(left),
        Awaits::End => None,
    };
    bytes.push(if left.is_some() { TIMER } else { WATCH });
    for number in [name.theater, name.number] {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    if let Some(left) = left {
        let micros = u64::try_from(left.as_nanos().div_ceil(1_000)).unwrap_or(u64::MAX);
        bytes.extend_from_slice(&micros.to_be_bytes());
    }
}

/// Whether a letter is written here.
pub(crate) fn is_letter(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(&(TIMER | WATCH)))
}

/// Which letter, what it waits for, and its message. `None`: it is no letter.
pub(crate) fn read_letter(bytes: &[u8]) -> Option<(LetterName, Awaits, &[u8])> {
    let (&kind, bytes) = bytes.split_first()?;
    let (&theater, bytes) = bytes.split_first_chunk()?;
    let (&number, bytes) = bytes.split_first_chunk()?;
    let [theater, number] = [theater, number].map(u64::from_be_bytes);
    let name = LetterName { theater, number };
    match kind {
        TIMER => {
            let (&micros, message) = bytes.split_first_chunk()?;
            let left = Duration::from_micros(u64::from_be_bytes(micros));
            Some((name, Awaits::Time(left), message))
        }
        WATCH => Some((name, Awaits::End, bytes)),
        _ => None,
    }
}

/// Writes what stands before a message.
pub(crate) fn write_slot(slot: Slot, bytes: &mut Vec<u8>) {
    // There are 64 mailboxes at most.
    let mailbox = slot.mailbox as u8;
    match slot.sender {
        None => bytes.push(mailbox),
        Some(lane) => {
            let [first, second, third, _] = lane.number().to_le_bytes();
            bytes.extend_from_slice(&[WITH_LANE, mailbox, first, second, third]);
        }
    }
}

/// Where a message goes, and the message: of what is no mark, and has no companion. `None`: it is
/// no message.
pub(crate) fn read_slot(bytes: &[u8]) -> Option<(Slot, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    if first != WITH_LANE {
        return Some((Slot { mailbox: first.into(), sender: None }, rest));
    }
    let (&[mailbox, first, second, third], rest) = rest.split_first_chunk()?;
    let sender = Lane::of_known(u32::from_le_bytes([first, second, third, 0]))?;
    Some((Slot { mailbox: mailbox.into(), sender: Some(sender) }, rest))
}

/// Left among the messages of a seat. New kinds are added at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mark {
    /// To the actor, wherever it is: it is to move to a theater, for which it has looked so many
    /// times in vain. Whoever asked has a question of this number at that theater.
    Migrate { to: u128, asker: u128, question: u64, tries: u32 },
    /// To a seat whose actor leaves: the theater to which it goes is ready, and has this seat for
    /// it. Nothing comes behind this by the same way.
    Ready { attempt: u64, theater: u128, seat: u64 },
    /// To the seat to which an actor comes: all that was before it has come, and the actor sits
    /// here from now on.
    Go { attempt: u64 },
    /// To the actor, wherever it is: this theater's seats for it send no more by the same way, and
    /// wait to be told that all has come.
    Through { theater: u128, who: Address, turn: u64 },
    /// To the own seat: its actor is elsewhere than messages are sent to.
    Reroute,
    /// To the own seat: an actor wants to come to it.
    Receive { attempt: u64 },
    /// To the own seat: the actor that wanted to come is here.
    Settle { attempt: u64 },
    /// To the own seat: its actor, which wanted to leave, cannot.
    Stay { attempt: u64 },
}

impl Mark {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("numbers can be written")
    }

    /// `None`: this is none, or of a kind that is not known here.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    pub(crate) fn ready(attempt: u64, theater: TheaterId, seat: u64) -> Self {
        Self::Ready { attempt, theater: theater.bits(), seat }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_read_as_it_was_written_and_nothing_shorter_is() {
        let lane = Lane::of_known(7).unwrap();
        for slot in [Slot { mailbox: 3, sender: None }, Slot { mailbox: 63, sender: Some(lane) }] {
            let mut bytes = Vec::new();
            write_slot(slot, &mut bytes);
            let head = bytes.len();
            bytes.extend_from_slice(b"message");
            assert_eq!(read_slot(&bytes), Some((slot, &b"message"[..])));
            assert!((0..head).all(|end| read_slot(&bytes[..end]).is_none()));
        }
        assert_eq!(read_slot(&[WITH_LANE, 0, 2, 0, 0]), None, "no sender has this lane");
    }

    #[test]
    fn a_letter_is_read_as_it_was_written_and_never_too_early() {
        let name = LetterName { theater: 1 << 63, number: 2 };
        let times = [(0, 0), (1, 1_000), (1_000, 1_000), (2_500_001, 2_501_000)];
        let time = |nanos| Awaits::Time(Duration::from_nanos(nanos));
        let times = times.map(|(left, read)| (time(left), time(read)));
        for (awaits, read) in times.into_iter().chain([(Awaits::End, Awaits::End)]) {
            let mut bytes = Vec::new();
            write_letter(name, awaits, &mut bytes);
            let head = bytes.len();
            assert_eq!(head, if awaits == Awaits::End { 17 } else { 25 });
            bytes.extend_from_slice(b"message");
            assert!(is_letter(&bytes));
            assert_eq!(read_letter(&bytes), Some((name, read, &b"message"[..])));
            assert!((0..head).all(|end| read_letter(&bytes[..end]).is_none()));
        }
        let mut bytes = Vec::new();
        write_letter(name, Awaits::Time(Duration::MAX), &mut bytes);
        let (_, longest, _) = read_letter(&bytes).unwrap();
        assert_eq!(longest, Awaits::Time(Duration::from_micros(u64::MAX)));
        assert_eq!(read_letter(&[&[3], &bytes[1..]].concat()), None, "a message is no letter");
    }
}
