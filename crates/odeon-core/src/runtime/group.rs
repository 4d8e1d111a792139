//! Groups: actors that get what is published to all of them.
//!
//! PROTOCOL
//! 1. A member is one of the group while its inbox is open: as for names
//!    (`runtime/naming/names.rs`, 1).
//! 2. Its end takes it out. The watch for that is set before it is entered; whoever enters it looks
//!    afterwards whether it has ended meanwhile, and takes it out then.
//! 3. Who publishes does so to the members that it found under the lock, outside of it. They are
//!    changed in place while nobody publishes, and copied otherwise.
//! 4. A group with a name keeps itself alive while it has members; without members and handles it
//!    goes, and its name with it (`runtime/group/named.rs`).
//!
//! Covered by `tests/s16_groups.rs` and, under random schedules, `tests/shuttle_naming.rs`.

pub(crate) mod named;

use std::collections::HashMap;
use std::fmt;
use std::ptr;
use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use crate::lifecycle::watch::Watch;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::broadcast::broadcast;
use crate::process::outbox;
use crate::vocabulary::ended::Ended;
use crate::vocabulary::message::Message;
use named::GroupName;

/// Actors to which messages are published. A handle: its clones are the same group.
///
/// A member leaves when it ends, or when it is told to. A group keeps its members as references do
/// (S11); a group with a [name](crate::Theater::group) stays while it has members or handles.
///
/// ```
/// # use odeon_core::*;
/// # use std::sync::mpsc::{Sender, channel};
/// # struct Note(Sender<String>);
/// # impl Actor for Note {
/// #     type Msg = String;
/// #     fn handle(&mut self, text: String, _: &mut Context<'_, Self>) { self.0.send(text).unwrap() }
/// # }
/// # let (out, notes) = channel();
/// let theater = Theater::new()?;
/// let news = Group::new();
/// let reader = theater.spawn(Note(out));
/// news.join(&reader);
/// assert_eq!(news.publish(String::from("it rains")), 1);
/// assert_eq!(notes.recv().unwrap(), "it rains");
///
/// news.leave(&reader);
/// assert_eq!(news.publish(String::from("the sun shines")), 0);
/// # Ok::<(), BuildError>(())
/// ```
pub struct Group<M: Message> {
    inner: Arc<GroupShared<M>>,
}

struct GroupShared<M: Message> {
    state: Mutex<GroupState<M>>,
    name: Option<GroupName>,
}

struct GroupState<M: Message> {
    /// What publishing walks along.
    members: Arc<Vec<ActorRef<M>>>,
    /// By the address of the actor's cell.
    places: HashMap<usize, MemberEntry>,
    /// Protocol 4.
    keeps_itself: Option<Arc<GroupShared<M>>>,
}

struct MemberEntry {
    index: usize,
    watch: Watch,
}

/// What somebody who is no member any more leaves behind, to be dropped outside of the lock.
type Remains<M> = (ActorRef<M>, Option<Arc<GroupShared<M>>>);

fn address<M: Message>(actor: &ActorRef<M>) -> usize {
    ptr::from_ref(actor.cell()).addr()
}

impl<M: Message> Group<M> {
    /// A group without members and name.
    pub fn new() -> Self {
        Self { inner: GroupShared::new(None) }
    }

    /// Makes an actor a member. `false`: it was one, or has ended.
    pub fn join(&self, actor: &ActorRef<M>) -> bool {
        self.inner.enter(actor)
    }

    /// Takes a member out: what is published from now on does not go to it. `false`: it was none.
    pub fn leave(&self, actor: &ActorRef<M>) -> bool {
        let Some((watch, remains)) = self.inner.remove(address(actor)) else { return false };
        watch.cancel();
        drop(remains);
        true
    }

    /// Whether an actor is a member.
    pub fn contains(&self, actor: &ActorRef<M>) -> bool {
        self.inner.lock().places.contains_key(&address(actor)) && !actor.is_stopped()
    }

    /// The members at this moment, in no particular order.
    pub fn members(&self) -> Vec<ActorRef<M>> {
        let members = self.snapshot();
        members.iter().filter(|member| !member.is_stopped()).cloned().collect()
    }

    /// How many members there are. Looks at each of them.
    pub fn len(&self) -> usize {
        self.snapshot().iter().filter(|member| !member.is_stopped()).count()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.snapshot().iter().all(ActorRef::is_stopped)
    }

    /// Sends a message to all members; returns how many it was delivered to. 0: it is dropped.
    ///
    /// It goes to all who joined before this call began and do not end or leave before it is over;
    /// of those who join, leave or end meanwhile, to some. What one sender publishes arrives at
    /// each member in its order, together with what it sends to that member directly (S2); what
    /// several publish, in different orders at different members.
    ///
    /// The last member gets the message itself, the others clones; see
    /// [`broadcast`](crate::broadcast). Costs a send and a clone for each member, and some 10 ns.
    /// No lock is held meanwhile.
    ///
    /// # Panics
    /// As [`broadcast`](crate::broadcast).
    #[track_caller]
    pub fn publish(&self, message: M) -> usize
    where
        M: Clone,
    {
        broadcast(self.snapshot().iter(), message)
    }

    fn snapshot(&self) -> Arc<Vec<ActorRef<M>>> {
        self.inner.lock().members.clone()
    }
}

impl<M: Message> GroupShared<M> {
    fn new(name: Option<GroupName>) -> Arc<Self> {
        let state =
            GroupState { members: Arc::default(), places: HashMap::new(), keeps_itself: None };
        Arc::new(Self { state: Mutex::new(state), name })
    }

    fn lock(&self) -> MutexGuard<'_, GroupState<M>> {
        self.state.lock().expect("no panic happens under the lock of a group")
    }

    fn enter(self: &Arc<Self>, actor: &ActorRef<M>) -> bool {
        let (group, address) = (Arc::downgrade(self), address(actor));
        let told = move |_: &Ended| {
            if let Some(group) = group.upgrade() {
                group.remove(address);
            }
        };
        // Who joins in an attempt does so at once, and so it must leave.
        let watch = outbox::let_out(|| actor.on_end(told));
        let mut state = self.lock();
        if state.places.contains_key(&address) {
            drop(state);
            watch.cancel();
            return false;
        }
        let index = state.members.len();
        state.places.insert(address, MemberEntry { index, watch });
        Arc::make_mut(&mut state.members).push(actor.clone());
        if self.name.is_some() && index == 0 {
            state.keeps_itself = Some(self.clone());
        }
        drop(state);
        if actor.is_stopped() {
            self.remove(address);
            return false;
        }
        true
    }

    fn remove(&self, address: usize) -> Option<(Watch, Remains<M>)> {
        let mut state = self.lock();
        let MemberEntry { index, watch } = state.places.remove(&address)?;
        let members = Arc::make_mut(&mut state.members);
        let actor = members.swap_remove(index);
        let moved = members.get(index).map(self::address);
        if let Some(place) = moved.and_then(|moved| state.places.get_mut(&moved)) {
            place.index = index;
        }
        let group = if state.places.is_empty() { state.keeps_itself.take() } else { None };
        Some((watch, (actor, group)))
    }

    /// All members leave.
    fn dissolve(&self) {
        let mut state = self.lock();
        let members = std::mem::take(&mut state.members);
        let places = std::mem::take(&mut state.places);
        let group = state.keeps_itself.take();
        drop(state);
        for place in places.into_values() {
            place.watch.cancel();
        }
        drop((members, group));
    }
}

impl<M: Message> Drop for GroupShared<M> {
    fn drop(&mut self) {
        self.dissolve();
        if let Some(name) = &self.name {
            name.give_back();
        }
    }
}

impl<M: Message> Clone for Group<M> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<M: Message> Default for Group<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Message> fmt::Debug for Group<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("members", &self.len()).finish_non_exhaustive()
    }
}
