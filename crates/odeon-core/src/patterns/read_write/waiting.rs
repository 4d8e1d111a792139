//! The messages that an actor's own turn has taken from its mailbox and not begun, and which of
//! them go next.

use std::collections::VecDeque;

use super::{ReadWrite, ReadWritePolicy};

/// See the module. Empty where the policy has no use for it.
pub(super) struct ReadWriteQueue<R, W> {
    /// In the order of arrival.
    in_order: VecDeque<ReadWrite<R, W>>,
    reads: VecDeque<R>,
    writes: VecDeque<W>,
}

/// What goes next.
pub(super) enum NextAccess<W> {
    Nothing,
    Write(W),
    /// So many reads, or more.
    Reads(usize),
}

/// TUNE: messages gathered before one of them is handled although the mailbox may hold more: enough
/// to see whether sharing pays, few enough to stay in the cache.
const GATHERED: usize = 64;

/// TUNE: reads that wait while the mailbox is searched for writes. Senders are held back from about
/// here on.
const SEARCHED_FOR_WRITES: usize = 1024;

/// Reads that are counted ahead: more make no difference.
const COUNTED: usize = 64;

impl<R, W> Default for ReadWriteQueue<R, W> {
    fn default() -> Self {
        Self { in_order: VecDeque::new(), reads: VecDeque::new(), writes: VecDeque::new() }
    }
}

impl<R, W> ReadWriteQueue<R, W> {
    /// Defers a message. `true`: there are so many that the next one should be handled first.
    pub(super) fn put(&mut self, policy: ReadWritePolicy, message: ReadWrite<R, W>) -> bool {
        match (policy, message) {
            (ReadWritePolicy::ArrivalOrder, message) => {
                self.in_order.push_back(message);
                self.in_order.len() >= GATHERED
            }
            (ReadWritePolicy::ReadersFirst, ReadWrite::Read(read)) => {
                self.reads.push_back(read);
                self.reads.len() >= GATHERED
            }
            (ReadWritePolicy::ReadersFirst, ReadWrite::Write(write)) => {
                self.writes.push_back(write);
                false
            }
            (ReadWritePolicy::WritersFirst, ReadWrite::Read(read)) => {
                self.reads.push_back(read);
                self.reads.len() >= SEARCHED_FOR_WRITES
            }
            (ReadWritePolicy::WritersFirst, ReadWrite::Write(write)) => {
                self.writes.push_back(write);
                self.writes.len() >= GATHERED
            }
        }
    }

    /// Puts back the read that was taken last.
    pub(super) fn put_back(&mut self, read: R) {
        self.reads.push_front(read);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.in_order.len() + self.reads.len() + self.writes.len()
    }

    pub(super) fn has_reads(&self) -> bool {
        !self.reads.is_empty()
    }

    pub(super) fn has_writes(&self) -> bool {
        !self.writes.is_empty()
    }

    /// What goes next if the state is free.
    pub(super) fn next(&mut self, policy: ReadWritePolicy) -> NextAccess<W> {
        let reads = self.joining(policy);
        if reads > 0 {
            return NextAccess::Reads(reads);
        }
        match self.writes.pop_front() {
            Some(write) => NextAccess::Write(write),
            None => match self.in_order.pop_front() {
                Some(ReadWrite::Write(write)) => NextAccess::Write(write),
                Some(ReadWrite::Read(_)) => unreachable!("a read in front is one that can join"),
                None => NextAccess::Nothing,
            },
        }
    }

    /// How many reads may go before anything else that waits, or more.
    pub(super) fn joining(&self, policy: ReadWritePolicy) -> usize {
        match policy {
            ReadWritePolicy::ArrivalOrder => {
                let reads = self.in_order.iter().take_while(|m| matches!(m, ReadWrite::Read(_)));
                reads.take(COUNTED).count()
            }
            ReadWritePolicy::WritersFirst if self.has_writes() => 0,
            _ => self.reads.len(),
        }
    }

    /// Takes the next one of the reads that may go before anything else.
    pub(super) fn next_read(&mut self) -> Option<R> {
        if let Some(read) = self.reads.pop_front() {
            return Some(read);
        }
        if !matches!(self.in_order.front(), Some(ReadWrite::Read(_))) {
            return None;
        }
        match self.in_order.pop_front() {
            Some(ReadWrite::Read(read)) => Some(read),
            _ => None,
        }
    }

    /// Hands over everything.
    pub(super) fn give_back(&mut self, mut take: impl FnMut(ReadWrite<R, W>)) {
        let Self { in_order, reads, writes } = std::mem::take(self);
        in_order.into_iter().for_each(&mut take);
        reads.into_iter().map(ReadWrite::Read).for_each(&mut take);
        writes.into_iter().map(ReadWrite::Write).for_each(take);
    }
}
