//! What the executors of a durable actor and the thread that writes its log share.

use super::handed_over::HandedOver;
use super::held_effects::{HeldBack, keep_empty_outbox};
use super::numbers::Numbers;
use super::store::Store;
use super::transaction_log::{Life, TakesPart};
use odeon_core::extend::Outbox;
use odeon_core::{ActorRef, Message};
use odeon_log::{LogError, LogId};
use odeon_stm::journal::{CommitLog, Journal, SharedCommit};
use odeon_sync::atomic::{AtomicBool, AtomicU64, Ordering};
use odeon_sync::contained::{contained, forget};
use odeon_sync::{Condvar, Mutex, MutexGuard, Parker};
use std::collections::BTreeSet;
use std::ptr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Bytes that wait in one part beyond which a handler waits for the disk before it begins.
/// TUNE: guessed; what a slow disk writes in some tenths of a second.
const TOO_MUCH: usize = 4 * 1024 * 1024;

/// How long it waits at most. Not until there is room: its worker has other actors, too.
/// TUNE: guessed; some syncs of a slow disk.
const PATIENCE: Duration = Duration::from_millis(20);

/// Who commits has not ended.
const COMMITS: &str = "an actor that commits is of a store";

/// See the module.
pub(super) struct ActorLog<M: Message> {
    journal: Journal,
    pub(super) numbers: Numbers,
    pub(super) handed_over: HandedOver,
    pub(super) held_back: HeldBack<M>,
    /// Until the actor has ended.
    store: Mutex<Option<Store>>,
    /// What it is in the store's log of transactions.
    life: Life,
    /// Tells that from those of other stores.
    group: usize,
    /// Numbers of transactions that are not settled (`transaction_log.rs`).
    unsettled: Mutex<BTreeSet<u64>>,
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
    /// The log with this id, of a state whose last commit has this number.
    ///
    /// # Errors
    /// If another actor of the store has a log of the same id.
    pub(super) fn new(
        journal: Journal,
        store: Store,
        id: LogId,
        last: u64,
    ) -> Result<Arc<Self>, LogError> {
        let life = store.transactions().enter(id, last)?;
        let log = Arc::new(Self {
            life,
            group: ptr::from_ref(store.transactions()).addr(),
            store: Mutex::new(Some(store.clone())),
            unsettled: Mutex::default(),
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
        });
        let takes_part: Arc<dyn TakesPart> = log.clone();
        store.transactions().introduce(life, Arc::downgrade(&takes_part));
        Ok(log)
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

    /// All commits up to this number are, if not more.
    pub(super) fn set_durable(&self, number: u64) {
        // ORDERING: Release: pairs with `durable`.
        self.durable.fetch_max(number, Ordering::Release);
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
        self.wait_until_durable(self.numbers.last());
    }

    /// Waits until all up to this number is durable, or the log has failed: answers which.
    pub(super) fn wait_until_durable(&self, number: u64) -> bool {
        let mut waiting = self.waiting.lock().expect("no panic happens under this lock");
        while self.durable() < number && self.failure().is_none() {
            waiting = self.changed.wait(waiting).expect("no panic happens under this lock");
        }
        self.durable() >= number
    }

    /// The number of its first transaction that is not settled.
    pub(super) fn unsettled(&self) -> Option<u64> {
        self.lock_unsettled().first().copied()
    }

    fn lock_unsettled(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.unsettled.lock().expect("no panic happens under this lock")
    }

    pub(super) fn life(&self) -> Life {
        self.life
    }

    fn store(&self) -> Option<Store> {
        self.store.lock().expect("no panic happens under this lock").clone()
    }

    /// The actor has ended, and all is written, or the log has failed.
    pub(super) fn leave_store(&self) {
        let store = self.store.lock().expect("no panic happens under this lock").take();
        if let Some(store) = store {
            store.transactions().leave(self.life);
        }
    }

    /// Waits until all is durable that actors of the store have committed by now.
    pub(super) fn wait_for_store(&self) {
        if let Some(store) = self.store() {
            store.transactions().wait_for_all();
        }
    }

    /// A transaction with other logs is about to be told of this one.
    ///
    /// # Errors
    /// If the log of transactions cannot be written.
    pub(super) fn begin_transactions(&self) -> Result<(), LogError> {
        let store = self.store().expect(COMMITS);
        store.transactions().open(&store, true)
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

    pub(super) fn failed(&self) -> bool {
        self.failure().is_some()
    }

    pub(super) fn fail(&self, error: LogError) {
        // First: the log's thread, which finds that it has failed, has what waits let go.
        self.held_back.refuse_all(failure_text(&error));
        self.failure.get_or_init(|| error);
        self.tell_waiting();
    }

    /// So many bytes wait for the disk, in one place of several.
    pub(super) fn note_waiting(&self, bytes: usize) {
        if bytes > TOO_MUCH {
            // ORDERING: Relaxed: a hint.
            self.is_behind.store(true, Ordering::Relaxed);
        }
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

    /// The log's thread sleeps until it is woken, unless there `is_something` now. So many bytes
    /// wait for the log of transactions.
    pub(super) fn sleep(&self, waiting: usize, is_something: impl FnOnce() -> bool) {
        // ORDERING: SeqCst: as in `wake`.
        self.sleeps.store(true, Ordering::SeqCst);
        // ORDERING: Relaxed: a hint. Nothing else is behind, unless somebody wakes this thread.
        self.is_behind.store(waiting > TOO_MUCH, Ordering::Relaxed);
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
        self.note_waiting(self.handed_over.push(number, changes));
        self.wake();
    }

    fn given_up(&self, number: u64) {
        self.committed(number, &[]);
    }

    fn group(&self) -> Option<usize> {
        Some(self.group)
    }

    fn committed_in_part(&self, number: u64, changes: &[u8], of: SharedCommit) {
        self.lock_unsettled().insert(number);
        self.store().expect(COMMITS).transactions().takes_part(self.life, number, of);
        self.committed(number, changes);
    }
}

impl<M: Message> TakesPart for ActorLog<M> {
    fn settle(&self, number: u64) {
        let mut unsettled = self.lock_unsettled();
        *unsettled = unsettled.split_off(&(number + 1));
        drop(unsettled);
        self.set_durable(number);
        self.wake();
    }

    fn fail(&self, error: LogError) {
        self.fail(error);
        self.wake();
    }

    fn wait_for_all(&self) {
        self.wait_for_all();
    }
}

impl<M: Message> Drop for ActorLog<M> {
    fn drop(&mut self) {
        // One whose thread could not be started.
        self.leave_store();
    }
}
