//! Pinned and dedicated stages: one thread that owns its actors and is their common mailbox
//! (the stage of SALSA Lite: Desell and Varela, AGERE 2015, section 3).
//!
//! Messages from other threads arrive in the stage's inbox, each an [`Envelope`] of one cache line;
//! messages between its own actors go through a private ring without any atomic operation. Both are
//! handled strictly in order, one message at a time, so the stage is fair among its actors.
//!
//! PROTOCOL
//! 1. An actor's `CellOwner` is touched by the stage's thread alone.
//! 2. The thread sleeps only after its inbox went idle; the sender that wakes an idle inbox leaves
//!    the token. There is no other wake-up and no timeout.
//! 3. The last strong reference to a cell sends `UNREFERENCED`, the last of any kind `RECLAIM`:
//!    both go through the inbox, from there through the ring, and only then have their effect.
//!    Whoever sent to the actor did so before giving up its reference, so both queues hold nothing
//!    sent by such a reference by then.
//! 4. When the inbox has been closed the thread still handles what it holds. Cells that fall due
//!    meanwhile are left for it in `unclaimed`, and freed by it when both queues are empty. From
//!    then on it touches no cell: cells are freed and actors ended by whoever needs it.

mod thread;

use std::ptr::{self, NonNull};
use std::sync::{Arc, Weak};

use crossbeam_utils::CachePadded;
use odeon_sync::atomic::{AtomicBool, AtomicU64, Ordering};
use odeon_sync::thread::JoinHandle;
use odeon_sync::{Mutex, Parker};

use super::envelope::{END_STAGE, Envelope, RECLAIM};
use super::local_ring::LocalRing;
use crate::mailbox::{Inbox, Pushed, label};
use crate::process::attachments::Attachments;
use crate::process::cell::{DeadCell, Header};
use crate::process::current;
use crate::process::home::Home;
use crate::process::payload::Payload;
use crate::process::submit::{Origin, Submit};
use crate::process::task::Task;
use crate::process::theater_shared::TheaterShared;
use crate::process::waiters::Waiters;
use crate::telemetry::{StageKind, StageStats, StageTally};
use thread::StageThread;

/// What kind of thread-owning stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PinnedKind {
    /// Any number of actors; lives as long as the theater. `core`: pinned to it.
    Pinned { core: Option<usize> },
    /// One actor that may block; ends with it.
    Dedicated,
}

/// Blocks the stage's thread until it may go on.
type WaitAsStage = Box<dyn FnOnce(&PinnedShared) + Send>;

const NO_PANIC: &str = "no panic happens under this lock";

/// The part of a stage that any thread may use.
pub(crate) struct PinnedShared {
    /// Alone on its cache lines: senders write the tail while the thread spins on other fields.
    inbox: CachePadded<Inbox<Envelope>>,
    parker: Parker,
    kind: PinnedKind,
    /// The dedicated stage's actor has ended, and the thread with it.
    ending: AtomicBool,
    sleeps: AtomicU64,
    asleep: AtomicBool,
    waiters: Waiters,
    /// What other rooms keep with the stage.
    attachments: Attachments,
    /// Waits for whom the stage has to wait for after the batch it is handling.
    wait: Mutex<Option<WaitAsStage>>,
    /// Whether there is one; by the stage's thread alone.
    held: AtomicBool,
    myself: Weak<Self>,
    name: Arc<str>,
    /// What is counted of the thread for `Theater::stats`; written by the thread.
    tally: StageTally,
    unclaimed: Mutex<Unclaimed>,
    theater: Arc<TheaterShared>,
}

/// Cells to be freed after the inbox was closed (rule 4).
enum Unclaimed {
    /// By the thread, when it is through.
    Left(Vec<DeadCell>),
    /// At once: there is no thread any more.
    NoThread,
}

impl PinnedShared {
    /// Starts the stage's thread.
    pub(crate) fn start(
        theater: Arc<TheaterShared>,
        name: &str,
        kind: PinnedKind,
    ) -> std::io::Result<(Arc<Self>, JoinHandle<()>)> {
        if name.contains('\0') {
            let what = "the name of a stage must not contain a NUL character";
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, what));
        }
        let (inbox, owner) = Inbox::new();
        let shared = Arc::new_cyclic(|myself| Self {
            myself: myself.clone(),
            wait: Mutex::new(None),
            attachments: Attachments::default(),
            held: AtomicBool::new(false),
            inbox: CachePadded::new(inbox),
            parker: Parker::new(),
            kind,
            ending: AtomicBool::new(false),
            sleeps: AtomicU64::new(0),
            asleep: AtomicBool::new(false),
            waiters: Waiters::default(),
            name: name.into(),
            tally: StageTally::default(),
            unclaimed: Mutex::new(Unclaimed::Left(Vec::new())),
            theater,
        });
        let work = shared.theater.counted_thread({
            let shared = shared.clone();
            move || {
                let ring = LocalRing::new();
                StageThread { shared: &shared, owner, ring: &ring, pressed: false }.run()
            }
        });
        match shared.theater.new_thread(name).spawn(work) {
            Ok(thread) => Ok((shared, thread)),
            Err(error) => {
                shared.theater.uncount_thread();
                Err(error)
            }
        }
    }

    pub(crate) fn is_dedicated(&self) -> bool {
        self.kind == PinnedKind::Dedicated
    }

    pub(crate) fn to_arc(&self) -> Arc<Self> {
        self.myself.upgrade().expect("a stage that can be reached is alive")
    }

    /// Any thread: a message for an actor of this stage. Gives it back if the stage has
    /// ended; `true`: the stage is under pressure.
    pub(crate) fn deliver<M>(
        &self,
        label: u32,
        target: NonNull<Header>,
        message: M,
    ) -> Result<bool, M> {
        if current::here().home.get() != Home::pinned(self) {
            return self.deliver_through_inbox(label, target, message);
        }
        // SAFETY: just checked.
        unsafe { Self::deliver_to_neighbour(label, target, message) };
        Ok(false)
    }

    /// The stage's thread: a message from one of its actors for another one.
    ///
    /// # Safety
    /// This is the thread of the stage of `target`.
    #[inline(always)]
    pub(crate) unsafe fn deliver_to_neighbour<M>(label: u32, target: NonNull<Header>, message: M) {
        // SAFETY: by contract; set by this thread for as long as the ring lives.
        let ring = unsafe { &*current::here().ring.get().cast::<LocalRing>() };
        // SAFETY: the place is writable.
        ring.push(label, target, |place| unsafe { Payload::put(place, message) });
    }

    /// Any thread: as [`deliver`](Self::deliver), in the order of messages from elsewhere.
    #[inline(always)]
    pub(crate) fn deliver_through_inbox<M>(
        &self,
        label: u32,
        target: NonNull<Header>,
        message: M,
    ) -> Result<bool, M> {
        let envelope = Envelope { target, payload: Payload::holding(message) };
        match self.inbox.push(label, envelope) {
            Pushed::WakeOwner => self.parker.unpark(),
            Pushed::AlreadyPending => {}
            // A stage's thread goes idle without pressure only.
            Pushed::UnderPressure { .. } => return Ok(true),
            Pushed::Closed(envelope) => {
                // SAFETY: the payload was put in above as an `M`, and came back untaken.
                return Err(unsafe { Payload::take(&raw const envelope.payload) });
            }
        }
        Ok(false)
    }

    /// Any thread: a bare signal for an actor of this stage; `false` if the stage has ended.
    pub(crate) fn signal(&self, label: u32, target: NonNull<Header>) -> bool {
        let here = current::here();
        if label == label::UNREFERENCED || here.home.get() != Home::pinned(self) {
            return self.signal_through_inbox(label, target);
        }
        // SAFETY: as in `deliver`.
        unsafe { &*here.ring.get().cast::<LocalRing>() }.push(label, target, |_| {});
        true
    }

    fn signal_through_inbox(&self, label: u32, target: NonNull<Header>) -> bool {
        match self.inbox.push(label, Envelope { target, payload: Payload::EMPTY }) {
            Pushed::WakeOwner => self.parker.unpark(),
            Pushed::AlreadyPending | Pushed::UnderPressure { .. } => {}
            Pushed::Closed(_) => return false,
        }
        true
    }

    /// An actor of this stage has ended; on a dedicated stage the thread ends with it.
    pub(crate) fn actor_ended(&self) {
        if self.is_dedicated() {
            // ORDERING: Relaxed: called on the stage's own thread, or when there is none.
            self.ending.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn tally(&self) -> &StageTally {
        &self.tally
    }

    /// What has been counted so far.
    pub(crate) fn stats(&self) -> StageStats {
        let kind = if self.is_dedicated() { StageKind::Dedicated } else { StageKind::Pinned };
        StageStats {
            workers: 1,
            turns: self.tally.turns.get(),
            messages: self.tally.messages.get(),
            // ORDERING: Relaxed: a number for people.
            parks: self.sleeps.load(Ordering::Relaxed),
            busy: self.tally.busy.time(self.theater.now()),
            waiting: self.inbox.backlog(),
            ..StageStats::of(self.name.clone(), kind)
        }
    }

    /// Whether senders from elsewhere are to hold back.
    pub(crate) fn is_pressed(&self) -> bool {
        self.inbox.is_pressed()
    }

    /// Senders that hold back.
    pub(crate) fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    /// What other rooms keep with the stage.
    pub(crate) fn attachments(&self) -> &Attachments {
        &self.attachments
    }

    /// The stage's thread: remembers how the stage has to wait after its batch; only the first one
    /// counts.
    pub(crate) fn hold_back(&self, wait: impl FnOnce() -> WaitAsStage) {
        // ORDERING: Relaxed, here and in `take_wait`: one thread.
        if !self.held.swap(true, Ordering::Relaxed) {
            *self.wait.lock().expect(NO_PANIC) = Some(wait());
        }
    }

    #[inline(always)]
    fn take_wait(&self) -> Option<WaitAsStage> {
        if !self.held.load(Ordering::Relaxed) {
            return None;
        }
        self.held.store(false, Ordering::Relaxed);
        self.wait.lock().expect(NO_PANIC).take()
    }

    /// The stage's thread: takes pressure off its inbox and lets all senders go on.
    #[cold]
    fn relieve(&self) {
        self.inbox.relieve();
        self.waiters.release();
    }

    /// Tells the thread to return once it has handled what is already there.
    pub(crate) fn end(&self) {
        self.signal_through_inbox(END_STAGE, NonNull::dangling());
    }

    /// Whether the thread is gone.
    pub(crate) fn has_ended(&self) -> bool {
        self.inbox.is_closed()
    }

    /// Whether the thread sleeps (or is gone), and a number that changes with every falling asleep.
    pub(crate) fn is_asleep(&self) -> (bool, u64) {
        // ORDERING: SeqCst: the shutdown's two looks must not be reordered.
        let asleep =
            self.asleep.load(Ordering::SeqCst) && self.inbox.is_idle() || self.inbox.is_closed();
        (asleep, self.sleeps.load(Ordering::SeqCst))
    }
}

impl Home {
    pub(crate) fn pinned(stage: &PinnedShared) -> Self {
        Self::at_owner(ptr::from_ref(stage).cast())
    }

    /// The pinned or dedicated stage, if it is one. Null for `NOWHERE`.
    #[inline(always)]
    pub(crate) fn as_pinned(self) -> Option<*const PinnedShared> {
        self.as_owner().map(<*const ()>::cast)
    }
}

impl Header {
    /// The actor's stage if it is pinned or dedicated.
    #[inline(always)]
    pub(crate) fn pinned(&self) -> Option<&PinnedShared> {
        // SAFETY: `stage` keeps the pointee alive; an actor is never at home nowhere.
        self.home.as_pinned().map(|stage| unsafe { &*stage })
    }
}

impl Submit for PinnedShared {
    /// A pinned actor is scheduled by its messages alone; a task can only come from code that
    /// treats it like a pool actor, which is a defect of the runtime.
    fn submit(&self, task: Task, _origin: Origin) {
        unreachable!("a pinned actor was submitted as a task: {task:?}");
    }

    fn theater(&self) -> &Arc<TheaterShared> {
        &self.theater
    }

    /// Rule 3: behind everything that is under way to it.
    fn reclaim(&self, cell: DeadCell) {
        let cell = cell.into_raw();
        if self.signal_through_inbox(RECLAIM, cell) {
            return;
        }
        // SAFETY: the signal has been refused, so the cell is ours still.
        let cell = unsafe { DeadCell::new(cell) };
        match &mut *self.unclaimed.lock().expect(NO_PANIC) {
            Unclaimed::Left(cells) => return cells.push(cell),
            Unclaimed::NoThread => {}
        }
        // Rule 4: the thread is through, so nothing is under way.
        drop(cell);
    }
}
