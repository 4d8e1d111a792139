//! Parents and children: who ends with whom, and where failures go.

use std::sync::Arc;

use crate::actor_id::ActorId;
use crate::bonds::{Bonds, Request};
use crate::cell::Header;
use crate::kin::Kin;
use crate::theater::shared::TheaterShared;

/// The panic payload of an actor that fails because another one has.
#[derive(Debug, Clone)]
pub(crate) struct Escalated {
    pub(crate) from: ActorId,
    pub(crate) text: Arc<str>,
}

/// Enters a new actor as a child of `parent`. If the parent has ended, the child is told to stop.
pub(crate) fn enter_child(parent: &Kin, child: &Header) {
    let child = Kin::new(child);
    let entered = parent.bonds().is_ok_and(|bonds| bonds.add_child(child.clone()));
    if !entered {
        child.stop();
    }
}

/// Tells all children to stop: their parent ends or is made anew.
pub(crate) fn stop_children(bonds: &Bonds) {
    for child in bonds.take_children() {
        child.stop();
    }
}

/// Has the other supervised children of `parent` restarted.
pub(crate) fn restart_siblings(parent: &Kin, me: ActorId) {
    let Ok(bonds) = parent.bonds() else { return };
    for sibling in bonds.children() {
        if sibling.id() != me {
            // A sibling that has ended stays so.
            let _ = sibling.request(Request::Restart);
        }
    }
}

/// A failure goes up: the parent fails with it; without one the theater stops.
pub(crate) fn pass_up(theater: &TheaterShared, parent: Option<&Kin>, failure: Escalated) {
    match parent {
        Some(parent) => {
            // A parent that has ended has told its children to stop.
            let _ = parent.request(Request::Fail(Box::new(failure)));
        }
        None => theater.fail(failure),
    }
}
