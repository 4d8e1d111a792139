//! The jobs of one actor, and who may take which: all decisions about what runs beside what are
//! made here, under one lock.
//!
//! RULES
//! 1. A job is *ready* when its lane is its own. Ready jobs wait in one of three queues: changes,
//!    reads, alone. In each of them those of lower mailboxes stand before those of higher ones.
//! 2. A batch of one or more ready jobs is taken by an *executor*: the actor's own turn, a shard or
//!    a runner. Jobs of one batch are of different lanes, or of none, or *follow* another one of
//!    their lane, whose place they share. When that does not end well they wait again.
//! 3. Alone means alone: a job of that queue is taken when nothing runs, and nothing is taken
//!    beside it nor, once it waits, before it.
//! 4. While changes and reads wait, each kind keeps a tenth of the places, if there are two or
//!    more. And of the batches that are taken one after the other, each kind gets one of ten,
//!    unless the places that are left are those that the other kind keeps.
//! 5. With a width of one a change runs *direct*, without a log; nothing that changes runs beside
//!    it, also if the width is raised meanwhile.
//! 6. If the order of arrival is kept, it stands for rules 1 to 5 (`board/arrival_order.rs`).
//! 7. Once the actor is to stop, or has failed, nothing is taken. When nothing runs any more its
//!    own turn sees to that.
//! 8. Once the actor is to leave its theater, nothing is taken while no coordinated transaction has
//!    anything here. When nothing runs any more it leaves.
//! 9. Before the actor, or one made anew, has started, nothing is taken.
//!
//! Whoever changes the board so that something can be taken looks again itself before it rests, or
//! wakes somebody who does. So nothing that can be taken is left while all rest.

mod arrival_order;
mod deferred;
mod entrance;
mod shards;
mod visits;

use crate::executor::enlistment::{Company, GivesWay};
use crate::executor::job::{Job, JobKind};
use crate::executor::lanes::{Entered, LaneUse, Lanes};
use arrival_order::ArrivalOrder;
use odeon_core::Message;
use odeon_core::extend::Lane;
use shards::ShardTurns;
use std::any::Any;
use std::collections::VecDeque;
use visits::Visits;

pub(crate) use shards::ShardMay;
pub(crate) use visits::{LeftBehind, VisitTask};

#[cfg(test)]
mod tests;

/// How the jobs of a batch are to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Beside others, with a log.
    Logged,
    /// No other change runs.
    Direct,
    /// Reading only: on a snapshot, or relaxed.
    Reading,
    /// Nothing else runs.
    Alone,
    /// Ahead of their turns, which come in the order of arrival; with the ticket of the first one.
    InOrder(u64),
}

/// Batches of one kind, or tasks of coordinated transactions, that are taken in a row while another
/// kind waits.
const IN_A_ROW: usize = 9;

/// How many of the places of a board each kind keeps while both wait.
fn kept_places(width: usize) -> usize {
    width.div_ceil(10).min(width / 2)
}

/// The jobs of one actor.
pub(crate) struct Board<M> {
    lanes: Lanes<M>,
    changes: VecDeque<Job<M>>,
    reads: VecDeque<Job<M>>,
    alone: VecDeque<Job<M>>,
    visits: Visits<M>,
    /// If all jobs are kept in one order.
    in_order: Option<ArrivalOrder>,
    /// Executors with a batch of each kind, and transactions that have entered.
    changing: usize,
    reading: usize,
    is_alone: bool,
    is_direct: bool,
    /// Batches of the other kind since the last one of each kind, while that waited.
    changes_passed_over: usize,
    reads_passed_over: usize,
    /// Executors at once.
    width: usize,
    /// Jobs here, waiting for their lanes included; jobs that run; jobs that are parked; jobs that
    /// have left for their coordinated transactions.
    waiting: usize,
    running: usize,
    parked: usize,
    visiting: usize,
    pub(crate) failures: VecDeque<Box<dyn Any + Send>>,
    pub(crate) is_stopping: bool,
    /// Whether a message is about to fail, or the actor's own turn is seeing to a failure: the
    /// state may be about to be made anew.
    pub(crate) is_failing: bool,
    /// Rule 8.
    is_resting: bool,
    /// Rule 9.
    is_starting: bool,
    shards: ShardTurns,
    /// Whether callers' jobs may enter (`board/entrance.rs`).
    is_open: bool,
    is_closed: bool,
}

/// How often in a row a kind was passed over, once more.
fn passed_over<M>(before: usize, waiting: &VecDeque<Job<M>>) -> usize {
    if waiting.is_empty() { 0 } else { before + 1 }
}

/// Rule 1: behind all of the same mailbox and of lower ones.
#[inline(always)]
fn put_by_mailbox<M: Message>(queue: &mut VecDeque<Job<M>>, job: Job<M>) {
    if M::MAILBOXES == 1 || queue.back().is_none_or(|last| last.mailbox <= job.mailbox) {
        return queue.push_back(job);
    }
    let place = queue.partition_point(|other| other.mailbox <= job.mailbox);
    queue.insert(place, job);
}

impl<M: Message> Board<M> {
    pub(crate) fn new(width: usize) -> Self {
        Self {
            lanes: Lanes::new(),
            changes: VecDeque::new(),
            reads: VecDeque::new(),
            alone: VecDeque::new(),
            visits: Visits::new(),
            in_order: None,
            changing: 0,
            reading: 0,
            is_alone: false,
            is_direct: false,
            changes_passed_over: 0,
            reads_passed_over: 0,
            width,
            waiting: 0,
            running: 0,
            parked: 0,
            visiting: 0,
            failures: VecDeque::new(),
            is_stopping: false,
            is_failing: false,
            is_resting: false,
            is_starting: false,
            shards: ShardTurns::default(),
            is_open: false,
            is_closed: false,
        }
    }

    /// Sets how many batches may run at once.
    pub(crate) fn set_width(&mut self, width: usize) {
        self.width = width;
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Jobs that wait, also those that are parked or visit.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting + self.parked + self.visiting
    }

    /// Of these, the jobs that can be handled without other messages having to come first, here or
    /// elsewhere.
    pub(crate) fn pressing(&self) -> usize {
        if self.visits.is_held() { 0 } else { self.waiting - self.lanes.behind_halted() }
    }

    /// Jobs that are not over, and transactions that are to be taken up.
    pub(crate) fn outstanding(&self) -> usize {
        let deferred = self.visits.deferred.len();
        self.waiting + self.running + self.parked + self.visiting + deferred
    }

    /// Whether a batch runs.
    pub(crate) fn is_running(&self) -> bool {
        self.is_alone || self.changing + self.reading > 0
    }

    /// Rule 8: has nothing taken, if no coordinated transaction has anything here. Answers whether
    /// nothing runs either.
    pub(crate) fn rest(&mut self) -> bool {
        self.is_resting = !self.has_visits();
        self.is_resting && !self.is_running() && !self.needs_attention()
    }

    /// Rule 8: the actor does not leave.
    pub(crate) fn go_on(&mut self) {
        self.is_resting = false;
    }

    /// Rule 9.
    pub(crate) fn set_starting(&mut self, is_starting: bool) {
        self.is_starting = is_starting;
    }

    /// Whether what runs is to make way soon: the actor's own turn has something to see to, or the
    /// actor is to start.
    pub(crate) fn is_halted(&self) -> bool {
        self.is_starting || self.needs_attention()
    }

    /// How lanes have been used so far.
    pub(crate) fn lanes_in_use(&self) -> LaneUse {
        self.lanes.in_use()
    }

    /// Jobs whose lanes are their own.
    pub(crate) fn ready(&self) -> usize {
        self.changes.len() + self.reads.len() + self.alone.len() + self.visits.arriving.len()
    }

    /// Whether the actor's own turn has something to see to (rule 7).
    pub(crate) fn needs_attention(&self) -> bool {
        self.is_stopping || self.is_failing || !self.failures.is_empty()
    }

    /// Jobs have come from the inbox, as by [`add`](Self::add). What a sender sends in one go comes
    /// in one piece: all of it but the first one goes to the lane's queue without a further look.
    pub(crate) fn add_all(&mut self, jobs: &mut VecDeque<Job<M>>) -> Vec<GivesWay> {
        let mut give_way = Vec::new();
        while let Some(job) = jobs.pop_front() {
            let lane = job.lane;
            give_way.extend(self.add(job));
            if let (Some(lane), None) = (lane, &self.in_order) {
                self.waiting += self.lanes.wait_behind(lane, jobs);
            }
        }
        give_way
    }

    /// A job has come from the inbox. Answers the coordinated transaction that must not wait for it
    /// with anything in its hands
    /// ([`Transaction::give_way`](crate::executor::transaction::Transaction::give_way)).
    pub(crate) fn add(&mut self, job: Job<M>) -> Option<GivesWay> {
        self.waiting += 1;
        if self.in_order.is_some() {
            return self.add_in_order(job);
        }
        let gives_way = job.gives_way();
        let company = job.company();
        match self.lanes.enter(job) {
            Entered::Ready(job) => {
                self.make_ready(job);
                None
            }
            Entered::Joins(job) => {
                self.make_ready(Job { joins_halted: true, ..job });
                None
            }
            Entered::Waits => {
                if company == Some(Company::Joined) {
                    self.tell_again();
                }
                None
            }
            Entered::WaitsForHalted => gives_way,
        }
    }

    fn make_ready(&mut self, job: Job<M>) {
        if job.enlistment.is_some() {
            return self.visits.arriving.push_back(job);
        }
        match job.kind {
            JobKind::Change => put_by_mailbox(&mut self.changes, job),
            JobKind::Read => put_by_mailbox(&mut self.reads, job),
            JobKind::Alone => put_by_mailbox(&mut self.alone, job),
        }
    }

    /// Whether nothing is begun at present, whatever waits.
    fn takes_nothing(&self) -> bool {
        let is_taken = self.is_alone || self.visits.is_held() || self.is_resting;
        self.is_closed || self.is_halted() || is_taken
    }

    /// Whether there is a place for one more batch.
    fn has_place(&self) -> bool {
        let taken = self.changing + self.reading + self.visits.deferred.kept();
        let is_turn_of_visits = self.visits.deferred.is_overdue() && !self.is_stalled();
        taken < self.width && !is_turn_of_visits
    }

    /// What could be taken next.
    fn next(&self) -> Option<How> {
        if self.takes_nothing() {
            return None;
        }
        if let Some(order) = &self.in_order {
            return self.next_in_order(order);
        }
        // Rule 3; and rule 3 of visits.
        if !self.alone.is_empty() && !self.is_stalled() {
            let executors = self.changing + self.reading;
            return (executors + self.visits.deferred.kept() == 0).then_some(How::Alone);
        }
        if !self.has_place() || self.shards.come_next() {
            return None;
        }
        let change = !self.changes.is_empty() && !self.is_direct;
        let read = !self.reads.is_empty();
        let how = if self.width == 1 { How::Direct } else { How::Logged };
        match (change, read) {
            (false, false) => None,
            (true, false) => Some(how),
            (false, true) => Some(How::Reading),
            (true, true) if self.is_turn_of_reads() => Some(How::Reading),
            (true, true) => Some(how),
        }
    }

    /// Rule 4, when both kinds could be taken.
    fn is_turn_of_reads(&self) -> bool {
        let free = self.width - self.changing - self.reading;
        let keeps_all_free = |has| kept_places(self.width).saturating_sub(has) >= free;
        if keeps_all_free(self.reading) || keeps_all_free(self.changing) {
            keeps_all_free(self.reading)
        } else if self.reads_passed_over >= IN_A_ROW || self.changes_passed_over >= IN_A_ROW {
            self.reads_passed_over >= IN_A_ROW
        } else {
            self.reads.len() > self.changes.len()
        }
    }

    /// Whether something can be taken.
    pub(crate) fn has_next(&self) -> bool {
        self.next_visit() || self.next().is_some()
    }

    /// Takes a batch of up to `most` jobs into `batch`, which is empty.
    pub(crate) fn take(&mut self, batch: &mut VecDeque<Job<M>>, most: usize) -> Option<How> {
        let how = self.next()?;
        self.note_task_of_others();
        self.shards.note_batch();
        let queue = match how {
            How::Logged | How::Direct => {
                self.changing += 1;
                self.is_direct = how == How::Direct;
                self.changes_passed_over = 0;
                self.reads_passed_over = passed_over(self.reads_passed_over, &self.reads);
                &mut self.changes
            }
            How::Reading => {
                self.reading += 1;
                self.reads_passed_over = 0;
                self.changes_passed_over = passed_over(self.changes_passed_over, &self.changes);
                &mut self.reads
            }
            How::Alone if self.in_order.is_none() => {
                self.is_alone = true;
                &mut self.alone
            }
            How::Alone | How::InOrder(_) => return Some(self.take_in_order(how, batch, most)),
        };
        // Lane by lane, so that others find whole lanes; what is ready is shared among those who
        // may come.
        let most = if how == How::Alone { 1 } else { most };
        let firsts = queue.len().div_ceil(self.width);
        for _ in 0..firsts {
            if batch.len() == most {
                break;
            }
            batch.extend(queue.pop_front());
            self.lanes.follow(batch, most - batch.len());
        }
        let count = batch.len();
        self.waiting -= count;
        self.running += count;
        Some(how)
    }

    /// A batch is over: its executor gives back the place.
    pub(crate) fn finish(&mut self, how: How) {
        match how {
            How::Logged | How::InOrder(_) => self.changing -= 1,
            How::Direct => {
                self.changing -= 1;
                self.is_direct = false;
            }
            How::Reading => self.reading -= 1,
            How::Alone => self.is_alone = false,
        }
    }

    /// So many jobs of a batch are over, and with them these lanes are left.
    pub(crate) fn finish_jobs(&mut self, count: usize, left: impl Iterator<Item = Lane>) {
        self.running -= count;
        if self.in_order.is_some() {
            return;
        }
        for lane in left {
            if let Some(next) = self.lanes.leave(lane) {
                self.make_ready(next);
            }
        }
    }

    /// Jobs that have followed another one of their lane are not to begin after all (rule 2). The
    /// last one comes out first. Before the place of their lane is given back, and before that job
    /// is parked.
    ///
    /// # Errors
    /// The messages, if the board is closed.
    pub(crate) fn unfollow(&mut self, jobs: &mut Vec<Job<M>>) -> Result<(), Vec<M>> {
        self.running -= jobs.len();
        if self.is_closed {
            return Err(jobs.drain(..).map(|job| job.message).collect());
        }
        self.waiting += jobs.len();
        jobs.drain(..).rev().for_each(|job| self.lanes.unfollow(job));
        Ok(())
    }

    /// A job of a batch comes back, with its lane, to be taken again.
    ///
    /// # Errors
    /// The message, if the board is closed.
    pub(crate) fn put_back(&mut self, job: Job<M>) -> Result<(), M> {
        self.running -= 1;
        if self.is_closed {
            return Err(job.message);
        }
        self.waiting += 1;
        self.make_ready(job);
        Ok(())
    }

    /// A job of a batch waits, with its lane, outside of the board (`parking.rs`). Answers who must
    /// not wait for it, as [`add`](Self::add) does.
    pub(crate) fn park(&mut self, lane: Option<Lane>) -> Vec<GivesWay> {
        self.running -= 1;
        self.parked += 1;
        if let Some(next) = self.lanes.halt(lane, None) {
            self.make_ready(next);
        }
        self.lanes.behind(lane).filter_map(Job::gives_way).collect()
    }

    /// A job that was parked can be taken again.
    ///
    /// # Errors
    /// As [`put_back`](Self::put_back).
    pub(crate) fn unpark(&mut self, job: Job<M>) -> Result<(), M> {
        self.parked -= 1;
        if self.is_closed {
            return Err(job.message);
        }
        self.waiting += 1;
        if let Some(job) = self.lanes.resume(job) {
            self.make_ready(job);
        }
        Ok(())
    }

    /// A job that was parked, or was to be, will not be handled.
    pub(crate) fn unpark_too_late(&mut self) {
        self.parked -= 1;
    }

    /// Takes no more, and hands over what waits, and the coordinated transactions that have
    /// messages here or wait for a place.
    pub(crate) fn close(&mut self, mut take: impl FnMut(Job<M>)) -> LeftBehind {
        self.is_closed = true;
        self.waiting = 0;
        let arriving = &mut self.visits.arriving;
        for queue in [&mut self.alone, &mut self.changes, &mut self.reads, arriving] {
            queue.drain(..).for_each(&mut take);
        }
        self.lanes.drain().for_each(take);
        self.close_visits()
    }
}
