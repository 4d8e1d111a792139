//! Lanes: which messages of one actor may overtake each other, for actors that handle several at once.
//!
//! The messages of one sender to one actor have one lane, so an actor that keeps the order within each
//! lane keeps S2. A lane is a number made from the sender's address: two senders may share one, which costs
//! them parallelism and nothing else. It travels in the upper bits of the message's label, as the tag of a
//! followed message does elsewhere; plain actors are sent none and pay nothing.
//!
//! Who sends:
//! * a handler of a pool actor: that actor;
//! * a thread of a pinned or dedicated stage, and any other thread: the thread. So what a task of another
//!   runtime sends from several threads has several lanes.

use std::ptr;

use crate::cell::Header;
use crate::current::{self, Current};
use crate::mailbox::label;

/// The lane of a message: not 0, below 2^24.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lane(u32);

impl Lane {
    /// The lane of what this thread sends at this moment.
    pub(crate) fn here() -> Self {
        let here = current::here();
        match here.lane.get() {
            0 if here.actor.get().is_null() => {
                Self::of_address(ptr::from_ref::<Current>(here).addr())
            }
            0 => Self::of_address(here.actor.get().addr()),
            lent => Self(lent),
        }
    }

    /// The lane of what an actor sends.
    pub(crate) fn of_actor(header: &Header) -> Self {
        Self::of_address(ptr::from_ref(header).addr())
    }

    /// Fibonacci hashing (Knuth, TAOCP 3, 6.4): neighbours get lanes far apart.
    fn of_address(address: usize) -> Self {
        let mixed = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        Self(mixed as u32 | 1)
    }

    /// The number, for tables of lanes; its upper bits are the better mixed ones.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The label of a message of this lane.
    pub(crate) fn label(self, mailbox: usize) -> u32 {
        label::tagged(mailbox, self.0)
    }

    /// The lane that came with a message.
    pub(crate) fn of_tag(tag: u32) -> Self {
        debug_assert_ne!(tag, 0, "a lane is not 0");
        Self(tag)
    }

    /// Does `work`; what it sends has this lane.
    pub(crate) fn lend_during<R>(self, work: impl FnOnce() -> R) -> R {
        /// Puts the outer one back, also when the work unwinds.
        struct Restore(u32);
        impl Drop for Restore {
            fn drop(&mut self) {
                current::here().lane.set(self.0);
            }
        }
        let _restore = Restore(current::here().lane.replace(self.0));
        work()
    }
}
