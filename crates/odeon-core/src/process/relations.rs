//! What ties an actor to others: who watches it, whose child it is, what others ask of it.
//!
//! Most actors have no relations, so they are made when first needed and cost one word until then.
//!
//! PROTOCOL
//! 1. The slot is empty, or points to the relations, or (only if there never were any) says why the
//!    actor has ended. It leaves "empty" once, by one exchange, and then stays as it is.
//! 2. The relations live as long as the cell. What changes in them changes under a lock.
//! 3. The owner, or for it the last shard to end, seals them when the actor ends: it sets `ended`
//!    under the lock and takes all watchers. Whoever comes later finds `ended` and is told at once.
//!    So each watcher is told exactly once.
//!
//! Covered by `process/relations/loom.rs`. Children and pipes: `process/relations/children.rs`.

mod children;

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::ptr;

use odeon_sync::atomic::{AtomicPtr, Ordering};
use odeon_sync::{Mutex, MutexGuard};

use crate::process::attachments::Attachments;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::piped::Piped;
use crate::process::supervision::Supervised;
use crate::process::waiters::Waiters;
use crate::vocabulary::ended::Ended;
use crate::vocabulary::observe::EndReason;

/// The word in an actor's header that leads to its relations.
pub(crate) struct RelationsSlot(AtomicPtr<Relations>);

/// Told when the actor ends.
pub(crate) type Watcher = Box<dyn FnOnce(&Ended) + Send>;

/// The relations of one actor.
#[derive(Default)]
pub(crate) struct Relations {
    state: Mutex<RelationsState>,
    /// Senders that hold back until this actor has less waiting.
    pub(crate) waiters: Waiters,
    /// What other rooms keep with the actor.
    pub(crate) attachments: Attachments,
    /// Whose messages this actor handles, if not its own; set before it starts.
    works_for: Mutex<Option<ErasedWeakRef>>,
}

#[derive(Default)]
struct RelationsState {
    ended: Option<Ended>,
    watchers: Vec<(u64, Watcher)>,
    next_watcher: u64,
    requests: VecDeque<ControlRequest>,
    /// Outputs of pipes that the actor has not gone on with yet.
    piped: VecDeque<Piped>,
    /// By their numbers, so that they are stopped in an order that a seed repeats.
    children: BTreeMap<u64, ErasedWeakRef>,
    /// The hidden actors of pipes whose futures are not complete, likewise.
    pipes: BTreeMap<u64, ErasedWeakRef>,
    next_child: u64,
    supervised: Option<Box<Supervised>>,
}

/// What others ask of an actor, apart from its messages; it looks at it at a message boundary.
pub(crate) enum ControlRequest {
    /// Fail as if a handler had panicked: a child escalates, or a linked actor has failed.
    Fail(Box<dyn Any + Send>),
    /// Begin anew with fresh state: a sibling that is restarted takes all with it.
    Restart,
}

/// The slot's value for an actor that ended without relations: one of these, never dereferenced.
fn mark(reason: EndReason) -> *mut Relations {
    ptr::without_provenance_mut(match reason {
        EndReason::Stopped => 1,
        EndReason::Failed => 2,
        EndReason::Shutdown => 3,
        EndReason::Unreachable => 4,
    })
}

fn marked(slot: *mut Relations) -> Option<EndReason> {
    match slot.addr() {
        1 => Some(EndReason::Stopped),
        2 => Some(EndReason::Failed),
        3 => Some(EndReason::Shutdown),
        4 => Some(EndReason::Unreachable),
        _ => None,
    }
}

impl RelationsSlot {
    pub(crate) fn empty() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The relations, if there are any.
    pub(crate) fn get(&self) -> Option<&Relations> {
        // ORDERING: Acquire: pairs with the Release of the exchange in `get_or_make`.
        let slot = self.0.load(Ordering::Acquire);
        if slot.is_null() || marked(slot).is_some() {
            return None;
        }
        // SAFETY: protocol 1 and 2: such a pointer stays valid while the slot exists.
        Some(unsafe { &*slot })
    }

    /// The relations; or why the actor has ended, if it never had any.
    pub(crate) fn get_or_make(&self) -> Result<&Relations, EndReason> {
        if let Some(relations) = self.get() {
            return Ok(relations);
        }
        let made = Box::into_raw(Box::<Relations>::default());
        // ORDERING: Release on success: publishes the new relations. Acquire on failure: those of
        // another.
        match self.0.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: published above, lives as long as the slot.
            Ok(_) => Ok(unsafe { &*made }),
            Err(slot) => {
                // SAFETY: nobody has seen it.
                drop(unsafe { Box::from_raw(made) });
                match marked(slot) {
                    Some(reason) => Err(reason),
                    // SAFETY: as in `get`.
                    None => Ok(unsafe { &*slot }),
                }
            }
        }
    }

    /// The owner ends the actor: who is to be told. Nobody is ever added afterwards.
    pub(crate) fn seal(
        &self,
        ended: impl FnOnce() -> Ended,
        reason: EndReason,
    ) -> Option<EndedRelations> {
        // ORDERING: Release on success: what the owner did comes before whatever the mark causes.
        // Acquire on failure: the relations of whoever made them.
        self.0
            .compare_exchange(ptr::null_mut(), mark(reason), Ordering::AcqRel, Ordering::Acquire)
            .err()
            // SAFETY: as in `get`; the owner seals once, so this is no mark.
            .map(|relations| unsafe { &*relations }.seal(ended()))
    }
}

impl Drop for RelationsSlot {
    fn drop(&mut self) {
        // ORDERING: Relaxed: nobody can reach the cell any more.
        let slot = self.0.load(Ordering::Relaxed);
        if !slot.is_null() && marked(slot).is_none() {
            // SAFETY: made by `get_or_make`, owned by the slot.
            drop(unsafe { Box::from_raw(slot) });
        }
    }
}

/// What the end of an actor leaves to be done, outside of any lock.
pub(crate) struct EndedRelations {
    pub(crate) ended: Ended,
    pub(crate) watchers: Vec<(u64, Watcher)>,
    pub(crate) children: BTreeMap<u64, ErasedWeakRef>,
    pub(crate) supervised: Option<Box<Supervised>>,
    /// They came too late.
    pub(crate) requests: VecDeque<ControlRequest>,
    /// As above.
    pub(crate) piped: VecDeque<Piped>,
}

/// What belonged to the state that an actor had before it is made anew.
pub(crate) struct Dependants {
    pub(crate) children: BTreeMap<u64, ErasedWeakRef>,
    /// To be dropped.
    pub(crate) piped: VecDeque<Piped>,
}

impl Relations {
    fn lock(&self) -> MutexGuard<'_, RelationsState> {
        self.state.lock().expect("no panic happens under the relations' lock")
    }

    fn seal(&self, ended: Ended) -> EndedRelations {
        let mut state = self.lock();
        state.ended = Some(ended.clone());
        EndedRelations {
            ended,
            watchers: std::mem::take(&mut state.watchers),
            children: state.take_dependants(),
            supervised: state.supervised.take(),
            requests: std::mem::take(&mut state.requests),
            piped: std::mem::take(&mut state.piped),
        }
    }

    /// Notes that this actor handles messages of another one, once.
    pub(crate) fn set_works_for(&self, other: ErasedWeakRef) {
        let before = self.lock_works_for().replace(other);
        debug_assert!(before.is_none(), "an actor works for one other, from its start on");
    }

    /// Whose messages this actor handles, if not its own.
    pub(crate) fn works_for(&self) -> Option<ErasedWeakRef> {
        self.lock_works_for().clone()
    }

    /// It has ended: answers whom it has worked for, to be dropped.
    pub(crate) fn forget_works_for(&self) -> Option<ErasedWeakRef> {
        self.lock_works_for().take()
    }

    fn lock_works_for(&self) -> MutexGuard<'_, Option<ErasedWeakRef>> {
        self.works_for.lock().expect("no panic happens under this lock")
    }

    /// Adds a watcher, with a key to remove it by. If the actor has ended the watcher comes back.
    pub(crate) fn add_watcher(&self, watcher: Watcher) -> Result<u64, (Watcher, Ended)> {
        let mut state = self.lock();
        if let Some(ended) = &state.ended {
            return Err((watcher, ended.clone()));
        }
        let key = state.next_watcher;
        state.next_watcher += 1;
        state.watchers.push((key, watcher));
        Ok(key)
    }

    /// Takes a watcher out; `None` if it has been told or is just being told.
    pub(crate) fn remove_watcher(&self, key: u64) -> Option<Watcher> {
        let mut state = self.lock();
        let place = state.watchers.iter().position(|(other, _)| *other == key)?;
        Some(state.watchers.swap_remove(place).1)
    }

    /// Leaves a request; it comes back if the actor has ended.
    pub(crate) fn leave_request(&self, request: ControlRequest) -> Result<(), ControlRequest> {
        let mut state = self.lock();
        if state.ended.is_some() {
            return Err(request);
        }
        state.requests.push_back(request);
        Ok(())
    }

    /// Owner: the oldest request.
    pub(crate) fn next_request(&self) -> Option<ControlRequest> {
        self.lock().requests.pop_front()
    }

    /// How the actor is supervised, out of the lock; to be put back by
    /// [`set_supervised`](Self::set_supervised). By the owner alone.
    pub(crate) fn take_supervised(&self) -> Option<Box<Supervised>> {
        self.lock().supervised.take()
    }

    /// Why the actor has ended, if it has.
    pub(crate) fn ended(&self) -> Option<EndReason> {
        self.lock().ended.as_ref().map(Ended::reason)
    }

    pub(crate) fn is_supervised(&self) -> bool {
        self.lock().supervised.is_some()
    }

    pub(crate) fn set_supervised(&self, supervised: Box<Supervised>) {
        self.lock().supervised = Some(supervised);
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;
