//! The mobile actors that sit in this theater.

use std::collections::HashSet;
use std::sync::Arc;

use odeon_core::wire::{Address, StandIn};

use super::{Line, Seats, Sits};
use crate::{MobileActor, MobileId};

impl Seats {
    /// Those that sit here, in the order of their identities.
    pub(in crate::network) fn residents(&self) -> Vec<MobileActor> {
        let known = self.lock();
        let mut residents: Vec<_> =
            known.lines.iter().filter_map(|(&who, line)| resident(who, line)).collect();
        residents.sort_unstable_by_key(|actor| actor.id);
        residents
    }

    /// Whether an actor sits here.
    pub(in crate::network) fn is_resident(&self, who: Address) -> bool {
        let known = self.lock();
        let line = known.lines.get(&who);
        line.is_some_and(|line| matches!(line.sits, Sits::Here | Sits::Leaving(_)))
    }

    /// Whether an actor is on its way from here or to here.
    pub(in crate::network) fn is_anybody_under_way(&self) -> bool {
        let known = self.lock();
        known.lines.values().any(|line| {
            matches!(line.sits, Sits::Leaving(_) | Sits::Coming(..))
                || line.waits.is_some()
                || line.going.is_some()
                // A seat that was left puts aside what comes until its way is open again.
                || line.turning.is_some() && !line.kind.is_empty()
        })
    }

    /// By how many seats of actors that have moved from here something of this theater is still to
    /// go on to them. `quiet` are those at which nothing was, and become more.
    pub(in crate::network) fn expecting(&self, quiet: &mut HashSet<u64>) -> usize {
        let known = self.lock();
        let left = known.lines.values().filter(|line| {
            let has_sat_here = !line.kind.is_empty();
            has_sat_here && matches!(line.sits, Sits::Elsewhere(_))
        });
        let seats = left.flat_map(|line| &line.standing).map(|seat| seat.stands.clone());
        let seats: Vec<_> = seats.collect();
        // Whoever is looked at may end by that.
        drop(known);
        // WHY once is enough: who is not there is not asked, and asks nothing; and actors that go
        // on sending to it hold up nobody.
        let is_expecting = |seat: &&Arc<dyn StandIn>| {
            !quiet.contains(&seat.actor()) && (seat.expects() || !quiet.insert(seat.actor()))
        };
        seats.iter().filter(is_expecting).count()
    }

    /// The seats from which actors have moved, in the order of their numbers.
    pub(in crate::network) fn left(&self) -> Vec<u64> {
        let known = self.lock();
        let left = known.lines.values().filter(|line| matches!(line.sits, Sits::Elsewhere(_)));
        let seats = left.flat_map(|line| &line.standing).map(|standing| standing.stands.actor());
        let mut seats: Vec<_> = seats.collect();
        seats.sort_unstable();
        seats
    }
}

fn resident(who: Address, line: &Line) -> Option<MobileActor> {
    if !matches!(line.sits, Sits::Here | Sits::Leaving(_)) {
        return None;
    }
    Some(MobileActor {
        id: MobileId::of(who),
        kind: line.kind.into(),
        leaves: matches!(line.sits, Sits::Leaving(_)),
        moves: line.moves,
        handled: line.first().stands.handled(),
    })
}
