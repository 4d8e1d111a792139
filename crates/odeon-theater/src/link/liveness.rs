//! How long nothing was heard, and what that means.

use std::time::Duration;

use super::LinkConfig;

/// What the silence of the other side has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    Short,
    /// Long enough for a suspicion, for the first time.
    Suspicious(Duration),
    Deadly,
}

#[derive(Debug)]
pub(super) struct Liveness {
    heard: Duration,
    looked: Duration,
    suspected: bool,
    suspect_after: Duration,
    dead_after: Duration,
}

impl Liveness {
    pub(super) fn new(config: &LinkConfig, now: Duration) -> Self {
        Self {
            heard: now,
            looked: now,
            suspected: false,
            suspect_after: config.suspect_after,
            dead_after: config.dead_after,
        }
    }

    /// The other side has said something: whether it was suspected.
    pub(super) fn hear(&mut self, now: Duration) -> bool {
        self.heard = self.heard.max(now);
        std::mem::take(&mut self.suspected)
    }

    pub(super) fn look(&mut self, now: Duration) -> Silence {
        // Who has not looked for so long has stood still itself: packets may be waiting. The rest
        // of the time counts from now on.
        if now.saturating_sub(self.looked) > self.suspect_after {
            self.heard = self.heard.max(now.saturating_sub(self.suspect_after));
        }
        self.looked = self.looked.max(now);
        let silent = now.saturating_sub(self.heard);
        if silent >= self.dead_after {
            Silence::Deadly
        } else if silent >= self.suspect_after && !self.suspected {
            self.suspected = true;
            Silence::Suspicious(silent)
        } else {
            Silence::Short
        }
    }

    /// When to look again at the latest: so early that who looks a little late does not count as
    /// having stood still.
    pub(super) fn deadline(&self) -> Duration {
        if self.suspected {
            let dead = self.heard.saturating_add(self.dead_after);
            dead.min(self.looked.saturating_add(self.suspect_after / 2))
        } else {
            self.heard.saturating_add(self.suspect_after)
        }
    }
}
