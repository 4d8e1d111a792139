//! Shards: the inboxes of an actor that has several, so that its senders do not meet in one.
//!
//! All that a sender sends has one lane, and a lane one shard, so its order is kept (S2). A shard
//! is an actor of the pool that *serves* the other one: it handles what comes to its inbox. It is
//! made by the first sender that needs it. What is no message (the start, the end, requests, pipes)
//! goes to the actor itself.
//!
//! A message in a shard has to keep the actor it is for, as one in that actor's own inbox does.
//!
//! RULES
//! 1. Who wakes a shard *leaves* a reference to the actor with it before it has it scheduled, and
//!    so does who makes it. A shard that goes idle gives the reference back after that: if
//!    something has come instead it still has it. So a shard with a message has one.
//! 2. A shard that was woken by something else, and then finds a message, makes one anew. If it
//!    cannot, nobody has a reference and nothing keeps the actor: that is about to end, or has.
//! 3. Who finds the actor's own inbox closed sends to no shard. Whoever the shards serve
//!    learns of the end there, and ends those that there are; one that starts later ends itself.
//!    That the actor has ended is told when the last of them has, and none is made after that.
//!
//! Rule 1 is covered by `messaging/shards/loom.rs`.

use std::ptr::{self, NonNull};
use std::sync::OnceLock;

use odeon_sync::{Mutex, MutexGuard};

use crate::mailbox::{WentIdle, label};
use crate::messaging::actor_ref::{ActorRef, WeakRef};
use crate::messaging::lane::Lane;
use crate::process::cell::{Header, MessageCell};
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::outbox::{self, Outbox};
use crate::process::submit::Origin;
use crate::process::task::Task;
use crate::vocabulary::message::Message;

#[cfg(all(test, odeon_loom))]
mod loom;

/// How many shards an actor has at most, for that many places of [lanes](Lane::place).
pub(crate) const SHARDS: usize = 1 << u8::BITS;

/// Makes a shard by its number, which serves this actor.
type MakeShard<M> = Box<dyn Fn(usize, &ActorRef<M>) -> ActorRef<M> + Send + Sync>;

/// The shards of one actor, kept with it.
pub(crate) struct Shards<M> {
    inboxes: Box<[OnceLock<ActorRef<M>>]>,
    make: MakeShard<M>,
    alive: Mutex<AliveShards>,
}

/// Tells of the end of the actor with this header.
type TellOfEnd = Box<dyn FnOnce(&Header) + Send>;

/// Rule 3.
#[derive(Default)]
struct AliveShards {
    count: usize,
    actor_has_ended: bool,
    tell: Option<TellOfEnd>,
}

/// The actor has shards from here on, which `make` makes by number. Before it has started, and
/// before anybody else knows it.
pub(crate) fn divide<M: Message>(
    actor: &ActorRef<M>,
    make: impl Fn(usize, &ActorRef<M>) -> ActorRef<M> + Send + Sync + 'static,
) {
    assert!(M::MAILBOXES == 1, "shards are for actors with one mailbox");
    let Ok(relations) = actor.cell().header.relations.get_or_make() else { return };
    relations.attachments.get_or_attach(|| Shards {
        inboxes: (0..SHARDS).map(|_| OnceLock::new()).collect(),
        make: Box::new(make),
        alive: Mutex::default(),
    });
}

/// The shards of an actor, if it has any.
#[inline]
pub(crate) fn of<M: Message>(cell: &MessageCell<M>) -> Option<&Shards<M>> {
    if M::MAILBOXES > 1 {
        return None;
    }
    cell.header.relations.get()?.attachments.get()
}

impl<M: Message> Shards<M> {
    /// The shard of a lane, if there is one.
    pub(crate) fn there(&self, lane: Lane) -> Option<&MessageCell<M>> {
        self.inboxes[usize::from(lane.place())].get().map(ActorRef::cell)
    }

    /// The shard of a lane. `None`: the actor has ended.
    #[inline]
    pub(crate) fn shard(&self, actor: &ActorRef<M>, lane: Lane) -> Option<&MessageCell<M>> {
        if actor.is_stopped() {
            return None;
        }
        self.there(lane).or_else(|| self.make(actor, lane))
    }

    #[cold]
    fn make(&self, actor: &ActorRef<M>, lane: Lane) -> Option<&MessageCell<M>> {
        let number = usize::from(lane.place());
        let mut alive = self.alive();
        if alive.actor_has_ended {
            return None;
        }
        alive.count += 1;
        drop(alive);
        // Observers hear of it, who may send to the actor: under no lock here. One that comes too
        // late ends in its first turn, without having been started.
        let mut start = Outbox::new();
        let shard = start.hold_during(|| (self.make)(number, actor));
        if let Err(too_late) = self.inboxes[number].set(shard) {
            outbox::let_out(|| too_late.stop());
        }
        start.release();
        self.there(lane)
    }

    fn alive(&self) -> MutexGuard<'_, AliveShards> {
        self.alive.lock().expect("no panic happens under this lock")
    }

    /// The actor has ended, whose header this is: `tell` is called when all shards have.
    pub(crate) fn end(&self, actor: &Header, tell: impl FnOnce(&Header) + Send + 'static) {
        let mut alive = self.alive();
        alive.actor_has_ended = true;
        if alive.count > 0 {
            alive.tell = Some(Box::new(tell));
            return;
        }
        drop(alive);
        tell(actor);
    }

    /// A shard has ended.
    fn one_has_ended(&self, actor: &Header) {
        let mut alive = self.alive();
        alive.count -= 1;
        let tell = if alive.count == 0 { alive.tell.take() } else { None };
        drop(alive);
        if let Some(tell) = tell {
            // As if the actor itself told of it.
            outbox::let_out(|| Lane::of_actor(actor).lend_during(|| tell(actor)));
        }
    }

    /// Those that have been made.
    #[allow(dead_code, reason = "only networks ask for this, and there need not be any")]
    pub(crate) fn all(&self) -> impl Iterator<Item = &ActorRef<M>> {
        self.inboxes.iter().filter_map(OnceLock::get)
    }
}

/// What keeps the actor that a shard serves, by a reference of this kind; kept with the shard.
pub(crate) struct ActorKeeper<R>(Mutex<Option<R>>);

impl<R: Clone> ActorKeeper<R> {
    /// With the reference of whoever makes the shard.
    pub(crate) fn new(actor: R) -> Self {
        Self(Mutex::new(Some(actor)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<R>> {
        self.0.lock().expect("no panic happens under this lock")
    }

    fn put(&self, actor: R) {
        let before = self.lock().replace(actor);
        // Not under the lock: it may be the last one.
        drop(before);
    }

    fn take(&self) -> Option<R> {
        self.lock().take()
    }

    fn kept(&self) -> Option<R> {
        self.lock().clone()
    }
}

/// Rule 1: the shard with this keeper goes idle by `go`.
#[inline]
fn go_idle_with<R: Clone>(
    keeper: Option<&ActorKeeper<R>>,
    go: impl FnOnce() -> WentIdle,
) -> WentIdle {
    let kept = keeper.and_then(ActorKeeper::take);
    let went = go();
    // Idle, the shard is not ours any more, nor is its keeper.
    if went != WentIdle::Yes {
        if let (Some(keeper), Some(kept)) = (keeper, kept) {
            keeper.put(kept);
        }
    }
    went
}

fn keeper_of<M: Message>(shard: &Header) -> Option<&ActorKeeper<ActorRef<M>>> {
    shard.relations.get()?.attachments.get()
}

/// Rule 1: a sender is about to have the shard scheduled.
pub(crate) fn leave<M: Message>(actor: &ActorRef<M>, shard: &Header) {
    if let Some(keeper) = keeper_of(shard) {
        keeper.put(actor.clone());
    }
}

/// Gives a shard a turn, as [`wake_shared`](crate::extend::wake_shared) does.
pub(crate) fn wake_shared<M: Message>(actor: &ActorRef<M>, shard: &ActorRef<M>) {
    let cell = shard.cell();
    if cell.inbox.push_signal(label::WAKE).wakes_owner() {
        leave(actor, &cell.header);
        // SAFETY: the push said that this thread must have it scheduled, and the reference keeps
        // the cell until the task is queued.
        let task = unsafe { Task::new(NonNull::from(&cell.header)) };
        cell.header.stage.submit(task, Origin::Shared);
    }
}

/// Rule 1, as the shard: goes idle by `go`.
#[inline]
pub(crate) fn go_idle<M: Message>(shard: &Header, go: impl FnOnce() -> WentIdle) -> WentIdle {
    go_idle_with(keeper_of::<M>(shard), go)
}

/// The actor that a shard serves, in the shard's turn. `None`: it has ended, or is about to.
pub(crate) fn served<M: Message>(shard: &Header) -> Option<ActorRef<M>> {
    let keeper = keeper_of::<M>(shard)?;
    if let Some(kept) = keeper.kept() {
        return Some(kept);
    }
    // Rule 2.
    let actor = shard.relations.get()?.works_for()?;
    // SAFETY: the reference keeps the cell.
    let actor = WeakRef::to(unsafe { cell_of::<M>(&actor) }).upgrade()?;
    keeper.put(actor.clone());
    Some(actor)
}

/// The cell of the actor that a shard serves.
///
/// # Safety
/// It is the one that a shard with these messages works for, and takes the same
/// (`spawn::serving`).
unsafe fn cell_of<M>(served: &ErasedWeakRef) -> &MessageCell<M> {
    // SAFETY: by contract; the reference keeps the cell.
    unsafe { &*ptr::from_ref(served.header()).cast() }
}

/// The shard has ended: nothing of it leads to the actor any more, which leads to it.
pub(crate) fn ended<M: Message>(shard: &Header) {
    let Some(relations) = shard.relations.get() else { return };
    let kept = keeper_of::<M>(shard).and_then(ActorKeeper::take);
    if let Some(actor) = relations.forget_works_for() {
        // SAFETY: the shard has worked for it.
        if let Some(shards) = of(unsafe { cell_of::<M>(&actor) }) {
            shards.one_has_ended(actor.header());
        }
    }
    drop(kept);
}
