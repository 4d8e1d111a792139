//! Lanes: which messages of one actor may overtake each other, for actors that handle several at
//! once.
//!
//! The messages of one sender to one actor have one lane, so an actor that keeps the order within
//! each lane keeps S2. A lane is a number made from what identifies the sender, also among those
//! that have ended: their messages may be waiting still, and nobody should have to wait behind
//! them. Two senders share one only by a rare chance. It travels in the upper bits of the message's
//! label, as the tag of a followed message does elsewhere; plain actors are sent none and pay
//! nothing.
//!
//! An actor with several mailboxes keeps the order within each of them, and no order between them:
//! what it takes from the inbox has a lane for each sender and mailbox.
//!
//! Who sends:
//! * a handler of a pool actor: that actor;
//! * a task of another runtime, where the receiver's theater knows it
//!   (`messaging/foreign_task.rs`): the task, whatever threads it runs on;
//! * a thread of a pinned or dedicated stage, and any other thread: the thread. So the tasks of a
//!   runtime that the theater does not know have a lane for each thread, but for questions that are
//!   awaited (`lane/of_thread.rs`).

pub(crate) mod companion;
pub(crate) mod of_thread;

use crate::mailbox::label;
use crate::process::cell::Header;
use crate::process::current::{self, Current};
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::foreign_task::ForeignTask;

/// The lane of a message: odd, below 2^24; in a mailbox but the first, that mailbox's number times
/// 2^24 more. The bit of value 2 says that it is known in several theaters
/// ([`everywhere`](Lane::everywhere)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lane(u32);

/// Bits of a lane's number that tell senders apart: as many as a tag has.
const SENDER_BITS: u32 = 24;
const SENDER: u32 = (1 << SENDER_BITS) - 1;
/// Of a lane that is known in several theaters.
const EVERYWHERE: u32 = 2;
/// Odd, so that no two mailboxes have the same product in eight bits; the golden ratio's fraction
/// of 256.
const MAILBOX_SPREAD: u32 = 0x9D;

impl Lane {
    /// The lane of what this thread sends to an actor at this moment.
    #[inline(always)]
    pub(crate) fn here(to: &Header) -> Self {
        let here = current::here();
        match here.lane.get() {
            0 => Self::of_sender(here, to),
            known => Self(known),
        }
    }

    /// As [`here`](Self::here), of what it may send next.
    pub(crate) fn of_next(to: &Header) -> Self {
        let here = current::here();
        match here.lane.get() {
            0 => Self::of_whoever_sends(here, to, Self::known_of_thread),
            known => Self(known),
        }
    }

    #[inline(never)]
    fn of_sender(here: &Current, to: &Header) -> Self {
        Self::of_whoever_sends(here, to, Self::of_thread)
    }

    /// The lane of the actor whose turn it is, of the task that the thread runs, or of the thread.
    #[inline(always)]
    fn of_whoever_sends(here: &Current, to: &Header, of_thread: fn(&Current) -> Self) -> Self {
        let actor = here.actor.get();
        if actor.is_null() {
            return match to.stage.theater().foreign_task() {
                Some(ForeignTask::Numbered(number)) => Self::of_number(number),
                Some(ForeignTask::Unnumbered) | None => of_thread(here),
            };
        }
        // SAFETY: set by this thread for the length of the turn, which keeps the cell.
        let lane = Self::of_actor(unsafe { &*actor });
        here.lane.set(lane.0);
        lane
    }

    /// The lane of what an actor sends.
    pub(crate) fn of_actor(header: &Header) -> Self {
        // The seed tells theaters apart. Not the address: one seed is to be one run (S23), and
        // lanes that share a place (`odeon-speculative`, `lanes.rs`) wait for each other.
        let seed = header.stage.theater().config.random_seed;
        Self::of_number(seed ^ header.id.number().rotate_left(32))
    }

    /// The lane of a sender that this number tells from others. Fibonacci hashing (Knuth, TAOCP
    /// 3, 6.4): neighbours get lanes far apart.
    pub fn of_number(number: u64) -> Self {
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        Self(mixed as u32 & !EVERYWHERE | 1)
    }

    /// The lane of the same sender as all theaters know it, which the seed of its own tells from
    /// senders of others: threads of different processes have the same numbers. A lane that is
    /// known everywhere stays what it is.
    #[must_use]
    pub fn everywhere(self, theater: &TheaterShared) -> Self {
        if self.0 & EVERYWHERE != 0 {
            return self;
        }
        let number = u64::from(self.0) ^ theater.config.random_seed.rotate_left(24);
        Self(Self::of_number(number).0 | EVERYWHERE)
    }

    /// The number; the upper ones of its lower 24 bits are the better mixed ones.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Its place in tables of as many as there are bytes: who has another one is another sender.
    #[inline(always)]
    pub fn place(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// The lane of the same sender in a mailbox: another one for each mailbox, whoever else sends.
    /// In mailbox 0 it is the sender's own.
    #[inline(always)]
    #[must_use]
    pub fn in_mailbox(self, mailbox: usize) -> Self {
        // The mailbox is mixed into the upper ones of the sender's bits as well, so that tables
        // that go by those tell the mailboxes apart.
        let spread = (mailbox as u32).wrapping_mul(MAILBOX_SPREAD) & 0xFF;
        Self(self.0 & SENDER ^ spread << (SENDER_BITS - 8) | (mailbox as u32) << SENDER_BITS)
    }

    /// The lane of the sender alone, whatever mailbox this one is of.
    #[must_use]
    pub fn of_its_sender(self) -> Self {
        // The spread of a mailbox is its own inverse.
        Self(self.in_mailbox(self.mailbox()).0 & SENDER)
    }

    /// The lane with this number, if there can be one that is known in several theaters.
    pub fn of_known(number: u32) -> Option<Self> {
        let is_known = number & 1 != 0 && number & EVERYWHERE != 0 && number <= SENDER;
        is_known.then_some(Self(number))
    }

    /// The mailbox of this lane.
    #[inline(always)]
    pub fn mailbox(self) -> usize {
        (self.0 >> SENDER_BITS) as usize
    }

    /// The label of a message of this lane.
    pub(crate) fn label(self, mailbox: usize) -> u32 {
        label::tagged(mailbox, self.0)
    }

    /// The lane that came with a message.
    pub(crate) fn of_tag(tag: u32) -> Self {
        debug_assert!(!companion::is_told_by(tag), "a lane is odd");
        Self(tag)
    }

    /// Does `work`; what it sends has this lane.
    pub(crate) fn lend_during<R>(self, work: impl FnOnce() -> R) -> R {
        /// Puts the outer one back, also when the work unwinds.
        struct RestoreLane(u32);
        impl Drop for RestoreLane {
            fn drop(&mut self) {
                current::here().lane.set(self.0);
            }
        }
        let _restore = RestoreLane(current::here().lane.replace(self.0));
        work()
    }
}

#[cfg(test)]
mod tests;
