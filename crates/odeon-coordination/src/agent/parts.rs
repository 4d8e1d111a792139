//! The parts of this theater, as the messages that come find them: on the threads on which they
//! come, so that each keeps its place.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use odeon_core::extend::{Companion, let_out, number_of, send_unhindered};
use odeon_core::{ActorRef, Context};
use odeon_speculative::CoordinationError;
use odeon_speculative::extend::{Away, Decider, Part};
use odeon_sync::{Mutex, MutexGuard};
use odeon_theater::TheaterId;
use odeon_theater::extend::{Companions, WeakNetwork, leads_to};

use crate::agent::Agent;
use crate::agent::abroad;
use crate::agent::tell::{Joins, Tell};
use crate::id::{Head, Id};

/// See the module.
pub(crate) struct Parts {
    pub(crate) me: TheaterId,
    pub(crate) network: WeakNetwork,
    agent: OnceLock<ActorRef<Tell>>,
    known: Mutex<All>,
}

#[derive(Default)]
struct All {
    /// Those whose messages come from elsewhere, until they are over and nothing more can come for
    /// them: so that there is one at a time.
    from_elsewhere: HashMap<Id, KnownPart>,
    /// Those of transactions that begin here.
    own: HashMap<Id, Part>,
}

struct KnownPart {
    part: Part,
    /// How many of the messages with which it begins have come, or will not, and how many were
    /// sent.
    arrived: u32,
    of: u32,
    /// The leader has said that it is over: from there nothing but these messages can come.
    is_given_up: bool,
    /// The leader has gone: from there nothing comes.
    is_left: bool,
    /// The part is over, and whoever has followed it knows: what comes for it is void.
    is_over: bool,
}

impl KnownPart {
    fn new(part: &Part, arrived: u32, of: u32) -> Self {
        Self { part: part.clone(), arrived, of, is_given_up: false, is_left: false, is_over: false }
    }

    fn can_be_forgotten(&self) -> bool {
        let is_complete = self.is_given_up && self.arrived >= self.of;
        self.is_over && (self.is_left || is_complete)
    }
}

/// Tells the agent what one part has come to, and sends what its handlers join to actors of other
/// theaters.
pub(crate) struct Says {
    id: Id,
    network: WeakNetwork,
    agent: ActorRef<Tell>,
    sent: Mutex<Sent>,
}

/// What has been joined in one round.
#[derive(Default)]
struct Sent {
    round: u32,
    messages: BTreeMap<TheaterId, u32>,
}

impl Says {
    fn tell(&self, tell: Tell) {
        // An agent that has ended has given up its parts.
        let_out(|| drop(send_unhindered(&self.agent, tell)));
    }

    /// What has been joined in this round, which is the present one.
    fn sent_in(&self, round: u32) -> MutexGuard<'_, Sent> {
        let mut sent = self.sent.lock().expect("nothing panics under this lock");
        if sent.round != round {
            *sent = Sent { round, ..Sent::default() };
        }
        sent
    }
}

impl Decider for Says {
    fn is_ready(&self, after: u32) {
        let id = self.id;
        self.tell(Tell::then(move |it, ctx| it.part_is_ready(id, after, ctx)));
    }

    fn joins(&self, round: u32, message: Away) {
        let id = self.id;
        let way = self.network.upgrade().and_then(|network| {
            let to = leads_to(&network, number_of(message.actor))?;
            Some((network, TheaterId::from_bits(to.theater)))
        });
        let Some((network, to)) = way else {
            // Its theater is dead, or it lives here by now, or is no speculative actor.
            return self.tell(Tell::then(move |it, ctx| it.join_has_no_way(id, ctx)));
        };
        *self.sent_in(round).messages.entry(to).or_default() += 1;
        // Before this part's vote: who leads has to know of whom it waits for.
        self.tell(Tell::then(move |it, ctx| {
            it.tell(id.leader, Tell::Joins { id, round, member: to }, ctx);
        }));
        let head = Head { id, place: 0, of: 0, to, joined_in: Some(round) };
        if !abroad::send(Some(&network), message, &head) {
            self.tell(Tell::then(move |it, ctx| it.message_is_lost(&head, ctx)));
        }
    }

    fn is_prepared(&self, round: u32, joined: u32) {
        let id = self.id;
        let sent = self.sent_in(round).messages.iter().map(|(to, n)| (*to, *n)).collect();
        let joins = Joins { sent, handled: joined };
        self.tell(Tell::then(move |it, ctx| it.part_is_prepared(id, round, joins, ctx)));
    }

    fn gives_way(&self, round: u32, for_a_change: bool) {
        let id = self.id;
        self.tell(Tell::then(move |it, ctx| it.part_gives_way(id, round, for_a_change, ctx)));
    }

    fn has_lost(&self, round: u32) {
        let id = self.id;
        self.tell(Tell::then(move |it, ctx| {
            it.tell(id.leader, Tell::JoinLost { id, round }, ctx);
        }));
    }

    fn may_go_on(&self, part: Part) {
        self.tell(Tell::then(move |_, _| part.go_on()));
    }

    fn expires(&self) {
        let number = self.id.number;
        self.tell(Tell::then(move |it, ctx| {
            it.give_up(number, CoordinationError::Deadline, ctx);
        }));
    }

    fn is_over(&self, part: u64, outcome: Result<(), CoordinationError>) {
        let id = self.id;
        self.tell(Tell::then(move |it, ctx| it.part_is_over(id, Some(part), outcome, ctx)));
    }
}

impl Parts {
    pub(crate) fn new(me: TheaterId, network: WeakNetwork) -> Self {
        Self { me, network, agent: OnceLock::new(), known: Mutex::default() }
    }

    pub(crate) fn belong_to(&self, agent: ActorRef<Tell>) {
        assert!(self.agent.set(agent).is_ok(), "they belong to one agent");
    }

    pub(crate) fn agent(&self) -> Option<&ActorRef<Tell>> {
        self.agent.get().filter(|agent| !agent.is_stopped())
    }

    /// A part that begins with this many messages.
    pub(crate) fn make(&self, id: Id, messages: u32) -> Option<Part> {
        Some(Part::new(messages as usize, self.decider(id)?))
    }

    /// Who decides a part of this transaction.
    pub(crate) fn decider(&self, id: Id) -> Option<Arc<Says>> {
        let (network, agent) = (self.network.clone(), self.agent()?.clone());
        Some(Arc::new(Says { id, network, agent, sent: Mutex::default() }))
    }

    /// The part of a transaction that begins here.
    pub(crate) fn is_own(&self, id: Id, part: Part) {
        self.lock().own.insert(id, part);
    }

    /// The part with this number is over, by a commit or without one.
    pub(crate) fn is_over(&self, id: Id, part: u64, by_commit: bool) {
        let mut all = self.lock();
        let is_this = |it: &Part| it.number() == part;
        let own = all.own.get(&id).is_some_and(is_this).then(|| all.own.remove(&id));
        if let Some(it) = all.from_elsewhere.get_mut(&id).filter(|it| is_this(&it.part)) {
            it.is_over = true;
            // Then all of its messages have come.
            it.is_given_up |= by_commit;
        }
        All::unlock(all, id);
        drop(own);
    }

    /// Whether the leader of a part whose messages come from elsewhere is there, and has not said
    /// that it is over.
    pub(crate) fn is_awaited(&self, id: Id) -> bool {
        self.lock().from_elsewhere.get(&id).is_some_and(|it| !it.is_given_up && !it.is_left)
    }

    /// The leader says that a part is over, for which so many messages were sent.
    pub(crate) fn is_aborted(&self, id: Id, of: u32) {
        let mut all = self.lock();
        if let Some(it) = all.from_elsewhere.get_mut(&id) {
            it.is_given_up = true;
        } else if of == 0 {
            // Only what handlers have joined could come, of rounds that are over.
        } else if let Some(part) = self.make(id, of) {
            // What is still under way finds it over.
            part.abort(CoordinationError::Stopped);
            let known = KnownPart { is_given_up: true, ..KnownPart::new(&part, 0, of) };
            all.from_elsewhere.insert(id, known);
        }
        All::unlock(all, id);
    }

    /// A message for it will not come.
    pub(crate) fn has_lost_one(&self, id: Id) {
        let mut all = self.lock();
        if let Some(it) = all.from_elsewhere.get_mut(&id) {
            it.arrived = it.arrived.saturating_add(1);
        }
        All::unlock(all, id);
    }

    /// Nothing more comes from a leader. Others may still have sent what their handlers have
    /// joined, which is to find these parts as long as they are not over.
    pub(crate) fn has_gone(&self, leader: TheaterId) {
        let mut all = self.lock();
        let led = all.from_elsewhere.iter_mut().filter(|(id, _)| id.leader == leader);
        led.for_each(|(_, it)| it.is_left = true);
        let over = all.from_elsewhere.iter().filter(|(_, it)| it.can_be_forgotten());
        let mut over: Vec<Id> = over.map(|(id, _)| *id).collect();
        over.sort_unstable();
        let known: Vec<_> = over.into_iter().map(|id| all.from_elsewhere.remove(&id)).collect();
        drop(all);
        drop(known);
    }

    /// The agent ends: whatever is not over never will be otherwise.
    pub(crate) fn end(&self) {
        let All { from_elsewhere, own } = std::mem::take(&mut *self.lock());
        let known = from_elsewhere.into_values().map(|it| it.part);
        known.chain(own.into_values()).for_each(|part| part.abort(CoordinationError::Lost));
    }

    /// How many there are that only wait for messages to come that are void.
    pub(crate) fn only_kept(&self) -> usize {
        self.lock().from_elsewhere.values().filter(|it| it.is_over).count()
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.known.lock().expect("nothing panics under this lock")
    }
}

impl All {
    /// Forgets this one if that can be. Not under the lock: with a part goes what a user has made.
    fn unlock(mut all: MutexGuard<'_, Self>, id: Id) {
        let is_over = all.from_elsewhere.get(&id).is_some_and(KnownPart::can_be_forgotten);
        let known = is_over.then(|| all.from_elsewhere.remove(&id));
        drop(all);
        drop(known);
    }
}

impl Parts {
    /// A message comes that a handler in another theater has joined to an actor of this one.
    fn joined_comes(&self, id: Id, round: u32) -> Option<Companion> {
        let mut all = self.lock();
        let All { from_elsewhere, own } = &mut *all;
        if id.leader == self.me {
            if let Some(part) = own.get(&id) {
                return Some(part.companion_of_joined(round));
            }
            let part = self.make(id, 0)?;
            let led = part.clone();
            self.tells(move |it, ctx| it.leader_is_joined(id, led, ctx))?;
            let companion = part.companion_of_joined(round);
            own.insert(id, part);
            return Some(companion);
        }
        if let Some(it) = from_elsewhere.get(&id) {
            return Some(it.part.companion_of_joined(round));
        }
        let part = self.make(id, 0)?;
        let followed = part.clone();
        self.tells(move |it, ctx| it.follow(id, followed, true, ctx))?;
        let companion = part.companion_of_joined(round);
        from_elsewhere.insert(id, KnownPart::new(&part, 0, 0));
        Some(companion)
    }

    /// Has the agent know of a part: before anybody finds it, under the lock, so that it can say
    /// nothing before.
    fn tells(
        &self,
        step: impl FnOnce(&mut Agent, &mut Context<'_, Agent>) + Send + 'static,
    ) -> Option<()> {
        send_unhindered(self.agent()?, Tell::then(step)).ok()
    }
}

impl Companions for Parts {
    fn comes(&self, from: TheaterId, companion: &[u8]) -> Option<Companion> {
        let Head { id, place, of, joined_in, .. } = Head::from_bytes(companion)?;
        if let Some(round) = joined_in {
            return self.joined_comes(id, round);
        }
        if id.leader != from || of == 0 {
            return None;
        }
        let mut all = self.lock();
        if let Some(it) = all.from_elsewhere.get_mut(&id) {
            // More than were promised would be counted for messages that are still to come.
            if it.arrived >= it.of {
                return None;
            }
            let companion = it.part.companion_from_abroad(place as usize);
            it.arrived += 1;
            All::unlock(all, id);
            return Some(companion);
        }
        let part = self.make(id, of)?;
        let followed = part.clone();
        self.tells(move |it, ctx| it.follow(id, followed, false, ctx))?;
        let companion = part.companion_from_abroad(place as usize);
        all.from_elsewhere.insert(id, KnownPart::new(&part, 1, of));
        Some(companion)
    }

    fn is_for(&self, companion: &[u8], to: TheaterId) -> bool {
        Head::from_bytes(companion).is_some_and(|head| head.to == to)
    }

    fn is_lost(&self, companion: &[u8]) {
        let Some(head) = Head::from_bytes(companion) else { return };
        if let Some(agent) = self.agent() {
            let lost = Tell::then(move |it, ctx| it.message_is_lost(&head, ctx));
            let _ = send_unhindered(agent, lost);
        }
    }
}
