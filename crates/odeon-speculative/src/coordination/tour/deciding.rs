//! The tour of a part, which somebody else has begin and decides (`coordination/part.rs`).

use super::super::outcome::CoordinationError;
use super::super::part::Order;
use super::super::transaction::Coordination;
use super::{Step, Tour};
use std::sync::Arc;

/// How far a part is.
#[derive(Debug, Default)]
pub(super) struct Deciding {
    /// The round that it was told to run last.
    round: u32,
    /// Whether it may run that.
    may_run: bool,
    /// What the decider has been told since.
    told: Told,
    is_to_commit: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Told {
    #[default]
    Nothing,
    Ready,
    Prepared,
}

impl Deciding {
    pub(super) fn is_prepared(&self) -> bool {
        self.told == Told::Prepared
    }
}

impl Tour {
    /// Answers why it is to be rolled back for good, if it is.
    pub(super) fn heed_orders(
        &mut self,
        of: &Arc<Coordination>,
        orders: Vec<Order>,
    ) -> Option<CoordinationError> {
        for order in orders {
            let Deciding { round, may_run, .. } = self.deciding;
            match order {
                Order::Run(next) => {
                    self.deciding = Deciding { round: next, may_run: true, ..Deciding::default() };
                }
                Order::RollBack(this) if may_run && this == round => {
                    if self.has_begun() {
                        self.roll_back(of);
                    }
                    (self.deciding.may_run, self.deciding.told) = (false, Told::Nothing);
                }
                Order::RollBack(_) => {}
                Order::Commit => self.deciding.is_to_commit = true,
                Order::Abort(why) => return Some(why),
            }
        }
        None
    }

    /// Whether it can begin. A part says that it is ready, and is told.
    pub(super) fn may_begin(&mut self, of: &Arc<Coordination>) -> bool {
        let Some(decider) = of.decider() else { return true };
        let Deciding { round, may_run, told, .. } = &mut self.deciding;
        if !*may_run && *told != Told::Ready {
            *told = Told::Ready;
            decider.is_ready(*round);
        }
        *may_run
    }

    /// It waits, having let go of everything: a part says so, for the other parts may hold something.
    pub(super) fn give_way(&mut self, of: &Arc<Coordination>) {
        self.give_way_for(of, false);
    }

    /// As [`give_way`](Self::give_way), perhaps for a change that somebody else is to make.
    pub(super) fn give_way_for(&mut self, of: &Arc<Coordination>, a_change: bool) {
        let Some(decider) = of.decider() else { return };
        let Deciding { round, may_run, told, .. } = &mut self.deciding;
        if std::mem::take(may_run) {
            *told = Told::Nothing;
            decider.gives_way(*round, a_change);
        }
    }

    pub(super) fn is_to_prepare(&self, of: &Arc<Coordination>) -> bool {
        of.decider().is_some() && !self.deciding.is_to_commit
    }

    /// All messages have been handled: nothing is to come between that and the outcome.
    pub(super) fn prepare(&mut self, of: &Arc<Coordination>) -> Step {
        if self.deciding.is_prepared() {
            return Step::Waits;
        }
        if let Err(step) = self.step_outside(of) {
            return step;
        }
        self.deciding.told = Told::Prepared;
        if let Some(decider) = of.decider() {
            decider.is_prepared(self.deciding.round);
        }
        Step::Waits
    }
}
