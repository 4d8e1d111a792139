//! Who is there, and who is told when that changes.

use std::collections::{BTreeMap, HashMap};

use odeon_core::{ActorRef, Message, extend};
use odeon_sync::Mutex;
use serde::{Deserialize, Serialize};

use crate::{End, Event, Refusal, TheaterId};

/// What another theater is, as far as this one knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Membership {
    /// There is a link to it.
    Present,
    /// Nothing has been heard of it for a while: it may be slow, cut off, or dead.
    Suspected,
}

/// A change of who is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MembershipEvent {
    /// A theater has joined.
    Joined(TheaterId),
    /// Nothing has been heard of it for a while.
    Suspected(TheaterId),
    /// It is heard again.
    Cleared(TheaterId),
    /// It has left, or is lost: messages that it has not acknowledged are dead letters, and actors
    /// that were watched there count as stopped. If it comes back it joins anew.
    Gone(TheaterId, End),
    /// It could be reached and is not let in, or does not let this theater in. Told once, unless it
    /// joins or vanishes meanwhile; of 1,024 such theaters at a time.
    Refused(TheaterId, Refusal),
}

impl Message for MembershipEvent {}

/// A theater that has joined.
struct Present {
    is: Membership,
    /// The so manieth that has, of all.
    joined: u64,
}

/// TUNE: guessed 2026-11: more than clusters have theaters; whoever makes up identities fills no
/// memory.
const MOST_REFUSED: usize = 1024;

/// See the module.
#[derive(Default)]
pub(in crate::network) struct Members(Mutex<KnownMembers>);

#[derive(Default)]
struct KnownMembers {
    present: BTreeMap<TheaterId, Present>,
    /// How often a theater has joined.
    joins: u64,
    refused: HashMap<TheaterId, Refusal>,
    subscribers: Vec<ActorRef<MembershipEvent>>,
}

impl Members {
    pub(in crate::network) fn note(&self, theater: TheaterId, event: &Event) {
        match event {
            Event::Linked => self.change(MembershipEvent::Joined(theater)),
            Event::Suspected(_) => self.change(MembershipEvent::Suspected(theater)),
            Event::Cleared => self.change(MembershipEvent::Cleared(theater)),
            _ => {}
        }
    }

    /// What a theater is, if it has joined.
    pub(in crate::network) fn is(&self, theater: TheaterId) -> Option<Membership> {
        self.lock().present.get(&theater).map(|present| present.is)
    }

    pub(in crate::network) fn ended(&self, theater: TheaterId, end: End) {
        match end {
            End::Refused(why) | End::RefusedByPeer(why) => self.refused(theater, why),
            _ => self.change(MembershipEvent::Gone(theater, end)),
        }
    }

    /// There is no link to a theater, and why.
    pub(in crate::network) fn refused(&self, theater: TheaterId, why: Refusal) {
        self.change(MembershipEvent::Refused(theater, why));
    }

    /// A theater cannot be reached any more.
    pub(in crate::network) fn forget_refused(&self, theater: TheaterId) {
        self.lock().refused.remove(&theater);
    }

    fn change(&self, event: MembershipEvent) {
        let mut known = self.lock();
        let KnownMembers { present, joins, refused, subscribers } = &mut *known;
        match event {
            MembershipEvent::Joined(theater) => {
                *joins += 1;
                present.insert(theater, Present { is: Membership::Present, joined: *joins });
                refused.remove(&theater);
            }
            MembershipEvent::Suspected(theater) | MembershipEvent::Cleared(theater) => {
                // One that has never joined is not suspected.
                let Some(known) = present.get_mut(&theater) else { return };
                let is_suspected = matches!(event, MembershipEvent::Suspected(_));
                known.is = if is_suspected { Membership::Suspected } else { Membership::Present };
            }
            // A link that never came to be is no change.
            MembershipEvent::Gone(theater, _) if present.remove(&theater).is_none() => return,
            MembershipEvent::Gone(..) => {}
            MembershipEvent::Refused(theater, why) => {
                let is_known = present.contains_key(&theater) || refused.contains_key(&theater);
                if is_known || refused.len() == MOST_REFUSED {
                    return;
                }
                refused.insert(theater, why);
            }
        }
        // Under the lock, so that all are told in the same order. Whoever has stopped is forgotten.
        subscribers.retain(|subscriber| extend::send_unhindered(subscriber, event).is_ok());
    }

    /// Those that are there, in the order of their identities.
    pub(in crate::network) fn present(&self) -> Vec<(TheaterId, Membership)> {
        let known = self.lock();
        known.present.iter().map(|(&id, known)| (id, known.is)).collect()
    }

    /// Those that are there, each with a number that is another one when it joins again, in the
    /// order of their identities.
    pub(in crate::network) fn joined(&self) -> Vec<(TheaterId, u64)> {
        let known = self.lock();
        known.present.iter().map(|(&id, known)| (id, known.joined)).collect()
    }

    /// Those to which there is no link, and why, in the order of their identities.
    pub(in crate::network) fn all_refused(&self) -> Vec<(TheaterId, Refusal)> {
        let known = self.lock();
        let mut refused: Vec<_> = known.refused.iter().map(|(&id, &why)| (id, why)).collect();
        refused.sort_by_key(|&(id, _)| id);
        refused
    }

    /// Has an actor told whenever that changes; at once of those that are there already.
    pub(in crate::network) fn subscribe(&self, subscriber: &ActorRef<MembershipEvent>) {
        let mut known = self.lock();
        for (&theater, &Present { is, .. }) in &known.present {
            let _ = extend::send_unhindered(subscriber, MembershipEvent::Joined(theater));
            if is == Membership::Suspected {
                let _ = extend::send_unhindered(subscriber, MembershipEvent::Suspected(theater));
            }
        }
        for (&theater, &why) in &known.refused {
            let _ = extend::send_unhindered(subscriber, MembershipEvent::Refused(theater, why));
        }
        known.subscribers.push(subscriber.clone());
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, KnownMembers> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
