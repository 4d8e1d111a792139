//! Moves that the end of a link has cut in two, between theaters that both live.
//!
//! PROTOCOL. An actor is about to move from X to Y as the link between the two ends. X alone has
//! decided where it lives: *Go* was pushed on that link, or was not. Y cannot know that, unless
//! *Go* has come.
//! 1. X notes of each such attempt what it has decided. Who has not been let go stays at X.
//! 2. Y puts each actor aside, as it was read, that could have been let go (*Ready* was told) and
//!    has not come. Its seat ends, as all do whose way is lost.
//! 3. When the two meet again X tells Y of each attempt whether it *has gone*, before anything else
//!    that needs to find the actor. Then Y gives it a new seat, and it lives there; otherwise Y
//!    drops what it has read.
//! 4. What X has noted and Y has put aside is forgotten after [`KEPT`]. Then the actor is lost, if
//!    it had been let go.
//!
//! So it lives at exactly one of the two: at Y only after *Go* has come there, or X has said so
//! behind its decision, which it never changes; and an attempt is put aside once. If X is dead,
//! what Y has put aside is not brought to life: X may have kept the actor, and others may have seen
//! it there.
//!
//! Whoever has a name (S33) has often nobody else who refers to it. While the theater that keeps it
//! by that name is cut off, who was referred to from there alone is kept where it sits, for as
//! long: the name servers look for it there (`names/orphans.rs`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::DeadLetterReason;
use odeon_core::wire::{Address, Inbound, StandIn};

use crate::TheaterId;
use crate::network::references::seats::Coming;

/// TUNE: guessed 2026-11: as long as lost theaters are looked for by names.
pub(in crate::network) const KEPT: Duration = Duration::from_secs(600);

/// See the module.
#[derive(Default)]
pub(super) struct CutOff {
    /// By where the actor was to move, and the attempt: whether it has gone.
    pub(super) decided: BTreeMap<(TheaterId, u64), (bool, Duration)>,
    /// By where the actor was to come from, and the attempt.
    pub(super) aside: BTreeMap<(TheaterId, u64), Aside>,
    /// Who is kept for its name.
    pub(super) named: BTreeMap<Address, (Arc<dyn Inbound>, Duration)>,
}

pub(super) struct Aside {
    pub(super) coming: Box<Coming>,
    /// The seat that was to be its, which has ended.
    pub(super) stood: Arc<dyn StandIn>,
    pub(super) until: Duration,
}

impl Aside {
    /// It does not come any more.
    pub(super) fn drop_it(mut self) {
        if let Some(earlier) = self.coming.earlier.take() {
            self.stood.lost_earlier(earlier, DeadLetterReason::Unreachable);
        }
    }
}

impl CutOff {
    pub(super) fn is_empty(&self) -> bool {
        self.decided.is_empty() && self.aside.is_empty() && self.named.is_empty()
    }

    /// What is over is to be dropped without the lock.
    pub(super) fn forget(&mut self, now: Duration) -> (Vec<Aside>, Vec<Arc<dyn Inbound>>) {
        self.decided.retain(|_, (_, until)| *until > now);
        let aside = self.aside.iter().filter(|(_, aside)| aside.until <= now);
        let aside: Vec<_> = aside.map(|(&which, _)| which).collect();
        let named = self.named.iter().filter(|(_, (_, until))| *until <= now);
        let named: Vec<_> = named.map(|(&who, _)| who).collect();
        let aside = aside.iter().filter_map(|which| self.aside.remove(which)).collect();
        let named = named.iter().filter_map(|who| self.named.remove(who)).map(|kept| kept.0);
        (aside, named.collect())
    }
}
