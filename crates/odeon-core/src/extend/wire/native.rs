//! Actors that sit where they were created, and of whose seats the network knows nothing.
//!
//! Most mobile actors are never referred to from elsewhere and never move, so nothing is made for
//! that until somebody asks: then the actor is [introduced](Native::introduce), once. Its desk is
//! kept with its relations, from where its seat takes it as soon as it has something to do there.

use std::sync::Arc;

use odeon_sync::atomic::Ordering;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::mobile::OfKind;
use super::outbound::Outbound;
use super::stand_in::{Desk, LOOK, StandIn, Stands};
use crate::messaging::actor_ref::{ActorRef, WeakRef};
use crate::process::cell::{Header, MessageCell};
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::submit::Submit;
use crate::vocabulary::message::Message;

/// How actors of one type are introduced.
pub struct Introduction {
    kind: &'static str,
    /// What the network is to know of the actor with this cell. The cell is one for messages of the
    /// type.
    stands: unsafe fn(&Header, Arc<Desk>) -> Arc<dyn StandIn>,
}

impl Introduction {
    /// Of actors of this kind, if it is one, in seats for these messages.
    pub(super) const fn of_kind<M, G>() -> Option<Self>
    where
        M: Message + Serialize + DeserializeOwned,
        G: OfKind,
    {
        match G::KIND {
            Some(kind) => Some(Self { kind, stands: stands::<M> }),
            None => None,
        }
    }
}

/// # Safety
/// It is the header of a `MessageCell<M>`.
unsafe fn stands<M>(header: &Header, desk: Arc<Desk>) -> Arc<dyn StandIn>
where
    M: Message + Serialize + DeserializeOwned,
{
    // SAFETY: by contract; whoever lends the header keeps the cell.
    let cell = unsafe { &*std::ptr::from_ref(header).cast::<MessageCell<M>>() };
    Arc::new(Stands { actor: WeakRef::to(cell), desk })
}

/// An actor that sits where it was created, and has not been introduced. Does not keep it.
pub struct Native {
    actor: ErasedWeakRef,
    introduction: &'static Introduction,
}

impl Native {
    fn of(header: &Header) -> Option<Self> {
        let introduction = header.vtable.introduction?.downcast_ref()?;
        desk_of(header).is_none().then(|| Self { actor: ErasedWeakRef::new(header), introduction })
    }

    /// The actor's number.
    pub fn actor(&self) -> u64 {
        self.actor.id().number()
    }

    /// The actor's stage.
    pub fn stage(&self) -> &dyn Submit {
        &*self.actor.header().stage
    }

    /// What it is called where it is to be read.
    pub fn kind(&self) -> &'static str {
        self.introduction.kind
    }

    /// Introduces it: from here on its way out is this one. It is given a turn, in which it says
    /// how many messages it has handled. `None`: somebody else has, or it has ended.
    pub fn introduce(&self, outbound: Arc<dyn Outbound>) -> Option<Arc<dyn StandIn>> {
        let header = self.actor.header();
        let relations = header.relations.get_or_make().ok()?;
        let desk = Arc::new(Desk::new(outbound));
        let kept = relations.attachments.get_or_attach(|| desk.clone());
        if !Arc::ptr_eq(kept, &desk) {
            return None;
        }
        // Its seat may never have come to the desk.
        let at_its_end = desk.clone();
        let watched = relations.add_watcher(Box::new(move |_| {
            // ORDERING: Relaxed: set in a turn of the actor, which has ended.
            if !at_its_end.is_taken.load(Ordering::Relaxed) {
                at_its_end.close();
            }
        }));
        watched.ok()?;
        // SAFETY: the introduction is that of the cell's type.
        let stands = unsafe { (self.introduction.stands)(header, desk) };
        stands.mark(LOOK.to_vec());
        Some(stands)
    }
}

/// The desk of an actor that has been introduced.
#[inline]
pub(super) fn desk_of(header: &Header) -> Option<Arc<Desk>> {
    header.relations.get()?.attachments.get().cloned()
}

/// An actor, if it sits where it was created and has not been introduced.
pub fn native<M: Message>(actor: &ActorRef<M>) -> Option<Native> {
    Native::of(&actor.cell().header)
}

/// All actors of the stage's theater that sit where they were created and have not been introduced.
pub fn natives(stage: &dyn Submit) -> Vec<Native> {
    let mut natives = Vec::new();
    stage.theater().registry.for_each(|cell| {
        // SAFETY: actors are alive while they are in the registry, which is locked.
        natives.extend(Native::of(unsafe { cell.as_ref() }));
    });
    natives
}
