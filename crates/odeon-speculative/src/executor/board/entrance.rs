//! Jobs that callers bring and handle themselves.
//!
//! RULES
//! 1. The board is open while the actor's own turn says so. That is when it does not handle
//!    messages by itself, which it does without a look at the board; with shards, from the start
//!    on.
//! 2. A caller's job is taken as it comes, or not at all: it passes nobody over. So it enters only
//!    while nothing waits that could be taken, its lane is free, and there is a place for it.

use super::{Board, How, ShardMay};
use crate::executor::job::{Job, JobKind};
use odeon_core::Message;
use odeon_core::extend::Lane;

impl<M: Message> Board<M> {
    /// Rule 1.
    pub(crate) fn set_open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    /// A caller's job begins to run, if it can do so at once.
    ///
    /// # Errors
    /// The job.
    pub(crate) fn begin_callers(&mut self, job: Job<M>) -> Result<(Job<M>, How), Job<M>> {
        let how = match job.kind {
            JobKind::Change => How::Logged,
            JobKind::Read => How::Reading,
            JobKind::Alone => return Err(job),
        };
        let is_free = self.is_open && self.width > 1 && self.ready() == 0 && !self.is_direct;
        if !is_free || self.in_order.is_some() || self.takes_nothing() || !self.has_place() {
            return Err(job);
        }
        let job = self.lanes.enter_if_free(job)?;
        match how {
            How::Reading => self.reading += 1,
            _ => self.changing += 1,
        }
        self.running += 1;
        Ok((job, how))
    }

    /// Rules 1 and 2: whether a caller's job may be handled in a place as that of a shard, which
    /// nobody counts here.
    pub(crate) fn caller_may(&self, job: &Job<M>) -> bool {
        let is_free = self.is_open && self.ready() == 0 && job.kind != JobKind::Alone;
        let may = |lane: Lane| self.shard_may(lane.place()) == ShardMay::Begin;
        is_free && job.lane.is_some_and(may)
    }
}
