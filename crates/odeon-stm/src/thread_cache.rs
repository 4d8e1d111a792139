//! The memory and slot that a thread's attempts use one after the other.

use crate::attempt::Attempt;
use crate::domain::Domain;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::panic::Location;

/// See the module.
struct Cache {
    attempt: Cell<Option<Box<Attempt>>>,
    /// Where this thread's running transaction or snapshot was begun.
    running: Cell<Option<&'static Location<'static>>>,
}

thread_local! {
    static CACHE: Cache =
        const { Cache { attempt: Cell::new(None), running: Cell::new(None) } };
}

/// An attempt's memory, taken from this thread; given back when dropped.
#[derive(Debug)]
pub(crate) struct Borrowed(ManuallyDrop<Box<Attempt>>);

impl Borrowed {
    /// For a transaction that begins at the caller's caller.
    ///
    /// # Panics
    ///
    /// Panics if this thread is within a transaction already, or more attempts are under way than
    /// there are slots.
    #[inline]
    #[track_caller]
    pub(crate) fn take() -> Self {
        let caller = Location::caller();
        let attempt = CACHE.try_with(|cache| {
            if let Some(running) = cache.running.get() {
                nested(running, caller);
            }
            let attempt = cache.attempt.take().unwrap_or_else(|| new_attempt(caller));
            cache.running.set(Some(caller));
            attempt
        });
        // The thread ends, and something of its end begins a transaction: without a cache.
        Self(ManuallyDrop::new(attempt.unwrap_or_else(|_| new_attempt(caller))))
    }

    /// Leaves the thread's transaction without ending the attempt: the caller keeps it, the thread will
    /// use another slot.
    pub(crate) fn keep(self) -> Box<Attempt> {
        let mut this = ManuallyDrop::new(self);
        let _ = CACHE.try_with(|cache| cache.running.set(None));
        // SAFETY: taken once, here; `this` is neither used nor dropped afterwards.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

/// Calls `act`, which may begin transactions of its own although this thread is within one.
#[cold]
pub(crate) fn outside(act: impl FnOnce()) {
    /// Puts back where the surrounding transaction was begun, also after a panic.
    struct Back(Option<&'static Location<'static>>);
    impl Drop for Back {
        fn drop(&mut self) {
            let _ = CACHE.try_with(|cache| cache.running.set(self.0));
        }
    }
    let _back = Back(CACHE.try_with(|cache| cache.running.take()).unwrap_or_default());
    act();
}

/// Gives memory that was kept, and whose attempt has ended, to this thread for its next ones.
pub(crate) fn give_back(mut attempt: Box<Attempt>) {
    let free = if attempt.bag.is_due() { sweep(&mut attempt) } else { Vec::new() };
    let left = attempt.writes.take_left();
    // One that is there already goes, with its slot.
    if attempt.slot.is_kept() {
        let _ = CACHE.try_with(move |cache| cache.attempt.replace(Some(attempt)));
    }
    drop((free, left));
}

#[cold]
fn new_attempt(caller: &'static Location<'static>) -> Box<Attempt> {
    let attempt = Attempt::new(Domain::shared());
    attempt.unwrap_or_else(|| panic!("too many attempts are prepared or under way at {caller}"))
}

#[cold]
fn nested(running: &Location<'_>, caller: &Location<'_>) -> ! {
    panic!(
        "the transaction or snapshot at {caller} is within the one begun at {running}: pass its `tx` \
         on instead of beginning another"
    )
}

impl std::ops::Deref for Borrowed {
    type Target = Attempt;

    #[inline(always)]
    fn deref(&self) -> &Attempt {
        &self.0
    }
}

impl std::ops::DerefMut for Borrowed {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Attempt {
        &mut self.0
    }
}

impl Drop for Borrowed {
    #[inline]
    fn drop(&mut self) {
        let free = if self.bag.is_due() { sweep(self) } else { Vec::new() };
        let left = self.writes.take_left();
        // SAFETY: taken once, here; `self` is not used afterwards.
        let attempt = unsafe { ManuallyDrop::take(&mut self.0) };
        // A thread that ends has no cache any more; the attempt then gives its slot back.
        let given_back = CACHE.try_with(move |cache| {
            cache.running.set(None);
            if attempt.slot.is_kept() {
                cache.attempt.set(Some(attempt));
                None
            } else {
                Some(attempt)
            }
        });
        // User code may run here, and begin transactions.
        drop((given_back, free, left));
    }
}

#[cold]
fn sweep(attempt: &mut Attempt) -> Vec<crate::garbage::Retired> {
    let (domain, slot) = (attempt.domain, attempt.slot);
    let mut free = attempt.bag.collect(domain, slot);
    free.extend(domain.held_values.collect_if_paid(domain, slot, 0));
    free
}

/// Frees what this thread's attempts have overwritten and nobody can reach any more, and what others have left that
/// waited for the end of a snapshot. Otherwise this happens while a thread goes on with transactions: one that stops
/// doing so for long, and has overwritten large values, calls this before.
///
/// # Panics
///
/// Panics at the caller's line within a transaction or snapshot.
#[track_caller]
pub fn collect() {
    let mut borrowed = Borrowed::take();
    borrowed.bag.make_due(usize::MAX);
    let free = sweep(&mut borrowed);
    drop(borrowed);
    drop(free);
}
