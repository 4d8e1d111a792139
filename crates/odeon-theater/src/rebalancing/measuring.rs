//! What the mobile actors of a theater have done between two looks.

use std::collections::HashMap;
use std::time::Duration;

use super::policy::{Load, Measured};
use crate::{MobileActor, MobileId};

/// What was seen of each actor.
#[derive(Default)]
pub(super) struct Measuring {
    at: Duration,
    known: HashMap<MobileId, KnownLoad>,
    /// The time that the last measurement is of.
    pub(super) over: Duration,
}

struct KnownLoad {
    moves: u64,
    /// `None`: it was created here, has been seen once only, and may not have said yet how many it
    /// had handled before.
    handled: Option<u64>,
    /// Since when it rests here.
    since: Duration,
}

impl Measuring {
    pub(super) fn begin(now: Duration) -> Self {
        Self { at: now, ..Self::default() }
    }

    /// What has been done since the last time, by all and by each. Who was not here then has done
    /// nothing yet, and the load is not steady.
    pub(super) fn measure(
        &mut self,
        now: Duration,
        residents: Vec<MobileActor>,
    ) -> (Load, Vec<Measured>) {
        self.over = now.saturating_sub(self.at);
        self.at = now;
        let seconds = self.over.as_secs_f64().max(f64::MIN_POSITIVE);
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        let mut before = std::mem::take(&mut self.known);
        let mut is_steady = true;
        let mut measured = Vec::with_capacity(residents.len());
        for actor in residents.into_iter().filter(|actor| !actor.leaves) {
            let MobileActor { id, kind, moves, handled, .. } = actor;
            let known = before.remove(&id).filter(|known| known.moves == moves);
            let mut messages_per_second = 0.0;
            match known.as_ref().and_then(|known| known.handled) {
                Some(before) => messages_per_second = rate(handled, before),
                None => is_steady = false,
            }
            let handled = (known.is_some() || moves > 0).then_some(handled);
            let since = known.map_or(now, |known| known.since);
            self.known.insert(id, KnownLoad { moves, handled, since });
            measured.push(Measured { id, kind, messages_per_second });
        }
        let all = measured.iter().map(|one| one.messages_per_second).sum();
        let is_steady = is_steady && before.is_empty() && !self.over.is_zero();
        (Load { messages_per_second: all, actors: measured.len(), is_steady }, measured)
    }

    /// Whether an actor has been here for a while, and has not tried to move.
    pub(super) fn has_rested(&self, actor: MobileId, rest: Duration) -> bool {
        let since = self.known.get(&actor).map(|known| known.since);
        since.is_some_and(|since| self.at.saturating_sub(since) >= rest)
    }

    /// An actor has tried to move, or is about to.
    pub(super) fn tries(&mut self, actor: MobileId, now: Duration) {
        if let Some(known) = self.known.get_mut(&actor) {
            known.since = now;
        }
    }
}
