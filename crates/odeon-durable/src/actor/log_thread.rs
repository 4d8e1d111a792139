//! The thread that writes the log of one actor: one epoch after the other, each with all that has
//! been committed while the one before was being written. Another one lets go of the effects that
//! have waited for an epoch, while the next one is being written.

use super::actor_log::ActorLog;
use super::handed_over::FetchedCommits;
use super::record::Head;
use super::snapshots::Snapshots;
use super::store::refused;
use odeon_core::{Message, as_task};
use odeon_log::{LogError, LogWriter};
use odeon_sync::Backoff;
use odeon_sync::contained::{contained, forget};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread::{self, JoinHandle};

/// Why nothing is answered any more if that thread has a defect.
const PANICKED: &str = "the thread that writes the log has panicked";

/// TUNE: looks for commits to end before a snapshot; a commit takes well under a microsecond unless
/// its thread is held up, and the wait yields its processor early on.
const LOOKS: usize = 1_000;

/// The thread, and the one that lets go of effects, which end when this is dropped: all is durable
/// and has happened then, or the log has failed.
pub(super) struct LogThread<M: Message> {
    log: Arc<ActorLog<M>>,
    writes: Option<JoinHandle<()>>,
    lets_go: Option<JoinHandle<()>>,
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
        let mut this = Self { log: log.clone(), writes: None, lets_go: None };
        let lets_go = log.clone();
        // A task, which nothing blocks: a receiver under pressure may wait for an answer that this
        // thread is to give.
        let run = as_task(async move { lets_go.held_back.let_go(|| lets_go.durable()) });
        let run = move || {
            let _: Poll<()> = pin!(run).poll(&mut Context::from_waker(Waker::noop()));
        };
        this.lets_go = Some(thread::Builder::new().name(format!("answers of {name}")).spawn(run)?);
        let fetched = FetchedCommits::default();
        let mut writing = Writing { log, writer, snapshots, fetched };
        let run = move || {
            if let Err(panic) = contained(|| writing.run()) {
                writing.log.fail(refused("write", String::new(), io::Error::other(PANICKED)));
                forget(panic);
            }
        };
        this.writes = Some(thread::Builder::new().name(format!("log of {name}")).spawn(run)?);
        Ok(this)
    }
}

impl<M: Message> Drop for LogThread<M> {
    fn drop(&mut self) {
        self.log.close();
        join(self.writes.take());
        self.log.held_back.end();
        join(self.lets_go.take());
    }
}

/// Waits for a thread, unless this is it: it may have had the last reference to the actor.
fn join(thread: Option<JoinHandle<()>>) {
    let Some(thread) = thread.filter(|it| it.thread().id() != thread::current().id()) else {
        return;
    };
    if let Err(panic) = thread.join() {
        forget(panic);
    }
}

struct Writing<M: Message> {
    log: Arc<ActorLog<M>>,
    writer: LogWriter,
    snapshots: Snapshots,
    fetched: FetchedCommits,
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
                Err(error) => return self.log.fail(error),
            }
        }
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
            self.fetched.forget_up_to(last + commits as u64);
        }
        Ok(commits)
    }
}
