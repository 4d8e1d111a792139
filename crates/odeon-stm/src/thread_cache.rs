//! The memory and slot that a thread's attempts use one after the other.

use crate::attempt::Attempt;
use crate::domain::Domain;
use odeon_sync::interruption;
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr::{self, NonNull};

/// See the module. It has nothing to drop, so that the compiler need not ask whether it still is there.
struct Cache {
    /// A box: the memory that this thread's transactions borrow one after the other. Null before the first one,
    /// while a transaction is stepped [outside](outside) of, and at the thread's end.
    attempt: Cell<*mut Attempt>,
    /// Where this thread's running transaction or snapshot was begun; that one has borrowed the memory.
    running: Cell<Option<&'static Location<'static>>>,
}

odeon_sync::thread_local_with_end! {
    static CACHE: Cache = Cache { attempt: Cell::new(ptr::null_mut()), running: Cell::new(None) };
    end THREAD_END: ThreadEnd = ThreadEnd;
}

/// Frees the memory when the thread ends.
struct ThreadEnd;

impl ThreadEnd {
    /// Sees to it that what this thread's cache gets will be freed; `false` if the thread is past that.
    fn is_to_come() -> bool {
        THREAD_END.try_with(|_| ()).is_ok()
    }
}

impl Drop for ThreadEnd {
    fn drop(&mut self) {
        CACHE.with(|cache| replace(cache, ptr::null_mut()));
    }
}

/// Puts `attempt` into the cache and frees what was there, which nobody has borrowed.
fn replace(cache: &Cache, attempt: *mut Attempt) {
    let before = cache.attempt.replace(attempt);
    if !before.is_null() {
        // SAFETY: the cache owns a box, and has given it up.
        drop(unsafe { Box::from_raw(before) });
    }
}

/// An attempt's memory, borrowed from this thread; given back when dropped.
#[derive(Debug)]
pub(crate) struct Borrowed(NonNull<Attempt>);

impl Borrowed {
    /// For a transaction that begins at the caller's caller.
    ///
    /// # Panics
    ///
    /// Panics if this thread is within a transaction already, or more attempts are under way than
    /// there are slots.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn take() -> Self {
        let caller = Location::caller();
        CACHE.with(|cache| {
            if let Some(running) = cache.running.get() {
                nested(running, caller);
            }
            let attempt = NonNull::new(cache.attempt.get());
            let attempt = attempt.unwrap_or_else(|| new_attempt(cache, caller));
            cache.running.set(Some(caller));
            Self(attempt)
        })
    }

    /// Leaves the thread's transaction without ending the attempt: the caller keeps it, the thread will
    /// use another slot.
    pub(crate) fn keep(self) -> Box<Attempt> {
        CACHE.with(|cache| {
            cache.running.set(None);
            cache.attempt.set(ptr::null_mut());
        });
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: a box that the cache has owned, if the thread does not end, and does not any more; `this`
        // is neither used nor dropped afterwards.
        unsafe { Box::from_raw(this.0.as_ptr()) }
    }

    /// The end of a transaction that leaves something to be freed.
    #[cold]
    fn tidy(&mut self) {
        let attempt = self.0.as_ptr();
        let is_cached = CACHE.with(|cache| cache.attempt.get() == attempt);
        let free = if is_cached && self.bag.is_due() { sweep(self) } else { Vec::new() };
        let left = self.writes.take_left();
        CACHE.with(|cache| cache.running.set(None));
        if !is_cached {
            // SAFETY: a box without another owner; `self` is being dropped.
            drop(unsafe { Box::from_raw(attempt) });
        }
        // User code may run here, and begin transactions.
        drop((free, left));
    }
}

/// While it is there its thread is within a transaction that has brought its own memory along.
#[derive(Debug)]
pub(crate) struct Within(PhantomData<*const ()>);

impl Within {
    /// For a part that begins at the caller's caller.
    ///
    /// # Panics
    ///
    /// Panics if this thread is within a transaction already.
    #[track_caller]
    pub(crate) fn begin() -> Self {
        let caller = Location::caller();
        CACHE.with(|cache| {
            if let Some(running) = cache.running.get() {
                nested(running, caller);
            }
            cache.running.set(Some(caller));
        });
        Self(PhantomData)
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        CACHE.with(|cache| cache.running.set(None));
    }
}

/// Calls `act`, which may begin transactions of its own although this thread is within one.
#[cold]
pub(crate) fn outside(act: impl FnOnce()) {
    /// Puts back what belongs to the surrounding transaction, also after a panic.
    struct Back(*mut Attempt, Option<&'static Location<'static>>);
    impl Drop for Back {
        fn drop(&mut self) {
            CACHE.with(|cache| {
                cache.running.set(self.1);
                replace(cache, self.0);
            });
        }
    }
    let _back =
        CACHE.with(|cache| Back(cache.attempt.replace(ptr::null_mut()), cache.running.take()));
    act();
}

/// Gives memory that was kept, and whose attempt has ended, to this thread for its next ones.
pub(crate) fn give_back(mut attempt: Box<Attempt>) {
    let left = attempt.writes.take_left();
    // One that is there already stays: it may be borrowed. The other one goes, with its slot.
    let is_cached = CACHE.with(|cache| cache.attempt.get().is_null()) && is_for_cache(&attempt);
    let free = if is_cached && attempt.bag.is_due() { sweep(&mut attempt) } else { Vec::new() };
    if is_cached {
        CACHE.with(|cache| cache.attempt.set(Box::into_raw(attempt)));
    } else {
        drop(attempt);
    }
    drop((free, left));
}

/// Whether the thread keeps `attempt` for its next transactions: not if its slot is for everybody, nor if the thread ends,
/// and something of its end begins a transaction; and not if either is watched: each watched transaction has memory of its own.
fn is_for_cache(attempt: &Attempt) -> bool {
    let is_watched = attempt.writes.is_watched() || interruption::is_watched();
    !is_watched && attempt.slot.is_kept() && ThreadEnd::is_to_come()
}

#[cold]
fn new_attempt(cache: &Cache, caller: &'static Location<'static>) -> NonNull<Attempt> {
    interruption::point();
    let attempt = Attempt::new(Domain::shared());
    let mut attempt = attempt
        .unwrap_or_else(|| panic!("too many attempts are prepared or under way at {caller}"));
    if interruption::is_watched() {
        attempt.watch();
    }
    let is_cached = is_for_cache(&attempt);
    if !is_cached {
        // `tidy` sees that the cache does not have it.
        attempt.bag.make_due(0);
    }
    let attempt = NonNull::from(Box::leak(attempt));
    if is_cached {
        cache.attempt.set(attempt.as_ptr());
    }
    attempt
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
        // SAFETY: a box that is borrowed by `self` alone, as `running` says.
        unsafe { self.0.as_ref() }
    }
}

impl std::ops::DerefMut for Borrowed {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Attempt {
        // SAFETY: as above.
        unsafe { self.0.as_mut() }
    }
}

impl Drop for Borrowed {
    #[inline(always)]
    fn drop(&mut self) {
        if self.bag.is_due() || self.writes.has_left() {
            self.tidy();
        } else {
            CACHE.with(|cache| cache.running.set(None));
        }
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
    Borrowed::take().bag.make_due(usize::MAX);
}
