//! Jobs that wait for the place of their lane.

use crate::executor::job::{Job, JobKind};
use odeon_core::extend::Lane;
use std::collections::VecDeque;

/// See the module. In the order in which they are to run.
pub(super) struct LaneQueue<M> {
    jobs: VecDeque<Job<M>>,
    /// If there are any, and all are of one lane and kind, and none is a visit: of which.
    alike: Option<(Lane, JobKind)>,
}

impl<M> LaneQueue<M> {
    pub(super) fn new() -> Self {
        Self { jobs: VecDeque::new(), alike: None }
    }

    fn note(&mut self, job: &Job<M>) {
        let of = job.lane.filter(|_| job.enlistment.is_none()).map(|lane| (lane, job.kind));
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

    /// Takes over the first ones of `jobs`, as far as they are of this lane, of one kind, and no
    /// visits. Answers how many: where they are all, they change hands by their pointer.
    pub(super) fn take_first_of(&mut self, lane: Lane, jobs: &mut VecDeque<Job<M>>) -> usize {
        let Some(first) = jobs.front() else { return 0 };
        let kind = first.kind;
        let is_such =
            |job: &&Job<M>| job.lane == Some(lane) && job.kind == kind && job.enlistment.is_none();
        let count = jobs.iter().take_while(is_such).count();
        if count == 0 {
            return 0;
        }
        self.note(first);
        if self.jobs.is_empty() && count == jobs.len() {
            std::mem::swap(&mut self.jobs, jobs);
        } else {
            self.jobs.extend(jobs.drain(..count));
        }
        count
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
    pub(super) fn pop_front_of(&mut self, lane: Lane, kind: JobKind) -> Option<Job<M>> {
        let first = self.jobs.front()?;
        let is_such = first.lane == Some(lane) && first.kind == kind && first.enlistment.is_none();
        if is_such { self.jobs.pop_front() } else { None }
    }

    /// Puts behind `batch`, the last one of which is of this lane and kind, the first ones of these
    /// that are so too and no visits: up to `most`.
    pub(super) fn take_those_of(
        &mut self,
        lane: Lane,
        kind: JobKind,
        most: usize,
        batch: &mut VecDeque<Job<M>>,
    ) {
        if self.jobs.is_empty() {
            return;
        }
        if self.alike != Some((lane, kind)) {
            return batch.extend((0..most).map_while(|_| self.pop_front_of(lane, kind)));
        }
        // Without a look at each; and all of them change hands by their pointer.
        let before = if batch.len() == 1 { batch.pop_front() } else { None };
        match before {
            Some(before) if self.jobs.len() <= most => {
                std::mem::swap(&mut self.jobs, batch);
                batch.push_front(before);
            }
            before => {
                batch.extend(before);
                batch.extend(self.jobs.drain(..most.min(self.jobs.len())));
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_core::Access;

    fn job(message: u32, lane: u64, access: Access) -> Job<u32> {
        Job::new(message, access, Some(Lane::of_number(lane)))
    }

    /// What follows a change of lane 1, three at most.
    fn taken(waiting: &mut LaneQueue<u32>) -> Vec<u32> {
        let mut batch = VecDeque::from([job(0, 1, Access::Update)]);
        waiting.take_those_of(Lane::of_number(1), JobKind::Change, 3, &mut batch);
        batch.into_iter().skip(1).map(|job| job.message).collect()
    }

    #[test]
    fn only_jobs_of_one_lane_and_kind_are_taken_together() {
        let others = [job(0, 2, Access::Update), job(0, 1, Access::Snapshot)];
        for other in others {
            let (lane, kind) = (other.lane.expect("it has one"), other.kind);
            let mut waiting = LaneQueue::new();
            [1, 2].into_iter().for_each(|n| waiting.push_back(job(n, 1, Access::Update)));
            waiting.push_front(other);
            assert_eq!(taken(&mut waiting), []);
            assert!(waiting.pop_front_of(Lane::of_number(1), JobKind::Change).is_none());
            assert_eq!(waiting.pop_front_of(lane, kind).map(|job| job.message), Some(0));
            // Which ones are left nobody has looked at: they come out one by one.
            assert_eq!(taken(&mut waiting), [1, 2]);
            assert_eq!(waiting.iter().count(), 0);
            waiting.push_back(job(3, 1, Access::Update));
            assert_eq!(taken(&mut waiting), [3]);
        }
    }

    #[test]
    fn no_more_are_taken_together_than_there_is_room_for() {
        let mut waiting = LaneQueue::new();
        (1..=4).for_each(|n| waiting.push_back(job(n, 1, Access::Update)));
        assert_eq!(taken(&mut waiting), [1, 2, 3]);
        assert_eq!(taken(&mut waiting), [4]);
        assert_eq!(taken(&mut waiting), []);
        assert_eq!(waiting.iter().count(), 0);
    }

    #[test]
    fn jobs_of_another_lane_stay() {
        let mut waiting = LaneQueue::new();
        for (n, lane) in [(1, 1), (2, 2), (3, 1), (4, 2)] {
            waiting.push_back(job(n, lane, Access::Update));
        }
        let of_lane = waiting.take_lane(Lane::of_number(2));
        assert_eq!(of_lane.iter().map(|job| job.message).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(taken(&mut waiting), [1, 3]);
        waiting.extend(of_lane);
        assert_eq!(waiting.iter().map(|job| job.message).collect::<Vec<_>>(), [2, 4]);
    }
}
