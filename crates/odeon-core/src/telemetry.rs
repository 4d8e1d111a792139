//! What can be seen of a running theater. All of it is off unless the builder is told, and then
//! costs nothing: no field, branch or atomic of the message path is there for it alone.
//!
//! | question | file |
//! |---|---|
//! | who is told what happens? | `vocabulary/observe.rs` |
//! | how are turns and messages counted? | `telemetry/tally.rs`, `turn/seen_turn.rs` |
//! | when was an actor woken? | `scheduler/seen_stage.rs` |
//! | what does a user see of it? | `telemetry/stats.rs`, `runtime/collect.rs` |
//! | who waits for whose answer? | `telemetry/waits.rs` |
//! | how is a message followed to where it is handled? | `telemetry/follow.rs`, `telemetry/causes.rs` |
//!
//! HOW IT IS FREE WHEN OFF. An actor that is seen has a bit of its own in `Header::signals`, the
//! sign bit. A turn compares that word anyway before it goes idle, and a pinned stage before it
//! handles a message: both comparisons fail for an actor that is seen, and what is done then lies
//! out of the way. What is done at a turn's begin and end hangs on the branch that was there for
//! the observer. An actor that is seen is at home with a stage that stands before the real one, so
//! whoever wakes it does not find it at home on the waking thread's stage, and takes the general
//! path, which leads through the stage that notes the time.

mod busy_clock;
mod causes;
pub(crate) mod follow;
mod reporters;
mod stats;
mod tally;
mod waits;

use std::sync::Arc;
use std::time::Duration;

use crate::vocabulary::clock::Clock;
use crate::vocabulary::observe::Observer;

pub(crate) use follow::{Followed, Handling, Tracer};
pub(crate) use follow::{Following, InScope};
pub use reporters::Reporter;
pub(crate) use reporters::Reporters;
pub use stats::{ActorStats, SpeculationReport, StageKind, StageStats, Stats};
pub(crate) use tally::{ActorTally, StageTally};
pub(crate) use waits::Waits;
pub use waits::{Wait, WaitsView};

/// What is switched on in a theater, if anything is.
pub struct Telemetry {
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Whether turns are counted and timed.
    pub(crate) counts: bool,
    /// Turns that were given on threads of no stage, by whoever drives the theater.
    pub(crate) outside: StageTally,
    /// Who tells more of an actor than that.
    pub(crate) reporters: Reporters,
    pub(crate) waits: Option<Waits>,
    pub(crate) following: Option<Following>,
}

/// What to switch on.
#[derive(Default)]
pub(crate) struct TelemetryOptions {
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) stats: bool,
    pub(crate) waits: bool,
    pub(crate) tracer: Option<Arc<dyn Tracer>>,
}

impl Telemetry {
    /// `None`: nothing is on.
    pub(crate) fn new(seen: TelemetryOptions, clock: Arc<dyn Clock>) -> Option<Box<Self>> {
        let TelemetryOptions { observer, stats, waits, tracer } = seen;
        if !stats && !waits && observer.is_none() && tracer.is_none() {
            return None;
        }
        Some(Box::new(Self {
            observer,
            clock,
            counts: stats,
            outside: StageTally::default(),
            reporters: Reporters::default(),
            waits: waits.then(Waits::default),
            following: tracer.map(Following::new),
        }))
    }

    /// Whether its actors are seen one by one.
    pub(crate) fn sees_actors(&self) -> bool {
        self.counts || self.waits.is_some()
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }
}
