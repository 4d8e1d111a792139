//! How the changes of queues and vectors are told: collections in which places say what is meant.
//!
//! ```text
//! change: CLEAR | PUSH element | POP | SET place element | SWAP place place
//! ```

use super::record::{put_number, take_number};
use super::{ApplyError, Encoded};

const CLEAR: u8 = 0;
const PUSH: u8 = 1;
const POP: u8 = 2;
const SET: u8 = 3;
const SWAP: u8 = 4;

/// How the elements of such a collection become bytes.
pub(crate) struct SequenceCodec<T> {
    pub(crate) element: fn(&T, &mut Vec<u8>),
}

impl<T> SequenceCodec<T> {
    /// There is no element any more.
    pub(crate) fn clear(&self, to: &mut Vec<u8>) {
        to.push(CLEAR);
    }

    /// There is another element, behind all others.
    pub(crate) fn push(&self, element: &T, to: &mut Vec<u8>) {
        to.push(PUSH);
        (self.element)(element, to);
    }

    /// The element is no more that is the next to be taken off.
    pub(crate) fn pop(&self, to: &mut Vec<u8>) {
        to.push(POP);
    }

    /// At this place, where one was, there is another element.
    pub(crate) fn set(&self, place: usize, element: &T, to: &mut Vec<u8>) {
        to.push(SET);
        put_number(place as u64, to);
        (self.element)(element, to);
    }

    /// The elements of two places have changed places.
    pub(crate) fn swap(&self, left: usize, right: usize, to: &mut Vec<u8>) {
        to.push(SWAP);
        put_number(left as u64, to);
        put_number(right as u64, to);
    }
}

/// One change.
pub(crate) enum SequenceChange<T> {
    Clear,
    Push(T),
    Pop,
    Set(usize, T),
    Swap(usize, usize),
}

fn take_place(from: &mut &[u8]) -> Option<usize> {
    usize::try_from(take_number(from)?).ok()
}

impl<T: Encoded> SequenceChange<T> {
    /// The change that `bytes` are.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, ApplyError> {
        Self::take(bytes).ok_or(ApplyError::NoChange)
    }

    fn take(bytes: &[u8]) -> Option<Self> {
        let (kind, mut rest) = bytes.split_first()?;
        let rest = &mut rest;
        let change = match *kind {
            CLEAR => Self::Clear,
            PUSH => Self::Push(T::decode(rest)?),
            POP => Self::Pop,
            SET => Self::Set(take_place(rest)?, T::decode(rest)?),
            SWAP => Self::Swap(take_place(rest)?, take_place(rest)?),
            _ => return None,
        };
        rest.is_empty().then_some(change)
    }
}
