//! How an actor's messages are processed: configuration, apart from what its handlers do.

use crate::width::Controller;

/// How the messages of a speculative actor are processed. The results are the same in every way; speed is not.
///
/// ```
/// use odeon_speculative::{Ordering, Processing};
///
/// let as_it_pays = Processing::adaptive();
/// let one_at_a_time = Processing::sequential();
/// let four_at_once = Processing::concurrent().width(4);
/// let no_order = Processing::concurrent().ordering(Ordering::Unordered);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processing {
    pub(crate) mode: Mode,
    /// `None`: one per worker of the pool.
    pub(crate) width: Option<usize>,
    pub(crate) ordering: Ordering,
    /// Whether the actor waits for the outcome of a coordinated transaction that has been at it.
    pub(crate) blocks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Sequential,
    Concurrent,
    Adaptive(Adaptation),
}

/// How the width of an adaptive actor is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Adaptation {
    /// By the throughput: another width is tried from time to time, and kept if it is clearly better.
    #[default]
    HillClimb,
    /// By the share of attempts that commit: the width is doubled while that is above a threshold, which is found at
    /// the start, and halved below (Hayduk's thesis, 5.3.1).
    Threshold,
}

/// In which order messages that wait at the same time are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ordering {
    /// Messages of one sender in the order in which they were sent; those of different senders in any.
    #[default]
    PerSender,
    /// In any order: faster if few senders send much.
    Unordered,
}

impl Processing {
    /// One message at a time, without the cost of a transaction. A coordinated transaction has the actor to itself from its first
    /// message here until its outcome.
    pub fn sequential() -> Self {
        let ordering = Ordering::default();
        Self { mode: Mode::Sequential, width: None, ordering, blocks: true }
    }

    /// Several messages at once: as many as the pool has workers, or as [`width`](Self::width) says; coordinated
    /// transactions as with [`sequential`](Self::sequential).
    pub fn concurrent() -> Self {
        Self { mode: Mode::Concurrent, ..Self::sequential() }
    }

    /// One message at a time; a coordinated transaction that has been here leaves nothing behind but that what it has read
    /// and written is protected until its outcome.
    pub fn non_blocking() -> Self {
        Self { blocks: false, ..Self::sequential() }
    }

    /// [Several messages](Self::concurrent) at once, and coordinated transactions that do not
    /// [block](Self::non_blocking).
    pub fn combined() -> Self {
        Self { blocks: false, ..Self::concurrent() }
    }

    /// As many messages at once as pay, between one and the [`width`](Self::width), found out and changed while the
    /// actor runs; coordinated transactions do not [block](Self::non_blocking).
    pub fn adaptive() -> Self {
        Self::adaptive_by(Adaptation::default())
    }

    /// As [`adaptive`](Self::adaptive), in the given way.
    pub fn adaptive_by(adaptation: Adaptation) -> Self {
        Self { mode: Mode::Adaptive(adaptation), ..Self::combined() }
    }

    /// How many messages may be in attempts at once, at least 1.
    ///
    /// # Panics
    /// If `width` is 0.
    #[must_use]
    #[track_caller]
    pub fn width(mut self, width: usize) -> Self {
        assert!(width > 0, "a width of 0 would never handle a message");
        self.width = Some(width);
        self
    }

    /// In which order messages are handled.
    #[must_use]
    pub fn ordering(mut self, ordering: Ordering) -> Self {
        self.ordering = ordering;
        self
    }
}

impl Processing {
    /// The width to begin with in a pool of `workers`, and who changes it.
    pub(crate) fn begin(self, workers: usize) -> (usize, Option<Controller>) {
        let most = self.width.unwrap_or(workers);
        match self.mode {
            Mode::Sequential => (1, None),
            Mode::Concurrent => (most, None),
            Mode::Adaptive(_) if most == 1 => (1, None),
            Mode::Adaptive(adaptation) => (1, Some(Controller::new(adaptation, most))),
        }
    }
}

impl Default for Processing {
    /// [`Processing::adaptive`].
    fn default() -> Self {
        Self::adaptive()
    }
}
