//! What all stages of one theater share.

use std::any::Any;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use odeon_sync::atomic::{AtomicBool, AtomicU64, Ordering};
use odeon_sync::{Condvar, Mutex};

use super::builder::Config;
use crate::actor_id::ActorId;
use crate::cell::Header;
use crate::clock::Clock;
use crate::current;
use crate::dead_letter::{DeadLetter, DeadLetterReason};
use crate::memory::{Depot, ThreadMemory};
use crate::message::Message;
use crate::observe::{EndReason, Observer};
use crate::registry::Registry;
use crate::scheduler::submit::Submit;
use crate::turn::TurnLimits;

/// The hook that receives dead letters.
pub(crate) type DeadLetterHook = Box<dyn Fn(DeadLetter) + Send + Sync>;

/// What all stages of one theater share: configuration, registry of live actors, hooks.
pub struct TheaterShared {
    pub(crate) config: Config,
    pub(crate) registry: Registry,
    pub(crate) depot: Arc<Depot>,
    pub(super) clock: Arc<dyn Clock>,
    observer: Option<Arc<dyn Observer>>,
    dead_letter_hook: Option<DeadLetterHook>,
    dead_letters: AtomicU64,
    /// Where a shutdown collects what was not handled.
    pub(super) leftovers: Mutex<Option<Vec<DeadLetter>>>,
    stopping: AtomicBool,
    running_threads: AtomicU64,
    /// Whether a shutdown waits to be told of stages that fall asleep and actors that end.
    pub(super) shutdown_waits: AtomicBool,
    pub(super) changed: (Mutex<u64>, Condvar),
    /// Where children of dedicated actors go. Weak: the pool keeps this, not the reverse.
    pool: OnceLock<Weak<dyn Submit>>,
}

impl TheaterShared {
    pub(crate) fn new(
        config: Config,
        clock: Arc<dyn Clock>,
        observer: Option<Arc<dyn Observer>>,
        dead_letter_hook: Option<DeadLetterHook>,
    ) -> Arc<Self> {
        Arc::new(Self {
            config,
            registry: Registry::new(),
            depot: Arc::new(Depot::new()),
            clock,
            observer,
            dead_letter_hook,
            dead_letters: AtomicU64::new(0),
            leftovers: Mutex::new(None),
            stopping: AtomicBool::new(false),
            running_threads: AtomicU64::new(0),
            shutdown_waits: AtomicBool::new(false),
            changed: (Mutex::new(0), Condvar::new()),
            pool: OnceLock::new(),
        })
    }

    pub(crate) fn set_pool(&self, pool: &Arc<dyn Submit>) {
        let first = self.pool.set(Arc::downgrade(pool)).is_ok();
        assert!(first, "a theater has one pool");
    }

    pub(crate) fn pool(&self) -> Arc<dyn Submit> {
        self.pool
            .get()
            .and_then(Weak::upgrade)
            .expect("a theater keeps its pool until its last stage has ended")
    }

    /// The limits of one turn.
    #[inline]
    pub fn limits(&self) -> TurnLimits<'_> {
        TurnLimits {
            messages: self.config.turn_messages,
            time: self.config.turn_time,
            clock: &*self.clock,
            observer: self.observer.as_deref(),
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        // ORDERING: SeqCst: the shutdown sets it once; see `Registry::insert` for the exact side.
        self.stopping.load(Ordering::SeqCst)
    }

    pub(super) fn set_stopping(&self) {
        // ORDERING: SeqCst: as above.
        self.stopping.store(true, Ordering::SeqCst);
    }

    pub(crate) fn dead_letter_count(&self) -> u64 {
        // ORDERING: Relaxed: a plain counter.
        self.dead_letters.load(Ordering::Relaxed)
    }

    /// Counts a message that was accepted and will not be handled, and passes it on to whoever
    /// wants it.
    pub(crate) fn dead_letter<M: Message>(
        &self,
        actor: ActorId,
        reason: DeadLetterReason,
        message: M,
    ) {
        // ORDERING: Relaxed: a plain counter.
        self.dead_letters.fetch_add(1, Ordering::Relaxed);
        if let Some(observer) = &self.observer {
            observer.dead_letter(actor, reason);
        }
        // Boxed only if somebody takes it; dropping it may run a user's code, which may panic.
        contain(|| {
            if self.is_stopping() {
                let mut leftovers = self.leftovers.lock().expect("nothing panics under this lock");
                if let Some(leftovers) = &mut *leftovers {
                    leftovers.push(DeadLetter::new(actor, reason, Box::new(message)));
                    return;
                }
            }
            if let Some(hook) = &self.dead_letter_hook {
                hook(DeadLetter::new(actor, reason, Box::new(message)));
            }
        });
    }

    pub(crate) fn actor_spawned(&self, actor: ActorId) {
        if let Some(observer) = &self.observer {
            observer.actor_spawned(actor);
        }
    }

    /// An actor's function panicked. Without an observer the panic message that the standard hook
    /// has printed is all there is.
    pub(crate) fn actor_failed(&self, actor: ActorId, panic: Box<dyn Any + Send>) {
        if let Some(observer) = &self.observer {
            observer.actor_failed(actor, &*panic);
        }
        // A panic payload is a user's value; its destructor may panic as well.
        contain(|| drop(panic));
    }

    /// An actor has ended: out of the registry.
    pub(crate) fn actor_ended(&self, header: &Header, reason: EndReason) {
        self.registry.remove(header);
        if let Some(observer) = &self.observer {
            observer.actor_ended(header.id, reason);
        }
        self.tell_shutdown();
    }

    /// Wraps the work of a thread so that the shutdown knows when it is over.
    pub(crate) fn counted_thread(
        self: &Arc<Self>,
        work: impl FnOnce() + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        let theater = self.clone();
        // ORDERING: SeqCst, here and below: the partner is the shutdown's wait.
        self.running_threads.fetch_add(1, Ordering::SeqCst);
        move || {
            let memory = ThreadMemory::new(theater.depot.clone());
            current::here().memory.set(&raw const memory);
            work();
            current::here().memory.set(std::ptr::null());
            drop(memory);
            // ORDERING: SeqCst: before `tell_shutdown` looks whether anybody waits.
            theater.running_threads.fetch_sub(1, Ordering::SeqCst);
            theater.tell_shutdown();
        }
    }

    /// A thread that was counted could not be started.
    pub(crate) fn uncount_thread(&self) {
        // ORDERING: SeqCst: as in `counted_thread`.
        self.running_threads.fetch_sub(1, Ordering::SeqCst);
    }

    pub(super) fn running_threads(&self) -> u64 {
        // ORDERING: SeqCst: as in `counted_thread`.
        self.running_threads.load(Ordering::SeqCst)
    }

    /// A worker or stage has gone to sleep.
    pub(crate) fn fell_asleep(&self) {
        self.tell_shutdown();
    }

    fn tell_shutdown(&self) {
        // ORDERING: SeqCst: the shutdown sets the flag and then looks; we change something and then
        // look at the flag. One of the two sees the other.
        if self.shutdown_waits.load(Ordering::SeqCst) {
            let (count, signal) = &self.changed;
            *count.lock().expect("nothing panics under this lock") += 1;
            signal.notify_all();
        }
    }
}

/// Runs code that may panic where nobody can be told.
fn contain(code: impl FnOnce()) {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(code));
    if let Err(panic) = result {
        // The payload's destructor could panic again: leave it.
        std::mem::forget(panic);
    }
}
