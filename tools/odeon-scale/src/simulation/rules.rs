//! The numbers of the rules: those of the code where it tells them, and what it does not tell.

pub(super) use odeon_core::extend::{Lane, RELIEVED_AT};
pub(super) use odeon_speculative::extend::Pace;

use super::world::Picoseconds;
use std::time::Duration;

/// Messages that wait from which on senders are held (`mailbox/inbox.rs` in `odeon-core`).
pub(super) const PRESSED_FROM: usize = 2 * RELIEVED_AT;
/// Messages and time of one turn (`runtime/theater/builder.rs` in `odeon-core`).
pub(super) const TURN_MESSAGES: usize = 64;
pub(super) const TURN_TIME: Picoseconds = 100_000_000;
/// Messages of a turn before it looks at the time (`turn/budget.rs` in `odeon-core`).
pub(super) const FIRST_LOOK: usize = 8;
/// Turns of a worker for all but one of which its LIFO slot goes first (`scheduler/find_work.rs` in
/// `odeon-core`).
pub(super) const LOOK_AROUND: usize = 16;
/// Messages that a sender sends in one go (`actors.rs` in `examples/shared-state`).
pub(super) const BURST: u64 = 64;
/// How many times the messages of one worker two must handle, or the pool keeps to one; not where
/// a message takes so many ns (`scheduler/probe.rs` in `odeon-core`).
pub(super) const PAYS: f64 = 1.1;
pub(super) const SURELY_PAYS_NS: f64 = 2_000.0;

/// What an actor thinks of the length of its messages when it has handled many of so many ns.
pub(super) fn pace_of(ns: f64) -> Pace {
    /// As many as make a moving average forget where it began.
    const MANY: usize = 200;
    let mut pace = Pace::default();
    (0..MANY).for_each(|_| pace.note(Duration::from_nanos(ns as u64), 1));
    pace
}

/// The number of the shard for what a sender sends.
pub(super) fn shard_number(sender: usize, seed: u64) -> u8 {
    // As `Lane::of_actor` has it, of actors that were made one after the other.
    Lane::of_number(seed ^ (sender as u64).rotate_left(32)).place()
}
