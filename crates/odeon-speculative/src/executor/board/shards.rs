//! Shards: executors with inboxes of their own (`executor/shard.rs`). What they handle themselves
//! nobody counts here; they take places. So do callers beside them.
//!
//! RULES
//! 1. A shard that handles messages has one place for changes, as a batch has. It is given none
//!    while a job of one of its lanes is here: then it brings its messages.
//! 2. It waits for a place while none is free, and while something goes on that ends by itself:
//!    what runs alone, a start, a failure, the end. On a stalled board it brings its messages, for
//!    what is waited for there may wait for one of them (`board/visits.rs`, rule 5).
//! 3. Of the places that are taken one after the other while both shards and batches wait, each
//!    kind gets one of ten at least.

use super::{Board, How, IN_A_ROW};
use odeon_core::Message;
use odeon_core::extend::Lane;

/// What a shard may do with its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardMay {
    Begin,
    Wait,
    /// It brings them here.
    Bring,
}

/// Rule 3: whose turn it is.
#[derive(Debug, Default)]
pub(super) struct ShardTurns {
    /// Shards that wait for places.
    waiting: usize,
    /// Of the places that were taken last, those of one kind while the other one waited.
    shards: usize,
    batches: usize,
}

impl ShardTurns {
    /// Whether no batch is taken before a shard.
    pub(super) fn come_next(&self) -> bool {
        self.waiting > 0 && self.batches >= IN_A_ROW
    }

    pub(super) fn note_batch(&mut self) {
        self.shards = 0;
        self.batches = if self.waiting > 0 { self.batches + 1 } else { 0 };
    }
}

impl<M: Message> Board<M> {
    /// So many shards wait for places.
    pub(crate) fn set_waiting_shards(&mut self, waiting: usize) {
        self.shards.waiting = waiting;
    }

    /// Whether a shard that has been given a place cannot begin after all.
    pub(crate) fn stops_shards(&self) -> bool {
        self.is_closed || self.is_starting || self.needs_attention()
    }

    /// Rules 1 to 3, for the shard with this number.
    pub(crate) fn shard_may(&self, number: u8) -> ShardMay {
        if self.lanes.is_in_use(number) || self.is_stalled() || self.is_resting {
            return ShardMay::Bring;
        }
        let batches_come_next = self.ready() > 0 && self.shards.shards >= IN_A_ROW;
        let is_held_up = self.takes_nothing() || !self.alone.is_empty() || self.is_direct;
        if is_held_up || batches_come_next || !self.has_place() {
            ShardMay::Wait
        } else {
            ShardMay::Begin
        }
    }

    /// A shard that may takes a place, or a caller.
    pub(crate) fn begin_shard(&mut self) -> How {
        self.note_task_of_others();
        self.shards.batches = 0;
        self.shards.shards = if self.ready() > 0 { self.shards.shards + 1 } else { 0 };
        self.changing += 1;
        self.is_direct = self.width == 1;
        self.lanes.note_shard(false, true);
        if self.is_direct { How::Direct } else { How::Logged }
    }

    /// It gives the place back, and so many of its messages have waited for others of theirs.
    pub(crate) fn finish_shard(&mut self, how: How, together: usize) {
        self.finish(how);
        self.lanes.note_shard(true, false);
        self.lanes.note_waits(together as u64);
    }

    /// A message of this lane, which has never been here, waits outside of the board
    /// (`parking.rs`). `false`: not so, for others of its place are here by now. They are of other
    /// senders, a caller's and a shard's: so it can come behind them.
    pub(crate) fn park_beside(&mut self, lane: Lane) -> bool {
        if self.lanes.is_in_use(lane.place()) {
            return false;
        }
        self.parked += 1;
        let next = self.lanes.halt(Some(lane), None);
        debug_assert!(next.is_none(), "nobody is behind it");
        true
    }
}
