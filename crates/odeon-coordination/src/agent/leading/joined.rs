//! What handlers join to actors of other theaters: which theaters come to have parts by that, and
//! when nothing of it is under way.

use std::collections::BTreeMap;
use std::mem;

use odeon_core::Context;
use odeon_speculative::CoordinationError;
use odeon_speculative::extend::Part;
use odeon_theater::TheaterId;

use super::{Leading, Member, PartState, Phase};
use crate::agent::Agent;
use crate::agent::following::Following;
use crate::agent::tell::{Tell, Why};
use crate::id::Id;

impl Leading {
    /// Whether all messages that handlers have joined to actors of other theaters in this round
    /// have been handled there. What a member has said of that it said when nothing was left for it
    /// to do, and its numbers only grow: so if these agree for all, nothing is under way (Mattern,
    /// Algorithms for distributed termination detection, 1987).
    pub(super) fn is_balanced(&self) -> bool {
        let mut sent: BTreeMap<TheaterId, u32> = BTreeMap::new();
        for (to, messages) in self.members.values().flat_map(|member| &member.joins.sent) {
            let sent = sent.entry(*to).or_default();
            *sent = sent.saturating_add(*messages);
        }
        let agrees = |(theater, member): (&TheaterId, &Member)| {
            member.joins.handled == sent.remove(theater).unwrap_or_default()
        };
        self.members.iter().all(agrees) && sent.is_empty()
    }
}

impl Agent {
    /// A handler has joined a message to an actor of a theater, which may have no part yet.
    pub(crate) fn member_is_joined(
        &mut self,
        id: Id,
        round: u32,
        member: TheaterId,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some(leading) = self.leading.get_mut(&id.number).filter(|_| id.leader == self.me)
        else {
            return;
        };
        let runs = leading.phase == Phase::Running && leading.round == round;
        if runs && !leading.members.contains_key(&member) {
            leading.members.insert(member, Member::joined(PartState::Awaited));
            // One that cannot be found takes no part.
            self.seek(member, ctx);
        }
    }

    /// A theater has a part, since messages have come there that were joined to its actors.
    pub(crate) fn member_comes(&mut self, id: Id, from: TheaterId, ctx: &mut Context<'_, Self>) {
        let leading = self.leading.get_mut(&id.number).filter(|_| id.leader == self.me);
        let Some(leading) = leading.filter(|leading| leading.is_open()) else {
            // They were joined in a round that is over, as all is.
            return self.tell(from, Tell::Abort { id, of: 0 }, ctx);
        };
        let is_running = leading.phase == Phase::Running;
        // Before it is told to run it holds nothing.
        let state = if is_running { PartState::Awaited } else { PartState::Ready };
        let member = leading.members.entry(from).or_insert_with(|| Member::joined(state));
        if mem::replace(&mut member.has_come, true) {
            return;
        }
        member.state = state;
        let run = leading.run(id);
        self.seek(from, ctx);
        if is_running {
            self.tell(from, Tell::Run(run), ctx);
        }
    }

    /// A message has come that was joined elsewhere to an actor of this theater, which leads and
    /// has no part yet.
    pub(crate) fn leader_is_joined(&mut self, id: Id, part: Part, ctx: &mut Context<'_, Self>) {
        if self.leading.get(&id.number).is_some_and(Leading::is_open) {
            self.following.insert(id, Following::new(Some(part)));
            return self.member_comes(id, self.me, ctx);
        }
        part.abort(CoordinationError::Unreachable);
    }

    /// A message that a handler of this theater has joined leads nowhere.
    pub(crate) fn join_has_no_way(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        let from = self.me;
        self.tell(id.leader, Tell::Failed { id, from, why: Why::Unreachable }, ctx);
    }

    /// A message that was joined in this round will not come.
    pub(crate) fn join_is_lost(&mut self, id: Id, round: u32, ctx: &mut Context<'_, Self>) {
        let leading = self.leading.get(&id.number).filter(|_| id.leader == self.me);
        if leading.is_some_and(|it| it.phase == Phase::Running && it.round == round) {
            self.give_up(id.number, CoordinationError::Stopped, ctx);
        }
    }
}
