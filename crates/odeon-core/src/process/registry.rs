//! Which actors are alive: needed to stop them all. Sharded by creating thread, so that creating
//! actors on several cores shares neither lock nor counter.

use std::ptr::NonNull;

use crossbeam_utils::CachePadded;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU32, Ordering};

use crate::process::cell::Header;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::actor_id::ActorId;

/// Shards of one registry: one per worker up to this, and one for all other threads.
const SHARDS: usize = 64;

/// Where an actor stands in its shard's list; guarded by the shard's lock.
pub(crate) struct RegistrySlot(AtomicU32);

impl RegistrySlot {
    pub(crate) fn unset() -> Self {
        Self(AtomicU32::new(u32::MAX))
    }
}

#[derive(Default)]
struct RegistryShard {
    serial: u64,
    live: Vec<ActorEntry>,
}

struct ActorEntry(NonNull<Header>);

// SAFETY: an entry is only used under the shard's lock, while the actor it points to is alive.
unsafe impl Send for ActorEntry {}

/// The live actors of one theater.
pub(crate) struct Registry {
    shards: Box<[CachePadded<Mutex<RegistryShard>>]>,
}

impl Registry {
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| CachePadded::new(Mutex::default())).collect() }
    }

    /// Draws an id and enters the actor that `make` builds with it; `false` if the theater is
    /// stopping and the actor was not entered.
    ///
    /// Whether it stops is looked at under the shard's lock, which the shutdown takes after saying
    /// so: an actor is either refused here or found there.
    ///
    /// `make` returns a cell with one weak count for being alive, which keeps it until `remove`.
    pub(crate) fn insert(
        &self,
        shard: usize,
        theater: &TheaterShared,
        make: impl FnOnce(ActorId) -> NonNull<Header>,
    ) -> (NonNull<Header>, bool) {
        let shard = shard % SHARDS;
        let mut guard = self.lock(shard);
        let cell = make(ActorId::new(shard, guard.serial));
        guard.serial += 1;
        if theater.is_stopping() {
            return (cell, false);
        }
        // SAFETY: just made. ORDERING: Relaxed: under the shard's lock.
        unsafe { cell.as_ref() }.registry.0.store(guard.live.len() as u32, Ordering::Relaxed);
        guard.live.push(ActorEntry(cell));
        (cell, true)
    }

    /// Takes the actor out; `false` if it was never entered. Its alive count passes to the caller.
    pub(crate) fn remove(&self, header: &Header) -> bool {
        let mut guard = self.lock(header.id.shard());
        // ORDERING: Relaxed, here and below: under the shard's lock.
        let index = header.registry.0.swap(u32::MAX, Ordering::Relaxed) as usize;
        if index == u32::MAX as usize {
            return false;
        }
        guard.live.swap_remove(index);
        if let Some(moved) = guard.live.get(index) {
            // SAFETY: entries are alive while they are in the list.
            unsafe { moved.0.as_ref() }.registry.0.store(index as u32, Ordering::Relaxed);
        }
        true
    }

    /// Calls `visit` for each live actor, under the lock of its shard: `visit` must not create or
    /// end actors, nor run user code.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(NonNull<Header>)) {
        for shard in 0..SHARDS {
            for entry in &self.lock(shard).live {
                visit(entry.0);
            }
        }
    }

    /// Whether `says` so of any live actor, under the same conditions as in
    /// [`for_each`](Self::for_each).
    pub(crate) fn any_is(&self, mut says: impl FnMut(NonNull<Header>) -> bool) -> bool {
        (0..SHARDS).any(|shard| self.lock(shard).live.iter().any(|entry| says(entry.0)))
    }

    /// One live actor of which `says` says so, if there is any, under the same conditions as in
    /// [`for_each`](Self::for_each).
    pub(crate) fn find(&self, says: impl Fn(&Header) -> bool) -> Option<NonNull<Header>> {
        // SAFETY: entries are alive while they are in the list.
        let is_it = |entry: &&ActorEntry| says(unsafe { entry.0.as_ref() });
        (0..SHARDS).find_map(|shard| self.lock(shard).live.iter().rfind(is_it).map(|entry| entry.0))
    }

    /// How many actors are alive.
    pub(crate) fn len(&self) -> usize {
        (0..SHARDS).map(|shard| self.lock(shard).live.len()).sum()
    }

    fn lock(&self, shard: usize) -> odeon_sync::MutexGuard<'_, RegistryShard> {
        self.shards[shard].lock().expect("no panic happens under a registry lock")
    }
}
