//! Parents and children: who ends with whom, and where failures go.

use crate::process::cell::Header;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::piped;
use crate::process::relations::{ControlRequest, Relations};
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::failure_text::Escalated;

/// A child's side of being one: when this is dropped its parent forgets it.
pub(crate) struct Birth {
    parent: ErasedWeakRef,
    number: u64,
}

impl Birth {
    /// A child to be made by the actor with this header, in its turn.
    pub(crate) fn expected(parent: &Header) -> Self {
        let parent = ErasedWeakRef::new(parent);
        let number = parent.relations().map_or(0, Relations::next_child);
        Self { parent, number }
    }

    pub(crate) fn parent(&self) -> &ErasedWeakRef {
        &self.parent
    }

    /// What the child is called among its parent's.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Birth {
    fn drop(&mut self) {
        if let Ok(relations) = self.parent.relations() {
            relations.remove_child(self.number);
        }
    }
}

/// Enters a new actor as a child of `parent`. If the parent has ended, the child is told to stop.
pub(crate) fn enter_child(parent: &ErasedWeakRef, number: u64, child: &Header) {
    enter(parent, child, |relations, child| relations.add_child(number, child));
}

/// As [`enter_child`], for the hidden actor of a pipe.
pub(crate) fn enter_pipe(parent: &ErasedWeakRef, number: u64, pipe: &Header) {
    enter(parent, pipe, |relations, pipe| relations.add_pipe(number, pipe));
}

fn enter(
    parent: &ErasedWeakRef,
    child: &Header,
    add: impl FnOnce(&Relations, ErasedWeakRef) -> bool,
) {
    let child = ErasedWeakRef::new(child);
    let entered = parent.relations().is_ok_and(|relations| add(relations, child.clone()));
    if !entered {
        child.stop();
    }
}

/// The state of an actor is made anew: its children are told to stop, and what its pipes have left
/// is dropped.
pub(crate) fn dismiss_dependants(relations: &Relations) {
    let dependants = relations.take_dependants();
    dependants.children.values().for_each(ErasedWeakRef::stop);
    piped::discard(dependants.piped);
}

/// Has the other supervised children of `parent` restarted.
pub(crate) fn restart_siblings(parent: &ErasedWeakRef, me: ActorId) {
    let Ok(relations) = parent.relations() else { return };
    for sibling in relations.children() {
        if sibling.id() != me {
            // A sibling that has ended stays so.
            let _ = sibling.request(ControlRequest::Restart);
        }
    }
}

/// A failure goes up: the parent fails with it; without one the theater stops.
pub(crate) fn pass_up(theater: &TheaterShared, parent: Option<&ErasedWeakRef>, failure: Escalated) {
    match parent {
        Some(parent) => {
            // A parent that has ended has told its children to stop.
            let _ = parent.request(ControlRequest::Fail(Box::new(failure)));
        }
        None => theater.fail(failure),
    }
}
