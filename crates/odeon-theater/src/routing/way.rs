//! The way from the seats of one actor to where it is.
//!
//! Only the seat whose turn it is to send uses a way, in its own turn, and only there is it closed;
//! a closed one is opened by whoever knows that all that was sent by it before has come.

use std::sync::Arc;

use odeon_core::wire::NotTaken;
use odeon_sync::atomic::{AtomicBool, Ordering, fence};
use odeon_sync::{Mutex, MutexGuard};

use crate::routing::channel::Channel;
use crate::routing::marks::{MARK, Mark};
use crate::routing::peer::Peer;

/// A seat of another theater.
#[derive(Clone)]
pub(crate) struct To {
    pub(crate) peer: Arc<Peer>,
    pub(crate) seat: u64,
}

/// See the module.
pub(crate) struct Way {
    /// Never taken while the lock of the seats is held.
    course: Mutex<Course>,
    is_open: AtomicBool,
}

pub(crate) struct Course {
    pub(crate) to: Option<To>,
    /// Where messages are written.
    pub(crate) bytes: Vec<u8>,
}

impl Way {
    /// One that leads nowhere.
    pub(crate) fn closed() -> Self {
        Self {
            course: Mutex::new(Course { to: None, bytes: Vec::new() }),
            is_open: AtomicBool::new(false),
        }
    }

    pub(crate) fn to(to: To) -> Self {
        Self {
            course: Mutex::new(Course { to: Some(to), bytes: Vec::new() }),
            is_open: AtomicBool::new(true),
        }
    }

    pub(crate) fn course(&self) -> MutexGuard<'_, Course> {
        self.course.lock().expect("users' code is contained")
    }

    /// Has messages go there from here on. The seat is to be woken.
    pub(crate) fn lead(&self, to: To) {
        self.course().to = Some(to);
        self.open();
    }

    /// Has messages go where they went before it was closed. The seat is to be woken.
    pub(crate) fn open(&self) {
        // ORDERING: Relaxed: what is read behind it is read under the lock of the course.
        self.is_open.store(true, Ordering::Relaxed);
        // ORDERING: SeqCst: as in `FromSeat::goes_first`.
        fence(Ordering::SeqCst);
    }

    /// In the seat's turn: takes no more messages. The last that goes by it is `mark`. `false`: it
    /// leads nowhere, or to the dead.
    pub(crate) fn close(&self, mark: Option<&Mark>) -> bool {
        // ORDERING: Relaxed: read in the same turn.
        self.is_open.store(false, Ordering::Relaxed);
        mark.is_some_and(|mark| self.say(mark))
    }

    /// A mark goes by it, also if it is closed. `false`: it leads nowhere, or to the dead.
    pub(crate) fn say(&self, mark: &Mark) -> bool {
        let course = self.course();
        course.to.as_ref().is_some_and(|to| to.push_mark(&mark.to_bytes()).is_ok())
    }

    pub(crate) fn is_open(&self) -> bool {
        // ORDERING: Relaxed: see `open`.
        self.is_open.load(Ordering::Relaxed)
    }

    pub(crate) fn pressing(&self) -> usize {
        self.course().to.as_ref().map_or(0, |to| to.peer.pressing(to.seat))
    }
}

impl To {
    /// Whether it is the same seat, by the same link.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.seat == other.seat && Arc::ptr_eq(&self.peer, &other.peer)
    }

    /// Pushes a mark on the channel of the seat; `transmit` is owed.
    pub(crate) fn push_mark(&self, mark: &[u8]) -> Result<(), NotTaken> {
        self.peer.asked.note(mark);
        let mut bytes = Vec::with_capacity(1 + mark.len());
        bytes.push(MARK);
        bytes.extend_from_slice(mark);
        self.peer.push(Channel::Actor(self.seat), &bytes).map_err(|_| NotTaken::Unreachable)
    }
}
