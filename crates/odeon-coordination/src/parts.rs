//! The parts of this theater, as the messages that come find them: on the threads on which they come, so that each keeps its place.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use odeon_core::ActorRef;
use odeon_core::extend::{Companion, send_unhindered};
use odeon_speculative::CoordinationError;
use odeon_speculative::extend::{Decider, Part};
use odeon_sync::{Mutex, MutexGuard};
use odeon_theater::TheaterId;
use odeon_theater::extend::Companions;

use crate::id::{Head, Id};
use crate::tell::Tell;

/// See the module.
#[derive(Default)]
pub(crate) struct Parts {
    agent: OnceLock<ActorRef<Tell>>,
    /// Those whose messages come from elsewhere, until nothing more can come for them.
    known: Mutex<HashMap<Id, Known>>,
}

struct Known {
    part: Part,
    /// How many messages have come, or will not, and how many were sent.
    arrived: u32,
    of: u32,
    /// It has committed, or the leader has said that it is over: nothing but its messages can come.
    is_over: bool,
}

impl Known {
    fn can_be_forgotten(&self) -> bool {
        self.is_over && self.arrived >= self.of
    }
}

/// Tells the agent what one part has come to.
struct Says {
    id: Id,
    agent: ActorRef<Tell>,
}

impl Says {
    fn tell(&self, tell: Tell) {
        // An agent that has ended has given up its parts.
        let _ = send_unhindered(&self.agent, tell);
    }
}

impl Decider for Says {
    fn is_ready(&self, after: u32) {
        let id = self.id;
        self.tell(Tell::then(move |it, ctx| it.part_is_ready(id, after, ctx)));
    }

    fn is_prepared(&self, round: u32) {
        let id = self.id;
        self.tell(Tell::then(move |it, ctx| it.part_is_prepared(id, round, ctx)));
    }

    fn gives_way(&self, round: u32, for_a_change: bool) {
        let id = self.id;
        self.tell(Tell::then(move |it, ctx| it.part_gives_way(id, round, for_a_change, ctx)));
    }

    fn is_over(&self, outcome: Result<(), CoordinationError>) {
        let id = self.id;
        self.tell(Tell::then(move |it, ctx| it.part_is_over(id, outcome, ctx)));
    }
}

impl Parts {
    pub(crate) fn belong_to(&self, agent: ActorRef<Tell>) {
        assert!(self.agent.set(agent).is_ok(), "they belong to one agent");
    }

    pub(crate) fn agent(&self) -> Option<&ActorRef<Tell>> {
        self.agent.get().filter(|agent| !agent.is_stopped())
    }

    /// A part that begins with this many messages.
    pub(crate) fn make(&self, id: Id, messages: u32) -> Option<Part> {
        let agent = self.agent()?.clone();
        Some(Part::new(messages as usize, Arc::new(Says { id, agent })))
    }

    /// Whether the leader of a part whose messages come from elsewhere is there, and has not said that it is over.
    pub(crate) fn is_awaited(&self, id: Id) -> bool {
        self.lock().get(&id).is_some_and(|it| !it.is_over)
    }

    /// The leader says that a part is over, for which so many messages were sent.
    pub(crate) fn is_aborted(&self, id: Id, of: u32) {
        let mut known = self.lock();
        if let Some(it) = known.get_mut(&id) {
            it.is_over = true;
            if it.can_be_forgotten() {
                known.remove(&id);
            }
        } else if let Some(part) = self.make(id, of) {
            // What is still under way finds it over.
            part.abort(CoordinationError::Stopped);
            known.insert(id, Known { part, arrived: 0, of, is_over: true });
        }
    }

    /// A part has committed.
    pub(crate) fn has_committed(&self, id: Id) {
        self.lock().remove(&id);
    }

    /// A message for it will not come.
    pub(crate) fn has_lost_one(&self, id: Id) {
        let mut known = self.lock();
        if let Some(it) = known.get_mut(&id) {
            it.arrived = it.arrived.saturating_add(1);
            if it.can_be_forgotten() {
                known.remove(&id);
            }
        }
    }

    /// Nothing more comes from a theater.
    pub(crate) fn has_gone(&self, leader: TheaterId) {
        self.lock().retain(|id, _| id.leader != leader);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Known>> {
        self.known.lock().expect("nothing panics under this lock")
    }
}

impl Companions for Parts {
    fn comes(&self, from: TheaterId, companion: &[u8]) -> Option<Companion> {
        let Head { id, place, of, .. } = Head::from_bytes(companion)?;
        if id.leader != from || of == 0 {
            return None;
        }
        let mut known = self.lock();
        if let Some(it) = known.get_mut(&id) {
            let companion = it.part.companion_from_abroad(place as usize);
            // More than were promised would be counted for messages that are still to come.
            if it.arrived >= it.of {
                return None;
            }
            it.arrived += 1;
            if it.can_be_forgotten() {
                known.remove(&id);
            }
            return Some(companion);
        }
        let part = self.make(id, of)?;
        let companion = part.companion_from_abroad(place as usize);
        known.insert(id, Known { part: part.clone(), arrived: 1, of, is_over: false });
        drop(known);
        // Before the part can say anything.
        let follow = Tell::then(move |it, ctx| it.follow(id, part, ctx));
        send_unhindered(self.agent()?, follow).ok()?;
        Some(companion)
    }

    fn is_for(&self, companion: &[u8], to: TheaterId) -> bool {
        Head::from_bytes(companion).is_some_and(|head| head.to == to)
    }

    fn is_lost(&self, companion: &[u8]) {
        let Some(Head { id, to, .. }) = Head::from_bytes(companion) else { return };
        if let Some(agent) = self.agent() {
            let _ =
                send_unhindered(agent, Tell::then(move |it, ctx| it.message_is_lost(id, to, ctx)));
        }
    }
}
