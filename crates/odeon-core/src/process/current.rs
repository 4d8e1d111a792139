//! What the present thread is: a pool worker, a stage's own thread, or some other thread; and
//! whether effects are held back. Read once or twice per send.

use std::cell::Cell;
use std::ptr::{self, NonNull};

use crate::process::cell::Header;
use crate::process::home::Home;
use crate::process::outbox::Exit;

/// The present thread's place in a theater.
pub(crate) struct Current {
    /// The stage whose thread this is; nowhere on a thread that belongs to no theater.
    pub(crate) home: Cell<Home>,
    /// What only this thread touches, if `home` is a pool (`scheduler/worker.rs`); null otherwise.
    pub(crate) worker: Cell<*const ()>,
    /// The pool actor whose turn this thread is giving; null otherwise.
    pub(crate) actor: Cell<*mut Header>,
    /// The actor of a pinned or dedicated stage that this thread is running, if somebody looks at
    /// it; null otherwise.
    pub(crate) pinned_actor: Cell<*const Header>,
    /// The asynchronous actor of a pinned or dedicated stage that this thread is running; null
    /// otherwise.
    pub(crate) pinned_handler: Cell<*const Header>,
    /// The stage's private queue (`scheduler/local_ring.rs`), if `home` is a pinned or dedicated
    /// stage; null otherwise.
    pub(crate) ring: Cell<*const ()>,
    /// Where effects go instead of out, while an attempt runs; or that sends are followed.
    pub(crate) exit: Cell<Option<Exit>>,
    /// The lane of what this thread sends: one that is lent, or that of the actor whose turn it is,
    /// once that has been asked for; else 0.
    pub(crate) lane: Cell<u32>,
    /// What the lane of the thread itself is made from; 0 if nobody has asked for it.
    pub(crate) thread_lane: Cell<u64>,
    /// Messages that have been sent in the lane of the thread, less those that are known to be
    /// handled.
    pub(crate) lane_messages: Cell<u32>,
    /// Whether what runs here is a future or a piece of code that must not be blocked, whatever
    /// thread this is.
    pub(crate) in_task: Cell<bool>,
    /// Messages that actors with lanes have handled in the present turn: they take them at other
    /// times.
    pub(crate) handled: Cell<u32>,
    /// The registry shard for actors created here.
    pub(crate) shard: Cell<usize>,
}

impl Current {
    const fn at_nowhere() -> Self {
        Self {
            home: Cell::new(Home::NOWHERE),
            worker: Cell::new(ptr::null()),
            actor: Cell::new(ptr::null_mut()),
            pinned_actor: Cell::new(ptr::null()),
            pinned_handler: Cell::new(ptr::null()),
            ring: Cell::new(ptr::null()),
            exit: Cell::new(None),
            lane: Cell::new(0),
            thread_lane: Cell::new(0),
            lane_messages: Cell::new(0),
            in_task: Cell::new(false),
            handled: Cell::new(0),
            shard: Cell::new(0),
        }
    }

    /// What is of a place, and not of the thread itself.
    fn swap_place(&self, other: &Self) {
        self.home.swap(&other.home);
        self.worker.swap(&other.worker);
        self.actor.swap(&other.actor);
        self.pinned_actor.swap(&other.pinned_actor);
        self.pinned_handler.swap(&other.pinned_handler);
        self.ring.swap(&other.ring);
        self.exit.swap(&other.exit);
        self.lane.swap(&other.lane);
        self.in_task.swap(&other.in_task);
        self.handled.swap(&other.handled);
        self.shard.swap(&other.shard);
    }
}

odeon_sync::thread_local_const! {
    static CURRENT: Current = Current::at_nowhere()
}

/// The present thread's place.
///
/// Not a closure like `LocalKey::with`: the compiler does not inline closures that carry a message.
#[inline(always)]
pub(crate) fn here() -> &'static Current {
    let place = CURRENT.with(ptr::from_ref);
    // SAFETY: the value has no destructor and stays until its thread is gone; the reference cannot
    // leave the thread, since `Current` is not `Sync`, and is used for single calls only.
    unsafe { &*place }
}

/// Does `work` as on a thread that belongs to no theater, wherever this is. It must not unwind.
pub(crate) fn at_nowhere<R>(work: impl FnOnce() -> R) -> R {
    let elsewhere = Current::at_nowhere();
    here().swap_place(&elsewhere);
    let result = work();
    here().swap_place(&elsewhere);
    result
}

/// The actor that this thread is running, as far as that is known: every pool actor, and actors of
/// pinned and dedicated stages that somebody looks at. It is good until the turn or delivery is
/// over.
pub(crate) fn running() -> Option<NonNull<Header>> {
    let here = here();
    NonNull::new(here.actor.get()).or_else(|| NonNull::new(here.pinned_actor.get().cast_mut()))
}
