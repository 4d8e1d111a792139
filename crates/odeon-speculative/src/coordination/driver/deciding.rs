//! The driver of a part, which somebody else has begin and decides (`coordination/part.rs`).

use super::super::abroad::{Abroad, TakenOver};
use super::super::outcome::CoordinationError;
use super::super::part::{Part, PartOrder};
use super::super::transaction::Coordination;
use super::{DriverStep, TransactionDriver};
use crate::executor::visiting::{VisitEnd, Visiting};
use std::sync::Arc;

/// How far a part is.
#[derive(Default)]
pub(super) struct Deciding {
    /// The round that it was told to run last.
    round: u32,
    /// Whether it may run that.
    may_run: bool,
    /// What the decider has been told since.
    told: LastReport,
    /// Whether handlers of this round have joined messages to actors of other theaters.
    has_sent: bool,
    /// How many messages joined elsewhere have come in this round.
    joined: u32,
    /// It has rolled back what others have to do with, and has not said so.
    owes_way: bool,
    is_to_commit: bool,
    /// Messages joined elsewhere that came before it was told to run their round, or has begun to.
    early: Vec<(u32, Box<dyn Visiting>)>,
    /// The last round in which one that is still under way has to wait, whoever is waited for.
    waited_for_in: u32,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum LastReport {
    #[default]
    Nothing,
    Ready,
    Prepared,
}

impl Deciding {
    pub(super) fn is_prepared(&self) -> bool {
        self.told == LastReport::Prepared
    }

    pub(super) fn round(&self) -> u32 {
        self.round
    }

    /// So many messages are about to be sent to other theaters.
    pub(super) fn sends(&mut self, messages: usize) {
        self.has_sent |= messages > 0;
    }

    fn runs(&self, round: u32) -> bool {
        self.may_run && self.round == round
    }

    /// Whether a round may still be run.
    fn may_come(&self, round: u32) -> bool {
        round > self.round || self.runs(round)
    }

    /// What it did in this round is undone. Rule 4: if others have to do with it, they are to be
    /// told.
    pub(super) fn is_rolled_back(&mut self) {
        self.owes_way |= self.may_run && (self.has_sent || self.joined > 0);
        (self.has_sent, self.joined) = (false, 0);
        if self.is_prepared() {
            self.told = LastReport::Nothing;
        }
    }

    /// What has come too early for rounds that are over is void.
    fn drop_early(&mut self) {
        for (round, visit) in std::mem::take(&mut self.early) {
            if self.may_come(round) {
                self.early.push((round, visit));
            } else {
                visit.end(VisitEnd::Void);
            }
        }
    }

    /// It is over.
    pub(super) fn end_early(&mut self) {
        self.early.drain(..).for_each(|(_, visit)| visit.end(VisitEnd::Void));
    }
}

impl TransactionDriver {
    /// Answers why it is to be rolled back for good, if it is.
    pub(super) fn apply_orders(
        &mut self,
        of: &Arc<Coordination>,
        orders: Vec<PartOrder>,
    ) -> Option<CoordinationError> {
        for order in orders {
            match order {
                PartOrder::Run(round) => {
                    of.end_rounds(round.saturating_sub(1));
                    let Deciding { early, waited_for_in, .. } = std::mem::take(&mut self.deciding);
                    self.deciding = Deciding {
                        round,
                        may_run: true,
                        early,
                        waited_for_in,
                        ..Deciding::default()
                    };
                }
                PartOrder::RollBack(round) if self.deciding.runs(round) => {
                    if self.has_begun() {
                        self.roll_back(of);
                    }
                    let deciding = &mut self.deciding;
                    (deciding.may_run, deciding.owes_way) = (false, false);
                    deciding.told = LastReport::Nothing;
                    self.end_round(of);
                }
                PartOrder::RollBack(_) => {}
                PartOrder::Commit => self.deciding.is_to_commit = true,
                PartOrder::Abort(why) => return Some(why),
            }
        }
        None
    }

    /// It becomes a part: a handler has joined a message to an actor of another theater. It is
    /// rolled back, and begins when it is told to run.
    pub(super) fn become_part(
        &mut self,
        of: &Arc<Coordination>,
        abroad: &dyn Abroad,
    ) -> DriverStep {
        self.give_up_precedence(of);
        let actors = self.visits[..self.first].iter().map(|visit| visit.actor()).collect();
        let part = Part::of(of);
        let is_part = of.becomes_part(self.home().clone(), |reply| {
            abroad.take_over(TakenOver { part, actors, reply })
        });
        if !is_part {
            return self.fail(of, CoordinationError::Unreachable);
        }
        self.roll_back(of);
        DriverStep::GoesOn
    }

    /// A message has come that was joined elsewhere in this round.
    pub(super) fn is_joined(&mut self, round: u32, visit: Box<dyn Visiting>) {
        if self.deciding.runs(round) && self.has_begun() {
            self.deciding.joined += 1;
            // It says so once more when this one is handled, too.
            self.deciding.told = LastReport::Nothing;
            self.visit(visit);
        } else if self.deciding.may_come(round) {
            self.deciding.early.push((round, visit));
        } else {
            visit.end(VisitEnd::Void);
        }
    }

    /// It has begun to run its round: what has come for that is there.
    pub(super) fn take_early(&mut self) {
        for (round, visit) in std::mem::take(&mut self.deciding.early) {
            self.is_joined(round, visit);
        }
    }

    /// Messages of these rounds have to wait on their way, whoever is waited for: whether it has to
    /// let go.
    pub(super) fn is_to_give_way(&mut self, rounds: &[u32]) -> bool {
        let deciding = &mut self.deciding;
        deciding.waited_for_in = rounds.iter().copied().fold(deciding.waited_for_in, u32::max);
        let is_to = deciding.runs(deciding.waited_for_in) && self.has_begun();
        if is_to {
            self.deciding.waited_for_in = 0;
        }
        is_to
    }

    /// Whether it can begin. A part says that it is ready, and is told.
    pub(super) fn may_begin(&mut self, of: &Arc<Coordination>) -> bool {
        let Some(decider) = of.decider() else { return true };
        if self.deciding.owes_way || self.deciding.runs(self.deciding.waited_for_in) {
            self.give_way(of);
        }
        let Deciding { round, may_run, told, .. } = &mut self.deciding;
        // What is void for others is to be out of the way here, too: it may stand behind somebody
        // who waits.
        if !*may_run && *told != LastReport::Ready && !of.expects_from_elsewhere() {
            *told = LastReport::Ready;
            decider.is_ready(*round);
        }
        *may_run
    }

    /// It waits, having let go of everything: a part says so, for the other parts may hold
    /// something.
    pub(super) fn give_way(&mut self, of: &Arc<Coordination>) {
        self.give_way_for(of, false);
    }

    /// As [`give_way`](Self::give_way), perhaps for a change that somebody else is to make.
    pub(super) fn give_way_for(&mut self, of: &Arc<Coordination>, a_change: bool) {
        let Some(decider) = of.decider() else { return };
        let Deciding { round, may_run, told, owes_way, .. } = &mut self.deciding;
        *owes_way = false;
        if std::mem::take(may_run) {
            *told = LastReport::Nothing;
            decider.gives_way(*round, a_change);
        }
        self.end_round(of);
    }

    /// Unless it is to be run, what was joined elsewhere in the last round is void, and what comes
    /// of it is no news.
    fn end_round(&mut self, of: &Arc<Coordination>) {
        if !self.deciding.may_run {
            of.end_rounds(self.deciding.round);
        }
        self.deciding.drop_early();
    }

    pub(super) fn is_to_prepare(&self, of: &Arc<Coordination>) -> bool {
        of.decider().is_some() && !self.deciding.is_to_commit
    }

    /// All messages have been handled: nothing is to come between that and the outcome.
    pub(super) fn prepare(&mut self, of: &Arc<Coordination>) -> DriverStep {
        if self.deciding.is_prepared() {
            return DriverStep::Waits;
        }
        if let Err(step) = self.step_outside(of) {
            return step;
        }
        self.deciding.told = LastReport::Prepared;
        if let Some(decider) = of.decider() {
            decider.is_prepared(self.deciding.round, self.deciding.joined);
        }
        DriverStep::Waits
    }
}
