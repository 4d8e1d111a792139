//! A piece of work on its way: from who submits it to a worker, and back.

use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use odeon_core::Reply;
use odeon_core::extend::is_awaited;
use odeon_sync::contained::drop_each;

use super::worker_table::MOST_STRIKES;
use crate::error::DeviceError;

/// What becomes of a piece: it comes back done, or as it is with the reason.
pub type Returned<W> = Result<W, Undone<W>>;

/// A piece that was not done, and why. What a worker may have written into it means nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Undone<W> {
    /// The piece.
    pub work: W,
    /// Why it was not done.
    pub why: WhyUndone,
}

/// Why a piece was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyUndone {
    /// It fails wherever it is tried.
    Failed {
        /// How often it was tried alone.
        tries: u32,
        /// What went wrong the last time.
        last: WorkerError,
    },
    /// No worker is left, and none will come: what has become of the last one.
    NobodyLeft(String),
    /// The pool was stopped, or its theater, before it came to this piece.
    Stopped,
    /// As many pieces as the queue may hold were waiting already.
    Full,
}

/// What can go wrong in a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerError {
    /// It said so.
    Error(DeviceError),
    /// It panicked: with this text, if it was one.
    Panic(String),
}

impl WorkerError {
    /// Whether a worker that is made anew may succeed.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Error(error) => error.is_transient(),
            Self::Panic(_) => true,
        }
    }

    /// Whether it says nothing of the pieces that were in work, as they have not been begun, or not
    /// come to their end for another reason.
    pub(super) fn is_of_surroundings(&self) -> bool {
        matches!(self, Self::Error(DeviceError::Disconnected(_) | DeviceError::Unavailable(_)))
    }
}

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::Panic(text) => write!(f, "panicked: {text}"),
        }
    }
}

impl Error for WorkerError {}

impl fmt::Display for WhyUndone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { tries, last } => {
                write!(f, "failed wherever it was tried ({tries} times), at last: {last}")
            }
            Self::NobodyLeft(why) => write!(f, "no worker is left: {why}"),
            Self::Stopped => f.write_str("the pool was stopped before"),
            Self::Full => f.write_str("the queue is full"),
        }
    }
}

impl<W> fmt::Debug for Undone<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Undone").field("why", &self.why).finish_non_exhaustive()
    }
}

impl<W> fmt::Display for Undone<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a piece of work was not done: {}", self.why)
    }
}

impl<W> Error for Undone<W> {}

/// A piece, and where it goes back to.
pub(super) struct QueuedPiece<W> {
    pub(super) work: W,
    pub(super) ticket: WorkTicket<W>,
}

/// All about a piece but the work itself, which lies beside others of its batch while it is done.
pub(super) struct WorkTicket<W> {
    pub(super) home: Home<W>,
    /// The kinds at which it has failed alone, as bits.
    pub(super) failed_at: u64,
    /// The workers that have failed at it alone, as often as they have.
    pub(super) failed_by: Vec<usize>,
    /// How often it has failed alone.
    pub(super) tries: u32,
}

impl<W> WorkTicket<W> {
    pub(super) fn new(home: Home<W>) -> Self {
        Self { home, failed_at: 0, failed_by: Vec::new(), tries: 0 }
    }

    /// More than [`MOST_STRIKES`] of one worker make no difference, however often it fails at this
    /// piece.
    pub(super) fn note_failed_by(&mut self, member: usize) {
        let before = self.failed_by.iter().filter(|other| **other == member).count();
        if before < MOST_STRIKES as usize {
            self.failed_by.push(member);
        }
    }
}

/// Where a piece goes back to.
pub(super) enum Home<W> {
    Alone(Reply<Returned<W>>),
    /// A place among those that were submitted together.
    Among(Arc<Together<W>>, usize),
}

/// Pieces that go back together, when the last one has come.
///
/// WHY a lock for each place: workers that bring pieces back at the same time do not wait for each
/// other.
pub(super) struct Together<W> {
    places: Box<[Mutex<Option<Returned<W>>>]>,
    left: AtomicUsize,
    to: Mutex<Option<Reply<Vec<Returned<W>>>>>,
}

impl<W: Send + 'static> Together<W> {
    pub(super) fn new(pieces: usize, to: Reply<Vec<Returned<W>>>) -> Arc<Self> {
        let places = (0..pieces).map(|_| Mutex::new(None)).collect();
        Arc::new(Self { places, left: AtomicUsize::new(pieces), to: Mutex::new(Some(to)) })
    }

    fn put(&self, place: usize, returned: Returned<W>) {
        *open(&self.places[place]) = Some(returned);
        // ORDERING: AcqRel: who brings the last one finds what all others have put before they
        // counted down here.
        if self.left.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let all: Vec<_> = self.places.iter().map(|place| open(place).take()).collect();
        let Some(mut to) = open(&self.to).take() else { return };
        if is_awaited(&mut to) {
            to.send(all.into_iter().flatten().collect());
        } else {
            // Each by itself: several that panic at once would be the end of the process.
            drop_each(all);
        }
    }
}

fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<W> Home<W> {
    /// Whether pieces of both go back together.
    pub(super) fn is_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Among(one, _), Self::Among(other, _)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl<W: Send + 'static> Home<W> {
    pub(super) fn give_back(self, returned: Returned<W>) {
        match self {
            Self::Alone(to) => to.send(returned),
            Self::Among(together, place) => together.put(place, returned),
        }
    }
}
