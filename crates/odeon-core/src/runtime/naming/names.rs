//! Who has which name.
//!
//! PROTOCOL
//! 1. A name is taken while its slot has an actor whose inbox is open. An actor's inbox closes
//!    before anybody is told of its end, so whoever has been told finds the name free, whether or
//!    not its slot has been emptied.
//! 2. A slot is emptied by its actor's end, if it still belongs to that actor. The watch for that
//!    is set before the slot is filled; whoever fills it looks afterwards whether the actor has
//!    ended meanwhile, and empties it then. So no slot outlives its actor for long.
//! 3. A reserved slot is about to be filled. Callers who want the name wait; its holder runs no
//!    code of a user meanwhile except [`Observer`](crate::Observer)s, and waits for nobody.
//! 4. Actors are told, stopped, spawned and given up outside of the locks.
//!
//! Covered by `tests/s16_names.rs` and, under random schedules, `tests/shuttle_naming.rs`.

use std::any::{Any, type_name};
use std::collections::HashMap;
use std::ptr;
use std::sync::Arc;

use odeon_sync::{Condvar, Mutex, MutexGuard};

use super::error::{LookupError, NameTaken, OtherType};
use super::sharded::Sharded;
use crate::lifecycle::watch::Watch;
use crate::messaging::actor_ref::ActorRef;
use crate::process::outbox;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::ended::Ended;
use crate::vocabulary::message::Message;

/// The named actors of a theater.
#[derive(Default)]
pub(crate) struct Names {
    shards: Sharded<NameShard>,
}

#[derive(Default)]
struct NameShard {
    slots: Mutex<HashMap<Arc<str>, NameSlot>>,
    /// A reserved slot has been filled or given up.
    settled: Condvar,
}

enum NameSlot {
    Reserved,
    Taken(NamedActor),
}

struct NamedActor {
    actor: Box<dyn Named>,
    watch: Watch,
}

/// A reference to an actor, its message type forgotten.
trait Named: Send + Sync {
    fn id(&self) -> ActorId;
    fn is_stopped(&self) -> bool;
    /// Where the actor's cell is: no two actors that have not been freed share it.
    fn address(&self) -> usize;
    fn as_any(&self) -> &dyn Any;
    fn message_type(&self) -> &'static str;
}

impl<M: Message> Named for ActorRef<M> {
    fn id(&self) -> ActorId {
        ActorRef::id(self)
    }

    fn is_stopped(&self) -> bool {
        ActorRef::is_stopped(self)
    }

    fn address(&self) -> usize {
        ptr::from_ref(self.cell()).addr()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn message_type(&self) -> &'static str {
        type_name::<M>()
    }
}

fn typed<M: Message>(name: &str, actor: &dyn Named) -> Result<ActorRef<M>, OtherType> {
    let found = actor.as_any().downcast_ref::<ActorRef<M>>().cloned();
    found.ok_or_else(|| OtherType {
        name: name.into(),
        named: actor.message_type(),
        asked: type_name::<M>(),
    })
}

impl NameShard {
    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, NameSlot>> {
        self.slots.lock().expect("no panic happens under the lock of names")
    }
}

/// The actor of a slot, if the slot is taken (protocol 1).
fn taken(slot: Option<&NameSlot>) -> Option<&dyn Named> {
    match slot {
        Some(NameSlot::Taken(entry)) if !entry.actor.is_stopped() => Some(&*entry.actor),
        _ => None,
    }
}

impl Names {
    pub(crate) fn lookup<M: Message>(&self, name: &str) -> Result<ActorRef<M>, LookupError> {
        let slots = self.shards.of(name).lock();
        let actor = taken(slots.get(name));
        let actor = actor.ok_or_else(|| LookupError::NotFound { name: name.into() })?;
        Ok(typed(name, actor)?)
    }

    pub(crate) fn register<M: Message>(
        self: &Arc<Self>,
        name: &str,
        actor: &ActorRef<M>,
    ) -> Result<(), NameTaken> {
        let reservation = self.reserve(name, |holder| holder.id());
        reservation.map_err(|by| NameTaken { name: name.into(), by: Some(by) })?.fill(actor);
        Ok(())
    }

    /// The actor of this name, or the one that `spawn` makes, which runs no code of a user.
    pub(super) fn lookup_or<M: Message>(
        self: &Arc<Self>,
        name: &str,
        spawn: impl FnOnce() -> ActorRef<M>,
    ) -> Result<ActorRef<M>, OtherType> {
        match self.reserve(name, |holder| typed(name, holder)) {
            Err(found) => found,
            Ok(reservation) => {
                let actor = spawn();
                reservation.fill(&actor);
                Ok(actor)
            }
        }
    }

    pub(crate) fn unregister(&self, name: &str) -> bool {
        let mut slots = self.shards.of(name).lock();
        if taken(slots.get(name)).is_none() {
            return false;
        }
        let slot = slots.remove(name);
        drop(slots);
        if let Some(NameSlot::Taken(entry)) = slot {
            entry.watch.cancel();
        }
        true
    }

    pub(super) fn for_each(&self, mut visit: impl FnMut(&Arc<str>, ActorId)) {
        for shard in self.shards.all() {
            for (name, slot) in &*shard.lock() {
                if let Some(actor) = taken(Some(slot)) {
                    visit(name, actor.id());
                }
            }
        }
    }

    pub(super) fn clear(&self) {
        for shard in self.shards.all() {
            let slots = std::mem::take(&mut *shard.lock());
            for slot in slots.into_values() {
                if let NameSlot::Taken(entry) = slot {
                    entry.watch.cancel();
                }
            }
        }
    }

    /// Has the name to itself; or what `holder` says about the actor that has it.
    fn reserve<T>(
        self: &Arc<Self>,
        name: &str,
        holder: impl FnOnce(&dyn Named) -> T,
    ) -> Result<Reservation<'_>, T> {
        let shard = self.shards.of(name);
        let mut slots = shard.lock();
        while let Some(NameSlot::Reserved) = slots.get(name) {
            slots = shard.settled.wait(slots).expect("no panic happens under the lock of names");
        }
        if let Some(actor) = taken(slots.get(name)) {
            return Err(holder(actor));
        }
        let name: Arc<str> = name.into();
        let ended = slots.insert(name.clone(), NameSlot::Reserved);
        drop(slots);
        drop(ended);
        Ok(Reservation { names: self, name: Some(name) })
    }

    /// Empties the slot if it belongs to the actor at `address`.
    fn free(&self, name: &str, address: usize) {
        let mut slots = self.shards.of(name).lock();
        let belongs = match slots.get(name) {
            Some(NameSlot::Taken(entry)) => entry.actor.address() == address,
            _ => false,
        };
        let slot = if belongs { slots.remove(name) } else { None };
        drop(slots);
        drop(slot);
    }
}

/// The right and the duty to fill a slot or to give it up (protocol 3).
struct Reservation<'a> {
    names: &'a Arc<Names>,
    /// `None` once the slot is filled.
    name: Option<Arc<str>>,
}

impl Reservation<'_> {
    fn fill<M: Message>(mut self, actor: &ActorRef<M>) {
        let Some(name) = self.name.take() else { return };
        let (names, address) = (Arc::downgrade(self.names), Named::address(actor));
        let told = {
            let name = name.clone();
            move |_: &Ended| {
                if let Some(names) = names.upgrade() {
                    names.free(&name, address);
                }
            }
        };
        // An attempt's names are given at once, and so they must be freed.
        let watch = outbox::let_out(|| actor.on_end(told));
        let entry = NamedActor { actor: Box::new(actor.clone()), watch };
        let shard = self.names.shards.of(&name);
        shard.lock().insert(name.clone(), NameSlot::Taken(entry));
        shard.settled.notify_all();
        if actor.is_stopped() {
            self.names.free(&name, address);
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let shard = self.names.shards.of(name);
            shard.lock().remove(name);
            shard.settled.notify_all();
        }
    }
}
