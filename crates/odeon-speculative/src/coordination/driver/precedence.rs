//! What precedence means for one driver (`coordination/precedence.rs`).

use super::super::precedence::{Precedence, ROUNDS, WaitsForVariable};
use super::super::transaction::Coordination;
use super::TransactionDriver;
use std::ptr;
use std::sync::Arc;

impl TransactionDriver {
    /// That of the theater where it has begun, and so of all where it has been. There has been a
    /// message.
    pub(super) fn precedence(&self) -> &Precedence {
        Precedence::at(&**self.home())
    }

    /// A visit has come. Rule 5: it may be one in another theater.
    pub(super) fn note_theater(&self) {
        let here = self.precedence();
        let last = self.visits.last().map(|visit| Precedence::at(visit.participant()));
        if let Some(other) = last.filter(|last| !ptr::eq(*last, here)) {
            here.unite(other);
            for visit in [self.visits.first(), self.visits.last()].into_iter().flatten() {
                visit.participant().congestion().suspend_for_good();
            }
        }
    }

    /// Rule 2, after a rollback.
    pub(super) fn ask_for_precedence(&self, of: &Arc<Coordination>) {
        // A part waits for nobody with anything in its hands (`part.rs`, rule 1).
        if self.rounds == ROUNDS && of.decider().is_none() {
            self.precedence().ask(of);
        }
    }

    /// Rule 7: it begins anew when something has changed.
    pub(super) fn give_up_precedence(&mut self, of: &Arc<Coordination>) {
        if self.has_asked(of) {
            self.precedence().give_up(of.number());
        }
        self.rounds = 0;
    }

    pub(super) fn has_asked(&self, of: &Arc<Coordination>) -> bool {
        self.rounds >= ROUNDS && of.decider().is_none()
    }

    pub(super) fn has_precedence(&self, of: &Arc<Coordination>) -> bool {
        self.has_asked(of) && self.precedence().is_with(of.number())
    }

    /// Rules 2 and 6: whether it may wait for a variable without letting go. It has begun to, then.
    pub(super) fn may_wait_for_variable(&mut self, of: &Arc<Coordination>) -> bool {
        if self.has_precedence(of) {
            self.waits_for_variable = WaitsForVariable::begin();
        }
        self.waits_for_variable.is_some()
    }
}
