//! The numbers that a user gets by [`Theater::stats`](crate::Theater::stats).

use std::sync::Arc;
use std::time::Duration;

use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::dead_letter::DeadLetterCounts;

/// What a theater has counted so far, of each stage and of each live actor.
///
/// Each number is one of a moment ago, while turns go on; in a theater that is quiet all are exact.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Stats {
    /// The time of the theater's clock.
    pub at: Duration,
    /// The pool first, then the pinned and dedicated stages that have not ended.
    pub stages: Vec<StageStats>,
    /// The actors that are alive, in no particular order.
    pub actors: Vec<ActorStats>,
    /// Messages that were accepted and will never be handled.
    pub dead_letters: DeadLetterCounts,
}

/// What kind of stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StageKind {
    /// Worker threads that steal from each other.
    Pool,
    /// A thread that owns its actors.
    Pinned,
    /// A thread that owns one actor, which may block.
    Dedicated,
}

/// The numbers of one stage, since it was made, also those of actors that have ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StageStats {
    /// `pool`, or the name it was given.
    pub name: Arc<str>,
    /// What kind of stage.
    pub kind: StageKind,
    /// How many threads it has; 0 if it is driven by the caller (tests).
    pub workers: usize,
    /// Turns given. A pinned or dedicated stage gives one for each message.
    pub turns: u64,
    /// Messages handled.
    pub messages: u64,
    /// How often a worker took actors from another one.
    pub steals: u64,
    /// How often a thread went to sleep.
    pub parks: u64,
    /// For how long its threads have had work, all together.
    pub busy: Duration,
    /// Messages that wait in the common queue of a pinned or dedicated stage, at most: whole blocks
    /// of 64 are counted. 0 for the pool, whose actors have queues of their own.
    pub waiting: usize,
}

/// The numbers of one live actor.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ActorStats {
    /// The actor.
    pub id: ActorId,
    /// The actor for which this one works: one that takes over some of its messages, or attempts at
    /// them.
    pub works_for: Option<ActorId>,
    /// A name by which it can be looked up, if it has one.
    pub name: Option<Arc<str>>,
    /// The Rust type of the actor.
    pub actor_type: &'static str,
    /// The name of its stage.
    pub stage: Arc<str>,
    /// Turns it was given. On a pinned or dedicated stage: one for each message.
    pub turns: u64,
    /// Messages handled.
    pub messages: u64,
    /// How long its turns have taken, all together, without the one that it has. `None` on a pinned
    /// or dedicated stage, where turns are not timed one by one: all actors there share the stage's
    /// [`busy`](StageStats::busy).
    pub busy: Option<Duration>,
    /// Messages that wait for it: exact between its turns, off by up to a block of 64 while it has
    /// one. On a pinned or dedicated stage: only those that wait for a guard, or for a future; the
    /// rest waits in the stage's common queue.
    pub waiting: usize,
    /// The longest time from being woken, or put back with messages left, until its turn began.
    /// Zero on a pinned or dedicated stage, where messages and not actors wait for their turn.
    pub longest_wait: Duration,
    /// How often it was made anew.
    pub restarts: u64,
    /// What a speculative actor tells besides; `None` for all others.
    pub speculation: Option<SpeculationReport>,
}

/// What a speculative actor tells of its attempts: an actor whose messages are transactions, so
/// that some are rolled back and handled again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpeculationReport {
    /// How many messages may be in attempts at once.
    pub width: usize,
    /// Messages that have committed.
    pub commits: u64,
    /// Messages that were given up, by a panic or an error.
    pub failures: u64,
    /// Attempts that were rolled back, by cause; causes that never happened are missing.
    pub rollbacks: Vec<(&'static str, u64)>,
    /// Rollbacks by the label of the variable at which they happened, most first; those at
    /// variables without a label are missing.
    pub rollbacks_by_variable: Vec<(&'static str, u64)>,
}

impl StageStats {
    pub(crate) fn of(name: Arc<str>, kind: StageKind) -> Self {
        Self {
            name,
            kind,
            workers: 0,
            turns: 0,
            messages: 0,
            steals: 0,
            parks: 0,
            busy: Duration::ZERO,
            waiting: 0,
        }
    }
}
