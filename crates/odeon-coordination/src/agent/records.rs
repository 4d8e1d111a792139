//! What is remembered of transactions that have committed: until nobody can ask any more.

use std::collections::{BTreeSet, HashMap, VecDeque};

use odeon_core::Context;
use odeon_theater::TheaterId;

use crate::agent::Agent;
use crate::agent::tell::Tell;
use crate::id::Id;

/// How many are remembered for theaters that were taken for dead, and may ask all the same.
// TUNE: 1,000, a guess: those of a cut that is over soon.
const RECENT: usize = 1_000;

/// See the module. What is not in it has not committed, or has nobody left who could ask.
#[derive(Debug, Default)]
pub(crate) struct Records {
    committed: HashMap<Id, Record>,
    recent: VecDeque<Id>,
}

/// Of one transaction.
#[derive(Debug)]
struct Record {
    /// Whose news it waits for.
    until: BTreeSet<TheaterId>,
    participants: BTreeSet<TheaterId>,
    /// Those that need nothing any more.
    settled: BTreeSet<TheaterId>,
}

impl Record {
    /// From here on the others tell, and not the leader. Answers who is to be told.
    fn waits_for(&mut self, theaters: impl IntoIterator<Item = TheaterId>) -> Vec<TheaterId> {
        let theaters: BTreeSet<_> = theaters.into_iter().collect();
        self.until = &theaters - &self.settled;
        self.until.iter().copied().collect()
    }
}

impl Records {
    /// This theater has committed, as it was told by the leader, who will tell when the others
    /// have.
    pub(crate) fn keep_for_leader(
        &mut self,
        id: Id,
        others: BTreeSet<TheaterId>,
        settled: BTreeSet<TheaterId>,
    ) {
        let until = BTreeSet::from([id.leader]);
        self.committed.insert(id, Record { until, participants: others, settled });
    }

    /// This theater has committed without the leader: the others tell.
    pub(crate) fn keep_for_others(
        &mut self,
        id: Id,
        others: BTreeSet<TheaterId>,
        settled: BTreeSet<TheaterId>,
    ) {
        let until = &others - &settled;
        self.committed.insert(id, Record { until, participants: others, settled });
        self.drop_if_over(id);
    }

    /// It may be asked for by somebody who was taken for dead.
    pub(crate) fn remember(&mut self, id: Id) {
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(id);
    }

    pub(crate) fn has_committed(&self, id: Id) -> bool {
        self.committed.contains_key(&id) || self.recent.contains(&id)
    }

    fn has_settled(&mut self, id: Id, theater: TheaterId) {
        if let Some(record) = self.committed.get_mut(&id) {
            record.until.remove(&theater);
            record.settled.insert(theater);
            self.drop_if_over(id);
        }
    }

    fn drop_if_over(&mut self, id: Id) {
        if self.committed.get(&id).is_some_and(|record| record.until.is_empty()) {
            self.committed.remove(&id);
            self.remember(id);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.committed.len()
    }
}

impl Agent {
    /// All have committed but for these, which the leader cannot reach.
    pub(crate) fn forget(&mut self, id: Id, missing: Vec<TheaterId>, ctx: &mut Context<'_, Self>) {
        let Some(record) = self.records.committed.get_mut(&id) else { return };
        let me = self.me;
        let told = record.waits_for(missing.into_iter().filter(|theater| *theater != me));
        self.records.drop_if_over(id);
        self.tell_settled(id, told, ctx);
    }

    /// Tells others that this theater has committed and need not be told: who has gone is found out
    /// by that.
    pub(crate) fn tell_settled(
        &mut self,
        id: Id,
        others: impl IntoIterator<Item = TheaterId>,
        ctx: &mut Context<'_, Self>,
    ) {
        let from = self.me;
        for other in others {
            self.tell(other, Tell::Settled { id, from, is_answer: false }, ctx);
        }
    }

    /// A theater needs nothing any more of a transaction that has committed there.
    pub(crate) fn has_settled(
        &mut self,
        id: Id,
        theater: TheaterId,
        is_answer: bool,
        ctx: &mut Context<'_, Self>,
    ) {
        self.records.has_settled(id, theater);
        match self.following.get_mut(&id) {
            Some(it) => {
                it.has_settled(theater);
                // It has asked in the leader's place: this one may have nobody else who tells.
                if it.is_prepared() && !is_answer {
                    self.commit_here(id, ctx);
                }
            }
            None if !is_answer => {
                let from = self.me;
                self.tell(theater, Tell::Settled { id, from, is_answer: true }, ctx);
            }
            None => {}
        }
    }

    /// A theater has gone: no record waits for it.
    pub(crate) fn records_without(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        let waiting =
            self.records.committed.iter_mut().filter(|(_, it)| it.until.contains(&theater));
        let mut changed = Vec::new();
        for (id, record) in waiting {
            record.settled.insert(theater);
            let told = if id.leader == theater {
                record.waits_for(record.participants.clone())
            } else {
                record.until.remove(&theater);
                Vec::new()
            };
            changed.push((*id, told));
        }
        // One order, whatever the map's is: one seed is to be one run.
        changed.sort_unstable();
        for (id, told) in changed {
            self.records.drop_if_over(id);
            self.tell_settled(id, told, ctx);
        }
    }
}
