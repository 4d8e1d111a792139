//! The begin of an attempt, and from when on what it reads stays allocated.

use super::relaxed::RELAXED_READS;
use super::{Attempt, Mode, NO_SLOT};
use crate::words::version_word::VersionWord;
use odeon_sync::{fence_after_load, fence_after_rmw};

impl Attempt {
    /// Begins an attempt that holds what it reads.
    pub(crate) fn begin(&mut self, mode: Mode) {
        self.begin_loose(mode);
        self.hold();
    }

    /// Begins an attempt that does not hold what it reads before it [has to](Self::hold): many read
    /// and write nothing but numbers.
    #[inline(always)]
    pub(crate) fn begin_loose(&mut self, mode: Mode) {
        debug_assert!(self.writes.is_empty() && self.stopped.is_none());
        debug_assert!(self.protected.is_nothing());
        debug_assert_ne!(mode, Mode::Snapshot);
        let epoch = self.domain.clock.now();
        // I1: what commits of earlier epochs have locked is visible from here on.
        fence_after_load();
        self.mode = mode;
        self.is_holding = false;
        self.limit_of_pointers = 0;
        self.own = VersionWord::mark_of(self.slot.number());
        if mode == Mode::Relaxed {
            self.relaxed_reads_left = RELAXED_READS;
        }
        self.limit = match mode {
            Mode::Logged => VersionWord::first_of(epoch),
            _ => VersionWord::FIRST_WRITE_HELD,
        };
    }

    /// What is read from here on stays allocated until the end. Before the attempt follows a
    /// pointer, and at once if it may be handed to other threads.
    #[inline(always)]
    pub(crate) fn hold(&mut self) {
        if !self.is_holding {
            self.enter_slot();
        }
    }

    fn enter_slot(&mut self) {
        self.slot.begin(self.domain.clock.now());
        // I3: the collector that misses this slot has done its work before.
        fence_after_rmw();
        self.is_holding = true;
        self.limit_of_pointers = self.limit;
    }

    /// Begins as a snapshot of what was committed up to `epoch`; the caller has registered it.
    pub(crate) fn begin_at(&mut self, epoch: u64) {
        self.mode = Mode::Snapshot;
        self.is_holding = true;
        self.own = NO_SLOT;
        self.limit = VersionWord::first_of(epoch + 1);
        self.limit_of_pointers = self.limit;
    }

    /// The epoch that a snapshot sees.
    pub(crate) fn epoch_seen(&self) -> u64 {
        VersionWord(self.limit).epoch() - 1
    }
}
