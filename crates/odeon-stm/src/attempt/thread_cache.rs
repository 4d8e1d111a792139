//! The memory and slot that a thread's attempts use one after the other.

use crate::attempt::Attempt;
use crate::domain::Domain;
use crate::domain::garbage::Retired;
use crate::words::contained::contained;
use odeon_sync::interruption::{self, Whole};
use odeon_sync::occupied;
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::task::Waker;

/// See the module. It has nothing to drop, so that the compiler need not ask whether it still is
/// there.
struct Cache {
    /// A box: the memory that this thread's transactions borrow one after the other. With the mark
    /// `TAKEN` while one has borrowed it; `NONE`, which has the mark too, before the first one, and
    /// at the thread's end.
    attempt: Cell<NonNull<Attempt>>,
    /// While the mark is there: where this thread's running transaction or snapshot was begun, if
    /// one is.
    running: Cell<Option<&'static Location<'static>>>,
    /// What the innermost [`outside`] has set aside, or null.
    aside: Cell<*const Aside>,
}

/// The lowest bit of an address, which memory for attempts has not.
const TAKEN: usize = 1;

const NONE: NonNull<Attempt> =
    NonNull::new(ptr::without_provenance_mut(TAKEN)).expect("it is not null");

#[inline(always)]
fn is_taken(attempt: NonNull<Attempt>) -> bool {
    attempt.addr().get() & TAKEN != 0
}

#[inline(always)]
fn taken(attempt: NonNull<Attempt>) -> NonNull<Attempt> {
    attempt.map_addr(|address| address | TAKEN)
}

odeon_sync::thread_local_with_end! {
    static CACHE: Cache = Cache {
        attempt: Cell::new(NONE),
        running: Cell::new(None),
        aside: Cell::new(ptr::null()),
    };
    end THREAD_END: ThreadEnd = ThreadEnd;
}

impl Cache {
    /// Puts `attempt`, taken or not, in the place of what is there, and frees that if nobody has
    /// borrowed it. Whoever has borrowed what is not here any more frees it himself: [`Escaping`].
    fn replace(&self, attempt: NonNull<Attempt>, running: Option<&'static Location<'static>>) {
        self.running.set(running);
        let before = self.attempt.replace(attempt);
        if !is_taken(before) {
            // SAFETY: the cache owns a box that nobody has borrowed, and has given it up.
            drop(unsafe { Box::from_raw(before.as_ptr()) });
        }
    }

    /// Gives memory of values that were freed to the attempt that is here, if nobody has borrowed
    /// it.
    fn keep_memory(&self, freed: Vec<Retired>) {
        let mut attempt = self.attempt.get();
        if !is_taken(attempt) {
            // SAFETY: a box that the cache owns, which nobody has borrowed, nor does meanwhile: to
            // keep an empty vector in the place of another one runs nobody's code.
            unsafe { attempt.as_mut() }.bag.keep_memory(freed);
        }
    }

    /// Where the thread's running transaction was begun.
    fn running(&self) -> Option<&'static Location<'static>> {
        if is_taken(self.attempt.get()) { self.running.get() } else { None }
    }
}

/// Frees the memory when the thread ends.
struct ThreadEnd;

impl ThreadEnd {
    /// Sees to it that what this thread's cache gets will be freed; `false` if the thread is past
    /// that.
    fn is_to_come() -> bool {
        THREAD_END.try_with(|_| ()).is_ok()
    }
}

impl Drop for ThreadEnd {
    fn drop(&mut self) {
        CACHE.with(|cache| cache.replace(NONE, None));
    }
}

/// An attempt's memory, borrowed from this thread; given back when dropped, which is before
/// whatever the thread was in when it was borrowed goes on.
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
            let mut attempt = cache.attempt.get();
            if is_taken(attempt) {
                attempt = new_attempt(cache, caller);
            }
            cache.attempt.set(taken(attempt));
            cache.running.set(Some(caller));
            Self(attempt)
        })
    }

    /// Leaves the thread's transaction without ending the attempt: the caller keeps it, the thread
    /// will use another slot.
    pub(crate) fn keep(self) -> Box<Attempt> {
        CACHE.with(|cache| cache.replace(NONE, None));
        let this = ManuallyDrop::new(self);
        // SAFETY: a box that the cache has owned and does not any more; `this` is neither used nor
        // dropped afterwards.
        unsafe { Box::from_raw(this.0.as_ptr()) }
    }

    /// The end of a transaction that leaves something to be freed.
    #[cold]
    fn tidy(&mut self) {
        let is_cached = is_for_cache(self);
        let mut free = if is_cached && self.bag.is_due() { sweep(self) } else { Vec::new() };
        let left = self.writes.take_left();
        if is_cached {
            CACHE.with(|cache| cache.attempt.set(self.0));
        } else {
            CACHE.with(|cache| cache.replace(NONE, None));
            // SAFETY: a box without another owner; `self` is being dropped.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
        // User code may run here, and begin transactions.
        free.clear();
        drop(left);
        CACHE.with(|cache| cache.keep_memory(free));
    }
}

/// Borrowed memory in the hand of user code, which may drop it wherever it likes: in a hook of
/// another transaction, or when the thread ends. It may also forget it; then nobody frees it,
/// because nobody knows.
#[derive(Debug)]
pub(crate) struct Escaping(ManuallyDrop<Borrowed>);

impl Escaping {
    #[inline(always)]
    pub(crate) fn new(borrowed: Borrowed) -> Self {
        Self(ManuallyDrop::new(borrowed))
    }
}

impl Drop for Escaping {
    #[inline(always)]
    fn drop(&mut self) {
        let attempt = self.0.0;
        if CACHE.with(|cache| cache.attempt.get() == taken(attempt)) {
            // SAFETY: once, here.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        } else {
            // SAFETY: a box, made in `new_attempt`, that the cache has given up: nobody else frees
            // it.
            leave(unsafe { Box::from_raw(attempt.as_ptr()) });
        }
    }
}

/// The end of an attempt whose memory the thread has not any more, wherever that is: what the
/// thread is in goes on.
#[cold]
fn leave(mut attempt: Box<Attempt>) {
    let place = taken(NonNull::from(&mut *attempt));
    let mut aside = CACHE.with(|cache| cache.aside.get());
    // SAFETY: each is on this thread's stack until it has taken itself out of the list.
    while let Some(place_aside) = unsafe { aside.as_ref() } {
        if place_aside.attempt.get() == place {
            place_aside.attempt.set(NONE);
            place_aside.running.set(None);
        }
        aside = place_aside.before;
    }
    let left = attempt.writes.take_left();
    drop(attempt);
    outside(|| drop(left));
}

/// Whether this thread is within a transaction or snapshot.
pub(crate) fn is_within() -> bool {
    CACHE.with(|cache| cache.running().is_some())
}

/// While it is there its thread is within a transaction that has brought its own memory along. It
/// has the thread's memory meanwhile, which nobody borrows.
#[derive(Debug)]
pub(crate) struct Within(NonNull<Attempt>, PhantomData<*const ()>);

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
            if let Some(running) = cache.running() {
                nested(running, caller);
            }
            let attempt = cache.attempt.get();
            cache.attempt.set(taken(attempt));
            cache.running.set(Some(caller));
            Self(attempt, PhantomData)
        })
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        CACHE.with(|cache| {
            cache.attempt.set(self.0);
            cache.running.set(None);
        });
    }
}

/// What belongs to the transaction that a thread is [`outside`] of; puts it back, also after a
/// panic.
struct Aside {
    attempt: Cell<NonNull<Attempt>>,
    running: Cell<Option<&'static Location<'static>>>,
    before: *const Aside,
}

impl Drop for Aside {
    fn drop(&mut self) {
        CACHE.with(|cache| {
            cache.aside.set(self.before);
            cache.replace(self.attempt.get(), self.running.get());
        });
    }
}

/// Calls `act`, which may begin transactions of its own although this thread is within one.
#[cold]
pub(crate) fn outside(act: impl FnOnce()) {
    let aside = CACHE.with(|cache| Aside {
        attempt: Cell::new(cache.attempt.replace(NONE)),
        running: Cell::new(cache.running.take()),
        before: cache.aside.get(),
    });
    CACHE.with(|cache| cache.aside.set(ptr::from_ref(&aside)));
    act();
}

/// Who wakes may be in the middle of a commit, and the waker is anybody's code: it may begin
/// transactions, and its panic ends with it, after the report, because the commit has to be
/// finished.
pub(crate) fn wake_outside(waker: Waker) {
    let _whole = Whole::new();
    outside(|| contained(|| waker.wake()));
}

/// Gives memory that was kept, and whose attempt has ended, to this thread for its next ones.
pub(crate) fn give_back(mut attempt: Box<Attempt>) {
    let left = attempt.writes.take_left();
    // If the thread has some already, or is within a transaction, this one goes, with its slot.
    let has_none = CACHE.with(|cache| cache.attempt.get() == NONE && cache.running.get().is_none());
    let is_cached = has_none && is_for_cache(&attempt);
    let free = if is_cached && attempt.bag.is_due() { sweep(&mut attempt) } else { Vec::new() };
    if is_cached {
        CACHE.with(|cache| cache.replace(NonNull::from(Box::leak(attempt)), None));
    } else {
        drop(attempt);
    }
    drop((free, left));
}

/// Whether the thread keeps `attempt` for its next transactions: not if its slot is for everybody,
/// nor if the thread ends, and something of its end begins a transaction; and not if either is
/// watched: each watched transaction has memory of its own.
fn is_for_cache(attempt: &Attempt) -> bool {
    let is_watched = attempt.writes.is_watched() || interruption::is_watched();
    !is_watched && attempt.slot.is_kept() && ThreadEnd::is_to_come()
}

#[cold]
fn new_attempt(cache: &Cache, caller: &'static Location<'static>) -> NonNull<Attempt> {
    interruption::point();
    if let Some(running) = cache.running() {
        nested(running, caller);
    }
    // Every thread that runs transactions comes here first.
    occupied::tell(is_in_transaction);
    let attempt = Attempt::new(Domain::shared());
    let mut attempt = attempt
        .unwrap_or_else(|| panic!("too many attempts are prepared or under way at {caller}"));
    if interruption::is_watched() {
        attempt.watch();
    }
    if !is_for_cache(&attempt) {
        // `tidy` frees it.
        attempt.bag.make_due(0);
    }
    NonNull::from(Box::leak(attempt))
}

/// Whether this thread is in a transaction or snapshot, so that no other one may begin here.
fn is_in_transaction() -> bool {
    CACHE.with(|cache| cache.running().is_some())
}

#[cold]
fn nested(running: &Location<'_>, caller: &Location<'_>) -> ! {
    panic!(
        "the transaction or snapshot at {caller} is within the one begun at {running}: pass its `tx` \
         on instead of beginning another"
    )
}

impl std::ops::Deref for Escaping {
    type Target = Attempt;

    #[inline(always)]
    fn deref(&self) -> &Attempt {
        &self.0
    }
}

impl std::ops::DerefMut for Escaping {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Attempt {
        &mut self.0
    }
}

impl std::ops::Deref for Borrowed {
    type Target = Attempt;

    #[inline(always)]
    fn deref(&self) -> &Attempt {
        // SAFETY: a box that is borrowed by `self` alone, as the mark in the cache says, or that
        // the cache has given up.
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
            CACHE.with(|cache| cache.attempt.set(self.0));
        }
    }
}

#[cold]
fn sweep(attempt: &mut Attempt) -> Vec<Retired> {
    let domain = attempt.domain;
    let mut free = attempt.bag.collect(domain);
    free.extend(domain.held_values.collect_if_paid(domain, 0));
    free
}

/// Frees what this thread's attempts have overwritten and nobody can reach any more, and what
/// others have left that waited for the end of a snapshot. Otherwise this happens while a thread
/// goes on with transactions: one that stops doing so for long, and has overwritten large values,
/// calls this before.
///
/// # Panics
///
/// Panics at the caller's line within a transaction or snapshot.
#[track_caller]
pub fn collect() {
    Borrowed::take().bag.make_due(usize::MAX);
}
