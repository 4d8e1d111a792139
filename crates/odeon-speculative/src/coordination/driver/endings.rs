//! How a driver ends: everywhere, or nowhere; or begins again.

use super::super::outcome::{CoordinationError, tell};
use super::super::precedence::Precedence;
use super::super::transaction::Coordination;
use super::{DriverStep, TRIES, TransactionDriver};
use crate::contained::{Panic, contained, drop_quietly};
use crate::executor::exit::Closed;
use crate::executor::participant::Participant;
use crate::executor::visiting::VisitEnd;
use odeon_stm::Cause;
use odeon_stm::staged::RolledBack;
use odeon_sync::interruption;
use std::sync::Arc;

/// Why there was no commit.
enum Refused {
    RolledBack(RolledBack),
    Closed,
    /// By a value that a log cannot write.
    Panicked(Panic),
}

impl TransactionDriver {
    /// All messages have been handled: all that they did takes place.
    pub(super) fn commit(&mut self, of: &Arc<Coordination>) -> DriverStep {
        interruption::point();
        let Self { attempt, visits, places, .. } = self;
        let travelling = attempt.as_mut().expect("begun");
        let has_hooks = travelling.has_hooks();
        let mut failures: Vec<(usize, Panic)> = Vec::new();
        // Effects leave each actor in the order of its commits; and an actor that has been left
        // meanwhile may have ended, after which nothing commits. The locks of several exits are
        // taken in the order of addresses.
        let mut passes: Vec<(usize, bool)> = Vec::new();
        for (place, visit) in visits.iter().enumerate() {
            let participant = visit.participant();
            let calls = visit.has_effects() || has_hooks && place == 0;
            if calls || !places.is_inside(participant) || participant.exit().is_closing() {
                passes.push((place, visit.is_last()));
            }
        }
        passes.sort_by_key(|(place, is_last)| (visits[*place].participant().address(), !is_last));
        passes.dedup_by_key(|(place, _)| visits[*place].participant().address());
        let exits: Vec<_> = passes
            .iter()
            .map(|(place, is_last)| (visits[*place].shared_participant(), *is_last))
            .collect();
        let is_decided = of.decider().is_some();
        let committed = pass_all(&exits, is_decided, &mut || {
            // Values' destructors, and who waits for their change, are contained by the
            // transactional memory; it panics before the commit, or not at all.
            let after = match contained(|| travelling.commit_before_hooks()) {
                Ok(commit) => commit.map_err(Refused::RolledBack)?,
                Err(panic) => return Err(Refused::Panicked(panic)),
            };
            if let Err(panic) = contained(|| after.call()) {
                failures.push((0, panic));
            }
            for (place, visit) in visits.iter_mut().enumerate() {
                failures.extend(visit.let_happen().map(|panic| (place, panic)));
            }
            // The last one first: it may answer by what the one before it has passed on in turn.
            for (place, visit) in visits.iter_mut().enumerate().rev() {
                failures.extend(visit.answer_passed_on().map(|panic| (place, panic)));
            }
            Ok(())
        });
        match committed {
            Ok(()) => {
                for (place, panic) in failures {
                    self.visits[place].fail(panic);
                }
                self.end(of, Ok(()))
            }
            Err(Refused::Closed) => self.fail(of, CoordinationError::Stopped),
            Err(Refused::Panicked(panic)) => self.fail_by(of, self.done - 1, panic),
            Err(Refused::RolledBack(rolled_back)) => self.meet_at_commit(of, rolled_back),
        }
    }

    fn meet_at_commit(&mut self, of: &Arc<Coordination>, rolled_back: RolledBack) -> DriverStep {
        let last = self.done - 1;
        self.visits[last].count_rollback(&rolled_back);
        if matches!(rolled_back.cause(), Cause::Prepared | Cause::Irrevocable) {
            return self.let_go_and_wait(of, rolled_back);
        }
        let attempt = self.attempt.as_mut().expect("begun");
        if self.tries < TRIES && attempt.undo_last() {
            self.visits[last].undo();
            self.done = last;
            return self.try_again(of);
        }
        self.roll_back(of);
        DriverStep::GoesOn
    }

    /// Undoes everything; a new round begins when what is under way has arrived.
    pub(super) fn roll_back(&mut self, of: &Arc<Coordination>) {
        self.rounds += 1;
        self.ask_for_precedence(of);
        self.drop_attempt();
        self.places.give_up(of.number(), &self.visits);
        self.visits.iter_mut().for_each(|visit| visit.undo());
        let void = self.visits.drain(self.first..);
        void.for_each(|visit| visit.end(VisitEnd::Void));
        of.begin_round().into_iter().for_each(|(_, visit)| visit.end(VisitEnd::Void));
        (self.done, self.tries) = (0, 0);
        self.deciding.is_rolled_back();
        of.set_on_its_way(false);
        self.visits.iter().for_each(|visit| visit.participant().let_joined_pass(of.number()));
    }

    /// It will not be tried again.
    pub(super) fn fail(&mut self, of: &Arc<Coordination>, why: CoordinationError) -> DriverStep {
        self.visits.iter_mut().for_each(|visit| visit.undo());
        self.end(of, Err(why))
    }

    fn end(
        &mut self,
        of: &Arc<Coordination>,
        outcome: Result<(), CoordinationError>,
    ) -> DriverStep {
        let theater = self.has_asked(of).then(|| self.home().transactions().clone());
        let held_by = self.visits.iter().find_map(|visit| visit.held_by());
        self.drop_attempt();
        self.places.give_up(of.number(), &self.visits);
        for visit in self.visits.drain(..) {
            let ending = match &outcome {
                Ok(()) => VisitEnd::Committed,
                Err(CoordinationError::Stopped) if visit.participant().has_ended() => {
                    VisitEnd::TooLate
                }
                Err(_) => VisitEnd::Void,
            };
            visit.end(ending);
        }
        self.deciding.end_early();
        if let Some(reply) = of.end(&outcome, theater.as_deref().map(Precedence::of)) {
            tell(reply, outcome, held_by);
        }
        DriverStep::Over
    }

    /// What it calls after a rollback is a user's code, whose panic concerns nobody.
    fn drop_attempt(&mut self) {
        self.waits_for_variable = None;
        drop_quietly(self.attempt.take());
    }
}

/// Passes all exits, whose locks are held together; closed ones too if it `is_decided` that all
/// commit.
fn pass_all(
    exits: &[(Arc<dyn Participant>, bool)],
    is_decided: bool,
    commit: &mut dyn FnMut() -> Result<(), Refused>,
) -> Result<(), Refused> {
    let Some(((exit, is_last), rest)) = exits.split_first() else { return commit() };
    match exit.exit().pass(*is_last, || pass_all(rest, is_decided, commit)) {
        Ok(outcome) => outcome,
        Err(Closed) if is_decided => pass_all(rest, is_decided, commit),
        Err(Closed) => Err(Refused::Closed),
    }
}
