//! To where the messages come from.

use std::collections::HashMap;

use super::policy::{Measured, Policy, Situation};
use crate::{MobileId, TheaterId};

/// TUNE: guessed 2026-11: enough periods for the other one of two actors that talk to each other to have come.
const PATIENCE: u32 = 3;

/// Moves each actor to the theater from which most of its messages come.
///
/// Two actors that talk to each other do not change places: an actor goes to a theater of a greater identity than its own only if it has been drawn there for
/// some periods, so the other one goes first.
#[derive(Debug, Clone, PartialEq)]
pub struct ByTalk {
    /// How many times as many messages must come from the other theater as from the actor's own. 2.
    pub factor: f64,
    /// How many must come from there in a second. 10.
    pub least_messages: f64,
    /// Where actors have been drawn to, and for how many periods.
    drawn: HashMap<MobileId, (TheaterId, u32)>,
}

impl ByTalk {
    /// One with these limits.
    ///
    /// # Panics
    /// If `factor` is below 1: actors would not stay where they are drawn to.
    #[track_caller]
    pub fn new(factor: f64, least_messages: f64) -> Self {
        assert!(factor >= 1.0, "factor is at least 1");
        Self { factor, least_messages, drawn: HashMap::new() }
    }

    /// To where an actor is drawn, and how much.
    fn draws(&self, actor: &Measured) -> Option<(TheaterId, f64)> {
        let most = actor.heard_per_second.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let &(to, rate) = most?;
        let here = actor.from_here_per_second();
        (rate >= self.least_messages && rate > self.factor * here).then_some((to, rate - here))
    }
}

impl Default for ByTalk {
    fn default() -> Self {
        Self::new(2.0, 10.0)
    }
}

impl Policy for ByTalk {
    fn choose(&mut self, situation: &Situation) -> Vec<(MobileId, TheaterId)> {
        let before = std::mem::take(&mut self.drawn);
        let mut moves = Vec::new();
        for actor in &situation.actors {
            let Some((to, gain)) = self.draws(actor) else { continue };
            let periods = match before.get(&actor.id) {
                Some(&(drawn_to, periods)) if drawn_to == to => periods + 1,
                _ => 1,
            };
            self.drawn.insert(actor.id, (to, periods));
            let takes_part = situation.others.iter().any(|(other, _)| *other == to);
            if takes_part && (to < situation.theater || periods >= PATIENCE) {
                moves.push((gain, actor.id, to));
            }
        }
        moves.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        moves.into_iter().map(|(_, actor, to)| (actor, to)).collect()
    }
}
