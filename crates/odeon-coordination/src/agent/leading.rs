//! A transaction that begins in this theater, which leads it: when its parts run, and what is
//! decided. What handlers join to actors of other theaters: `leading/joined.rs`; what if others end
//! it in its place: `leading/superseded.rs`.

mod joined;
mod superseded;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::{ActorId, Context, Reply, Timer};
use odeon_speculative::CoordinationError;
use odeon_speculative::extend::Part;
use odeon_theater::TheaterId;

use crate::agent::Agent;
use crate::agent::following::Following;
use crate::agent::tell::{Joins, Run, Standing, Tell, Why};
use crate::id::{Head, Id};

pub(crate) type Outcome = Result<(), CoordinationError>;

/// Rounds that are rolled back before others stand back.
// TUNE: 4, as many as in one theater (`odeon-speculative`, `precedence.rs`).
const ROUNDS: u32 = 4;
/// How long at most a transaction waits before it is run again, in milliseconds; doubled with each
/// round, up to [`MOST_WAITED_MS`].
// TUNE: 1 to 32 ms, a guess: some round trips in a local network.
const FIRST_WAIT_MS: u64 = 1;
const MOST_WAITED_MS: u64 = 32;

/// See the module.
pub(crate) struct Leading {
    reply: Option<Reply<Outcome>>,
    deadline: Option<Timer>,
    pub(crate) members: BTreeMap<TheaterId, Member>,
    phase: Phase,
    round: u32,
    /// Rounds that were rolled back, since it last waited for a change.
    tries: u32,
    stamp: u64,
}

/// A theater with a part.
pub(crate) struct Member {
    /// How many messages it begins with there.
    pub(crate) of: u32,
    /// Its actors by their numbers there, and as they are known here.
    pub(crate) actors: Vec<(u64, ActorId)>,
    state: PartState,
    /// Whether it has a part: not before a message has come that was joined to one of its actors.
    has_come: bool,
    joins: Joins,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartState {
    Awaited,
    Ready,
    Prepared,
    PreCommitted,
    Committed,
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The parts are to be ready for the next round.
    Gathering,
    /// They are to be prepared.
    Running,
    /// They are to know that all are.
    PreCommitting,
    Committing,
    /// Others have been told how it stands, and end it together.
    Superseded,
}

/// What begins.
pub(crate) struct Begins {
    pub(crate) id: Id,
    pub(crate) members: BTreeMap<TheaterId, Member>,
    pub(crate) part: Option<Part>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) reply: Option<Reply<Outcome>>,
}

impl Member {
    pub(crate) fn new() -> Self {
        Self {
            of: 0,
            actors: Vec::new(),
            state: PartState::Awaited,
            has_come: true,
            joins: Joins::default(),
        }
    }

    /// One to which a message is on its way that a handler has joined.
    fn joined(state: PartState) -> Self {
        Self { state, has_come: false, ..Self::new() }
    }
}

impl Leading {
    /// Whether all members that have come and can be reached are in this state.
    fn all(&self, state: PartState) -> bool {
        let mut here = self.members.values().filter(|member| member.has_come);
        here.all(|member| member.state == state || member.state == PartState::Gone)
    }

    fn set_all(&mut self, state: PartState) {
        self.members
            .values_mut()
            .filter(|member| member.state != PartState::Gone)
            .for_each(|member| member.state = state);
    }

    fn present(&self) -> Vec<TheaterId> {
        let is_here = |member: &Member| member.has_come && member.state != PartState::Gone;
        let present = self.members.iter().filter(|(_, member)| is_here(member));
        present.map(|(theater, _)| *theater).collect()
    }

    /// All that have parts, also those that cannot be reached.
    pub(crate) fn participants(&self) -> Vec<TheaterId> {
        let come = self.members.iter().filter(|(_, member)| member.has_come);
        come.map(|(theater, _)| *theater).collect()
    }

    fn run(&self, id: Id) -> Run {
        Run {
            id,
            round: self.round,
            participants: self.participants(),
            stamp: self.stamp,
            is_urgent: self.tries >= ROUNDS,
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Gathering | Phase::Running)
    }
}

impl Agent {
    pub(crate) fn lead(&mut self, begins: Begins, ctx: &mut Context<'_, Self>) {
        let Begins { id, members, part, deadline, reply } = begins;
        // Behind the greatest one that there is, identities say who is older.
        self.stamp = self.stamp.saturating_add(1);
        let expire =
            Tell::then(move |it, ctx| it.give_up(id.number, CoordinationError::Deadline, ctx));
        let deadline = deadline.map(|limit| ctx.send_after(limit, expire));
        if let Some(part) = part {
            self.following.insert(id, Following::new(Some(part)));
        }
        let theaters: Vec<TheaterId> = members.keys().copied().collect();
        let leading = Leading {
            reply,
            deadline,
            members,
            phase: Phase::Gathering,
            round: 0,
            tries: 0,
            stamp: self.stamp,
        };
        self.leading.insert(id.number, leading);
        // Those that cannot be found take no part.
        theaters.into_iter().for_each(|theater| self.seek(theater, ctx));
    }

    fn id(&self, number: u64) -> Id {
        Id { leader: self.me, number }
    }

    /// The transaction with this number, and one of its members, if that can be reached.
    fn led(&mut self, id: Id, member: TheaterId) -> Option<(&mut Leading, PartState)> {
        let leading = self.leading.get_mut(&id.number).filter(|_| id.leader == self.me)?;
        let state = leading.members.get(&member)?.state;
        (state != PartState::Gone).then_some((leading, state))
    }

    fn note(&mut self, number: u64, member: TheaterId, state: PartState) {
        let leading = self.leading.get_mut(&number);
        if let Some(member) = leading.and_then(|leading| leading.members.get_mut(&member)) {
            member.state = state;
        }
    }

    pub(crate) fn is_ready(
        &mut self,
        id: Id,
        from: TheaterId,
        after: u32,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some((leading, _)) = self.led(id, from) else { return };
        if leading.phase != Phase::Gathering || leading.round != after {
            return;
        }
        self.note(id.number, from, PartState::Ready);
        let leading = &self.leading[&id.number];
        if !leading.all(PartState::Ready) {
            return;
        }
        let (round, tries) = (leading.round, leading.tries);
        if tries == 0 || tries >= ROUNDS {
            return self.run_round(id.number, round, ctx);
        }
        let most = (FIRST_WAIT_MS << tries).min(MOST_WAITED_MS) * 1_000;
        let wait = Duration::from_micros(self.random.below(most as usize) as u64);
        ctx.send_after(wait, Tell::then(move |it, ctx| it.run_round(id.number, round, ctx)));
    }

    /// All are ready behind this round.
    fn run_round(&mut self, number: u64, after: u32, ctx: &mut Context<'_, Self>) {
        let id = self.id(number);
        let Some(leading) = self.leading.get_mut(&number) else { return };
        let is_due = leading.phase == Phase::Gathering && leading.all(PartState::Ready);
        if !is_due || leading.round != after {
            return;
        }
        leading.phase = Phase::Running;
        leading.round += 1;
        leading.set_all(PartState::Awaited);
        leading.members.values_mut().for_each(|member| member.joins = Joins::default());
        for theater in leading.participants() {
            let run = self.leading[&number].run(id);
            self.tell(theater, Tell::Run(run), ctx);
        }
    }

    pub(crate) fn gives_way(
        &mut self,
        id: Id,
        from: TheaterId,
        round: u32,
        for_a_change: bool,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some((leading, _)) = self.led(id, from) else { return };
        if leading.phase != Phase::Running || leading.round != round {
            return;
        }
        leading.phase = Phase::Gathering;
        leading.tries = if for_a_change { 0 } else { leading.tries + 1 };
        leading.set_all(PartState::Awaited);
        // What was joined to their actors is void, and comes to no part if it comes at all.
        leading.members.retain(|_, member| member.has_come);
        for theater in leading.present().into_iter().filter(|theater| *theater != from) {
            self.tell(theater, Tell::RollBack { id, round, is_calm: for_a_change }, ctx);
        }
    }

    pub(crate) fn is_prepared(
        &mut self,
        id: Id,
        from: TheaterId,
        round: u32,
        joins: Joins,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some((leading, _)) = self.led(id, from) else { return };
        if leading.phase != Phase::Running || leading.round != round {
            return;
        }
        if let Some(member) = leading.members.get_mut(&from) {
            (member.state, member.joins) = (PartState::Prepared, joins);
        }
        if leading.all(PartState::Prepared) && leading.is_balanced() {
            // Nothing has come to the others, and nothing will.
            leading.members.retain(|_, member| member.has_come);
            self.pre_commit(id.number, ctx);
        }
    }

    /// All are prepared, and are to know that before anybody commits: then whoever is left knows
    /// what has been decided.
    fn pre_commit(&mut self, number: u64, ctx: &mut Context<'_, Self>) {
        let (id, by) = (self.id(number), self.me);
        let Some(leading) = self.leading.get_mut(&number) else { return };
        leading.phase = Phase::PreCommitting;
        if let Some(timer) = leading.deadline.take() {
            timer.cancel();
        }
        // Last of all, by the commit: until then it can be talked out of it.
        self.note(number, by, PartState::PreCommitted);
        for theater in self.leading[&number].present() {
            if theater == by {
                continue;
            }
            let then = move |it: &mut Self, standing, ctx: &mut Context<'_, Self>| {
                it.is_pre_committed(number, theater, standing, ctx);
            };
            let participants = self.leading[&number].participants();
            let tell = |reply| Tell::PreCommit { id, by, participants, reply };
            self.ask(theater, tell, then, ctx);
        }
        self.commit_if_all_know(number, ctx);
    }

    fn is_pre_committed(
        &mut self,
        number: u64,
        from: TheaterId,
        standing: Option<Standing>,
        ctx: &mut Context<'_, Self>,
    ) {
        let is_due = self.leading.get(&number).is_some_and(|it| it.phase == Phase::PreCommitting);
        match standing {
            _ if !is_due => {}
            None => {
                self.note(number, from, PartState::Gone);
                self.commit_if_all_know(number, ctx);
            }
            Some(Standing::PreCommitted | Standing::Committed) => {
                self.note(number, from, PartState::PreCommitted);
                self.commit_if_all_know(number, ctx);
            }
            Some(Standing::Prepared | Standing::Aborted) => self.supersede(number, ctx),
        }
    }

    fn commit_if_all_know(&mut self, number: u64, ctx: &mut Context<'_, Self>) {
        let id = self.id(number);
        let Some(leading) = self.leading.get_mut(&number) else { return };
        if leading.phase != Phase::PreCommitting || !leading.all(PartState::PreCommitted) {
            return;
        }
        leading.phase = Phase::Committing;
        for theater in leading.present() {
            let then = move |it: &mut Self, answer, ctx: &mut Context<'_, Self>| {
                it.has_committed(number, theater, answer, ctx);
            };
            self.ask(theater, |reply| Tell::Commit { id, reply }, then, ctx);
        }
        self.finish_if_all_have_committed(number, ctx);
    }

    fn has_committed(
        &mut self,
        number: u64,
        from: TheaterId,
        answer: Option<()>,
        ctx: &mut Context<'_, Self>,
    ) {
        let state = if answer.is_some() { PartState::Committed } else { PartState::Gone };
        self.note(number, from, state);
        self.finish_if_all_have_committed(number, ctx);
    }

    fn finish_if_all_have_committed(&mut self, number: u64, ctx: &mut Context<'_, Self>) {
        let id = self.id(number);
        let is_over = |it: &Leading| it.phase == Phase::Committing && it.all(PartState::Committed);
        if !self.leading.get(&number).is_some_and(is_over) {
            return;
        }
        let Some(mut leading) = self.leading.remove(&number) else { return };
        let present = leading.present();
        let missing: Vec<TheaterId> =
            leading.members.keys().copied().filter(|theater| !present.contains(theater)).collect();
        if !missing.is_empty() {
            self.records.remember(id);
        }
        for theater in present.into_iter().filter(|theater| *theater != self.me).collect::<Vec<_>>()
        {
            self.tell(theater, Tell::Forget { id, missing: missing.clone() }, ctx);
        }
        if let Some(reply) = leading.reply.take() {
            reply.send(Ok(()));
        }
    }

    /// It is rolled back for good, if it can be.
    pub(crate) fn give_up(
        &mut self,
        number: u64,
        why: CoordinationError,
        ctx: &mut Context<'_, Self>,
    ) {
        let id = self.id(number);
        if !self.leading.get(&number).is_some_and(Leading::is_open) {
            return;
        }
        let Some(mut leading) = self.leading.remove(&number) else { return };
        if let Some(timer) = leading.deadline.take() {
            timer.cancel();
        }
        for theater in leading.present() {
            let of = leading.members[&theater].of;
            self.tell(theater, Tell::Abort { id, of }, ctx);
        }
        if let Some(reply) = leading.reply.take() {
            reply.send(Err(why));
        }
    }

    pub(crate) fn has_failed(
        &mut self,
        id: Id,
        from: TheaterId,
        why: &Why,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some((leading, _)) = self.led(id, from) else { return };
        let actors = &leading.members[&from].actors;
        let anybody = || leading.members.values().flat_map(|member| &member.actors).next();
        let error = match why {
            Why::Handler { actor, why } => {
                // One that a handler there has joined is not known here.
                let known = actors.iter().find(|(number, _)| number == actor);
                let known = known.or(actors.first()).or_else(anybody);
                match known {
                    Some((_, participant)) => CoordinationError::Failed {
                        participant: *participant,
                        why: Arc::from(why.as_str()),
                    },
                    None => CoordinationError::Unreachable,
                }
            }
            Why::Stopped => CoordinationError::Stopped,
            Why::Exclusive => CoordinationError::Exclusive,
            Why::Deadline => CoordinationError::Deadline,
            Why::Unreachable => CoordinationError::Unreachable,
        };
        self.give_up(id.number, error, ctx);
    }

    /// A message could not leave.
    pub(crate) fn message_is_lost(&mut self, head: &Head, ctx: &mut Context<'_, Self>) {
        let Head { id, to, joined_in, .. } = *head;
        if let Some(round) = joined_in {
            return self.tell(id.leader, Tell::JoinLost { id, round }, ctx);
        }
        self.give_up(id.number, CoordinationError::Stopped, ctx);
        if self.peers.contains_key(&to) {
            self.tell(to, Tell::Lost { id }, ctx);
        }
    }

    /// A theater has gone that may have parts.
    pub(crate) fn member_has_gone(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        let mut concerned: Vec<u64> = self
            .leading
            .iter()
            .filter(|(_, it)| it.members.contains_key(&theater))
            .map(|(number, _)| *number)
            .collect();
        // One order, whatever the map's is: one seed is to be one run.
        concerned.sort_unstable();
        for number in concerned {
            self.note(number, theater, PartState::Gone);
            self.give_up(number, CoordinationError::Unreachable, ctx);
            self.commit_if_all_know(number, ctx);
            self.finish_if_all_have_committed(number, ctx);
        }
    }
}
