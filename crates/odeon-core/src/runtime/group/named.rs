//! Groups that are found by their names.

use std::any::{Any, type_name};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use odeon_sync::{Mutex, MutexGuard};

use super::{Group, GroupShared};
use crate::runtime::naming::Naming;
use crate::runtime::naming::OtherType;
use crate::runtime::naming::sharded::Sharded;
use crate::runtime::theater::Theater;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::Message;

/// The named groups of a theater: it knows them without keeping them.
#[derive(Default)]
pub(crate) struct NamedGroups {
    shards: Sharded<GroupShard>,
}

type GroupsByName = HashMap<Arc<str>, Box<dyn ErasedGroup>>;

#[derive(Default)]
struct GroupShard(Mutex<GroupsByName>);

impl GroupShard {
    fn lock(&self) -> MutexGuard<'_, GroupsByName> {
        self.0.lock().expect("no panic happens under the lock of named groups")
    }
}

/// A group, its message type forgotten.
trait ErasedGroup: Send + Sync {
    /// Without members and handles.
    fn is_gone(&self) -> bool;
    fn dissolve(&self);
    fn as_any(&self) -> &dyn Any;
    fn message_type(&self) -> &'static str;
}

impl<M: Message> ErasedGroup for Weak<GroupShared<M>> {
    fn is_gone(&self) -> bool {
        self.strong_count() == 0
    }

    fn dissolve(&self) {
        if let Some(group) = self.upgrade() {
            group.dissolve();
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn message_type(&self) -> &'static str {
        type_name::<M>()
    }
}

/// Where a group's name is.
pub(super) struct GroupName {
    groups: Weak<NamedGroups>,
    name: Arc<str>,
}

impl GroupName {
    /// The group is gone. Not to be called under a lock of named groups.
    pub(super) fn give_back(&self) {
        let Some(groups) = self.groups.upgrade() else { return };
        let mut entries = groups.shards.of(&self.name).lock();
        // Another group may have the name by now.
        if entries.get(&self.name).is_some_and(|entry| entry.is_gone()) {
            entries.remove(&self.name);
        }
    }
}

impl NamedGroups {
    pub(crate) fn get<M: Message>(self: &Arc<Self>, name: &str) -> Result<Group<M>, OtherType> {
        let mut entries = self.shards.of(name).lock();
        if let Some(entry) = entries.get(name).filter(|entry| !entry.is_gone()) {
            let Some(group) = entry.as_any().downcast_ref::<Weak<GroupShared<M>>>() else {
                let (named, asked) = (entry.message_type(), type_name::<M>());
                return Err(OtherType { name: name.into(), named, asked });
            };
            if let Some(inner) = group.upgrade() {
                return Ok(Group { inner });
            }
        }
        let name: Arc<str> = name.into();
        let group_name = GroupName { groups: Arc::downgrade(self), name: name.clone() };
        let inner = GroupShared::new(Some(group_name));
        entries.insert(name, Box::new(Arc::downgrade(&inner)));
        Ok(Group { inner })
    }

    pub(crate) fn clear(&self) {
        for shard in self.shards.all() {
            let entries = std::mem::take(&mut *shard.lock());
            entries.into_values().for_each(|entry| entry.dissolve());
        }
    }
}

impl Theater {
    /// The group of this name: the same one for all who ask, while it has members or handles. Names
    /// of groups and of actors have nothing to do with each other.
    ///
    /// # Errors
    /// If the group of this name has other messages than `M`.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # struct Quiet;
    /// # impl Actor for Quiet { type Msg = u32; fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {} }
    /// let theater = Theater::new()?;
    /// theater.group("clocks")?.join(&theater.spawn(Quiet));
    /// assert_eq!(theater.group("clocks")?.publish(12u32), 1);
    /// assert!(theater.group::<String>("clocks").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group<M: Message>(&self, name: &str) -> Result<Group<M>, OtherType> {
        Naming::of(self.shared()).groups.get(name)
    }
}

impl<A: Behavior> Context<'_, A> {
    /// As [`Theater::group`], in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::sync::mpsc::{Sender, channel};
    /// struct Listener(Sender<u32>);
    /// impl Actor for Listener {
    ///     type Msg = u32;
    ///     fn started(&mut self, ctx: &mut Context<'_, Self>) {
    ///         ctx.group("numbers").expect("a group of numbers").join(&ctx.actor_ref());
    /// #       self.0.send(0).unwrap();
    ///     }
    ///     fn handle(&mut self, number: u32, _: &mut Context<'_, Self>) {
    ///         self.0.send(number).unwrap();
    ///     }
    /// }
    /// # let (out, numbers) = channel();
    /// # let theater = Theater::new()?;
    /// theater.spawn(Listener(out)); // its group keeps it
    /// # assert_eq!(numbers.recv()?, 0);
    /// theater.group("numbers")?.publish(7u32);
    /// # assert_eq!(numbers.recv()?, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group<M: Message>(&self, name: &str) -> Result<Group<M>, OtherType> {
        Naming::of(self.theater()).groups.get(name)
    }
}
