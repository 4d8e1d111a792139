//! The log of what several actors of a store have committed together.
//!
//! PROTOCOL
//! 1. A transaction has a number in the log of each of its actors. Behind that number nothing is
//!    written there, or durable, before it is *settled*. Meanwhile the log *offers* what it has
//!    committed, the transaction and all before and behind it, in the order of the numbers.
//! 2. An epoch of this log has of each actor a run of its commits: from the first that is not
//!    durable up to one of its transactions. The runs are a *cut*: of each transaction they have
//!    all parts or none. So the epoch makes whole transactions durable, and all that they have seen
//!    with them. It is one write and one sync for all of them.
//! 3. What is settled so, each actor's log writes as well, when it has something else to write, or
//!    much of it. Until then it is *kept* here: who begins with a log whose end is before what is
//!    kept goes on with that.
//! 4. If a log fails, its transactions that are not settled never will be. Their other actors have
//!    committed them and can neither answer nor write: their logs fail with the same error.
//! 5. When much was written a snapshot has what is still kept, and the segments go.

mod cut;
mod opening;
mod record;
mod writing;

use super::store::{Store, refused};
use odeon_log::{LogError, LogId};
use odeon_stm::journal::SharedCommit;
use odeon_sync::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::mem;
use std::sync::{Arc, PoisonError, Weak};
use std::thread::{self, JoinHandle};

/// Why an actor cannot begin: what is kept for one would be the other one's.
const SAME_ID: &str = "another actor has a log of the same id: is one a copy of the other?";

/// The log of an actor that takes part.
pub(super) trait TakesPart: Send + Sync {
    /// All up to this number is durable.
    fn settle(&self, number: u64);

    /// Nothing more of it will be.
    fn fail(&self, error: LogError);

    /// Waits until all is durable that was committed by now, or it has failed.
    fn wait_for_all(&self);
}

/// Commits, each with its number and its changes.
pub(super) type Run = VecDeque<(u64, Arc<[u8]>)>;

pub(super) fn bytes_of(run: &Run) -> usize {
    run.iter().map(|(_, changes)| changes.len()).sum()
}

/// Adds commits that come later. If some are missing between them, the own log has all before them.
fn append(run: &mut Run, more: impl IntoIterator<Item = (u64, Arc<[u8]>)>) {
    for commit in more {
        if run.back().is_some_and(|(last, _)| last + 1 < commit.0) {
            run.clear();
        }
        run.push_back(commit);
    }
}

/// Runs of several logs.
pub(super) type Runs = BTreeMap<LogId, Run>;

/// A log from the begin of its actor to the end of that: what is begun with it again is another
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Life(u64);

/// See the module. Dropped, it ends its thread.
#[derive(Default)]
pub(super) struct TransactionLog {
    shared: Arc<SharedState>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct SharedState {
    state: Mutex<State>,
    /// There may be something to write.
    changed: Condvar,
    /// Nothing is being written.
    rests: Condvar,
}

#[derive(Default)]
struct State {
    is_open: bool,
    is_closing: bool,
    /// Why nothing is written any more.
    failure: Option<LogError>,
    /// Whether an epoch is on its way to the disk.
    is_writing: bool,
    logs: BTreeMap<Life, PartLog>,
    last_life: u64,
    /// By their numbers in this process, those that are not settled.
    transactions: BTreeMap<u64, Transaction>,
    /// What is durable here, and not in the log that it is of.
    kept: Runs,
}

struct PartLog {
    id: LogId,
    /// Unknown before its actor is made.
    log: Option<Weak<dyn TakesPart>>,
    /// What is not durable, one number behind the other.
    offered: Run,
    /// Bytes of that.
    bytes: usize,
    failure: Option<LogError>,
}

/// One that is not settled.
#[derive(Default)]
struct Transaction {
    /// How many parts it has.
    expected: usize,
    parts: Vec<(Life, u64)>,
    /// Why it never will be.
    failure: Option<LogError>,
}

/// Logs that are to fail, once nothing is locked.
type Failing = Vec<(Option<Weak<dyn TakesPart>>, LogError)>;

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic happens under this lock")
    }
}

impl TransactionLog {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }

    /// A storage may panic under it, which changes nothing here.
    fn lock_thread(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens it, if it is there, or `begins` it.
    ///
    /// # Errors
    /// Those of the log, and those of one that has failed.
    pub(super) fn open(&self, store: &Store, begins: bool) -> Result<(), LogError> {
        if let Some(failure) = &self.lock().failure {
            return Err(failure.clone());
        }
        // Held while it is read: nobody goes on without what is kept in it.
        let mut thread = self.lock_thread();
        if self.lock().is_open {
            return Ok(());
        }
        let Some(opened) = opening::open(store, begins)? else { return Ok(()) };
        let opening::Opened { writing, kept } = opened;
        self.lock().kept = kept;
        *thread = Some(writing.start(self.shared.clone())?);
        self.lock().is_open = true;
        Ok(())
    }

    /// An actor begins with this log, which has all up to this number.
    ///
    /// # Errors
    /// If another actor is there whose log has the same id.
    pub(super) fn enter(&self, id: LogId, last: u64) -> Result<Life, LogError> {
        let mut state = self.lock();
        if state.logs.values().any(|log| log.id == id && log.failure.is_none()) {
            let error = io::Error::new(io::ErrorKind::InvalidData, SAME_ID);
            return Err(refused("tell logs apart", String::new(), error));
        }
        state.forget_kept(id, last);
        state.last_life += 1;
        let life = Life(state.last_life);
        let entered = PartLog { id, log: None, offered: Run::new(), bytes: 0, failure: None };
        state.logs.insert(life, entered);
        Ok(life)
    }

    /// It is this one.
    pub(super) fn introduce(&self, life: Life, log: Weak<dyn TakesPart>) {
        if let Some(entered) = self.lock().logs.get_mut(&life) {
            entered.log = Some(log);
        }
    }

    /// The actor has ended.
    pub(super) fn leave(&self, life: Life) {
        self.lock().logs.remove(&life);
    }

    /// Waits until all is durable that actors of the store have committed by now, but for those
    /// whose logs have failed.
    pub(super) fn wait_for_all(&self) {
        let logs: Vec<_> = self.lock().logs.values().filter_map(|log| log.log.clone()).collect();
        for log in logs.iter().filter_map(Weak::upgrade) {
            log.wait_for_all();
        }
    }

    /// What is kept behind this number of a log that nobody writes.
    pub(super) fn kept(&self, id: LogId, behind: u64) -> Run {
        let mut state = self.lock();
        // What is on its way may have failed for the actor before, and is there all the same.
        while state.is_writing {
            state = self.shared.rests.wait(state).expect("no panic happens under this lock");
        }
        state.kept(id, behind)
    }

    /// A transaction has this number in this log. Told before anybody can write that.
    pub(super) fn takes_part(&self, life: Life, number: u64, of: SharedCommit) {
        let mut state = self.lock();
        let failure = match state.logs.get(&life) {
            Some(log) => log.failure.clone(),
            None => unreachable!("the log is there while its actor commits"),
        };
        let transaction = state.transactions.entry(of.id).or_default();
        transaction.expected = of.parts;
        transaction.parts.push((life, number));
        let failure = transaction.failure.clone().or(failure).or(state.failure.clone());
        let failing = failure.map(|failure| {
            let logs = state.give_up(vec![of.id], &failure);
            state.fail(logs, &failure)
        });
        drop(state);
        fail_all(failing.unwrap_or_default());
    }

    /// Adds to what is offered of this log: all that it has committed behind that, or behind what
    /// is durable, up to some number. Answers how many bytes wait.
    pub(super) fn offer(&self, life: Life, commits: Run) -> usize {
        let mut state = self.lock();
        let log = state.logs.get_mut(&life).expect("it has not left");
        log.bytes += bytes_of(&commits);
        log.offered.extend(commits);
        let bytes = log.bytes;
        drop(state);
        self.shared.changed.notify_all();
        bytes
    }

    /// How many bytes of this log wait for the disk here.
    pub(super) fn waiting(&self, life: Life) -> usize {
        self.lock().logs.get(&life).map_or(0, |log| log.bytes)
    }

    /// What is settled of this log behind this number.
    pub(super) fn settled(&self, life: Life, behind: u64) -> Run {
        self.lock().settled(life, behind)
    }

    /// The same, and what was offered and waits for nothing: nothing of it is in a transaction that
    /// is not settled.
    pub(super) fn take_back(&self, life: Life, behind: u64) -> Run {
        let mut state = self.lock();
        let mut run = state.settled(life, behind);
        if let Some(log) = state.logs.get_mut(&life) {
            run.append(&mut log.offered);
            log.bytes = 0;
        }
        run
    }

    /// All up to this number is in its own log.
    pub(super) fn written(&self, life: Life, number: u64) {
        let mut state = self.lock();
        if let Some(id) = state.logs.get(&life).map(|log| log.id) {
            state.forget_kept(id, number);
        }
    }

    /// This log is not written any more.
    pub(super) fn log_failed(&self, life: Life, failure: &LogError) {
        let failing = self.lock().fail(vec![life], failure);
        fail_all(failing);
    }
}

impl State {
    fn settled(&self, life: Life, behind: u64) -> Run {
        self.logs.get(&life).map(|log| self.kept(log.id, behind)).unwrap_or_default()
    }

    /// All up to this number is in the own log.
    fn forget_kept(&mut self, id: LogId, number: u64) {
        if let Some(run) = self.kept.get_mut(&id) {
            let written = run.partition_point(|(there, _)| *there <= number);
            run.drain(..written);
            if run.is_empty() {
                self.kept.remove(&id);
            }
        }
    }

    fn kept(&self, id: LogId, behind: u64) -> Run {
        let kept = self.kept.get(&id).into_iter().flatten();
        kept.filter(|(number, _)| *number > behind).cloned().collect()
    }

    /// These logs fail, and those that have transactions with them. Answers who is to be told.
    fn fail(&mut self, mut logs: Vec<Life>, failure: &LogError) -> Failing {
        let mut failing = Failing::new();
        while let Some(life) = logs.pop() {
            let Some(log) = self.logs.get_mut(&life).filter(|log| log.failure.is_none()) else {
                continue;
            };
            log.failure = Some(failure.clone());
            failing.push((log.log.clone(), failure.clone()));
            let is_of_it = |it: &Transaction| it.parts.iter().any(|part| part.0 == life);
            let of_it = self.transactions.iter().filter(|(_, it)| is_of_it(it)).map(|(id, _)| *id);
            let of_it = of_it.collect();
            logs.extend(self.give_up(of_it, failure));
        }
        failing
    }

    /// These transactions will not be settled; answers whose they are. One with parts to come stays
    /// until these have.
    fn give_up(&mut self, transactions: Vec<u64>, failure: &LogError) -> Vec<Life> {
        let mut logs = Vec::new();
        for id in transactions {
            let Some(transaction) = self.transactions.get_mut(&id) else { continue };
            transaction.failure = Some(failure.clone());
            logs.extend(transaction.parts.iter().map(|(life, _)| *life));
            if transaction.parts.len() == transaction.expected {
                self.transactions.remove(&id);
            }
        }
        logs
    }
}

fn fail_all(failing: Failing) {
    for (log, failure) in failing {
        if let Some(log) = log.and_then(|log| log.upgrade()) {
            log.fail(failure);
        }
    }
}

impl Drop for TransactionLog {
    fn drop(&mut self) {
        self.lock().is_closing = true;
        self.shared.changed.notify_all();
        let thread = mem::take(&mut *self.lock_thread());
        // Unless this is it: it may have had the last reference to an actor's log.
        if let Some(thread) = thread.filter(|it| it.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}
