//! Snapshots of an actor's state, written beside its log by a thread of their own.

use super::record::Head;
use crate::state::Durable;
use odeon_log::LogError;
use odeon_log::SnapshotWriter;
use odeon_stm::journal::add_change;
use odeon_stm::{SnapshotExpired, snapshot_within};
use odeon_sync::contained::forget;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};

/// Bytes of a chunk before the next one begins.
/// TUNE: guessed: recovery makes the changes of one chunk in one transaction.
const CHUNK: usize = 64 * 1024;

/// A state that tells all that is in it.
pub(super) trait TellState: Send + Sync {
    /// Calls `begun` when the moment is fixed whose state it tells, and then `change` with what
    /// makes that state, until this answers `false`.
    fn tell(
        &self,
        begun: &mut dyn FnMut(),
        change: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), SnapshotExpired>;
}

impl<S: Durable> TellState for S {
    fn tell(
        &self,
        begun: &mut dyn FnMut(),
        change: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(), SnapshotExpired> {
        let (mut record, mut goes_on) = (Vec::new(), true);
        snapshot_within(usize::MAX, |view| {
            begun();
            let mut walk = self.node().walk();
            // Within a variable it goes on to the end of that, and tells nothing.
            while let Some((name, variable)) = walk.next_variable().filter(|_| goes_on) {
                variable.tell(view, &mut |bytes| {
                    if goes_on {
                        record.clear();
                        add_change(name, bytes, &mut record);
                        goes_on = change(&record);
                    }
                })?;
            }
            Ok(())
        })
    }
}

/// See the module.
pub(super) struct Snapshots {
    state: Arc<dyn TellState>,
    /// Waits until all up to a number is durable; answers whether it is.
    durable: Arc<dyn Fn(u64) -> bool + Send + Sync>,
    /// Bytes of the log behind a snapshot beyond which there is another one, unless that had
    /// more.
    after: u64,
    /// Bytes of the log behind the last snapshot.
    behind: u64,
    /// Bytes of the last snapshot.
    last: u64,
    running: Option<RunningSnapshot>,
    /// Whether what is being written is for nothing.
    gives_up: Arc<AtomicBool>,
}

struct RunningSnapshot {
    thread: JoinHandle<Option<u64>>,
    /// Bytes of the log when it began.
    behind: u64,
}

impl RunningSnapshot {
    /// Waits for its end; answers how many bytes it has, if there is one.
    fn join(self) -> Option<u64> {
        match self.thread.join() {
            Ok(bytes) => bytes,
            Err(panic) => {
                forget(panic);
                None
            }
        }
    }
}

/// A snapshot whose thread is there.
pub(super) struct PreparedSnapshot {
    begin: SyncSender<()>,
    begun: Receiver<()>,
    writer: SyncSender<(SnapshotWriter, u64)>,
}

/// A snapshot whose moment is fixed.
pub(super) struct BegunSnapshot(SyncSender<(SnapshotWriter, u64)>);

impl PreparedSnapshot {
    /// Begins with this moment. `None`: there is no snapshot.
    pub(super) fn begin(self) -> Option<BegunSnapshot> {
        self.begin.send(()).ok()?;
        self.begun.recv().ok().map(|()| BegunSnapshot(self.writer))
    }
}

impl BegunSnapshot {
    /// Goes on with it: it is the state after the commit with this number, which all epochs behind
    /// those that the snapshot is of come after, but for commits that are known by their numbers.
    pub(super) fn write(self, writer: SnapshotWriter, number: u64) {
        // If the thread has ended there is no snapshot.
        let _ = self.0.send((writer, number));
    }
}

impl Snapshots {
    /// Of a state whose log has so many bytes behind a snapshot of so many.
    pub(super) fn new(
        state: Arc<dyn TellState>,
        durable: impl Fn(u64) -> bool + Send + Sync + 'static,
        after: u64,
        behind: u64,
        last: u64,
    ) -> Self {
        let (durable, gives_up) = (Arc::new(durable), Arc::default());
        Self { state, durable, after, behind, last, running: None, gives_up }
    }

    /// An epoch with so many bytes was appended.
    pub(super) fn appended(&mut self, bytes: usize) {
        self.behind += bytes as u64;
    }

    /// Whether there is to be another one.
    pub(super) fn is_due(&mut self) -> bool {
        if let Some(running) = self.running.take_if(|running| running.thread.is_finished()) {
            // One that has failed, by the disk or by a value that cannot be encoded, is tried again
            // when as much has been written again.
            self.behind -= running.behind;
            self.last = running.join().unwrap_or(self.last);
        }
        self.running.is_none() && self.behind >= self.after.max(self.last)
    }

    /// Starts the thread of a snapshot. `None`: there is none.
    pub(super) fn prepare(&mut self) -> Option<PreparedSnapshot> {
        let (writer, writers) = mpsc::sync_channel(1);
        let (told_begun, begun) = mpsc::sync_channel(1);
        let (begin, begins) = mpsc::sync_channel(1);
        let Self { state, durable, gives_up, .. } = self;
        let (state, durable, gives_up) = (state.clone(), durable.clone(), gives_up.clone());
        let write = move || {
            begins.recv().ok()?;
            let (chunks, number) = write(&*state, &told_begun, &writers, &gives_up)?;
            // Nothing is to be found of a transaction that another log may never have.
            if durable(number) { chunks.finish().ok() } else { None }
        };
        let thread = thread::Builder::new().name("odeon-snapshot".into()).spawn(write).ok()?;
        self.running = Some(RunningSnapshot { thread, behind: self.behind });
        Some(PreparedSnapshot { begin, begun, writer })
    }
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        // ORDERING: Relaxed: a hint.
        self.gives_up.store(true, Ordering::Relaxed);
        if let Some(running) = self.running.take() {
            let _ = running.join();
        }
    }
}

/// Writes all of a snapshot; answers it, and the number of its last commit.
fn write(
    state: &dyn TellState,
    begun: &SyncSender<()>,
    writers: &Receiver<(SnapshotWriter, u64)>,
    gives_up: &AtomicBool,
) -> Option<(Chunks, u64)> {
    let chunks = RefCell::new(Ok(None));
    let told = state.tell(
        &mut || {
            let _ = begun.send(());
            let writer = writers.recv().ok();
            *chunks.borrow_mut() = writer.map(Chunks::begin).transpose();
        },
        &mut |change| {
            let mut chunks = chunks.borrow_mut();
            let Ok(Some(there)) = &mut *chunks else { return false };
            if let Err(error) = there.push(change) {
                *chunks = Err(error);
            }
            // ORDERING: Relaxed: a hint.
            chunks.is_ok() && !gives_up.load(Ordering::Relaxed)
        },
    );
    // ORDERING: Relaxed: a hint.
    let is_whole = told.is_ok() && !gives_up.load(Ordering::Relaxed);
    let chunks = chunks.into_inner().ok().flatten().filter(|_| is_whole)?;
    let number = chunks.number;
    Some((chunks, number))
}

/// Changes, put together into chunks.
struct Chunks {
    writer: SnapshotWriter,
    number: u64,
    chunk: Vec<u8>,
    bytes: u64,
}

impl Chunks {
    fn begin((writer, number): (SnapshotWriter, u64)) -> Result<Self, LogError> {
        let mut chunks = Self { writer, number, chunk: Vec::with_capacity(CHUNK), bytes: 0 };
        chunks.writer.write_chunk(&Head::StateAfter(number).to_bytes())?;
        Ok(chunks)
    }

    fn push(&mut self, change: &[u8]) -> Result<(), LogError> {
        self.chunk.extend_from_slice(change);
        if self.chunk.len() >= CHUNK { self.write_chunk() } else { Ok(()) }
    }

    fn write_chunk(&mut self) -> Result<(), LogError> {
        self.bytes += self.chunk.len() as u64;
        let written = self.writer.write_chunk(&self.chunk);
        self.chunk.clear();
        written
    }

    fn finish(mut self) -> Result<u64, LogError> {
        self.write_chunk()?;
        self.writer.finish()?;
        Ok(self.bytes)
    }
}
