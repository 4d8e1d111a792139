//! To where there is less to do.

use super::policy::{Policy, Situation};
use crate::{MobileId, TheaterId};

/// Moves actors of the busiest theater to the least busy ones, until they are about equally busy.
///
/// Only the busiest of all moves any, and only as many as bring the two nearer to each other: so
/// theaters do not push actors to and fro. What an actor does is told by the messages that it
/// handles; theaters count as equally strong.
#[derive(Debug, Clone, PartialEq)]
pub struct ByLoad {
    /// By which part of what there is to do in the busiest theater another one must have
    /// less. 0.25.
    pub least_gap: f64,
    /// By how many messages in a second it must have less. 100.
    pub least_messages: f64,
}

impl Default for ByLoad {
    fn default() -> Self {
        Self { least_gap: 0.25, least_messages: 100.0 }
    }
}

impl Policy for ByLoad {
    fn choose(&mut self, situation: &Situation) -> Vec<(MobileId, TheaterId)> {
        let mut here = situation.load.messages_per_second;
        let is_busier = |(id, load): &(TheaterId, super::Load)| {
            (load.messages_per_second, *id) > (here, situation.theater)
        };
        if !situation.load.is_steady || situation.others.iter().any(is_busier) {
            return Vec::new();
        }
        let steady = situation.others.iter().filter(|(_, load)| load.is_steady);
        let mut others: Vec<_> = steady.map(|&(id, load)| (load.messages_per_second, id)).collect();
        let mut actors: Vec<_> =
            situation.actors.iter().map(|actor| (actor.messages_per_second, actor.id)).collect();
        actors.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut moves = Vec::new();
        for (rate, actor) in actors {
            let Some(least) = others.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            let gap = here - least.0;
            if rate <= 0.0 || gap < self.least_messages || gap < here * self.least_gap {
                break;
            }
            // One that would turn the gap round would soon come back.
            if 2.0 * rate <= gap {
                here -= rate;
                least.0 += rate;
                moves.push((actor, least.1));
            }
        }
        moves
    }
}
