//! The order of arrival: one queue instead of three, and a ticket for each job that is taken to run
//! beside others.
//!
//! RULES
//! 1. All jobs wait in the queue for changes, in the order in which they came. From its front a
//!    batch is taken, if there is a place. Each job gets the next ticket; its commit happens when
//!    all before it are over (`engine/in_order.rs`).
//! 2. A job *runs* until its turn is over. Not more run than [`AHEAD`] for each place.
//! 3. What is to run alone, and a visit, are barriers: they are taken from the front when nothing
//!    runs. A transaction enters when nothing runs, and while one has entered, or is deferred,
//!    nothing is taken.
//! 4. So a visit has its place in the order where its transaction enters. Until then only its lane
//!    is halted: messages of the same sender wait behind it. If messages of others had to wait as
//!    well, two transactions that arrive at two actors in different orders would wait for each
//!    other.
//! 5. While a transaction holds the board the other visits in the queue pass, for the same reason:
//!    all but those behind a job of their own lane, which give way.
//! 6. Jobs whose turn does not come, because one before them is now to be a visit or the actor's
//!    own turn has something to see to, are *recalled*: they wait again, in front, and nothing is
//!    taken meanwhile.

use super::{Board, How};
use crate::executor::enlistment::GivesWay;
use crate::executor::job::{Job, JobKind};
use crate::executor::lanes::Entered;
use odeon_core::Message;
use odeon_core::extend::Lane;
use std::collections::VecDeque;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct ArrivalOrder {
    next_ticket: u64,
    /// Rule 6.
    recalls: bool,
}

/// TUNE: jobs for each place that run, those included whose turn has not come. More of them lets
/// short messages go on beside a long one; each has an attempt open, of which a process has 4,094,
/// and the further ahead it is the sooner it is overtaken.
const AHEAD: usize = 8;

/// The first visits in a queue of each lane that are behind no other job of it, and the rest.
fn passing<M>(queue: VecDeque<Job<M>>) -> (Vec<Job<M>>, VecDeque<Job<M>>) {
    let (mut visits, mut others) = (Vec::new(), VecDeque::new());
    for job in queue {
        let is_behind = |other: &Job<M>| other.lane == job.lane;
        if job.enlistment.is_some() && !others.iter().any(is_behind) {
            visits.push(job);
        } else {
            others.push_back(job);
        }
    }
    (visits, others)
}

impl<M: Message> Board<M> {
    /// Keeps the order of arrival, from the first job on.
    pub(crate) fn keep_arrival_order(&mut self) {
        self.in_order = Some(ArrivalOrder::default());
    }

    pub(super) fn add_in_order(&mut self, job: Job<M>) -> Option<GivesWay> {
        let gives_way = job.gives_way();
        if self.lanes.is_halted(job.lane) {
            return self.admit(job).and(gives_way);
        }
        // Not behind what it arrives together with (`lanes.rs`): to wait for that is to wait for
        // nobody.
        let company = job.company();
        let is_alone = |other: &Job<M>| company.is_none() || other.company() != company;
        let is_behind = self.changes.iter().any(|other| other.lane == job.lane && is_alone(other));
        if gives_way.is_some() && self.visits.is_held() && !is_behind {
            return self.admit(job).and(gives_way);
        }
        self.changes.push_back(job);
        gives_way.filter(|_| is_behind)
    }

    /// A visit may arrive, or a job has to wait with its lane; answers if it waits.
    fn admit(&mut self, job: Job<M>) -> Option<()> {
        match self.lanes.enter(job) {
            Entered::Ready(job) => self.visits.arriving.push_back(job),
            Entered::Joins(job) => {
                self.visits.arriving.push_back(Job { joins_halted: true, ..job });
            }
            Entered::Waits => {}
            Entered::WaitsForHalted => return Some(()),
        }
        None
    }

    /// Rules 1 to 3.
    pub(super) fn next_in_order(&self, order: &ArrivalOrder) -> Option<How> {
        let deferred = &self.visits.deferred;
        let is_visited = self.visits.entered + deferred.kept() > 0 || !deferred.is_empty();
        if is_visited || order.recalls {
            return None;
        }
        let front = self.changes.front().filter(|front| front.enlistment.is_none())?;
        if front.kind == JobKind::Alone {
            return (self.running == 0).then_some(How::Alone);
        }
        let has_place = self.changing < self.width && self.running < AHEAD * self.width;
        has_place.then_some(How::InOrder(order.next_ticket))
    }

    /// Takes what [`next_in_order`](Self::next_in_order) has found.
    pub(super) fn take_in_order(
        &mut self,
        how: How,
        batch: &mut VecDeque<Job<M>>,
        most: usize,
    ) -> How {
        let is_barrier = |job: &Job<M>| job.kind == JobKind::Alone || job.enlistment.is_some();
        let count = if how == How::Alone {
            self.is_alone = true;
            1
        } else {
            self.changing += 1;
            // Of what is ready nobody looks at more than could be taken.
            let could = (AHEAD * self.width - self.running).min(most * self.width);
            let until_barrier = self.changes.iter().take(could).take_while(|job| !is_barrier(job));
            until_barrier.count().div_ceil(self.width).clamp(1, most)
        };
        batch.extend(self.changes.drain(..count));
        self.waiting -= count;
        self.running += count;
        if let (Some(order), How::InOrder(_)) = (&mut self.in_order, how) {
            order.next_ticket += count as u64;
        }
        how
    }

    /// Rule 3: whether the front of the queue is a visit that may arrive.
    pub(super) fn front_arrives(&self) -> bool {
        let may = self.in_order.as_ref().is_some_and(|order| !order.recalls);
        may && self.running == 0
            && !self.visits.is_held()
            && self.changes.front().is_some_and(|front| front.enlistment.is_some())
    }

    pub(super) fn admit_front(&mut self) {
        if let Some(job) = self.changes.pop_front() {
            self.admit(job);
        }
    }

    /// Rule 4: a visit has arrived, and what its sender has sent behind it waits.
    pub(super) fn halt_in_order(&mut self, lane: Option<Lane>, give_way: &mut Vec<GivesWay>) {
        if self.in_order.is_none() || lane.is_none() {
            return;
        }
        let queue = std::mem::take(&mut self.changes);
        let (of_lane, others): (VecDeque<_>, _) =
            queue.into_iter().partition(|job| job.lane == lane);
        self.changes = others;
        for job in of_lane {
            let gives_way = job.gives_way();
            give_way.extend(self.admit(job).and(gives_way));
        }
    }

    /// Rule 4: a visit is over. What has waited behind it came before all that is in the queue.
    pub(super) fn release_in_order(&mut self, lane: Option<Lane>, who: u64) {
        let behind = self.lanes.release_all(lane, who).unwrap_or_default();
        behind.into_iter().rev().for_each(|job| self.changes.push_front(job));
        if self.visits.is_held() {
            self.let_visits_pass();
        }
    }

    /// Rule 5.
    pub(super) fn let_visits_pass(&mut self) {
        if self.in_order.is_some() && self.changes.iter().any(|job| job.enlistment.is_some()) {
            let (visits, others) = passing(std::mem::take(&mut self.changes));
            self.changes = others;
            for job in visits {
                self.admit(job);
            }
        }
    }

    /// Rule 6: from now on nothing is taken until all that runs is [recalled](Self::recall).
    pub(crate) fn begin_recall(&mut self) {
        if let Some(order) = &mut self.in_order {
            order.recalls = true;
        }
    }

    /// The next ticket, if the order of arrival is kept and one executor is left.
    pub(crate) fn ticket_of_last(&self) -> Option<u64> {
        let is_last = self.changing + self.reading == 1;
        self.in_order.as_ref().filter(|_| is_last).map(|order| order.next_ticket)
    }

    /// Rule 6: jobs that run wait again, the first one first. Answers those that are too late, and
    /// who must not wait.
    pub(crate) fn recall(&mut self, jobs: Vec<Job<M>>) -> (Vec<M>, Vec<GivesWay>) {
        self.running -= jobs.len();
        if let Some(order) = &mut self.in_order {
            order.recalls = false;
        }
        if self.is_closed {
            return (jobs.into_iter().map(|job| job.message).collect(), Vec::new());
        }
        self.waiting += jobs.len();
        jobs.into_iter().rev().for_each(|job| self.changes.push_front(job));
        let give_way = self.changes.iter().filter_map(Job::gives_way).collect();
        (Vec::new(), give_way)
    }
}
