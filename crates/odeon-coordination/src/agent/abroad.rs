//! A transaction begins of which messages go to other theaters, or comes to be such a one.

use std::collections::BTreeMap;

use odeon_core::extend::{number_of, send_unhindered};
use odeon_core::{ActorId, Theater};
use odeon_speculative::CoordinationError;
use odeon_speculative::extend::{Abroad, Away, Begun, Decider, First, TakenOver};
use odeon_sync::atomic::{AtomicU64, Ordering};
use odeon_sync::contained::{drop_each, drop_quietly};
use odeon_theater::extend::{leads_to, send_accompanied};
use odeon_theater::{Network, TheaterId};
use std::sync::Arc;

use crate::agent::leading::{Begins, Member};
use crate::agent::parts::Parts;
use crate::agent::tell::Tell;
use crate::id::{Head, Id};

/// See the module.
pub(crate) struct Ways {
    pub(crate) parts: Arc<Parts>,
    /// The last number of a transaction.
    last: AtomicU64,
}

impl Ways {
    pub(crate) fn new(parts: Arc<Parts>, theater: &Theater) -> Self {
        // Beyond the numbers that an earlier agent of this theater can have come to.
        let now = odeon_core::extend::clock(theater).now().as_nanos();
        let last = AtomicU64::new(u64::try_from(now).unwrap_or(0));
        Self { parts, last }
    }

    fn new_id(&self) -> Id {
        // ORDERING: Relaxed: the numbers are to differ.
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        Id { leader: self.parts.me, number }
    }

    fn theater_of(&self, away: &Away) -> Option<(TheaterId, u64)> {
        let at = leads_to(&self.parts.network.upgrade()?, number_of(away.actor))?;
        Some((TheaterId::from_bits(at.theater), at.actor))
    }
}

impl Abroad for Ways {
    fn leads_elsewhere(&self, actor: ActorId) -> bool {
        self.parts.network.upgrade().is_some_and(|it| leads_to(&it, number_of(actor)).is_some())
    }

    fn begin(&self, begun: Begun) {
        let Begun { messages, deadline, reply } = begun;
        let (id, me) = (self.new_id(), self.parts.me);
        let mut members: BTreeMap<TheaterId, Member> = BTreeMap::new();
        let mut ways = Vec::with_capacity(messages.len());
        for message in &messages {
            let way = match message {
                First::Here(here) => Some((me, number_of(here.actor()), here.actor())),
                First::Away(away) => self.theater_of(away).map(|(to, it)| (to, it, away.actor)),
            };
            let Some((to, actor, known)) = way else {
                // Its theater is dead, or it has come here meanwhile.
                drop_each(messages);
                return reply.send(Err(CoordinationError::Unreachable));
            };
            let member = members.entry(to).or_insert_with(Member::new);
            member.of += 1;
            member.actors.push((actor, known));
            ways.push(to);
        }
        let counts: BTreeMap<TheaterId, u32> =
            members.iter().map(|(theater, member)| (*theater, member.of)).collect();
        let Some(agent) = self.parts.agent() else {
            drop_each(messages);
            return reply.send(Err(CoordinationError::Unreachable));
        };
        let part = counts.get(&me).and_then(|of| self.parts.make(id, *of));
        part.iter().for_each(|part| self.parts.is_own(id, part.clone()));
        let begins = Begins { id, members, part: part.clone(), deadline, reply: Some(reply) };
        // Before its parts can say anything.
        if send_unhindered(agent, Tell::then(move |it, ctx| it.lead(begins, ctx))).is_err() {
            part.iter().for_each(|part| self.parts.is_over(id, part.number(), false));
            return drop_each(messages);
        }
        for (place, (message, to)) in messages.into_iter().zip(ways).enumerate() {
            match message {
                First::Here(here) => {
                    if let Some(part) = &part {
                        here.send(part.companion(place));
                    }
                }
                First::Away(away) => {
                    let (place, of) = (place as u32, counts[&to]);
                    let head = Head { id, place, of, to, joined_in: None };
                    self.send(away, &head);
                }
            }
        }
    }

    fn take_over(&self, taken: TakenOver) -> Option<Arc<dyn Decider>> {
        let TakenOver { part, actors, reply } = taken;
        let id = self.new_id();
        let (Some(decider), Some(agent)) = (self.parts.decider(id), self.parts.agent()) else {
            if let Some(reply) = reply {
                reply.send(Err(CoordinationError::Unreachable));
            }
            return None;
        };
        let mut member = Member::new();
        member.actors = actors.into_iter().map(|actor| (number_of(actor), actor)).collect();
        let members = BTreeMap::from([(self.parts.me, member)]);
        self.parts.is_own(id, part.clone());
        // It has its deadline already.
        let begins = Begins { id, members, part: Some(part.clone()), deadline: None, reply };
        let number = part.number();
        if send_unhindered(agent, Tell::then(move |it, ctx| it.lead(begins, ctx))).is_err() {
            self.parts.is_over(id, number, false);
            return None;
        }
        Some(decider)
    }
}

impl Ways {
    fn send(&self, away: Away, head: &Head) {
        if !send(self.parts.network.upgrade().as_ref(), away, head) {
            odeon_theater::extend::Companions::is_lost(&*self.parts, &head.to_bytes());
        }
    }
}

/// Sends a message of a transaction to another theater. `false`: it could not leave, and is gone.
///
/// Destructors of messages are a user's. A panic of one must not keep the messages behind it from
/// being sent, or told to be lost.
pub(crate) fn send(network: Option<&Network>, away: Away, head: &Head) -> bool {
    let Away { actor, mailbox, message, keeps } = away;
    let sent = match network {
        Some(it) => send_accompanied(it, number_of(actor), mailbox, message, head.to_bytes()),
        None => Err(message),
    };
    let is_sent = sent.is_ok();
    drop_quietly(sent);
    drop_quietly(keeps);
    is_sent
}
