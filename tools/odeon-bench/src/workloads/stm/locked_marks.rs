//! Marks in plain memory, laid out as transactional variables are: a word beside the value, which
//! is odd while somebody writes.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// See the module.
pub(super) struct LockedMarks(Vec<LockedMark>);

#[repr(align(16))]
struct LockedMark {
    word: AtomicU64,
    value: AtomicI64,
}

impl LockedMarks {
    pub(super) fn new(count: usize) -> Self {
        let mark = |_| LockedMark { word: AtomicU64::new(0), value: AtomicI64::new(0) };
        Self((0..count).map(mark).collect())
    }

    /// Locks both places and moves a mark. For one thread: nobody else holds a lock.
    #[inline]
    pub(super) fn move_one(&self, from: usize, to: usize) {
        let (from, to) = (&self.0[from], &self.0[to]);
        let locked = [from.lock(), to.lock()];
        from.write(-1, locked[0]);
        to.write(1, locked[1]);
    }

    /// All values, each looked at until nobody was writing it.
    pub(super) fn sum(&self) -> i64 {
        self.0.iter().map(LockedMark::read).sum()
    }

    pub(super) fn into_values(self) -> Vec<i64> {
        self.0.into_iter().map(|mark| mark.value.into_inner()).collect()
    }
}

impl LockedMark {
    #[inline]
    fn lock(&self) -> u64 {
        // ORDERING: Relaxed: only this thread writes it. AcqRel: the lock is seen before the value
        // below it.
        let free = self.word.load(Ordering::Relaxed);
        let locked =
            self.word.compare_exchange(free, free | 1, Ordering::AcqRel, Ordering::Relaxed);
        locked.expect("one thread writes");
        free
    }

    #[inline]
    fn write(&self, more: i64, free: u64) {
        // ORDERING: Release, to the Acquire in `read`: the value after the lock, the word after the
        // value.
        let value = self.value.load(Ordering::Relaxed) + more;
        self.value.store(value, Ordering::Release);
        self.word.store(free + 2, Ordering::Release);
    }

    #[inline]
    fn read(&self) -> i64 {
        loop {
            // ORDERING: Acquire, from `write`.
            let word = self.word.load(Ordering::Acquire);
            let value = self.value.load(Ordering::Acquire);
            // ORDERING: Relaxed: behind the Acquire of the value, which a writer stores behind its
            // lock.
            if word & 1 == 0 && self.word.load(Ordering::Relaxed) == word {
                return value;
            }
            std::hint::spin_loop();
        }
    }
}
