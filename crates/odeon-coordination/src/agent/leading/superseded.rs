//! Others end a transaction in the place of this theater, which leads it, and is there all the
//! same.

use odeon_core::Context;
use odeon_speculative::CoordinationError;
use odeon_theater::TheaterId;

use super::{Leading, Outcome, Phase};
use crate::agent::Agent;
use crate::agent::following::Following;
use crate::agent::tell::{Standing, Tell};
use crate::id::Id;

impl Agent {
    /// Somebody has asked in the leader's place: it does as all others do.
    pub(super) fn supersede(&mut self, number: u64, ctx: &mut Context<'_, Self>) {
        let id = self.id(number);
        let Some(leading) = self.leading.get_mut(&number) else { return };
        leading.phase = Phase::Superseded;
        let participants: Vec<TheaterId> = leading.members.keys().copied().collect();
        self.following.entry(id).or_insert_with(Following::without_part).knows(participants);
        self.end_without_leader(id, ctx);
    }

    pub(crate) fn is_leading(&self, id: Id) -> bool {
        id.leader == self.me && self.leading.contains_key(&id.number)
    }

    /// Somebody asks the leader in spite of that: one that takes it for dead, or has.
    pub(crate) fn standing_of_leader(&mut self, id: Id, ctx: &mut Context<'_, Self>) -> Standing {
        match self.leading[&id.number].phase {
            Phase::Gathering | Phase::Running => {
                self.give_up(id.number, CoordinationError::Unreachable, ctx);
                Standing::Aborted
            }
            Phase::PreCommitting => {
                self.supersede(id.number, ctx);
                Standing::Prepared
            }
            Phase::Committing => Standing::Committed,
            Phase::Superseded => {
                self.following.get(&id).map_or(Standing::Prepared, Following::standing)
            }
        }
    }

    /// A part of this theater is over: if the leader was superseded, so is the transaction.
    pub(crate) fn is_decided_without_leading(
        &mut self,
        id: Id,
        outcome: Outcome,
        ctx: &mut Context<'_, Self>,
    ) {
        let superseded = |it: &Leading| it.phase == Phase::Superseded;
        if id.leader != self.me || !self.leading.get(&id.number).is_some_and(superseded) {
            return;
        }
        let Some(mut leading) = self.leading.remove(&id.number) else { return };
        if outcome.is_err() {
            // Those who do not ask wait for this one. All their messages have come.
            for theater in leading.present() {
                self.tell(theater, Tell::Abort { id, of: 0 }, ctx);
            }
        }
        if let Some(reply) = leading.reply.take() {
            reply.send(outcome);
        }
    }
}
