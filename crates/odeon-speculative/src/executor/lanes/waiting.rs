//! Jobs that wait for the place of their lane.

use crate::executor::job::{Job, Kind};
use odeon_core::extend::Lane;
use std::collections::VecDeque;

/// See the module. In the order in which they are to run.
pub(super) struct Waiting<M> {
    jobs: VecDeque<Job<M>>,
    /// If there are any, and all are of one lane and kind, and none is a visit: of which.
    alike: Option<(Lane, Kind)>,
}

impl<M> Waiting<M> {
    pub(super) fn new() -> Self {
        Self { jobs: VecDeque::new(), alike: None }
    }

    fn note(&mut self, job: &Job<M>) {
        let of = job.lane.filter(|_| job.enlisted.is_none()).map(|lane| (lane, job.kind));
        if self.jobs.is_empty() {
            self.alike = of;
        } else if self.alike != of {
            self.alike = None;
        }
    }

    pub(super) fn push_back(&mut self, job: Job<M>) {
        self.note(&job);
        self.jobs.push_back(job);
    }

    /// A job that is to go before all others.
    pub(super) fn push_front(&mut self, job: Job<M>) {
        self.note(&job);
        self.jobs.push_front(job);
    }

    pub(super) fn pop_front(&mut self) -> Option<Job<M>> {
        self.jobs.pop_front()
    }

    /// The first one, if it is of this lane and kind and no visit.
    pub(super) fn pop_front_of(&mut self, lane: Lane, kind: Kind) -> Option<Job<M>> {
        let first = self.jobs.front()?;
        let is_such = first.lane == Some(lane) && first.kind == kind && first.enlisted.is_none();
        if is_such { self.jobs.pop_front() } else { None }
    }

    /// All of them, if they are no more than `most`, of this lane and kind, and none is a visit: without a look at each. Nothing is in `into`.
    pub(super) fn take_all_of(
        &mut self,
        lane: Lane,
        kind: Kind,
        most: usize,
        into: &mut VecDeque<Job<M>>,
    ) -> bool {
        let are_such = self.jobs.len() <= most && self.alike == Some((lane, kind));
        if are_such {
            std::mem::swap(&mut self.jobs, into);
        }
        are_such
    }

    /// Those of this lane; the others stay.
    pub(super) fn take_lane(&mut self, lane: Lane) -> VecDeque<Job<M>> {
        let (of_lane, others): (VecDeque<_>, _) =
            std::mem::take(&mut self.jobs).into_iter().partition(|job| job.lane == Some(lane));
        self.extend(others);
        of_lane
    }

    pub(super) fn extend(&mut self, jobs: VecDeque<Job<M>>) {
        jobs.into_iter().for_each(|job| self.push_back(job));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Job<M>> {
        self.jobs.iter()
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = Job<M>> {
        self.jobs.drain(..)
    }
}
