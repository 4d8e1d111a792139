//! The agent of a theater: leads the transactions that begin there, and follows others. What it
//! does is in `agent/*`.

pub(crate) mod abroad;
mod ending;
mod following;
mod leading;
pub(crate) mod parts;
pub(crate) mod peers;
pub(crate) mod records;
pub(crate) mod tell;

use std::collections::HashMap;
use std::sync::Arc;

use odeon_core::{Actor, Context, Random};
use odeon_theater::TheaterId;
use odeon_theater::extend::WeakNetwork;

use crate::agent::following::Following;
use crate::agent::leading::Leading;
use crate::agent::parts::Parts;
use crate::agent::peers::Peer;
use crate::agent::records::Records;
use crate::agent::tell::Tell;
use crate::id::Id;
use crate::sizes::Sizes;
use crate::urgency::Urgency;

/// See the module.
pub(crate) struct Agent {
    pub(crate) me: TheaterId,
    pub(crate) network: WeakNetwork,
    pub(crate) parts: Arc<Parts>,
    pub(crate) peers: HashMap<TheaterId, Peer>,
    /// By their numbers.
    pub(crate) leading: HashMap<u64, Leading>,
    /// The parts of this theater, also in transactions that it leads.
    pub(crate) following: HashMap<Id, Following>,
    pub(crate) records: Records,
    pub(crate) urgency: Urgency,
    /// The greatest stamp that has been seen.
    pub(crate) stamp: u64,
    pub(crate) random: Random,
    pub(crate) sizes: Arc<Sizes>,
}

impl Actor for Agent {
    type Msg = Tell;

    fn handle(&mut self, tell: Tell, ctx: &mut Context<'_, Self>) {
        match tell {
            Tell::Ready { id, from, after } => self.is_ready(id, from, after, ctx),
            Tell::GivesWay { id, from, round, for_a_change } => {
                self.gives_way(id, from, round, for_a_change, ctx);
            }
            Tell::Prepared { id, from, round, joins } => {
                self.is_prepared(id, from, round, joins, ctx);
            }
            Tell::Joins { id, round, member } => self.member_is_joined(id, round, member, ctx),
            Tell::Joined { id, from } => self.member_comes(id, from, ctx),
            Tell::JoinLost { id, round } => self.join_is_lost(id, round, ctx),
            Tell::Failed { id, from, why } => self.has_failed(id, from, &why, ctx),
            Tell::Run(run) => self.run_part(run, ctx),
            Tell::RollBack { id, round, is_calm } => self.roll_back_part(id, round, is_calm, ctx),
            Tell::Abort { id, of } => self.abort_part(id, of, ctx),
            Tell::Lost { id } => self.parts.has_lost_one(id),
            Tell::PreCommit { id, by, participants, reply } => {
                reply.send(self.pre_commit_part(id, by, participants));
            }
            Tell::Commit { id, reply } => self.commit_part(id, reply),
            Tell::Forget { id, missing } => self.forget(id, missing, ctx),
            Tell::Inquire { id, reply } => reply.send(self.answer_another(id, ctx)),
            Tell::Settled { id, from, is_answer } => self.has_settled(id, from, is_answer, ctx),
            Tell::Then(step) => (step.0)(self, ctx),
        }
        self.note_sizes();
    }

    /// What is not decided here is given up: for the other theaters this one is dead.
    fn stopped(&mut self) {
        self.parts.end();
        self.sizes.note(0, 0);
    }
}

impl Agent {
    pub(crate) fn note_sizes(&self) {
        self.sizes.note(self.leading.len() + self.following.len(), self.records.len());
    }
}
