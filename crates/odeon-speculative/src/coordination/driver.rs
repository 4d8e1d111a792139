//! What drives a coordinated transaction: from actor to actor, handler by handler, to one commit.
//!
//! ```text
//!            all first messages are there
//!  gathering ───────────────► on its way ──────► committed
//!      ▲                         │  │  ▲
//!      │      rolled back wholly │  ▼  │ resumed
//!      └─────────────────────────┘ waits, protected
//! ```
//!
//! As long as it is let in everywhere and no further messages are under way, the handlers run one
//! after the other on one thread, and the commit is an ordinary one: nobody had to wait for an
//! outcome. Only where it has to wait it *steps outside*: it protects what it has read and written
//! (it is *pre-committed* there), and gives its places back, so that the actors go on. When it may
//! wait so, and when it has to let go first, stands in `coordination/precedence.rs`.

mod deciding;
mod endings;
mod places;
mod precedence;

use super::outcome::CoordinationError;
use super::plan::Join;
use super::precedence::WaitsForVariable;
use super::transaction::{Coordination, News, Rest};
use crate::contained::{Panic, contained, drop_each, forget, text_of};
use crate::executor::attempt::WAITS;
use crate::executor::enlistment::{Enlistment, Role};
use crate::executor::participant::Participant;
use crate::executor::participant::{Awaits, ParticipantEntry};
use crate::executor::visiting::{Ran, Visiting};
use deciding::Deciding;
use odeon_core::Access;
use odeon_core::extend::Suspends;
use odeon_stm::staged::{Awaited, Journey, RolledBack};
use odeon_stm::{Cause, Mode};
use odeon_sync::Backoff;
use places::Places;
use std::mem;
use std::sync::Arc;
use std::task::{Wake, Waker};

/// See the module.
pub(super) struct TransactionDriver {
    /// Its messages: the first ones, then those that handlers have joined to it.
    visits: Vec<Box<dyn Visiting>>,
    /// Where the first messages belong, before all are there.
    order: Vec<usize>,
    first: usize,
    /// How many of them have been handled in this round.
    done: usize,
    /// `None`: gathering.
    attempt: Option<Journey>,
    places: Places,
    /// Whether a message that changes something has turned up.
    changes: bool,
    /// Attempts of the present handler that met conflicts.
    tries: u32,
    rounds: u32,
    /// Whether it has been rolled back for another one's precedence.
    is_yielding: bool,
    /// Whether somebody else will have it gone on with: a board, or another transaction's end.
    waits_for_others: bool,
    /// While it waits for a change, which may be made by somebody who would hold back.
    suspends: Option<Suspends>,
    awaited: Option<Awaited>,
    waits_for_variable: Option<WaitsForVariable>,
    deciding: Deciding,
    /// An actor of its theater: that to which its first message has come, which may be void since.
    home: Option<Arc<dyn Participant>>,
}

/// How a step has ended.
enum DriverStep {
    /// There is something to do.
    GoesOn,
    /// There is nothing to do before news.
    Waits,
    Over,
}

/// Why a part fails whose commit a log is told of: nobody would find the decision there.
const LOGGED: &str = "a durable actor takes no part in transactions of several theaters";

/// TUNE: attempts of one handler on top of what the others have done, before all is rolled back.
const TRIES: u32 = 8;

impl TransactionDriver {
    pub(super) fn new() -> Self {
        Self {
            visits: Vec::new(),
            order: Vec::new(),
            first: 0,
            done: 0,
            attempt: None,
            places: Places::default(),
            changes: false,
            tries: 0,
            rounds: 0,
            is_yielding: false,
            waits_for_others: false,
            suspends: None,
            awaited: None,
            waits_for_variable: None,
            deciding: Deciding::default(),
            home: None,
        }
    }

    /// Whether it is on its way.
    pub(super) fn has_begun(&self) -> bool {
        self.attempt.is_some()
    }

    /// Whether what it waits for is not only the arrival of messages.
    pub(super) fn waits_for_others(&self) -> bool {
        self.waits_for_others
    }

    /// Goes as far as it can.
    pub(super) fn go_on(mut self: Box<Self>, of: &Arc<Coordination>, mut news: News) {
        loop {
            (self.awaited, self.waits_for_variable, self.suspends) = (None, None, None);
            if matches!(self.apply(of, news), DriverStep::Over)
                || matches!(self.go(of), DriverStep::Over)
            {
                return;
            }
            match of.rest(self) {
                Rest::Rests => return,
                Rest::GoesOn(driver, more) => (self, news) = (driver, more),
            }
        }
    }

    fn apply(&mut self, of: &Arc<Coordination>, news: News) -> DriverStep {
        // Rule 2 of `part.rs`.
        let mut failed = news.failed.filter(|_| !self.deciding.is_prepared());
        for (place, visit) in news.arrived {
            // What was joined elsewhere may turn out to be void.
            let is_certain = !matches!(place, Role::JoinedElsewhere(_));
            if visit.access() == Access::Exclusive && is_certain {
                failed.get_or_insert(CoordinationError::Exclusive);
            }
            match place {
                Role::JoinedElsewhere(round) => self.is_joined(round, visit),
                Role::First(place) if !self.has_begun() => {
                    self.order.push(place);
                    self.visit(visit);
                }
                Role::First(_) | Role::Joined => self.visit(visit),
            }
        }
        // Behind what has arrived: a round that is void takes that with it.
        failed = self.apply_orders(of, news.orders).or(failed);
        if let Some(why) = failed {
            return self.fail(of, why);
        }
        let gives_way = news.gives_way && !self.deciding.is_prepared();
        if self.is_to_give_way(&news.gives_way_in) || gives_way && self.has_begun() {
            self.roll_back(of);
            self.give_way(of);
        }
        DriverStep::GoesOn
    }

    /// A message has come.
    fn visit(&mut self, visit: Box<dyn Visiting>) {
        self.home.get_or_insert_with(|| visit.shared_participant());
        self.visits.push(visit);
        self.note_theater();
    }

    /// There has been a message.
    fn home(&self) -> &Arc<dyn Participant> {
        self.home.as_ref().expect("who waits has met somebody")
    }

    /// Where its messages are.
    pub(super) fn participants(&self) -> impl Iterator<Item = Arc<dyn Participant>> {
        self.visits.iter().map(|visit| visit.shared_participant())
    }

    /// Where it is gone on with, if a message is there.
    fn participant(&self) -> Option<Arc<dyn Participant>> {
        self.visits.first().map(|visit| visit.shared_participant())
    }

    fn go(&mut self, of: &Arc<Coordination>) -> DriverStep {
        loop {
            self.waits_for_others = false;
            let step = if self.done < self.visits.len() && self.has_begun() {
                self.handle_next(of)
            } else {
                let (news, expects) = of.look();
                match news {
                    Some(news) => self.apply(of, news),
                    None if expects && !self.has_begun() => {
                        self.give_way(of);
                        DriverStep::Waits
                    }
                    None if expects => self.wait_outside(of),
                    None if !self.has_begun() => self.begin(of),
                    None if self.is_to_prepare(of) => self.prepare(of),
                    None => self.commit(of),
                }
            };
            match step {
                DriverStep::GoesOn => {}
                step => return step,
            }
        }
    }

    /// All first messages are there.
    fn begin(&mut self, of: &Arc<Coordination>) -> DriverStep {
        if !self.order.is_empty() {
            self.first = self.visits.len();
            let mut visits: Vec<_> = self.order.drain(..).zip(self.visits.drain(..)).collect();
            visits.sort_by_key(|(place, _)| *place);
            self.visits.extend(visits.into_iter().map(|(_, visit)| visit));
        }
        if self.is_yielding && self.precedence().is_with_other(of.number()) {
            self.give_way(of);
            let participant = self.participant();
            self.waits_for_others = true;
            let resuming = Resuming { coordination: of.clone(), participant };
            self.precedence().wait(of.number(), resuming);
            return DriverStep::Waits;
        }
        self.is_yielding = false;
        if !self.may_begin(of) {
            return DriverStep::Waits;
        }
        self.changes |= of.decider().is_some();
        self.changes |= self.visits.iter().any(|visit| visit.access() == Access::Update);
        let mode = if self.changes { Mode::Logged } else { Mode::Snapshot };
        match contained(|| Journey::begin(mode)) {
            Ok(begun) => self.attempt = Some(begun),
            // There are too many attempts: a message fails with that, too.
            Err(panic) => return self.fail_by(of, 0, panic),
        }
        of.set_on_its_way(true);
        self.take_early();
        DriverStep::GoesOn
    }

    fn handle_next(&mut self, of: &Arc<Coordination>) -> DriverStep {
        let visit = &self.visits[self.done];
        if visit.access() == Access::Exclusive {
            return self.fail(of, CoordinationError::Exclusive);
        }
        if !self.changes && visit.access() == Access::Update {
            self.changes = true;
            self.roll_back(of);
            return DriverStep::GoesOn;
        }
        match self.places.enter(of.number(), !self.changes, visit.participant(), self.done) {
            Some(ParticipantEntry::Entered) => {}
            Some(ParticipantEntry::Closed) => return self.fail(of, CoordinationError::Stopped),
            Some(entry) => return self.wait_for_place(of, entry),
            // The actor was made anew under it.
            None => {
                self.roll_back(of);
                return DriverStep::GoesOn;
            }
        }
        let attempt = self.attempt.as_mut().expect("begun");
        let mut joins: Vec<Join> = Vec::new();
        let ran = self.visits[self.done].run(attempt, &mut joins);
        if !matches!(ran, Ran::Well) {
            drop_each(mem::take(&mut joins));
        }
        match ran {
            Ran::Well if of.decider().is_some() && attempt.is_journaled() => {
                drop_each(joins);
                self.fail_by(of, self.done, Box::new(LOGGED))
            }
            Ran::Well => {
                self.done += 1;
                self.tries = 0;
                self.send(of, joins)
            }
            Ran::Refused(_) if !self.changes => {
                // On a snapshot nothing is remembered that it could wait for: it is to hold on to
                // what it reads.
                self.changes = true;
                self.roll_back(of);
                DriverStep::GoesOn
            }
            Ran::RolledBack(rolled_back) | Ran::Refused(rolled_back) => self.meet(of, rolled_back),
            Ran::Failed(panic, why) => self.fail_with(of, self.done, panic, why),
        }
    }

    /// Sends what the handler has joined that has just ended.
    fn send(&mut self, of: &Arc<Coordination>, joins: Vec<Join>) -> DriverStep {
        if joins.is_empty() {
            return DriverStep::GoesOn;
        }
        let away = joins.iter().find_map(Join::abroad);
        if let (Some(abroad), None) = (away, of.decider()) {
            let abroad = abroad.clone();
            drop_each(joins);
            return self.become_part(of, &*abroad);
        }
        let here = joins.iter().filter(|join| join.abroad().is_none()).count();
        self.deciding.sends(joins.len() - here);
        let round = of.expect(here);
        let decider = of.decider().map(|decider| (&**decider, self.deciding.round()));
        let congestion = self.visits[self.done - 1].participant().congestion();
        let mut joins = joins.into_iter();
        let sent = joins.by_ref().try_for_each(|join| {
            let enlist = || Enlistment::new(of.clone(), round, Role::Joined);
            contained(|| join.send(enlist, congestion, decider))
        });
        let Err(panic) = sent else { return DriverStep::GoesOn };
        drop_each(joins);
        self.fail_by(of, self.done - 1, panic)
    }

    /// What the handler of this visit has said or wanted has panicked.
    fn fail_by(&mut self, of: &Arc<Coordination>, visit: usize, panic: Panic) -> DriverStep {
        let why = text_of(&panic);
        self.fail_with(of, visit, panic, why)
    }

    fn fail_with(
        &mut self,
        of: &Arc<Coordination>,
        visit: usize,
        panic: Panic,
        why: Arc<str>,
    ) -> DriverStep {
        let Some(visit) = self.visits.get(visit) else {
            // A part that only waits for what is joined elsewhere.
            forget(panic);
            return self.fail(of, CoordinationError::Unreachable);
        };
        let participant = visit.actor();
        visit.fail(panic);
        self.fail(of, CoordinationError::Failed { participant, why })
    }

    /// The present handler has met a conflict, and was undone.
    fn meet(&mut self, of: &Arc<Coordination>, rolled_back: RolledBack) -> DriverStep {
        match rolled_back.cause() {
            Cause::Retry => {
                self.roll_back(of);
                self.give_up_precedence(of);
                self.suspends = Some(self.home().congestion().suspend());
                self.wait_for(of, rolled_back)
            }
            Cause::CannotWait => self.fail_by(of, self.done, Box::new(WAITS)),
            Cause::Prepared | Cause::Irrevocable if self.may_wait_for_variable(of) => {
                match self.step_outside(of) {
                    Ok(()) => self.wait_for(of, rolled_back),
                    Err(step) => step,
                }
            }
            Cause::Prepared | Cause::Irrevocable => self.let_go_and_wait(of, rolled_back),
            Cause::SnapshotExpired => {
                // So many others write that no moment can be kept for long: it is to hold on to
                // what it reads.
                self.changes |= self.rounds >= TRIES;
                self.roll_back(of);
                DriverStep::GoesOn
            }
            _ => self.try_again(of),
        }
    }

    /// Runs the present handler again, if what lies before it still stands; else everything.
    fn try_again(&mut self, of: &Arc<Coordination>) -> DriverStep {
        self.tries += 1;
        let attempt = self.attempt.as_mut().expect("begun");
        if self.tries > TRIES || attempt.protect().is_err() {
            self.roll_back(of);
        }
        let mut backoff = Backoff::new();
        (0..self.rounds.min(TRIES)).for_each(|_| backoff.wait());
        DriverStep::GoesOn
    }

    /// Something is under way that will bring news.
    fn wait_outside(&mut self, of: &Arc<Coordination>) -> DriverStep {
        match self.step_outside(of) {
            Ok(()) => DriverStep::Waits,
            Err(step) => step,
        }
    }

    /// The present handler's actor has no place. If it is busy, that will change in any case, or it
    /// comes to be blocked, and tells.
    fn wait_for_place(&mut self, of: &Arc<Coordination>, entry: ParticipantEntry) -> DriverStep {
        let holds = entry == ParticipantEntry::Busy;
        let is_part = of.decider().is_some();
        let place = holds || self.done == 0 && !is_part || self.has_precedence(of);
        // While the visit is there, which keeps the actor.
        if !self.visits[self.done].participant().defer(of.clone(), Awaits { place, holds }) {
            return self.fail(of, CoordinationError::Stopped);
        }
        self.waits_for_others = true;
        if place {
            return self.wait_outside(of);
        }
        self.roll_back(of);
        self.give_way(of);
        DriverStep::Waits
    }

    /// Protects everything and gives the places back.
    ///
    /// # Errors
    /// How to go on, if it had to let go of everything.
    fn step_outside(&mut self, of: &Arc<Coordination>) -> Result<(), DriverStep> {
        if self.done > 0 && self.changes {
            if self.precedence().is_with_other(of.number()) {
                self.roll_back(of);
                self.is_yielding = true;
                return Err(DriverStep::GoesOn);
            }
            let attempt = self.attempt.as_mut().expect("begun");
            if let Err(rolled_back) = attempt.protect() {
                return Err(self.let_go_and_wait(of, rolled_back));
            }
        }
        self.places.leave(of.number(), &self.visits, self.done);
        Ok(())
    }

    /// Rolls everything back, and waits for what is in the way, if that can be waited for.
    fn let_go_and_wait(&mut self, of: &Arc<Coordination>, rolled_back: RolledBack) -> DriverStep {
        self.roll_back(of);
        self.wait_for(of, rolled_back)
    }

    fn wait_for(&mut self, of: &Arc<Coordination>, rolled_back: RolledBack) -> DriverStep {
        let cause = rolled_back.cause();
        if !matches!(cause, Cause::Retry | Cause::Prepared | Cause::Irrevocable) {
            return DriverStep::GoesOn;
        }
        self.give_way_for(of, cause == Cause::Retry);
        let participant = self.participant();
        let resuming = Resuming { coordination: of.clone(), participant };
        self.waits_for_others = true;
        self.awaited = Some(rolled_back.wake(Waker::from(Arc::new(resuming))));
        DriverStep::Waits
    }
}

/// Has a transaction gone on with by an executor of one of its actors, or by who decides it.
pub(super) struct Resuming {
    coordination: Arc<Coordination>,
    /// `None`: there are no handlers to call.
    participant: Option<Arc<dyn Participant>>,
}

impl Resuming {
    pub(super) fn now(&self) {
        match &self.participant {
            // Here somebody else's commit may be in the middle, or a handler.
            None => self.coordination.has_decider_go_on(),
            Some(participant) => {
                if !participant.defer(self.coordination.clone(), Awaits::default()) {
                    self.coordination.fail_elsewhere(CoordinationError::Stopped);
                }
            }
        }
    }
}

impl Wake for Resuming {
    fn wake(self: Arc<Self>) {
        self.now();
    }
}
