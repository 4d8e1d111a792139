//! What the executors of a durable actor and the thread that writes its log share.

use super::handed_over::HandedOver;
use super::held_effects::{HeldBack, keep_empty_outbox};
use super::numbers::Numbers;
use odeon_core::extend::Outbox;
use odeon_core::{ActorRef, Message};
use odeon_log::LogError;
use odeon_stm::journal::{CommitLog, Journal};
use odeon_sync::atomic::{AtomicBool, AtomicU64, Ordering};
use odeon_sync::contained::{contained, forget};
use odeon_sync::{Condvar, Mutex, Parker};
use std::sync::OnceLock;
use std::time::Duration;

/// Bytes that wait in one part beyond which a handler waits for the disk before it begins.
/// TUNE: guessed; what a slow disk writes in some tenths of a second.
const TOO_MUCH: usize = 4 * 1024 * 1024;

/// How long it waits at most. Not until there is room: its worker has other actors, too.
/// TUNE: guessed; some syncs of a slow disk.
const PATIENCE: Duration = Duration::from_millis(20);

/// See the module.
pub(super) struct ActorLog<M: Message> {
    journal: Journal,
    pub(super) numbers: Numbers,
    pub(super) handed_over: HandedOver,
    pub(super) held_back: HeldBack<M>,
    /// All commits up to this number are durable.
    durable: AtomicU64,
    /// Whether handlers are to wait.
    is_behind: AtomicBool,
    is_closing: AtomicBool,
    failure: OnceLock<LogError>,
    /// Passed when more is durable, and when the log has failed, for who waits for that.
    waiting: Mutex<()>,
    changed: Condvar,
    /// Where the log's thread sleeps.
    parker: Parker,
    /// Whether it does, or is about to.
    sleeps: AtomicBool,
}

impl<M: Message> ActorLog<M> {
    pub(super) fn new(journal: Journal, last: u64) -> Self {
        Self {
            journal,
            numbers: Numbers::behind(last),
            handed_over: HandedOver::default(),
            held_back: HeldBack::default(),
            durable: AtomicU64::new(last),
            is_behind: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
            failure: OnceLock::new(),
            waiting: Mutex::new(()),
            changed: Condvar::new(),
            parker: Parker::new(),
            sleeps: AtomicBool::new(false),
        }
    }

    /// Has effects happen when all is durable that their message has seen, and those of earlier
    /// messages have happened. It has committed, and no later one with effects has.
    pub(super) fn hold(&self, actor: &ActorRef<M>, effects: Outbox) {
        let number = self.numbers.last();
        let at_once = self.held_back.hold(actor, number, || self.durable(), effects);
        if let Some(mut effects) = at_once {
            // What panics here is the user's, and undoes nothing.
            if let Err(panic) = contained(|| effects.release()) {
                forget(panic);
            }
            keep_empty_outbox(effects);
        }
    }

    /// Up to which number commits are durable.
    pub(super) fn durable(&self) -> u64 {
        // ORDERING: Acquire: what the log's thread has done before comes before.
        self.durable.load(Ordering::Acquire)
    }

    pub(super) fn set_durable(&self, number: u64) {
        // ORDERING: Release: pairs with `durable`.
        self.durable.store(number, Ordering::Release);
        // ORDERING: Relaxed: a hint.
        self.is_behind.store(false, Ordering::Relaxed);
        self.tell_waiting();
    }

    /// Lets go of effects of so many messages at most. Answers whether more of them may happen.
    pub(super) fn let_go(&self, messages: usize) -> bool {
        self.held_back.let_go(|| self.durable(), messages)
    }

    /// Waits until all is durable that was committed by now, or the log has failed.
    pub(super) fn wait_for_all(&self) {
        let number = self.numbers.last();
        let mut waiting = self.waiting.lock().expect("no panic happens under this lock");
        while self.durable() < number && self.failure().is_none() {
            waiting = self.changed.wait(waiting).expect("no panic happens under this lock");
        }
    }

    /// Wakes who waits. Passes its lock: who has looked before the change waits by then.
    fn tell_waiting(&self) {
        drop(self.waiting.lock().expect("no panic happens under this lock"));
        self.changed.notify_all();
    }

    /// Why the log is not written any more.
    pub(super) fn failure(&self) -> Option<&LogError> {
        self.failure.get()
    }

    pub(super) fn fail(&self, error: LogError) {
        let error = self.failure.get_or_init(|| error);
        self.held_back.refuse_all(failure_text(error));
        self.tell_waiting();
    }

    /// If the disk is far behind the handlers, waits for the next epoch, but not long.
    pub(super) fn wait_for_disk(&self) {
        // ORDERING: Relaxed: a hint.
        if !self.is_behind.load(Ordering::Relaxed) {
            return;
        }
        let waiting = self.waiting.lock().expect("no panic happens under this lock");
        // ORDERING: Relaxed: the lock, which `set_durable` passes behind it, says it.
        if self.is_behind.load(Ordering::Relaxed) {
            drop(self.changed.wait_timeout(waiting, PATIENCE));
        }
    }

    /// Nothing comes any more: the log's thread is to end when all is written.
    pub(super) fn close(&self) {
        // ORDERING: SeqCst: as in `wake`.
        self.is_closing.store(true, Ordering::SeqCst);
        self.wake();
    }

    pub(super) fn is_closing(&self) -> bool {
        // ORDERING: SeqCst: as in `wake`; and what came before `close` is seen behind this.
        self.is_closing.load(Ordering::SeqCst)
    }

    /// There is something to do for the log's thread.
    fn wake(&self) {
        // ORDERING: SeqCst: with the store in `sleep`: either the thread sees what is there, or it
        // is seen here that it sleeps. A look first: mostly it does not.
        if self.sleeps.load(Ordering::SeqCst) && self.sleeps.swap(false, Ordering::SeqCst) {
            self.parker.unpark();
        }
    }

    /// The log's thread sleeps until it is woken, unless there `is_something` now.
    pub(super) fn sleep(&self, is_something: impl FnOnce() -> bool) {
        // ORDERING: SeqCst: as in `wake`.
        self.sleeps.store(true, Ordering::SeqCst);
        // ORDERING: Relaxed: a hint. Nothing is behind any more, unless somebody wakes this thread.
        self.is_behind.store(false, Ordering::Relaxed);
        if is_something() {
            // ORDERING: Relaxed: the token that a waker leaves meanwhile ends the next sleep.
            self.sleeps.store(false, Ordering::Relaxed);
        } else {
            self.parker.park();
        }
    }
}

pub(super) fn failure_text(error: &LogError) -> String {
    format!("the actor's log is not written any more: {error}")
}

impl<M: Message> CommitLog for ActorLog<M> {
    fn journal(&self) -> &Journal {
        &self.journal
    }

    fn number(&self) -> u64 {
        self.numbers.take()
    }

    fn committed(&self, number: u64, changes: &[u8]) {
        if self.handed_over.push(number, changes) > TOO_MUCH {
            // ORDERING: Relaxed: a hint.
            self.is_behind.store(true, Ordering::Relaxed);
        }
        self.wake();
    }

    fn given_up(&self, number: u64) {
        self.committed(number, &[]);
    }
}
