//! Commits that are journaled: what they have changed, and in which order.
//!
//! PROTOCOL
//! 1. A commit takes its number when all that it writes is locked, and before it reads the clock
//!    and checks what it has read.
//! 2. So of two commits the second in the serial order has the larger number, if one of them has
//!    read or written what the other one writes:
//!    * who reads, or writes, what the first one has written finds its lock gone, so after its
//!      number was taken;
//!    * who has overwritten what the first one has read has locked that after the check of the
//!      first one, which comes after its number.
//!
//!    Each prefix of the numbers is therefore a state that there was, but for commits that have
//!    nothing to do with each other.
//! 3. A commit that fails its check has taken its number all the same, and says so: who waits for
//!    the numbers in a row shall not wait for that one.
//! 4. A snapshot that begins when nobody who has a number is under way, and before anybody gets
//!    another one, has in it the commits with numbers and no others: who gets one later reads the
//!    clock later, and stamps what it writes as younger than the snapshot.
//!
//! 5. A commit that several logs are told of takes a number of each, all of them where one takes
//!    its only one: so all that is said here is true of each of these counts. One that was prepared
//!    takes them when its variables are decided and its reads still protected.
//!
//! ORDERING: who has a larger number than another commit sees the locks of that one: numbers are
//! counted by read-modify-writes that acquire and release (`CommitLog::number`), and all of them
//! change the count, so the chain does not break. So its check, which comes behind that, finds
//! what the other one overwrites locked or overwritten; with less it could miss that, and succeed
//! with a read that is older than its number. That who reads or locks what was published has the
//! larger number is said by the words (`Cell::publish`).
//!
//! Modelled in `tests/loom/numbers.rs`; `tests/journal/order.rs` looks at each prefix of what
//! threads have journaled.

use crate::attempt::Attempt;
use crate::attempt::journal::{CommitLog, SharedCommit};
use crate::words::abort::Rollback;
use crate::words::flaw::Flaw;
use std::sync::atomic::{AtomicU64, Ordering};

impl Attempt {
    /// Makes what is written visible, as by [`commit`](Self::commit), and tells `log`.
    #[cold]
    #[inline(never)]
    pub(super) fn commit_writes_journaled(&mut self, log: &dyn CommitLog) -> Result<(), Rollback> {
        if self.told.has_several_logs() {
            return self.commit_shared(|attempt, locked| attempt.commit_writes_with(locked));
        }
        let mut record = self.told.take_record();
        // Users' code, which may panic: nothing is locked yet.
        log.journal().put_changes(self, &mut record);
        let is_late = self.domain.has(Flaw::LateNumber);
        let mut number = self.domain.has(Flaw::EarlyNumber).then(|| log.number());
        let outcome = self.commit_writes_with(|| {
            if !is_late {
                number.get_or_insert_with(|| log.number());
            }
        });
        if is_late {
            number = Some(log.number());
        }
        match (number, outcome.is_ok()) {
            (Some(number), true) => log.committed(number, &record),
            (Some(number), false) => log.given_up(number),
            (None, _) => {}
        }
        self.told.keep_record(record);
        outcome
    }

    /// Has all logs told of what `commit` makes visible, each of its part. `commit` calls what it
    /// gets where a commit takes its number, at most once, and always if it succeeds.
    #[cold]
    pub(crate) fn commit_shared(
        &mut self,
        commit: impl FnOnce(&mut Self, &mut dyn FnMut()) -> Result<(), Rollback>,
    ) -> Result<(), Rollback> {
        let mut logs: Vec<_> = self.told.logs().collect();
        // All take their numbers in one order: a log that gives none for a moment waits for those
        // who have one, and not for who waits for another such log.
        logs.sort_unstable_by_key(|log| std::ptr::from_ref(*log).addr());
        let records = logs.iter().map(|log| {
            let mut record = Vec::new();
            log.journal().put_changes(self, &mut record);
            record
        });
        // Users' code, which may panic: nothing is locked yet, or what is protected stays so.
        let records: Vec<_> = records.collect();
        let is_late = self.domain.has(Flaw::LateNumber);
        let mut numbers = Vec::new();
        let mut take = || numbers.extend(logs.iter().map(|log| log.number()));
        let outcome = commit(self, &mut || {
            if !is_late {
                take();
            }
        });
        if is_late {
            take();
        }
        // ORDERING: Relaxed: they are to differ.
        let of = SharedCommit { id: SHARED.fetch_add(1, Ordering::Relaxed), parts: logs.len() };
        for ((log, number), record) in logs.into_iter().zip(numbers).zip(&records) {
            match outcome.is_ok() {
                true if of.parts > 1 => log.committed_in_part(number, record, of),
                true => log.committed(number, record),
                false => log.given_up(number),
            }
        }
        outcome
    }
}

/// Commits that several logs were told of. Of `std` also in models: it only tells them apart.
static SHARED: AtomicU64 = AtomicU64::new(0);
