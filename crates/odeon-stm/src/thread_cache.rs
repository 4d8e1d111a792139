//! The memory and slot that a thread's attempts use one after the other.

use crate::attempt::Attempt;
use crate::domain::Domain;
use std::cell::Cell;
use std::panic::Location;

thread_local! {
    static CACHED: Cell<Option<Box<Attempt>>> = const { Cell::new(None) };
    /// Where this thread's running transaction or snapshot was begun.
    static RUNNING: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// An attempt's memory, taken from this thread; given back when dropped.
#[derive(Debug)]
pub(crate) struct Borrowed(Option<Box<Attempt>>);

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
        if let Some(running) = RUNNING.replace(Some(caller)) {
            RUNNING.set(Some(running));
            nested(running);
        }
        let cached = CACHED.take();
        Self(Some(cached.unwrap_or_else(|| {
            Attempt::new(Domain::shared()).unwrap_or_else(|| {
                RUNNING.set(None);
                panic!("too many attempts are prepared or under way")
            })
        })))
    }

    /// Replaces the memory by fresh one, whose slot is another; the caller keeps the old.
    pub(crate) fn renew(&mut self) -> Option<Box<Attempt>> {
        let fresh = Attempt::new(self.0.as_ref()?.domain)?;
        self.0.replace(fresh)
    }
}

#[cold]
#[track_caller]
fn nested(running: &Location<'_>) -> ! {
    panic!(
        "a transaction or snapshot within the one begun at {running}: pass its `tx` on instead of \
         beginning another"
    )
}

impl std::ops::Deref for Borrowed {
    type Target = Attempt;

    #[inline(always)]
    fn deref(&self) -> &Attempt {
        self.0.as_deref().expect("taken out by drop only")
    }
}

impl std::ops::DerefMut for Borrowed {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Attempt {
        self.0.as_deref_mut().expect("taken out by drop only")
    }
}

impl Drop for Borrowed {
    #[inline]
    fn drop(&mut self) {
        let mut attempt = self.0.take().expect("taken out here only");
        let free = if attempt.bag.is_due() { sweep(&mut attempt) } else { Vec::new() };
        // A thread that ends has no cache any more; the attempt then gives its slot back.
        let _ = CACHED.try_with(|cached| cached.set(Some(attempt)));
        RUNNING.set(None);
        // User code may run here, and begin transactions.
        drop(free);
    }
}

#[cold]
fn sweep(attempt: &mut Attempt) -> Vec<crate::garbage::Retired> {
    let (domain, slot) = (attempt.domain, attempt.slot);
    let mut free = attempt.bag.collect(domain, slot);
    free.extend(domain.held_values.collect(domain, slot));
    free
}

/// Frees what this thread's attempts have overwritten and nobody can reach any more; what a thread
/// gathers is otherwise freed while it goes on with transactions.
pub fn collect() {
    let mut borrowed = Borrowed::take();
    let free = sweep(&mut borrowed);
    drop(borrowed);
    drop(free);
}
