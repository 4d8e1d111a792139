//! What precedence means for one tour (`coordination/precedence.rs`).

use super::super::precedence::{Precedence, ROUNDS, WaitsForVariable};
use super::super::transaction::Coordination;
use super::Tour;
use std::sync::Arc;

impl Tour {
    /// That of the theater where it has begun.
    pub(super) fn precedence(&self) -> &Arc<Precedence> {
        self.visits[0].station().precedence()
    }

    /// A visit has come. Rule 5: whether it is one in another theater.
    pub(super) fn note_theater(&mut self, of: &Arc<Coordination>) {
        let last = self.visits.last().map(|visit| visit.station().precedence());
        let is_here = last.is_none_or(|last| Arc::ptr_eq(last, self.precedence()));
        if self.crosses || is_here {
            return;
        }
        if self.has_asked() {
            self.precedence().give_up(of.number());
        }
        self.crosses = true;
    }

    /// Rule 2, after a rollback.
    pub(super) fn ask_for_precedence(&self, of: &Arc<Coordination>) {
        if self.rounds == ROUNDS && self.has_asked() {
            self.precedence().ask(of.number());
        }
    }

    /// Whether it has asked for precedence, and not given it up.
    pub(super) fn has_asked(&self) -> bool {
        self.rounds >= ROUNDS && !self.crosses
    }

    pub(super) fn has_precedence(&self, of: &Arc<Coordination>) -> bool {
        self.has_asked() && self.precedence().is_with(of.number())
    }

    /// The precedence that another transaction has, wherever this one has been.
    pub(super) fn precedence_of_other(&self, of: &Arc<Coordination>) -> Option<Arc<Precedence>> {
        let theaters = if self.crosses { self.visits.len() } else { 1 };
        let mut all = self.visits.iter().take(theaters).map(|visit| visit.station().precedence());
        all.find(|precedence| precedence.is_with_other(of.number())).cloned()
    }

    /// Rules 2 and 6: whether it may wait for a variable without letting go. It has begun to, then.
    pub(super) fn may_wait_for_variable(&mut self, of: &Arc<Coordination>) -> bool {
        if self.has_precedence(of) {
            self.waits_for_variable = WaitsForVariable::begin();
        }
        self.waits_for_variable.is_some()
    }
}
