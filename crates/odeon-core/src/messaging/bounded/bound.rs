//! How many messages may wait in a mailbox, and what becomes of the next one.

/// The most that can be counted.
const MOST: usize = usize::MAX >> 8;

/// How many messages may wait in a mailbox of a [`Bounded`](crate::Bounded) actor, and what becomes
/// of the next one.
///
/// | | [`wait`](Self::wait) | [`reject`](Self::reject) | [`drop_oldest`](Self::drop_oldest) |
/// |---|---|---|---|
/// | `send` of a thread | waits | gives the message back | takes the place of the oldest |
/// | `send` of an actor | is accepted; the actor is held back | gives the message back | takes the place of the oldest |
/// | `send_async` | waits | gives the message back | takes the place of the oldest |
/// | `try_send` | gives the message back | gives the message back | takes the place of the oldest |
/// | replies, watches, timers, `send_self` | are accepted | are accepted | take the place of the oldest |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    pub(super) capacity: usize,
    pub(super) when_full: WhenFull,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenFull {
    Wait,
    Reject,
    DropOldest,
}

impl Bound {
    /// Whether it has messages give way to newer ones.
    pub fn drops_oldest(&self) -> bool {
        self.when_full == WhenFull::DropOldest
    }

    /// Senders wait for a place, in the order in which they came.
    ///
    /// A pool actor cannot wait in the middle of a handler: its messages are accepted beyond the
    /// capacity, and it gets no turn after the message it is handling until there is room. So the
    /// mailbox has at most so many messages too many as its actor senders send within one message
    /// each.
    ///
    /// # Panics
    /// If `capacity` is 0.
    #[track_caller]
    pub const fn wait(capacity: usize) -> Self {
        Self::new(capacity, WhenFull::Wait)
    }

    /// Senders get their message back: [`SendError::Full`](crate::SendError::Full).
    ///
    /// # Panics
    /// If `capacity` is 0.
    #[track_caller]
    pub const fn reject(capacity: usize) -> Self {
        Self::new(capacity, WhenFull::Reject)
    }

    /// The newest `capacity` messages wait; the oldest of them gives way to the next one and goes
    /// to the dead-letter hook
    /// ([`DeadLetterReason::Displaced`](crate::DeadLetterReason::Displaced)), at the latest when
    /// its turn would have come.
    ///
    /// # Panics
    /// If `capacity` is 0.
    #[track_caller]
    pub const fn drop_oldest(capacity: usize) -> Self {
        Self::new(capacity, WhenFull::DropOldest)
    }

    #[track_caller]
    const fn new(capacity: usize, when_full: WhenFull) -> Self {
        assert!(
            capacity > 0,
            "a mailbox that takes no message cannot be: the capacity is at least 1"
        );
        Self { capacity: if capacity < MOST { capacity } else { MOST }, when_full }
    }
}
