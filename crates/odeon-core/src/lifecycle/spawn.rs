//! How an actor comes to be: its cell, its place in the registry, its first turn.

use std::ptr::NonNull;
use std::sync::Arc;

use odeon_sync::atomic::AtomicU32;

use crate::mailbox::memory;
use crate::mailbox::{Inbox, label};
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::bounded::Bounds;
use crate::process::cell::{Header, MessageCell, signal};
use crate::process::current;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::home::Home;
use crate::process::outbox;
use crate::process::registry::RegistrySlot;
use crate::process::relations::RelationsSlot;
use crate::process::submit::{Origin, Submit};
use crate::process::supervision::{Birth, Supervised, Supervision, enter_child, enter_pipe};
use crate::process::task::Task;
use crate::scheduler::pinned::PinnedShared;
use crate::telemetry::Tally;
use crate::turn::NewActor;
use crate::turn::failing::Make;

/// Creates an actor on `stage`; `pinned` is the same stage if it owns its actors.
pub(crate) fn on<N: NewActor>(
    stage: &Arc<dyn Submit>,
    pinned: Option<&PinnedShared>,
    actor: N,
) -> ActorRef<N::Msg> {
    let home = pinned.map_or_else(|| Home::submitting(&**stage), Home::pinned);
    create(stage, home, actor, |_| {})
}

/// As [`on`], for a supervised actor, which `new` has processed in its way.
pub(crate) fn supervised_on<A: 'static, N: NewActor>(
    stage: &Arc<dyn Submit>,
    pinned: Option<&PinnedShared>,
    supervision: Supervision,
    mut make: Make<A>,
    new: impl FnOnce(A) -> N,
) -> ActorRef<N::Msg> {
    let home = pinned.map_or_else(|| Home::submitting(&**stage), Home::pinned);
    let actor = new(make());
    create(stage, home, actor, |header| supervise(header, supervision, None, make))
}

/// Creates a supervised child of the actor with this header, where [`beside`] would.
pub(crate) fn child<A: 'static, N: NewActor>(
    parent: &Header,
    supervision: Supervision,
    mut make: Make<A>,
    new: impl FnOnce(A) -> N,
) -> ActorRef<N::Msg> {
    let actor = new(make());
    let birth = Birth::expected(parent);
    create_beside(parent, actor, |header| {
        let number = birth.number();
        supervise(header, supervision, Some(birth), make);
        enter_child(&ErasedWeakRef::new(parent), number, header);
    })
}

/// Creates an actor that ends with the one with this header, or with its state, and keeps its
/// [`Birth`] itself.
pub(crate) fn helper<N: NewActor>(parent: &Header, birth: u64, actor: N) {
    create_beside(parent, actor, |header| enter_pipe(&ErasedWeakRef::new(parent), birth, header));
}

/// As [`helper`], on the pool, where another worker finds it.
pub(crate) fn forked_helper<N: NewActor>(parent: &Header, birth: u64, actor: N) {
    create_on_pool(parent, actor, |header| enter_pipe(&ErasedWeakRef::new(parent), birth, header));
}

/// Creates an actor on the pool, where another worker finds it.
pub(crate) fn forked<N: NewActor>(header: &Header, actor: N) {
    create_on_pool(header, actor, |_| {});
}

fn create_on_pool<N: NewActor>(header: &Header, actor: N, prepare: impl FnOnce(&Header)) {
    let pool = header.stage.theater().pool();
    create_for(Origin::Beside, &pool, Home::submitting(&*pool), actor, prepare);
}

fn supervise<A: 'static>(
    header: &Header,
    supervision: Supervision,
    birth: Option<Birth>,
    make: Make<A>,
) {
    let Ok(relations) = header.relations.get_or_make() else { return };
    relations.set_supervised(Box::new(Supervised::new(supervision, birth, Box::new(make))));
}

/// Creates an actor on the stage of the actor with this header, or on the pool if that stage is
/// dedicated.
pub(crate) fn beside<N: NewActor>(header: &Header, actor: N) -> ActorRef<N::Msg> {
    create_beside(header, actor, |_| {})
}

/// As [`beside`], for an actor that handles messages of the one with this header: while it is held
/// back, that one waits (`messaging/pressure/waits.rs`).
pub(crate) fn working_for<N: NewActor>(header: &Header, actor: N) -> ActorRef<N::Msg> {
    create_beside(header, actor, |new| {
        if let Ok(relations) = new.relations.get_or_make() {
            relations.set_works_for(ErasedWeakRef::new(header));
        }
    })
}

fn create_beside<N: NewActor>(
    header: &Header,
    actor: N,
    prepare: impl FnOnce(&Header),
) -> ActorRef<N::Msg> {
    if header.pinned().is_some_and(PinnedShared::is_dedicated) {
        let pool = header.stage.theater().pool();
        let home = Home::submitting(&*pool);
        return create(&pool, home, actor, prepare);
    }
    create(&header.stage, header.home.of_stage(), actor, prepare)
}

/// `prepare` is given the new actor before it starts.
fn create<N: NewActor>(
    stage: &Arc<dyn Submit>,
    home: Home,
    actor: N,
    prepare: impl FnOnce(&Header),
) -> ActorRef<N::Msg> {
    create_for(Origin::Spawn, stage, home, actor, prepare)
}

fn create_for<N: NewActor>(
    origin: Origin,
    stage: &Arc<dyn Submit>,
    home: Home,
    actor: N,
    prepare: impl FnOnce(&Header),
) -> ActorRef<N::Msg> {
    let theater = stage.theater();
    let seen_bit = theater.seen_bit;
    let shard = current::here().shard.get();
    assert!(!N::LANED || home.as_pinned().is_none(), "lanes are for pool actors");
    // An actor with lanes has bounds if it names some.
    let is_bounded = N::BOUNDED && (!N::LANED || actor.wanted_bounds().is_some());
    let (home, relations) = match is_bounded {
        true => bounded(home, &actor),
        false if N::LANED => (home.of_laned(), RelationsSlot::empty()),
        false => (home, RelationsSlot::empty()),
    };
    let (cell, entered) = theater.registry.insert(shard, theater, |id| {
        // A pool actor is born with its start signal and the task that goes with it; a pinned
        // actor's inbox serves only to be closed.
        let ((inbox, inbox_owner), unstarted_bit) = if home.as_pinned().is_none() {
            (Inbox::new_with_signal(label::START), 0)
        } else {
            (Inbox::new(), signal::UNSTARTED)
        };
        let header = Header {
            vtable: N::VTABLE,
            stage: stage.clone(),
            home,
            id,
            signals: AtomicU32::new(signal::UNREFERENCED_DUE | unstarted_bit | seen_bit),
            registry: RegistrySlot::unset(),
            strong: AtomicU32::new(1),
            // The strong references' common count and the one for being alive.
            weak: AtomicU32::new(2),
            relations,
        };
        let cell = memory::reserve::<N::Cell>();
        // SAFETY: fresh memory for exactly this type.
        unsafe { actor.fill(cell, MessageCell { header, inbox }, inbox_owner) };
        cell.cast::<Header>()
    });
    let unstarted = Unstarted { cell, origin };
    if seen_bit != 0 {
        // For its tally. It has not ended, so it gets them.
        if let Ok(relations) = unstarted.header().relations.get_or_make() {
            relations.attachments.get_or_attach(Tally::default);
        }
    }
    prepare(unstarted.header());
    // SAFETY: the strong count of 1 is this reference.
    let actor = unsafe { ActorRef::from_counted(cell.cast::<MessageCell<N::Msg>>()) };
    if entered {
        theater.actor_spawned(unstarted.header().id);
        match outbox::held() {
            None => unstarted.start(),
            Some(outbox) => {
                // The reference keeps a pinned stage from ending the actor as unreachable before it
                // is started. A pair, so that it is dropped behind the actor's first turn or end.
                let held = (unstarted, actor.clone());
                outbox.hold(Box::new(move || {
                    let (unstarted, _reference) = held;
                    unstarted.start();
                }));
            }
        }
    }
    actor
}

/// Where an actor with bounds is at home, and its relations, with the bounds in them before anybody
/// knows it.
fn bounded<N: NewActor>(home: Home, actor: &N) -> (Home, RelationsSlot) {
    let slot = RelationsSlot::empty();
    if let Ok(relations) = slot.get_or_make() {
        relations.attachments.get_or_attach(|| Bounds::<N::Msg>::new(actor.wanted_bounds()));
    }
    (home.of_bounded(), slot)
}

/// An actor that has not had its first turn; dropped, it ends without ever having one.
struct Unstarted {
    cell: NonNull<Header>,
    origin: Origin,
}

// SAFETY: the right to start an actor, which is `Send`.
unsafe impl Send for Unstarted {}

impl Unstarted {
    fn header(&self) -> &Header {
        // SAFETY: the alive count keeps the cell until the actor has ended.
        unsafe { self.cell.as_ref() }
    }

    fn start(self) {
        let header = self.header();
        if let Some(stage) = header.pinned() {
            if stage.signal(label::START, self.cell) {
                std::mem::forget(self);
            }
            return;
        }
        // SAFETY: the start signal in the inbox stands for exactly this task.
        let task = unsafe { Task::new(self.cell) };
        let stage: *const dyn Submit = &raw const *header.stage;
        let origin = self.origin;
        std::mem::forget(self);
        // SAFETY: the caller of `create` holds a strong reference, or (from an outbox) the actor
        // cannot have ended before its first turn; either keeps the cell and with it the stage
        // until `submit` has queued the task.
        unsafe { (*stage).submit(task, origin) };
    }
}

impl Drop for Unstarted {
    fn drop(&mut self) {
        // SAFETY: no stage knows the actor, so we own it.
        unsafe { (self.header().vtable.end)(self.cell) }
    }
}
