//! How an actor comes to be: its cell, its place in the registry, its first turn.

use std::ptr::NonNull;
use std::sync::Arc;

use odeon_sync::atomic::AtomicU32;

use crate::mailbox::memory;
use crate::mailbox::{Inbox, label};
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::bounded::Bounds;
use crate::messaging::shards::ActorKeeper;
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
use crate::process::theater_shared::TheaterShared;
use crate::scheduler::pinned::PinnedShared;
use crate::telemetry::ActorTally;
use crate::turn::NewActor;
use crate::turn::behavior::Behavior;
use crate::turn::failing::MakeActor;

/// Where an actor is to be created.
#[derive(Clone, Copy)]
pub struct Location<'a> {
    site: Site<'a>,
    /// A supervised actor becomes its child.
    parent: Option<&'a Header>,
}

#[derive(Clone, Copy)]
enum Site<'a> {
    /// On a stage that does not own its actors.
    Stage(&'a Arc<dyn Submit>),
    Pinned(&'a Arc<PinnedShared>),
    /// On the stage of the actor with this header, or on the pool if that stage is dedicated.
    Beside(&'a Header),
}

impl<'a> Location<'a> {
    /// On the pool, or a stage that does not own its actors either.
    pub(crate) fn on(stage: &'a Arc<dyn Submit>) -> Self {
        Self { site: Site::Stage(stage), parent: None }
    }

    /// On a stage that owns its actors.
    pub(crate) fn pinned(stage: &'a Arc<PinnedShared>) -> Self {
        Self { site: Site::Pinned(stage), parent: None }
    }

    /// On the stage of the actor with this header, or on the pool if that stage is dedicated.
    pub(crate) fn beside(header: &'a Header) -> Self {
        Self { site: Site::Beside(header), parent: None }
    }

    /// There; a supervised actor becomes a child of the one with this header.
    pub(crate) fn below(self, parent: &'a Header) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// On a stage that owns its actors instead.
    pub(crate) fn moved_to<'b>(self, stage: &'b Arc<PinnedShared>) -> Location<'b>
    where
        'a: 'b,
    {
        Location { site: Site::Pinned(stage), parent: self.parent }
    }

    /// There, also when the actor beside which it was is gone: the pool, if it was beside one. As
    /// nobody's child.
    pub(crate) fn for_good(self) -> LastingLocation {
        match self.site {
            Site::Stage(stage) => LastingLocation::Stage(stage.clone()),
            Site::Pinned(stage) => LastingLocation::Pinned(stage.clone()),
            Site::Beside(header) => LastingLocation::Stage(header.stage.theater().pool()),
        }
    }
}

/// A [`Location`] to be kept.
pub(crate) enum LastingLocation {
    /// On a stage that does not own its actors.
    Stage(Arc<dyn Submit>),
    Pinned(Arc<PinnedShared>),
}

impl LastingLocation {
    pub(crate) fn location(&self) -> Location<'_> {
        match self {
            Self::Stage(stage) => Location::on(stage),
            Self::Pinned(stage) => Location::pinned(stage),
        }
    }

    /// The theater of its stage.
    pub(crate) fn theater(&self) -> &Arc<TheaterShared> {
        match self {
            Self::Stage(stage) => stage.theater(),
            Self::Pinned(stage) => stage.theater(),
        }
    }
}

/// Creates an actor.
#[inline]
pub(crate) fn at<N: NewActor>(location: Location<'_>, actor: N) -> ActorRef<N::Msg> {
    create_at(location, actor, |_| {})
}

/// As [`at`], for a supervised actor, which `new` has processed in its way.
pub(crate) fn supervised<A: 'static, N: NewActor>(
    location: Location<'_>,
    supervision: Supervision,
    mut make: MakeActor<A>,
    new: impl FnOnce(A) -> N,
) -> ActorRef<N::Msg> {
    let actor = new(make());
    let birth = location.parent.map(|parent| (parent, Birth::expected(parent)));
    create_at(location, actor, |header| {
        let child = birth.as_ref().map(|(parent, birth)| (*parent, birth.number()));
        let birth = birth.map(|(_, birth)| birth);
        supervise(header, supervision, birth, make);
        if let Some((parent, number)) = child {
            enter_child(&ErasedWeakRef::new(parent), number, header);
        }
    })
}

/// Creates an actor that ends with the one with this header, or with its state, and keeps its
/// [`Birth`] itself.
pub(crate) fn helper<N: NewActor>(parent: &Header, birth: u64, actor: N) {
    let location = Location::beside(parent);
    let enter = |header: &Header| enter_pipe(&ErasedWeakRef::new(parent), birth, header);
    create_at(location, actor, enter);
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
    let held: Arc<dyn Submit>;
    let pool = match header.stage.theater().has_as_pool(&header.stage) {
        true => &header.stage,
        false => {
            held = header.stage.theater().pool();
            &held
        }
    };
    create(Origin::Beside, pool, Home::submitting(&**pool), actor, prepare);
}

fn supervise<A: 'static>(
    header: &Header,
    supervision: Supervision,
    birth: Option<Birth>,
    make: MakeActor<A>,
) {
    let Ok(relations) = header.relations.get_or_make() else { return };
    relations.set_supervised(Box::new(Supervised::new(supervision, birth, Box::new(make))));
}

/// Creates an actor beside the one with this header that handles messages for it: while it is held
/// back, that one waits (`messaging/pressure/waits.rs`).
pub(crate) fn working_for<N: NewActor>(header: &Header, actor: N) -> ActorRef<N::Msg> {
    create_at(Location::beside(header), actor, |new| {
        if let Ok(relations) = new.relations.get_or_make() {
            relations.set_works_for(ErasedWeakRef::new(header));
        }
    })
}

/// As [`working_for`], for one that takes this actor's messages from an inbox of its own
/// (`messaging/shards.rs`).
pub(crate) fn serving<B: Behavior>(served: &ActorRef<B::Msg>, actor: B) -> ActorRef<B::Msg> {
    const { assert!(B::SERVES) };
    let header = &served.cell().header;
    create_at(Location::beside(header), actor, |new| {
        if let Ok(relations) = new.relations.get_or_make() {
            relations.set_works_for(ErasedWeakRef::new(header));
            relations.attachments.get_or_attach(|| ActorKeeper::new(served.clone()));
        }
    })
}

/// `prepare` is given the new actor before it starts.
fn create_at<N: NewActor>(
    location: Location<'_>,
    actor: N,
    prepare: impl FnOnce(&Header),
) -> ActorRef<N::Msg> {
    let held: Arc<dyn Submit>;
    let (stage, home) = match location.site {
        Site::Stage(stage) => (stage, Home::submitting(&**stage)),
        Site::Pinned(stage) => {
            held = stage.clone();
            (&held, Home::pinned(stage))
        }
        Site::Beside(header) if header.pinned().is_some_and(PinnedShared::is_dedicated) => {
            held = header.stage.theater().pool();
            (&held, Home::submitting(&*held))
        }
        Site::Beside(header) => (&header.stage, header.home.of_stage()),
    };
    create(Origin::Spawn, stage, home, actor, prepare)
}

fn create<N: NewActor>(
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
            relations.attachments.get_or_attach(ActorTally::default);
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
                outbox.hold(move || {
                    let (unstarted, _reference) = held;
                    unstarted.start();
                });
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
