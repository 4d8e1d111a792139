//! The thread that writes the log of one actor: one epoch after the other, each with all that has
//! been committed while the one before was being written. The courier lets go of the effects that
//! have waited for an epoch while the next one is being written.

use super::actor_log::ActorLog;
use super::courier::{ToCourier, let_go_of_all};
use super::handed_over::FetchedCommits;
use super::record::Head;
use super::snapshots::Snapshots;
use super::store::{Store, refused};
use super::transaction_log::{Run, bytes_of};
use odeon_core::Message;
use odeon_log::{LogError, LogWriter};
use odeon_sync::Backoff;
use odeon_sync::contained::{contained, forget};
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Why nothing is answered any more if that thread has a defect.
const PANICKED: &str = "the thread that writes the log has panicked";

/// TUNE: looks for commits to end before a snapshot; a commit takes well under a microsecond unless
/// its thread is held up, and the wait yields its processor early on.
const LOOKS: usize = 1_000;

/// TUNE: bytes of commits that the log of transactions keeps for one actor: some thousand of them.
const KEPT: usize = 1024 * 1024;

/// The thread, which ends when this is dropped: all is durable and has happened then, or the log
/// has failed.
pub(super) struct LogThread<M: Message> {
    log: Arc<ActorLog<M>>,
    thread: Option<JoinHandle<()>>,
}

impl<M: Message> LogThread<M> {
    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(
        log: Arc<ActorLog<M>>,
        store: Store,
        writer: LogWriter,
        snapshots: Snapshots,
        name: &str,
    ) -> io::Result<Self> {
        let (fetched, courier) = (FetchedCommits::default(), ToCourier::default());
        let written = log.durable();
        let mut writing = Writing {
            log: log.clone(),
            store,
            writer,
            snapshots,
            fetched,
            courier,
            written,
            offered: 0,
            kept: 0,
            told: written,
        };
        let run = move || {
            if let Err(panic) = contained(|| writing.run()) {
                writing.fail(refused("write", String::new(), io::Error::other(PANICKED)));
                forget(panic);
            }
            writing.end();
        };
        let thread = thread::Builder::new().name(format!("log of {name}")).spawn(run)?;
        Ok(Self { log, thread: Some(thread) })
    }
}

impl<M: Message> Drop for LogThread<M> {
    fn drop(&mut self) {
        self.log.close();
        // Unless this is it: it may have had the last reference to the actor.
        let other = |it: &JoinHandle<()>| it.thread().id() != thread::current().id();
        if let Some(thread) = self.thread.take().filter(other) {
            if let Err(panic) = thread.join() {
                forget(panic);
            }
            self.log.leave_store();
        }
        let_go_of_all(&self.log);
    }
}

struct Writing<M: Message> {
    log: Arc<ActorLog<M>>,
    store: Store,
    writer: LogWriter,
    snapshots: Snapshots,
    fetched: FetchedCommits,
    courier: ToCourier,
    /// Up to which number commits are in this log: behind them may be durable ones, by the log of
    /// transactions.
    written: u64,
    /// Up to which number they were offered to that; 0: never.
    offered: u64,
    /// Bytes that were offered since this log was written.
    kept: usize,
    /// Up to which number the courier knows that commits are durable.
    told: u64,
}

impl<M: Message> Writing<M> {
    fn run(&mut self) {
        loop {
            if self.log.failed() {
                return self.courier.tell(&self.log);
            }
            // Before the look: whatever has come by then is seen.
            let is_closing = self.log.is_closing();
            match self.write() {
                Ok(0) if is_closing && self.has_written_all() => return,
                Ok(0) => self.sleep(),
                Ok(_) => {}
                Err(error) => return self.fail(error),
            }
        }
    }

    /// The end of the thread. If the actor has ended nobody may be there who waits for it.
    fn end(&self) {
        if self.log.is_closing() {
            self.log.leave_store();
        }
    }

    /// Whether nothing is missing, as a transaction is that is not settled.
    fn has_written_all(&self) -> bool {
        self.written == self.log.numbers.last()
    }

    /// The last commit that is in this log, or was offered to that of transactions.
    fn passed_on(&self) -> u64 {
        self.offered.max(self.written)
    }

    /// Sleeps until there is something to do.
    fn sleep(&mut self) {
        let log = self.log.clone();
        let waiting = match self.offered {
            0 => 0,
            _ => self.store.transactions().waiting(log.life()),
        };
        log.sleep(waiting, || {
            self.fetched.fetch(&self.log.handed_over);
            let unsettled = self.log.unsettled();
            let can_offer = unsettled.is_some_and(|number| !self.to_offer(number).is_empty());
            let is_over = self.log.is_closing() && self.has_written_all();
            let is_told = self.told == self.log.durable();
            can_offer || self.is_to_write(unsettled) || is_over || !is_told || self.log.failed()
        });
    }

    fn fail(&mut self, error: LogError) {
        self.store.transactions().log_failed(self.log.life(), &error);
        self.log.fail(error);
        self.courier.tell(&self.log);
    }

    /// Writes what there is. Answers how many commits there were, or were offered.
    fn write(&mut self) -> Result<usize, LogError> {
        self.fetched.fetch(&self.log.handed_over);
        // Whatever was fetched of transactions is among these, or settled.
        let unsettled = self.log.unsettled();
        let offered = unsettled.map_or(0, |number| self.offer(number));
        self.tell_courier();
        let is_to_write = self.is_to_write(unsettled);
        let commits = if is_to_write { self.write_epoch(unsettled.is_some())? } else { 0 };
        if self.snapshots.is_due() {
            self.begin_snapshot();
        }
        Ok(offered + commits)
    }

    /// What is durable since the last time may be let go of.
    fn tell_courier(&mut self) {
        let durable = self.log.durable();
        if std::mem::replace(&mut self.told, durable) < durable {
            self.courier.tell(&self.log);
        }
    }

    /// What there is to be offered, if this transaction is among it, or was offered.
    fn to_offer(&self, transaction: u64) -> Vec<&[u8]> {
        let first = self.passed_on() + 1;
        let mut commits = self.fetched.in_order(first - 1);
        if first + commits.len() as u64 <= transaction {
            commits.clear();
        }
        commits
    }

    /// Offers what there is to the log of transactions.
    fn offer(&mut self, transaction: u64) -> usize {
        let commits = self.to_offer(transaction);
        let run: Run =
            (self.passed_on() + 1..).zip(commits.iter().map(|&changes| changes.into())).collect();
        let Some(&(last, _)) = run.back() else { return 0 };
        let offered = run.len();
        self.kept += bytes_of(&run);
        self.offered = last;
        self.fetched.forget_up_to(last);
        self.log.note_waiting(self.store.transactions().offer(self.log.life(), run));
        offered
    }

    /// Whether this log is to be written. What the log of transactions has is durable: that waits
    /// until there is something else to write, or much of it.
    fn is_to_write(&self, unsettled: Option<u64>) -> bool {
        let has_settled = self.log.durable() > self.written;
        match unsettled {
            Some(_) => has_settled && self.kept >= KEPT,
            None if self.log.is_closing() => self.written < self.log.numbers.last(),
            // Or what was offered, and is behind the last transaction.
            None => {
                let has_next = self.fetched.has(self.passed_on() + 1);
                has_next || self.offered > self.log.durable() || self.kept >= KEPT
            }
        }
    }

    /// Begins a snapshot between two commits: that all those before it are over, and none behind it
    /// has begun, is so for the moment in which nobody gets a number.
    fn begin_snapshot(&mut self) {
        let Some(prepared) = self.snapshots.prepare() else { return };
        let log = self.log.clone();
        let closed = log.numbers.close();
        let is_over = self.wait_for(closed.last);
        let begun = if is_over { prepared.begin() } else { None };
        let last = closed.last;
        drop(closed);
        if let Some(begun) = begun {
            // No epoch has a commit behind `last`, for this thread has fetched none. Without a file
            // for it there is no snapshot, and the log goes on.
            if let Ok(writer) = self.writer.begin_snapshot() {
                begun.write(writer, last);
            }
        }
    }

    /// Waits a moment for all commits that have numbers to be over.
    fn wait_for(&mut self, last: u64) -> bool {
        let mut backoff = Backoff::new();
        for _ in 0..LOOKS {
            self.fetched.fetch(&self.log.handed_over);
            if self.fetched.has_all(self.passed_on(), last) {
                return true;
            }
            backoff.wait();
        }
        false
    }

    /// Writes what is settled; and, unless something is `unsettled`, all that comes behind it.
    fn write_epoch(&mut self, is_unsettled: bool) -> Result<usize, LogError> {
        let (store, life) = (self.store.clone(), self.log.life());
        let transactions = store.transactions();
        let run = match (self.offered > self.written, is_unsettled) {
            (false, _) => Run::new(),
            (true, true) => transactions.settled(life, self.written),
            (true, false) => transactions.take_back(life, self.written),
        };
        debug_assert!(run.front().is_none_or(|(first, _)| *first == self.written + 1));
        let last = run.back().map_or(self.written, |(last, _)| *last);
        let more = if is_unsettled { Vec::new() } else { self.fetched.in_order(last) };
        let commits = run.len() + more.len();
        if commits > 0 {
            let head = Head::CommitsFrom(self.written + 1).to_bytes();
            let changes =
                || run.iter().map(|(_, changes)| &changes[..]).chain(more.iter().copied());
            let bytes = head.len() + changes().map(<[u8]>::len).sum::<usize>();
            self.writer.append_epoch([&head[..]].into_iter().chain(changes()))?;
            self.snapshots.appended(bytes);
            self.written += commits as u64;
            self.log.set_durable(self.written);
            self.tell_courier();
            self.fetched.forget_up_to(self.written);
            if self.offered > 0 {
                transactions.written(life, self.written);
            }
        }
        self.kept = 0;
        Ok(commits)
    }
}
