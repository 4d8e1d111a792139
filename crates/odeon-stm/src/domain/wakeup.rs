//! Waiting for a variable to change, or for its holder to let go, without polling.
//!
//! PROTOCOL
//! 1. The waiter enters the table under the variable's address, *then* raises the wait flag in the
//!    variable's word by compare-and-swap from the word it knows.
//! 2. If the word is another one, or a commit is at it, the variable is changing: the waiter does
//!    not sleep.
//! 3. Whoever takes the flag away (a commit that publishes) wakes all waiters of the address
//!    *after* the new word stands.
//! 4. A prepared attempt that lets go has changed nothing: it leaves the flag up, and wakes, after
//!    the free word stands, those who wait for the release alone. Who waits for a change sleeps on.
//!
//! The flag is in the same word that a commit takes by compare-and-swap, so the commit either sees
//! it (3 finds the waiter, by 1) or comes first (2). Who finds the flag up already has not come to
//! the word, but to the lock of the table: before who lets go, who finds the waiter then (4), or
//! behind, and then the word is free (2).

use crate::domain::cell::Cell;
use crate::words::version_word::{VariableHolder, VersionWord};
use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Arc, Mutex};
use std::collections::HashMap;
use std::task::Waker;

/// TUNE: pieces of the table; only who waits or wakes comes here. Guessed.
const SHARDS: usize = if cfg!(odeon_loom) { 1 } else { 16 };

/// Who waits for which address.
#[derive(Debug)]
pub(crate) struct WaitTable {
    shards: [Mutex<HashMap<usize, Vec<Arc<Waiter>>>>; SHARDS],
}

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaits {
    /// That a variable is written.
    Change,
    /// That a prepared attempt lets go of it, also by writing it.
    Release,
}

/// One wait, under any number of addresses; it is woken once.
#[derive(Debug)]
pub(crate) struct Waiter {
    awaits: Awaits,
    woken: AtomicBool,
    waker: Mutex<Option<Waker>>,
    /// Wakes: whoever does may be in the middle of a commit, and wakers are anybody's code.
    wake: fn(Waker),
}

impl Waiter {
    fn wake(&self) {
        // ORDERING: AcqRel: what the waker has done is visible to who sees the flag; once only.
        if !self.woken.swap(true, Ordering::AcqRel) {
            let waker = self.waker.lock().expect("no panic happens under this lock").take();
            if let Some(waker) = waker {
                (self.wake)(waker);
            }
        }
    }
}

impl WaitTable {
    pub(crate) fn new() -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::new(HashMap::new())) }
    }

    fn shard(&self, address: usize) -> &Mutex<HashMap<usize, Vec<Arc<Waiter>>>> {
        &self.shards[(address >> 4) % SHARDS]
    }

    /// PROTOCOL 3: wakes everybody who waits for `address`.
    #[cold]
    pub(crate) fn wake(&self, address: usize) {
        let waiters =
            self.shard(address).lock().expect("no panic happens under this lock").remove(&address);
        for waiter in waiters.into_iter().flatten() {
            waiter.wake();
        }
    }

    /// PROTOCOL 4: wakes those who wait for `address` to be let go of.
    #[cold]
    pub(crate) fn wake_released(&self, address: usize) {
        let mut shard = self.shard(address).lock().expect("no panic happens under this lock");
        let Some(waiters) = shard.get_mut(&address) else { return };
        let (released, others): (Vec<_>, Vec<_>) = std::mem::take(waiters)
            .into_iter()
            .partition(|waiter: &Arc<Waiter>| waiter.awaits == Awaits::Release);
        *waiters = others;
        if waiters.is_empty() {
            shard.remove(&address);
        }
        drop(shard);
        released.iter().for_each(|waiter| waiter.wake());
    }

    /// How many waits there are, one under several addresses counted several times.
    pub(crate) fn len(&self) -> usize {
        let len = |shard: &Mutex<HashMap<usize, Vec<_>>>| {
            let shard = shard.lock().expect("no panic happens under this lock");
            shard.values().map(Vec::len).sum::<usize>()
        };
        self.shards.iter().map(len).sum()
    }
}

/// A wait; dropping it takes it out of the table.
#[derive(Debug)]
pub(crate) struct VariableWait<'a> {
    table: &'a WaitTable,
    waiter: Arc<Waiter>,
    addresses: Vec<usize>,
}

impl<'a> VariableWait<'a> {
    /// A wait that has entered nowhere; its waker is woken by `wake`.
    pub(crate) fn new(table: &'a WaitTable, awaits: Awaits, wake: fn(Waker)) -> Self {
        let (woken, waker) = (AtomicBool::new(false), Mutex::new(None));
        let waiter = Waiter { awaits, woken, waker, wake };
        Self { table, waiter: Arc::new(waiter), addresses: Vec::new() }
    }

    /// Has `waker` woken at the first event, or at once if that has happened.
    pub(crate) fn set_waker(&self, waker: Waker) {
        *self.waiter.waker.lock().expect("no panic happens under this lock") = Some(waker);
        // The lock orders this look after the waker was left, or the event's look for a waker after
        // it.
        if self.is_over() {
            let waker = self.waiter.waker.lock().expect("no panic happens under this lock").take();
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }

    /// Whether the event has happened.
    pub(crate) fn is_over(&self) -> bool {
        // ORDERING: Acquire, from `Waiter::wake`.
        self.waiter.woken.load(Ordering::Acquire)
    }

    /// PROTOCOL 1, first half: enters the table.
    pub(crate) fn enter(&mut self, address: usize) {
        let mut shard = self.table.shard(address).lock().expect("no panic happens under this lock");
        shard.entry(address).or_default().push(self.waiter.clone());
        drop(shard);
        self.addresses.push(address);
    }

    /// Waits for `cell` to become other than `known`; the event is at hand if it is already.
    pub(crate) fn on_change(&mut self, cell: &Cell, known: impl Fn(VersionWord) -> bool) {
        self.enter(cell.address());
        loop {
            let word = cell.word();
            // PROTOCOL 2.
            if word.held() == VariableHolder::Committing || !known(word) {
                return self.waiter.wake();
            }
            if word.has_waiters() || cell.exchange(word, word.with_waiters()).is_ok() {
                return;
            }
        }
    }

    /// The event is at hand.
    pub(crate) fn end(&self) {
        self.waiter.wake();
    }
}

impl Drop for VariableWait<'_> {
    fn drop(&mut self) {
        for address in self.addresses.drain(..) {
            let mut shard =
                self.table.shard(address).lock().expect("no panic happens under this lock");
            if let Some(waiters) = shard.get_mut(&address) {
                waiters.retain(|waiter| !Arc::ptr_eq(waiter, &self.waiter));
                if waiters.is_empty() {
                    shard.remove(&address);
                }
            }
        }
    }
}
