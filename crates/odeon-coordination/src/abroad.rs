//! A transaction begins of which messages go to other theaters.

use std::collections::BTreeMap;

use odeon_core::extend::{number_of, send_unhindered};
use odeon_core::{ActorId, Theater};
use odeon_speculative::CoordinationError;
use odeon_speculative::extend::{Abroad, Away, Begun, First};
use odeon_sync::atomic::{AtomicU64, Ordering};
use odeon_theater::TheaterId;
use odeon_theater::extend::{WeakNetwork, leads_to, send_accompanied};
use std::sync::Arc;

use crate::id::{Head, Id};
use crate::leading::{Begins, Member};
use crate::parts::Parts;
use crate::tell::Tell;

/// See the module.
pub(crate) struct Ways {
    pub(crate) me: TheaterId,
    pub(crate) network: WeakNetwork,
    pub(crate) parts: Arc<Parts>,
    /// The last number of a transaction.
    pub(crate) last: AtomicU64,
}

impl Ways {
    pub(crate) fn new(
        me: TheaterId,
        network: WeakNetwork,
        parts: Arc<Parts>,
        theater: &Theater,
    ) -> Self {
        // Beyond the numbers that an earlier agent of this theater can have come to.
        let now = odeon_core::extend::clock(theater).now().as_nanos();
        let last = AtomicU64::new(u64::try_from(now).unwrap_or(0));
        Self { me, network, parts, last }
    }

    fn theater_of(&self, away: &Away) -> Option<(TheaterId, u64)> {
        let at = leads_to(&self.network.upgrade()?, number_of(away.actor))?;
        Some((TheaterId::from_bits(at.theater), at.actor))
    }
}

impl Abroad for Ways {
    fn leads_elsewhere(&self, actor: ActorId) -> bool {
        self.network.upgrade().is_some_and(|it| leads_to(&it, number_of(actor)).is_some())
    }

    fn begin(&self, begun: Begun) {
        let Begun { messages, deadline, reply } = begun;
        // ORDERING: Relaxed: the numbers are to differ.
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let id = Id { leader: self.me, number };
        let mut members: BTreeMap<TheaterId, Member> = BTreeMap::new();
        let mut ways = Vec::with_capacity(messages.len());
        for message in &messages {
            let (to, actor, known) = match message {
                First::Here(here) => (self.me, number_of(here.actor()), here.actor()),
                First::Away(away) => match self.theater_of(away) {
                    Some((to, actor)) => (to, actor, away.actor),
                    // Its theater is dead, or it lives here and is no speculative actor.
                    None => return reply.send(Err(CoordinationError::Unreachable)),
                },
            };
            let member = members.entry(to).or_insert_with(Member::new);
            member.of += 1;
            member.actors.push((actor, known));
            ways.push(to);
        }
        let counts: BTreeMap<TheaterId, u32> =
            members.iter().map(|(theater, member)| (*theater, member.of)).collect();
        let Some(agent) = self.parts.agent() else {
            return reply.send(Err(CoordinationError::Unreachable));
        };
        let part = counts.get(&self.me).and_then(|of| self.parts.make(id, *of));
        let begins = Begins { id, members, part: part.clone(), deadline, reply };
        // Before its parts can say anything.
        if send_unhindered(agent, Tell::then(move |it, ctx| it.lead(begins, ctx))).is_err() {
            return;
        }
        for (place, (message, to)) in messages.into_iter().zip(ways).enumerate() {
            match message {
                First::Here(here) => {
                    if let Some(part) = &part {
                        here.send(part.companion(place));
                    }
                }
                First::Away(away) => {
                    let head = Head { id, place: place as u32, of: counts[&to], to };
                    self.send(away, &head);
                }
            }
        }
    }
}

impl Ways {
    fn send(&self, away: Away, head: &Head) {
        let Away { actor, mailbox, message, keeps } = away;
        let sent = self.network.upgrade().is_some_and(|network| {
            send_accompanied(&network, number_of(actor), mailbox, message, head.to_bytes()).is_ok()
        });
        drop(keeps);
        if !sent {
            odeon_theater::extend::Companions::is_lost(&*self.parts, &head.to_bytes());
        }
    }
}
