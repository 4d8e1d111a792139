//! What one theater does in a transaction that several take part in: a transaction of its own,
//! which is run, and decided, by somebody else.
//!
//! ```text
//!             all are there            run             everything is handled
//!  gathering ──────────────▶ ready ─────────▶ on its way ──────────────────▶ prepared ──▶ committed
//!                              ▲                  │ gives way, or is to roll back │
//!                              └──────────────────┴───────────────────────────────┘
//! ```
//!
//! RULES
//! 1. Before it is told to run it holds nothing. While it runs it may hold what others want: so it
//!    waits for nobody's outcome then, but rolls back, says so, and is ready again when what it has
//!    met is over.
//! 2. Prepared, it holds all that it has read and written, and neither fails nor waits: only the
//!    decider has it commit, roll back, or end. Rule 3 has the one exception.
//! 3. What handlers of other parts have joined to actors of this theater comes in a round, also
//!    behind what has been handled and prepared: then the part runs on, and is prepared once more,
//!    and says how many such messages it has handled. The decider knows how many were sent, and
//!    decides when none is under way.
//! 4. A part that has sent or handled such messages in a round does not begin anew by itself: a
//!    rollback gives way, so that the round is void for all.
//! 5. It is always logged: two parts that only read would otherwise see two moments.
//! 6. If an actor ends after that, what was written is committed with nobody to see it, and the
//!    effects happen.

use super::abroad::Away;
use super::outcome::CoordinationError;
use super::transaction::Coordination;
use crate::executor::enlistment::{Enlistment, Role};
use odeon_core::extend::Companion;
use std::fmt;
use std::sync::Arc;

/// Who decides what becomes of a [`Part`]. It is told on whatever thread, must not block, and may
/// not call the part.
pub trait Decider: Send + Sync {
    /// The part can be run: behind the round with this number, 0 at first, nothing is held.
    fn is_ready(&self, after: u32);

    /// A handler of this round has joined a message to an actor of another theater.
    fn joins(&self, round: u32, message: Away);

    /// All is handled in this round, and so many messages that were joined in other theaters.
    /// Unless more of these are under way nothing can come between that and the commit.
    fn is_prepared(&self, round: u32, joined: u32);

    /// A message that was joined elsewhere in this round will not come. If that round is over it
    /// does not matter.
    fn has_lost(&self, round: u32);

    /// The part holds nothing any more and has to wait before the round can be repeated:
    /// `for_a_change` that somebody is to make, or for what is under way.
    fn gives_way(&self, round: u32, for_a_change: bool);

    /// What the part has waited for has happened, and no message of it is here whose actor could
    /// have it go on: [`Part::go_on`] is to be called later, on a thread where nothing else is
    /// under way.
    fn may_go_on(&self, part: Part);

    /// The time is over that it was given when it was a transaction of one theater.
    fn expires(&self);

    /// The part with this [number](Part::number) is over: committed, or rolled back for good.
    fn is_over(&self, part: u64, outcome: Result<(), CoordinationError>);
}

/// What a part is told.
pub(crate) enum PartOrder {
    Run(u32),
    RollBack(u32),
    Commit,
    Abort(CoordinationError),
}

/// A theater's part in a coordinated transaction that others take part in; see the module.
#[derive(Clone)]
pub struct Part(Arc<Coordination>);

impl Part {
    pub(super) fn of(coordination: &Arc<Coordination>) -> Self {
        Self(coordination.clone())
    }

    /// A part that begins with this many messages.
    pub fn new(messages: usize, decider: Arc<dyn Decider>) -> Self {
        Self(Coordination::part(messages, decider))
    }

    /// Tells it from others in this process.
    pub fn number(&self) -> u64 {
        self.0.number()
    }

    /// What comes with one of its messages, sent in this theater; dropped, the message is lost.
    /// `place`: where it stands among all that the transaction begins with.
    pub fn companion(&self, place: usize) -> Companion {
        Box::new(Enlistment::new(self.0.clone(), 0, Role::First(place)))
    }

    /// The same, of a message that comes from another theater.
    pub fn companion_from_abroad(&self, place: usize) -> Companion {
        Box::new(Enlistment::new(self.0.clone(), 0, Role::First(place)).sent_from_abroad())
    }

    /// The same, of a message that a handler in another theater has joined in a round.
    pub fn companion_of_joined(&self, round: u32) -> Companion {
        self.0.expect_from_elsewhere(round);
        Box::new(
            Enlistment::new(self.0.clone(), 0, Role::JoinedElsewhere(round)).sent_from_abroad(),
        )
    }

    /// Has the handlers called. Rounds are numbered from 1.
    pub fn run(&self, round: u32) {
        self.0.order(PartOrder::Run(round));
    }

    /// Undoes a round, unless that is over already.
    pub fn roll_back(&self, round: u32) {
        self.0.order(PartOrder::RollBack(round));
    }

    /// Has it go on, where it has no actors that could.
    pub fn go_on(&self) {
        self.0.resume();
    }

    /// Commits what is prepared.
    pub fn commit(&self) {
        self.0.order(PartOrder::Commit);
    }

    /// Rolls back for good, also what is prepared.
    pub fn abort(&self, why: CoordinationError) {
        self.0.order(PartOrder::Abort(why));
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Part").field(&self.0.number()).finish()
    }
}
