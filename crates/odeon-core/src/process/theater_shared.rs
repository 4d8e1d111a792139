//! What all stages of one theater share.

use std::any::Any;
use std::ptr;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use odeon_sync::atomic::{AtomicBool, AtomicU64, Ordering};
use odeon_sync::{Condvar, Mutex};

use super::attachments::Attachments;
use super::cell::{Header, signal};
use super::config::{Config, Hooks};
use super::registry::Registry;
use crate::mailbox::memory::{self, Depot};
use crate::process::submit::Submit;
use crate::process::turn_limits::TurnLimits;
use crate::telemetry::Telemetry;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::clock::Clock;
use crate::vocabulary::contain::contain;
use crate::vocabulary::dead_letter::{
    DeadLetter, DeadLetterCounts, DeadLetterReason, DeadLetterTally,
};
use crate::vocabulary::failure_text::Escalated;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::{EndReason, Observer};

/// Deals with a failure that nobody else is to deal with.
type Root = Box<dyn Fn(Escalated) + Send + Sync>;

/// What all stages of one theater share: configuration, registry of live actors, hooks.
pub struct TheaterShared {
    pub(crate) config: Config,
    pub(crate) registry: Registry,
    pub(crate) depot: Arc<Depot>,
    /// What other rooms keep with the theater.
    pub(crate) attachments: Attachments,
    pub(crate) clock: Arc<dyn Clock>,
    telemetry: Option<Box<Telemetry>>,
    /// What a new actor's signals say about whether somebody looks at it.
    pub(crate) seen_bit: u32,
    hooks: Hooks,
    dead_letters: DeadLetterTally,
    /// Where a shutdown collects what was not handled.
    pub(crate) leftovers: Mutex<Option<Vec<DeadLetter>>>,
    driven_from_outside: bool,
    stopping: AtomicBool,
    waits_no_longer: AtomicBool,
    /// Told of a failure that nobody else is to deal with.
    root: OnceLock<Root>,
    running_threads: AtomicU64,
    parked: AtomicU64,
    /// Whether a shutdown waits to be told of stages that fall asleep and actors that end.
    pub(crate) shutdown_waits: AtomicBool,
    pub(crate) changed: (Mutex<u64>, Condvar),
    /// Where children of dedicated actors go. Weak: the pool keeps this, not the reverse.
    pool: OnceLock<Weak<dyn Submit>>,
}

impl TheaterShared {
    pub(crate) fn new(
        config: Config,
        clock: Arc<dyn Clock>,
        driven_from_outside: bool,
        telemetry: Option<Box<Telemetry>>,
        hooks: Hooks,
    ) -> Arc<Self> {
        Arc::new(Self {
            config,
            registry: Registry::new(),
            depot: Arc::new(Depot::new()),
            attachments: Attachments::default(),
            clock,
            seen_bit: if telemetry.as_ref().is_some_and(|s| s.sees_actors()) {
                signal::SEEN
            } else {
                0
            },
            telemetry,
            hooks,
            dead_letters: DeadLetterTally::default(),
            leftovers: Mutex::new(None),
            driven_from_outside,
            stopping: AtomicBool::new(false),
            waits_no_longer: AtomicBool::new(false),
            root: OnceLock::new(),
            running_threads: AtomicU64::new(0),
            parked: AtomicU64::new(0),
            shutdown_waits: AtomicBool::new(false),
            changed: (Mutex::new(0), Condvar::new()),
            pool: OnceLock::new(),
        })
    }

    pub(crate) fn set_pool(&self, pool: &Arc<dyn Submit>) {
        let first = self.pool.set(Arc::downgrade(pool)).is_ok();
        assert!(first, "a theater has one pool");
    }

    /// Who is told of failures that nobody else is to deal with; set before there are actors.
    pub(crate) fn set_root(&self, root: Root) {
        assert!(self.root.set(root).is_ok(), "a theater is built once");
    }

    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// Whether `stage` is the pool: the stage of all actors that are neither on a pinned one nor on
    /// one that the theater does not know.
    pub(crate) fn has_as_pool(&self, stage: &Arc<dyn Submit>) -> bool {
        // The weak reference keeps the address from being used again.
        self.pool.get().is_some_and(|pool| ptr::addr_eq(pool.as_ptr(), Arc::as_ptr(stage)))
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
            telemetry: self.telemetry.as_deref(),
        }
    }

    /// Whether the theater has no threads: whoever made its stage gives the turns.
    pub(crate) fn is_driven_from_outside(&self) -> bool {
        self.driven_from_outside
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        // ORDERING: SeqCst: the shutdown sets it once; see `Registry::insert` for the exact side.
        self.stopping.load(Ordering::SeqCst)
    }

    /// From here on actors that are made end at once.
    pub(crate) fn set_stopping(&self) {
        // ORDERING: SeqCst: as above.
        self.stopping.store(true, Ordering::SeqCst);
        // A shutdown may be draining.
        self.tell_shutdown();
    }

    /// Whether the theater has told its threads to return, whatever is under way.
    pub(crate) fn waits_no_longer(&self) -> bool {
        // ORDERING: SeqCst: stored before the stages are told, so a thread that returns for that
        // reason sees it.
        self.waits_no_longer.load(Ordering::SeqCst)
    }

    /// From here on what is still under way is left behind.
    pub(crate) fn wait_no_longer(&self) {
        // ORDERING: SeqCst: as above.
        self.waits_no_longer.store(true, Ordering::SeqCst);
    }

    pub(crate) fn dead_letter_counts(&self) -> DeadLetterCounts {
        self.dead_letters.counts()
    }

    /// What is switched on to look at the theater, if anything is.
    pub(crate) fn telemetry(&self) -> Option<&Telemetry> {
        self.telemetry.as_deref()
    }

    fn observer(&self) -> Option<&dyn Observer> {
        self.telemetry.as_ref()?.observer.as_deref()
    }

    /// Counts a message that was accepted and will not be handled, and passes it on to whoever
    /// wants it.
    pub(crate) fn dead_letter<M: Message>(
        &self,
        actor: ActorId,
        reason: DeadLetterReason,
        message: M,
    ) {
        self.dead_letters.count(reason);
        if let Some(observer) = self.observer() {
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
            if let Some(hook) = &self.hooks.dead_letter {
                hook(DeadLetter::new(actor, reason, Box::new(message)));
            }
        });
    }

    pub(crate) fn actor_spawned(&self, actor: ActorId) {
        if let Some(observer) = self.observer() {
            observer.actor_spawned(actor);
        }
    }

    /// An actor's function panicked. `is_told`: a user's function has been told of it already.
    #[cold]
    pub(crate) fn actor_failed(&self, actor: &Header, panic: Box<dyn Any + Send>, is_told: bool) {
        match self.observer() {
            Some(observer) => observer.actor_failed(actor.id, &*panic),
            None if is_told => {}
            None => {
                if let Some(hook) = &self.hooks.failure {
                    contain(|| hook(self, actor, &*panic));
                }
            }
        }
        // A panic payload is a user's value; its destructor may panic as well.
        contain(|| drop(panic));
    }

    /// A failure that nobody else is to deal with.
    pub(crate) fn fail(&self, cause: Escalated) {
        if let Some(root) = self.root.get() {
            root(cause);
        }
    }

    /// A supervised actor has been made anew.
    pub(crate) fn actor_restarted(&self, header: &Header) {
        if let Some(tally) = header.tally() {
            tally.restarts.add(1);
        }
        if let Some(observer) = self.observer() {
            observer.actor_restarted(header.id);
        }
    }

    /// An actor has ended: out of the registry.
    pub(crate) fn actor_ended(&self, header: &Header, reason: EndReason) {
        let was_spawned = self.registry.remove(header);
        // One that came when the theater was stopping was never said to be there.
        if let (true, Some(observer)) = (was_spawned, self.observer()) {
            observer.actor_ended(header.id, reason);
        }
        self.tell_shutdown();
    }

    /// A thread of this theater, to be started; `role` ends its name.
    pub(crate) fn new_thread(&self, role: &str) -> odeon_sync::thread::Builder {
        let thread =
            odeon_sync::thread::Builder::new().name(format!("{}-{role}", self.config.name));
        match self.config.stack_size {
            Some(bytes) => thread.stack_size(bytes),
            None => thread,
        }
    }

    /// Wraps the work of a thread so that it is done in the thread context, and the shutdown knows
    /// when it is over.
    pub(crate) fn counted_thread(
        self: &Arc<Self>,
        work: impl FnOnce() + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        let theater = self.clone();
        self.count_thread();
        move || {
            let mut work = Some(work);
            let mut run = || {
                let work = work.take().expect("the work of a thread is done once");
                memory::keeping_here(theater.depot.clone(), work);
            };
            match &theater.hooks.thread_context {
                None => run(),
                Some(around) => {
                    // A stage without its thread would keep its actors, and the shutdown, waiting.
                    let guard = odeon_sync::AbortGuard::new("thread context");
                    around(&mut run);
                    assert!(work.is_none(), "a thread context must call what it is given");
                    guard.disarm();
                }
            }
            theater.uncount_thread();
            theater.tell_shutdown();
        }
    }

    /// A thread more, or what stands for one, that a shutdown waits for.
    pub(crate) fn count_thread(&self) {
        // ORDERING: SeqCst: the partner is the shutdown's wait.
        self.running_threads.fetch_add(1, Ordering::SeqCst);
    }

    /// What was counted is over, or a thread that was counted could not be started.
    pub(crate) fn uncount_thread(&self) {
        // ORDERING: SeqCst: before `tell_shutdown` looks whether anybody waits.
        let before = self.running_threads.fetch_sub(1, Ordering::SeqCst);
        debug_assert!(before > 0, "what was counted once is over once");
    }

    pub(crate) fn running_threads(&self) -> u64 {
        // ORDERING: SeqCst: as in `count_thread`.
        self.running_threads.load(Ordering::SeqCst)
    }

    /// An actor waits outside of all queues.
    pub(crate) fn actor_parked(&self) {
        // ORDERING: SeqCst, here and below: before its worker sleeps, and after it has been
        // submitted: the shutdown looks at both.
        self.parked.fetch_add(1, Ordering::SeqCst);
    }

    /// An actor that waited has been submitted.
    pub(crate) fn actor_unparked(&self) {
        self.parked.fetch_sub(1, Ordering::SeqCst);
        self.tell_shutdown();
    }

    /// How many actors wait outside of all queues.
    pub(crate) fn parked(&self) -> u64 {
        // ORDERING: SeqCst: one of the shutdown's looks, which must keep their order.
        self.parked.load(Ordering::SeqCst)
    }

    /// A worker or stage has gone to sleep.
    pub(crate) fn fell_asleep(&self) {
        self.tell_shutdown();
    }

    pub(crate) fn tell_shutdown(&self) {
        // ORDERING: SeqCst: the shutdown sets the flag and then looks; we change something and then
        // look at the flag. One of the two sees the other.
        if self.shutdown_waits.load(Ordering::SeqCst) {
            let (count, signal) = &self.changed;
            *count.lock().expect("nothing panics under this lock") += 1;
            signal.notify_all();
        }
    }
}
