//! The reads that one actor shares, and who handles them: the actor's own turn, the *owner*, and
//! its readers.
//!
//! PROTOCOL
//! 1. Everything here changes under one lock; what users have written never runs under it.
//! 2. A reader reads the state of the actor from `begin` to the `finish` that gives its place back,
//!    and is counted as under way meanwhile. The owner reads it whenever it has a turn.
//! 3. Reads are added by the owner alone, and a reader begins only if there is one that it may
//!    take. So the owner, once it has seen under the lock that no reader is under way and that none
//!    can begin (no read is there, or the phase is paused, recalled, failing or stopping), has the
//!    state to itself until it adds a read or lets the phase go on: it may write. The lock orders
//!    what it writes behind all that was read before, and before all that is read later.
//! 4. The owner waits for readers without a thread: it says under the lock what it waits for
//!    (`is_awaited`, requests, a failure, the stop) and goes idle. The last reader under way finds
//!    that under the same lock and wakes it. So no wake-up falls between the two.
//! 5. While there are reads, or readers under way, the phase keeps the actor by a reference.
//!    Whoever finds that this is over takes it out, and drops it without the lock.
//! 6. If the theater ends the actor while a reader is under way (a thread that a shutdown has left
//!    behind), the state is the last reader's to end, and reads that readers have taken and not
//!    begun are theirs to give back.
//! 7. Between two reads of its batch a reader looks, without the lock, whether reads still begin
//!    (`is_held_up`), and whether its actor has been told to end, which an owner in the middle of a
//!    read does not see. If so it gives back what it has not begun.
//!
//! Covered by `phase/loom.rs`, and with whole actors by `tests/shuttle_read_write.rs`.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::Range;

use odeon_sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use odeon_sync::{Mutex, MutexGuard};

use crate::vocabulary::contain::contain;

/// A panic, on its way to whoever decides about it.
pub(super) type Panic = Box<dyn Any + Send>;

/// See the module. `R` is a read, `K` keeps the actor, `W` is how a reader is woken.
pub(super) struct Phase<R, K, W> {
    inner: Mutex<PhaseState<R, K, W>>,
    /// A copy of the number of reads, for looks without the lock.
    waiting: AtomicUsize,
    /// A copy of whether no read is to begin (rule 7).
    held_up: AtomicBool,
}

struct PhaseState<R, K, W> {
    reads: VecDeque<R>,
    /// Readers that have the right to read.
    under_way: usize,
    readers: Vec<W>,
    /// How many readers there are or are just being made: the first may begin before all are
    /// entered.
    expected: usize,
    /// Readers that have found nothing to take, by number.
    resting: Vec<usize>,
    /// How many reads a reader takes at once, at most.
    batch: usize,
    keeps: Option<K>,
    failures: VecDeque<Panic>,
    /// The actor is to end.
    is_stopping: bool,
    /// No reader begins until the owner's next look.
    is_paused: bool,
    /// No reader begins until the owner has been alone: it has taken back what was shared.
    is_recalled: bool,
    /// Signals to look at requests that the owner has put off until it is alone.
    requests: u32,
    /// The owner has nothing to do until it is alone.
    is_awaited: bool,
    is_abandoned: bool,
    /// The actor has ended.
    is_closed: bool,
}

/// What the owner finds when it looks.
#[derive(Debug)]
pub(super) enum OwnerLook<R> {
    /// A read, for the owner to handle.
    Read(R),
    /// The owner has the state to itself, and there is no read.
    Alone,
    /// As `Alone`; these reads have been recalled from readers that had taken and not begun them.
    Recalled(VecDeque<R>),
    /// Readers are under way; if the owner has to wait for them it will be woken.
    Busy,
    /// A read has failed, and the owner has the state to itself.
    Failed(Panic),
    /// The actor is to end, and the owner has the state to itself.
    Stop,
}

/// Who is to be woken for reads that have been shared, and who is to be made.
pub(super) struct WokenReaders<W> {
    pub(super) reader: Option<W>,
    /// The numbers of the readers to be made, each to be [entered](Phase::add_reader).
    pub(super) makes: Range<usize>,
}

/// What a read, or several, came to.
#[derive(Default)]
pub(super) struct ReadOutcome {
    pub(super) failure: Option<Panic>,
    pub(super) wants_stop: bool,
}

/// What is to be done after a batch, without the lock.
pub(super) struct Finished<R, K, W> {
    /// The reader has another batch.
    pub(super) has_next: bool,
    pub(super) wakes_reader: Option<W>,
    /// The owner is to be woken.
    pub(super) wakes_owner: bool,
    /// Signals to look at requests that the owner is to be given.
    pub(super) requests: u32,
    /// The state is the reader's to end (rule 6).
    pub(super) ends_state: bool,
    /// Reads that nobody will begin any more, the actor having ended (rule 6).
    pub(super) too_late: Vec<R>,
    /// To be dropped at last.
    pub(super) over: Option<K>,
}

impl ReadOutcome {
    /// Whether there is nothing more to be done about it.
    pub(super) fn is_plain(&self) -> bool {
        self.failure.is_none() && !self.wants_stop
    }
}

impl<R, K, W> Default for Phase<R, K, W> {
    fn default() -> Self {
        let inner = PhaseState {
            reads: VecDeque::new(),
            under_way: 0,
            readers: Vec::new(),
            expected: 0,
            resting: Vec::new(),
            batch: 1,
            keeps: None,
            failures: VecDeque::new(),
            is_stopping: false,
            is_paused: false,
            is_recalled: false,
            requests: 0,
            is_awaited: false,
            is_abandoned: false,
            is_closed: false,
        };
        Self {
            inner: Mutex::new(inner),
            waiting: AtomicUsize::new(0),
            held_up: AtomicBool::new(false),
        }
    }
}

impl<R, K: Clone, W: Clone> Phase<R, K, W> {
    fn lock(&self) -> MutexGuard<'_, PhaseState<R, K, W>> {
        self.inner.lock().expect("no panic happens under the lock of a phase")
    }

    /// Gives the lock back, and tells the copies.
    fn unlock(&self, inner: MutexGuard<'_, PhaseState<R, K, W>>) {
        // ORDERING: Relaxed: a hint; who acts on it takes the lock.
        self.waiting.store(inner.reads.len(), Ordering::Relaxed);
        // ORDERING: Relaxed: as in `is_held_up`.
        self.held_up.store(inner.is_held_up(), Ordering::Relaxed);
    }

    /// Whoever reads: whether it is to begin no other read.
    pub(super) fn is_held_up(&self) -> bool {
        // ORDERING: Relaxed: who reads is waited for, however late it sees this. It does see it if
        // it can know the reason: whatever it has learnt of comes after the store.
        self.held_up.load(Ordering::Relaxed)
    }

    /// Reads that nobody has taken. Exact for the owner if no reader is awake.
    pub(super) fn waiting(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.waiting.load(Ordering::Relaxed)
    }

    /// Owner: shares reads, with so many readers at most: one for each read that it does not take
    /// itself. `keep` makes what keeps the actor.
    pub(super) fn share(
        &self,
        reads: impl Iterator<Item = R>,
        batch: usize,
        most_readers: usize,
        keep: impl FnOnce() -> K,
    ) -> WokenReaders<W> {
        let mut inner = self.lock();
        inner.reads.extend(reads);
        inner.batch = batch;
        if inner.keeps.is_none() {
            inner.keeps = Some(keep());
        }
        let readers = inner.readers.len();
        let of_use = inner.reads.len().saturating_sub(1);
        inner.expected = readers.max(of_use.min(most_readers));
        let makes = readers..inner.expected;
        let reader = inner.reader_to_wake();
        self.unlock(inner);
        WokenReaders { reader, makes }
    }

    /// Owner: one more reader. Its first turn looks for reads by itself.
    pub(super) fn add_reader(&self, reader: W) {
        self.lock().readers.push(reader);
    }

    /// Owner: what is next. `waits`: there is something that it can only do alone.
    pub(super) fn look(&self, waits: bool) -> (OwnerLook<R>, Option<W>) {
        let mut inner = self.lock();
        let mut over = None;
        inner.is_awaited = false;
        let look = if inner.needs_owner() {
            inner.look_alone()
        } else if inner.is_recalled {
            inner.is_paused = false;
            if inner.under_way == 0 {
                inner.is_recalled = false;
                over = inner.keeps.take();
                OwnerLook::Recalled(std::mem::take(&mut inner.reads))
            } else {
                inner.is_awaited = waits;
                OwnerLook::Busy
            }
        } else {
            inner.is_paused = false;
            match inner.reads.pop_front() {
                Some(read) => OwnerLook::Read(read),
                None if inner.under_way == 0 => {
                    over = inner.keeps.take();
                    OwnerLook::Alone
                }
                None => {
                    inner.is_awaited = waits;
                    OwnerLook::Busy
                }
            }
        };
        let wakes_reader = inner.reader_to_wake();
        self.unlock(inner);
        drop(over);
        (look, wakes_reader)
    }

    /// Owner: takes back the reads that nobody has taken, last one first. Those that readers have
    /// taken and not begun they give back (rule 7), and the owner's look finds them when it is
    /// alone.
    pub(super) fn recall(&self, take: impl FnMut(R)) {
        let mut inner = self.lock();
        inner.is_recalled |= inner.under_way > 0;
        let reads = std::mem::take(&mut inner.reads);
        self.unlock(inner);
        reads.into_iter().rev().for_each(take);
    }

    /// Owner: it has a request to see to, for which it has to be alone. `false`: it will be
    /// signalled again when it is.
    pub(super) fn pause(&self) -> bool {
        let mut inner = self.lock();
        inner.is_paused = true;
        let is_alone = inner.under_way == 0;
        inner.requests += u32::from(!is_alone);
        self.unlock(inner);
        is_alone
    }

    /// Owner: whether it has the state to itself until it adds a read or lets the phase go on
    /// (rule 3).
    pub(super) fn is_alone(&self) -> bool {
        let inner = self.lock();
        inner.under_way == 0 && !inner.may_begin()
    }

    /// Owner: a read that it has handled itself, while others may be under way, has not come to a
    /// plain end.
    pub(super) fn note(&self, outcome: ReadOutcome) {
        let mut inner = self.lock();
        inner.note(outcome);
        self.unlock(inner);
    }

    /// Owner: the failures that it has not looked at.
    pub(super) fn take_failures(&self) -> VecDeque<Panic> {
        std::mem::take(&mut self.lock().failures)
    }

    /// Owner: the actor is to end; no read begins any more. `false`: some are under way, and it is
    /// to ask again.
    pub(super) fn stop(&self) -> bool {
        let mut inner = self.lock();
        inner.is_stopping = true;
        let is_alone = inner.under_way == 0;
        self.unlock(inner);
        is_alone
    }

    /// The actor has ended: hands over the reads that nobody has begun. `false`: the state is still
    /// being read, and the last reader ends it (rule 6).
    pub(super) fn close(&self, take: impl FnMut(R)) -> bool {
        let mut inner = self.lock();
        inner.is_stopping = true;
        inner.is_closed = true;
        let reads = std::mem::take(&mut inner.reads);
        let left = (std::mem::take(&mut inner.readers), std::mem::take(&mut inner.failures));
        let keeps = inner.keeps.take();
        let is_alone = inner.under_way == 0;
        inner.is_abandoned |= !is_alone;
        self.unlock(inner);
        // Not under the lock: destructors are users' code, and may panic.
        contain(|| drop((left, keeps)));
        reads.into_iter().for_each(take);
        is_alone
    }

    /// Reader: begins with a batch. `None`: there is nothing to take; the reader rests until it is
    /// woken.
    pub(super) fn begin(&self, number: usize, batch: &mut Vec<R>) -> Option<(K, Option<W>)> {
        let mut inner = self.lock();
        if !inner.may_begin() {
            if !inner.resting.contains(&number) {
                inner.resting.push(number);
            }
            return None;
        }
        inner.under_way += 1;
        inner.take(batch);
        let keeps = inner.keeps.clone().expect("kept while there are reads");
        let wakes_reader = inner.reader_to_wake();
        self.unlock(inner);
        Some((keeps, wakes_reader))
    }

    /// Reader: a batch is over; `left` holds what of it has not been begun. If the reader `goes_on`
    /// it keeps its place as long as there is something to take, and has that in `left` then.
    pub(super) fn finish(
        &self,
        left: &mut Vec<R>,
        outcome: ReadOutcome,
        goes_on: bool,
    ) -> Finished<R, K, W> {
        let mut inner = self.lock();
        inner.note(outcome);
        let mut too_late = Vec::new();
        if inner.is_closed {
            too_late.append(left);
        } else {
            left.drain(..).rev().for_each(|read| inner.reads.push_front(read));
        }
        let has_next = goes_on && inner.may_begin();
        let mut finished = Finished {
            has_next,
            wakes_reader: None,
            wakes_owner: false,
            requests: 0,
            ends_state: false,
            too_late,
            over: None,
        };
        if has_next {
            inner.take(left);
        } else {
            inner.under_way -= 1;
            if inner.under_way == 0 {
                finished.ends_state = std::mem::take(&mut inner.is_abandoned);
                finished.requests = std::mem::take(&mut inner.requests);
                finished.wakes_owner = std::mem::take(&mut inner.is_awaited)
                    || inner.needs_owner()
                    || !inner.reads.is_empty();
                if inner.reads.is_empty() {
                    finished.over = inner.keeps.take();
                }
            }
        }
        finished.wakes_reader = inner.reader_to_wake();
        self.unlock(inner);
        finished
    }
}

impl<R, K, W: Clone> PhaseState<R, K, W> {
    /// Whether there is something that only the owner can see to, before more reads begin.
    fn needs_owner(&self) -> bool {
        !self.failures.is_empty() || self.is_stopping || self.requests > 0
    }

    fn is_held_up(&self) -> bool {
        self.is_paused || self.is_recalled || self.needs_owner()
    }

    fn may_begin(&self) -> bool {
        !self.reads.is_empty() && !self.is_held_up()
    }

    fn look_alone(&mut self) -> OwnerLook<R> {
        if self.under_way > 0 {
            // Whoever is the last one out finds what the owner is needed for.
            return OwnerLook::Busy;
        }
        match self.failures.pop_front() {
            Some(panic) => {
                // It stays alone until it has seen to that.
                self.is_paused = true;
                OwnerLook::Failed(panic)
            }
            None => OwnerLook::Stop,
        }
    }

    fn note(&mut self, outcome: ReadOutcome) {
        self.failures.extend(outcome.failure);
        self.is_stopping |= outcome.wants_stop;
    }

    /// A resting reader, if there is something for it.
    fn reader_to_wake(&mut self) -> Option<W> {
        if self.resting.is_empty() || !self.may_begin() {
            return None;
        }
        self.readers.get(self.resting.pop()?).cloned()
    }

    /// A batch: not more than leaves the same to the others.
    fn take(&mut self, batch: &mut Vec<R>) {
        let fair = self.reads.len().div_ceil(self.expected + 1);
        let most = self.batch.min(fair);
        batch.extend(self.reads.drain(..most));
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;
#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests;
