//! Who waits for whose answer, and whether that goes round in a circle.
//!
//! An edge is entered when an actor begins to wait for an answer inside a handler: with the first
//! poll of an [`Ask`](crate::Ask) in an asynchronous handler, or with `wait` on a dedicated stage.
//! It goes when the answer has come or the question is given up.

use std::collections::HashMap;
use std::time::Duration;

use odeon_sync::{Mutex, MutexGuard};

use crate::vocabulary::actor_id::ActorId;

/// An actor waits inside a handler for another one's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// Who asked.
    pub asker: ActorId,
    /// Who was asked. If it passed the question on, somebody else will answer.
    pub asked: ActorId,
    /// Since when, by the theater's clock.
    pub since: Duration,
}

/// Who waits for whom; by [`Theater::waits`](crate::Theater::waits).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WaitsView {
    /// All waits, the longest one first.
    pub waits: Vec<Wait>,
    /// Circles: each actor waits for the next one, and the last one for the first. An actor that
    /// waits for several answers at once, and will go on with any of them, can be in a circle that
    /// comes apart.
    pub circles: Vec<Vec<ActorId>>,
}

/// The waits of one theater.
#[derive(Default)]
pub(crate) struct Waits(Mutex<Edges>);

#[derive(Default)]
struct Edges {
    /// By asker.
    from: HashMap<ActorId, Vec<(u64, Wait)>>,
    next_key: u64,
}

impl Waits {
    /// Enters an edge; returns a key to remove it by and the circle that it closes, if it closes
    /// one.
    pub(crate) fn enter(&self, wait: Wait) -> (u64, Option<Vec<ActorId>>) {
        let mut edges = self.lock();
        let circle = edges.path(wait.asked, wait.asker);
        let key = edges.next_key;
        edges.next_key += 1;
        edges.from.entry(wait.asker).or_default().push((key, wait));
        (key, circle)
    }

    /// Takes an edge out.
    pub(crate) fn remove(&self, asker: ActorId, key: u64) {
        let mut edges = self.lock();
        if let Some(waits) = edges.from.get_mut(&asker) {
            waits.retain(|(other, _)| *other != key);
            if waits.is_empty() {
                edges.from.remove(&asker);
            }
        }
    }

    /// All edges, and the circles among them.
    pub(crate) fn view(&self) -> WaitsView {
        let edges = self.lock();
        let mut waits: Vec<Wait> = edges.from.values().flatten().map(|(_, wait)| *wait).collect();
        waits.sort_by_key(|wait| (wait.since, wait.asker));
        let mut circles: Vec<Vec<ActorId>> = Vec::new();
        for wait in &waits {
            if circles.iter().any(|circle| circle.contains(&wait.asker)) {
                continue;
            }
            circles.extend(edges.path(wait.asked, wait.asker));
        }
        WaitsView { waits, circles }
    }

    fn lock(&self) -> MutexGuard<'_, Edges> {
        self.0.lock().expect("no panic happens under the lock of waits")
    }
}

impl Edges {
    /// The actors on a path of waits between two, `to` first, then `from` and those in between.
    fn path(&self, from: ActorId, to: ActorId) -> Option<Vec<ActorId>> {
        let mut came_from = HashMap::from([(from, to)]);
        let mut open = vec![from];
        while let Some(actor) = open.pop() {
            if actor == to {
                return Some(Self::walk_back(&came_from, to));
            }
            for (_, wait) in self.from.get(&actor).into_iter().flatten() {
                came_from.entry(wait.asked).or_insert_with(|| {
                    open.push(wait.asked);
                    actor
                });
            }
        }
        None
    }

    fn walk_back(came_from: &HashMap<ActorId, ActorId>, to: ActorId) -> Vec<ActorId> {
        let mut path = vec![to];
        let mut actor = came_from[&to];
        while actor != to {
            path.push(actor);
            actor = came_from[&actor];
        }
        path[1..].reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u64) -> ActorId {
        ActorId::new(0, n)
    }

    fn wait(asker: u64, asked: u64) -> Wait {
        Wait { asker: id(asker), asked: id(asked), since: Duration::from_secs(asker) }
    }

    #[test]
    fn the_edge_that_closes_a_circle_names_it() {
        let waits = Waits::default();
        assert_eq!(waits.enter(wait(1, 2)).1, None);
        assert_eq!(waits.enter(wait(2, 3)).1, None);
        assert_eq!(waits.enter(wait(2, 9)).1, None);
        let (key, circle) = waits.enter(wait(3, 1));
        assert_eq!(circle, Some(vec![id(3), id(1), id(2)]));
        let view = waits.view();
        assert_eq!(view.waits.len(), 4);
        assert_eq!(view.circles, [vec![id(1), id(2), id(3)]]);
        waits.remove(id(3), key);
        assert!(waits.view().circles.is_empty());
        assert_eq!(waits.view().waits.len(), 3);
    }

    #[test]
    fn who_asks_itself_is_a_circle() {
        let waits = Waits::default();
        assert_eq!(waits.enter(wait(4, 4)).1, Some(vec![id(4)]));
    }
}
