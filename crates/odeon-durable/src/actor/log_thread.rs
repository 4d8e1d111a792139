//! The thread that writes the log of one actor: one epoch after the other, each with all that has
//! been committed while the one before was being written. The courier lets go of the effects that
//! have waited for an epoch while the next one is being written.

use super::actor_log::ActorLog;
use super::courier::{ToCourier, let_go_of_all};
use super::handed_over::FetchedCommits;
use super::record::Head;
use super::snapshots::Snapshots;
use super::store::refused;
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
        writer: LogWriter,
        snapshots: Snapshots,
        name: &str,
    ) -> io::Result<Self> {
        let (fetched, courier) = (FetchedCommits::default(), ToCourier::default());
        let mut writing = Writing { log: log.clone(), writer, snapshots, fetched, courier };
        let run = move || {
            if let Err(panic) = contained(|| writing.run()) {
                writing.fail(refused("write", String::new(), io::Error::other(PANICKED)));
                forget(panic);
            }
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
        if let Some(Err(panic)) = self.thread.take().filter(other).map(JoinHandle::join) {
            forget(panic);
        }
        let_go_of_all(&self.log);
    }
}

struct Writing<M: Message> {
    log: Arc<ActorLog<M>>,
    writer: LogWriter,
    snapshots: Snapshots,
    fetched: FetchedCommits,
    courier: ToCourier,
}

impl<M: Message> Writing<M> {
    fn run(&mut self) {
        loop {
            // Before the look: whatever has come by then is seen.
            let is_closing = self.log.is_closing();
            match self.write() {
                Ok(0) if is_closing => return,
                Ok(0) => {
                    let Self { log, fetched, .. } = self;
                    let last = log.durable();
                    log.sleep(|| {
                        fetched.fetch(&log.handed_over);
                        fetched.has(last + 1) || log.is_closing()
                    });
                }
                Ok(_) => {}
                Err(error) => return self.fail(error),
            }
        }
    }

    fn fail(&mut self, error: LogError) {
        self.log.fail(error);
        self.courier.tell(&self.log);
    }

    /// Writes what there is. Answers how many commits there were.
    fn write(&mut self) -> Result<usize, LogError> {
        let last = self.log.durable();
        self.fetched.fetch(&self.log.handed_over);
        let commits = self.write_epoch(last)?;
        if self.snapshots.is_due() {
            self.begin_snapshot();
        }
        Ok(commits)
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
        let (durable, mut backoff) = (self.log.durable(), Backoff::new());
        for _ in 0..LOOKS {
            self.fetched.fetch(&self.log.handed_over);
            if self.fetched.has_all(durable, last) {
                return true;
            }
            backoff.wait();
        }
        false
    }

    fn write_epoch(&mut self, last: u64) -> Result<usize, LogError> {
        let changes = self.fetched.in_order(last);
        let commits = changes.len();
        if commits > 0 {
            let head = Head::CommitsFrom(last + 1).to_bytes();
            let bytes = head.len() + changes.iter().map(|changes| changes.len()).sum::<usize>();
            self.writer.append_epoch([&head[..]].into_iter().chain(changes))?;
            self.snapshots.appended(bytes);
            self.log.set_durable(last + commits as u64);
            self.courier.tell(&self.log);
            self.fetched.forget_up_to(last + commits as u64);
        }
        Ok(commits)
    }
}
