//! Visits: the messages of coordinated transactions on one board.
//!
//! RULES
//! 1. A visit *arrives* when its lane is its own. It halts the lane, unless it comes from another
//!    theater, and leaves for its transaction, which has it handled when all is there ; the board
//!    counts it until the transaction is over.
//! 2. To have it handled the transaction *enters*: it takes one of the places for changes or for
//!    reads, as an executor does. What it cannot enter it never waits for in the doorway: it is
//!    *deferred*, and taken up when the board has a place (`board/deferred.rs`).
//! 3. It *leaves* with the handler, and is a *guest* if it has protected variables of this actor
//!    until its outcome. Guests disturb nobody but exclusive messages: one waits until there are
//!    none, and while it, or another that is to run alone, waits nobody new enters. Other messages
//!    go on meanwhile, for a guest may wait for them.
//! 4. On an actor whose processing blocks, or that keeps the order of arrival, a guest *holds* the
//!    board: nothing else is taken.
//! 5. A board that is held, or has an exclusive message waiting for guests, is *stalled*: it waits
//!    for outcomes. Whoever waits here with protected variables in its hands, for a place or behind
//!    other messages, began to when the board was not, and is told, to let go.
//! 6. Of what is done for visits and batches that are taken, one of ten is a batch, while one could
//!    be taken.

use super::deferred::Deferred;
use super::{Board, How, IN_A_ROW};
use crate::executor::enlistment::{Enlistment, GivesWay};
use crate::executor::job::Job;
use crate::executor::number_map::NumberMap;
use crate::executor::participant::{Awaits, ParticipantEntry};
use crate::executor::transaction::Transaction;
use odeon_core::extend::Lane;
use odeon_core::{Access, Message};
use std::collections::VecDeque;
use std::sync::Arc;

/// What a board knows of coordinated transactions.
pub(super) struct Visits<M> {
    pub(super) arriving: VecDeque<Job<M>>,
    pub(super) deferred: Deferred,
    present: NumberMap<u64, Visitor>,
    guests: usize,
    held_by: Option<u64>,
    /// Transactions that have entered.
    pub(super) entered: usize,
    /// Tasks since the last batch.
    in_a_row: usize,
    /// Rule 5: whether those behind other messages have been told.
    has_told: bool,
    /// Whether guests hold the board.
    pub(super) blocks: bool,
}

/// A transaction with messages here.
struct Visitor {
    transaction: Arc<dyn Transaction>,
    messages: usize,
    is_guest: bool,
}

/// The transactions for which a board that closes will do nothing more.
pub(crate) struct LeftBehind {
    /// Those with messages here.
    pub(crate) present: Vec<Arc<dyn Transaction>>,
    /// Those that wait for a place; the message for which they want it may be void meanwhile.
    pub(crate) deferred: Vec<Arc<dyn Transaction>>,
}

/// What an executor does for a coordinated transaction.
pub(crate) enum VisitTask<M> {
    /// Tells it of a message that has arrived.
    Arrives(Job<M>),
    /// Goes on with it.
    GoesOn(Arc<dyn Transaction>),
    /// Has only those give way who are named beside it.
    GivesWay,
}

impl<M> Visits<M> {
    pub(super) fn new() -> Self {
        Self {
            arriving: VecDeque::new(),
            deferred: Deferred::default(),
            present: NumberMap::default(),
            guests: 0,
            held_by: None,
            entered: 0,
            in_a_row: 0,
            has_told: false,
            blocks: false,
        }
    }

    /// Rule 4.
    pub(super) fn is_held(&self) -> bool {
        self.held_by.is_some()
    }

    /// Rule 3.
    pub(super) fn has_guests(&self) -> bool {
        self.guests > 0
    }
}

impl<M: Message> Board<M> {
    /// Whether guests hold the board, from the next ones on.
    pub(crate) fn set_blocking(&mut self, blocks: bool) {
        self.visits.blocks = blocks || self.in_order.is_some();
    }

    /// Whether [`take_visit`](Self::take_visit) is worth a call.
    pub(crate) fn next_visit(&self) -> bool {
        let arrives = || !self.visits.arriving.is_empty() || self.front_arrives();
        let is_due = || arrives() || self.is_to_tell();
        !self.is_closed && !self.is_starting && (is_due() || self.next_deferred().is_some())
    }

    /// Whether the transaction with this number has a message here that has arrived.
    pub(crate) fn is_visited_by(&self, who: u64) -> bool {
        self.visits.present.contains_key(&who)
    }

    /// Whether a coordinated transaction has, or is about to have, a message here.
    pub(super) fn has_visits(&self) -> bool {
        let Visits { arriving, deferred, entered, .. } = &self.visits;
        let is_visit = |job: &Job<M>| job.enlistment.is_some();
        self.visiting + *entered + deferred.kept() > 0
            || !arriving.is_empty()
            || !deferred.is_empty()
            || self.changes.iter().any(is_visit)
            || self.lanes.waiting().any(is_visit)
    }

    fn awaits_exclusive(&self) -> bool {
        self.alone.front().is_some_and(|job| job.access == Access::Exclusive)
    }

    /// Rule 5.
    pub(super) fn is_stalled(&self) -> bool {
        self.visits.is_held() || self.visits.has_guests() && self.awaits_exclusive()
    }

    /// Rule 5: somebody else waits behind other messages.
    pub(super) fn tell_again(&mut self) {
        self.visits.has_told = false;
    }

    /// Rule 5: whether somebody behind other messages does not know.
    fn is_to_tell(&self) -> bool {
        !self.visits.has_told && self.is_stalled() && self.lanes.visits_waiting().next().is_some()
    }

    /// The place in the queue of one who could enter.
    fn next_deferred(&self) -> Option<usize> {
        let deferred = &self.visits.deferred;
        if deferred.is_empty() {
            return None;
        }
        if !self.visits.is_held() && self.alone.is_empty() {
            // Nobody differs from others.
            return (self.entry(None, false) == ParticipantEntry::Entered).then_some(0);
        }
        deferred.iter().position(|(who, awaits)| match self.entry(Some(who), false) {
            ParticipantEntry::Entered => true,
            ParticipantEntry::Blocked => awaits.holds,
            ParticipantEntry::Busy | ParticipantEntry::Closed => false,
        })
    }

    /// Takes what is next to be done for coordinated transactions.
    /// `give_way` gets who must not wait for it, as from [`add`](Self::add).
    pub(crate) fn take_visit(&mut self, give_way: &mut Vec<GivesWay>) -> Option<VisitTask<M>> {
        if self.is_closed || self.is_starting {
            return None;
        }
        if self.visits.in_a_row >= IN_A_ROW && self.next().is_some() {
            return None;
        }
        self.visits.in_a_row += 1;
        if self.visits.deferred.goes_before_arrivals() {
            if let Some(next) = self.next_deferred() {
                return self.visits.deferred.take(next).map(VisitTask::GoesOn);
            }
        }
        if self.front_arrives() {
            self.admit_front();
        }
        if let Some(mut job) = self.visits.arriving.pop_front() {
            self.arrive(&mut job, give_way);
            self.visits.deferred.note_arrival();
            return Some(VisitTask::Arrives(job));
        }
        if self.is_to_tell() {
            self.visits.has_told = true;
            give_way.extend(self.lanes.visits_waiting().filter_map(Enlistment::gives_way));
            return Some(VisitTask::GivesWay);
        }
        let next = self.next_deferred()?;
        self.visits.deferred.take(next).map(VisitTask::GoesOn)
    }

    /// Rule 1.
    fn arrive(&mut self, job: &mut Job<M>, give_way: &mut Vec<GivesWay>) {
        self.waiting -= 1;
        self.visiting += 1;
        let enlistment = job.enlistment.as_ref().expect("visits are of transactions");
        let visitor = self.visits.present.entry(enlistment.number()).or_insert_with(|| Visitor {
            transaction: enlistment.transaction().clone(),
            messages: 0,
            is_guest: false,
        });
        visitor.messages += 1;
        if enlistment.is_passed() {
            if let Some(next) = job.lane.take().and_then(|lane| self.lanes.leave(lane)) {
                self.make_ready(next);
            }
            return;
        }
        if !job.joins_halted {
            if let Some(next) = self.lanes.halt(job.lane, Some(enlistment)) {
                self.make_ready(next);
            }
            if self.lanes.behind_halted() > 0 {
                self.let_visits_of_lane_pass(job.lane);
                give_way.extend(self.lanes.behind(job.lane).filter_map(Job::gives_way));
            }
        }
        self.halt_in_order(job.lane, give_way);
    }

    fn let_visits_of_lane_pass(&mut self, lane: Option<Lane>) {
        for job in self.lanes.let_pass(lane) {
            self.make_ready(Job { joins_halted: true, ..job });
        }
    }

    /// The transaction is not on its way any more, so that nobody is to wait for it who may be
    /// waited for there.
    pub(crate) fn let_joined_pass(&mut self, who: u64) {
        for lane in self.lanes.halted_by(who) {
            self.let_visits_of_lane_pass(Some(lane));
        }
    }

    /// Rules 2 to 4, for the transaction with this number.
    fn entry(&self, who: Option<u64>, is_reading: bool) -> ParticipantEntry {
        if self.is_closed {
            return ParticipantEntry::Closed;
        }
        let holder = self.visits.held_by;
        if holder.is_some() && holder != who {
            return ParticipantEntry::Blocked;
        }
        if !self.alone.is_empty() && !who.is_some_and(|who| self.is_guest(who)) {
            return if self.is_stalled() {
                ParticipantEntry::Blocked
            } else {
                ParticipantEntry::Busy
            };
        }
        let kept = self.visits.deferred.kept();
        let is_full = match self.in_order {
            Some(_) => self.running + self.visits.entered + kept > 0,
            None => self.changing + self.reading + kept >= self.width,
        };
        let is_busy = self.is_alone || self.is_halted() || is_full;
        if is_busy || self.is_direct && !is_reading {
            ParticipantEntry::Busy
        } else {
            ParticipantEntry::Entered
        }
    }

    /// Rule 2: takes a place, if it may.
    pub(crate) fn enter(&mut self, who: u64, is_reading: bool) -> ParticipantEntry {
        let was_kept = self.visits.deferred.keep_no_more(who);
        let entry = self.entry(Some(who), is_reading);
        if entry == ParticipantEntry::Entered && !was_kept {
            if self.visits.deferred.is_overdue() && !self.is_guest(who) {
                return ParticipantEntry::Busy;
            }
            self.visits.deferred.note_pass();
        }
        if entry == ParticipantEntry::Entered {
            let places = if is_reading { &mut self.reading } else { &mut self.changing };
            *places += 1;
            self.visits.entered += 1;
        }
        entry
    }

    /// Rule 2: it is to be taken up when the board has a place; if it holds something, also when
    /// that must not be waited for any more (rule 5).
    pub(crate) fn defer(&mut self, transaction: Arc<dyn Transaction>, awaits: Awaits) -> bool {
        if !self.is_closed {
            self.visits.deferred.add(transaction, awaits);
        }
        !self.is_closed
    }

    /// The state was made anew: who waits for a change of the one before waits in vain. All
    /// transactions that are here are gone on with, and look; in the order in which they were
    /// begun, for that of the map is nobody's.
    pub(crate) fn defer_present(&mut self) {
        let present = self.visits.present.values().map(|visitor| visitor.transaction.clone());
        let mut present: Vec<_> = present.collect();
        present.sort_by_key(|transaction| transaction.number());
        for transaction in present {
            self.defer(transaction, Awaits::default());
        }
    }

    /// It was taken up, and whoever had it go on is back.
    pub(crate) fn keep_no_more(&mut self, who: u64) {
        self.visits.deferred.keep_no_more(who);
    }

    /// Rule 6: a batch is taken, or a shard begins.
    pub(super) fn note_task_of_others(&mut self) {
        self.visits.in_a_row = 0;
        self.visits.deferred.note_pass();
    }

    fn is_guest(&self, who: u64) -> bool {
        self.visits.present.get(&who).is_some_and(|seen| seen.is_guest)
    }

    /// Rule 3: gives the place back.
    pub(crate) fn leave(&mut self, who: u64, is_reading: bool, as_guest: bool) {
        self.finish(if is_reading { How::Reading } else { How::Logged });
        self.visits.entered -= 1;
        if as_guest {
            if self.visits.blocks {
                self.visits.held_by = Some(who);
                self.let_visits_pass();
            }
            if let Some(visitor) = self.visits.present.get_mut(&who) {
                self.visits.guests += usize::from(!visitor.is_guest);
                visitor.is_guest = true;
            }
        }
    }

    /// Rule 3: it has no variables here any more.
    pub(crate) fn leave_as_guest(&mut self, who: u64) {
        if self.visits.held_by == Some(who) {
            self.visits.held_by = None;
        }
        // Who comes to wait before the next stall is told of that.
        self.tell_again();
        if let Some(visitor) = self.visits.present.get_mut(&who) {
            self.visits.guests -= usize::from(visitor.is_guest);
            visitor.is_guest = false;
        }
    }

    /// Rule 1: a message of the transaction is over here.
    pub(crate) fn finish_visit(&mut self, who: u64, lane: Option<Lane>) {
        self.visiting -= 1;
        if let Some(visitor) = self.visits.present.get_mut(&who) {
            visitor.messages -= 1;
            if visitor.messages == 0 {
                self.visits.guests -= usize::from(visitor.is_guest);
                self.visits.present.remove(&who);
            }
        }
        if self.in_order.is_some() {
            return self.release_in_order(lane, who);
        }
        if let Some(next) = self.lanes.release(lane, who) {
            self.make_ready(next);
        }
    }

    /// The actor ends.
    pub(super) fn close_visits(&mut self) -> LeftBehind {
        self.visits.held_by = None;
        self.visits.guests = 0;
        let present = self.visits.present.drain().map(|(_, visitor)| visitor.transaction);
        let mut present: Vec<_> = present.collect();
        // Where they lie depends on how many there have been in this process.
        present.sort_by_key(|of| of.number());
        LeftBehind { present, deferred: self.visits.deferred.close() }
    }
}
