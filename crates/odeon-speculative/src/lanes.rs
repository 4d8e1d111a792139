//! Which senders have a message under way: the next one of such a sender waits here.

use crate::job::Job;
use odeon_core::extend::Lane;
use std::collections::VecDeque;

/// TUNE: places for lanes. Senders that share one are not handled at once.
const PLACES: usize = 256;

struct Place<M> {
    is_busy: bool,
    waiting: VecDeque<Job<M>>,
}

/// One place for each of many lanes.
pub(crate) struct Lanes<M>(Vec<Place<M>>);

/// The place of a lane.
pub(crate) fn place(lane: Lane) -> usize {
    // The upper bits are the better mixed ones.
    lane.number() as usize >> (24 - PLACES.ilog2())
}

impl<M> Lanes<M> {
    pub(crate) fn new() -> Self {
        Self((0..PLACES).map(|_| Place { is_busy: false, waiting: VecDeque::new() }).collect())
    }

    /// A job has come: it is returned if it can go on, its lane taken.
    pub(crate) fn enter(&mut self, job: Job<M>) -> Option<Job<M>> {
        let Some(place) = job.lane else { return Some(job) };
        let place = &mut self.0[place];
        if place.is_busy {
            place.waiting.push_back(job);
            return None;
        }
        place.is_busy = true;
        Some(job)
    }

    /// The job that had taken a lane is over: the next one of it, which has the lane then.
    pub(crate) fn leave(&mut self, place: Option<usize>) -> Option<Job<M>> {
        let place = &mut self.0[place?];
        let next = place.waiting.pop_front();
        place.is_busy = next.is_some();
        next
    }

    /// Everything that waits.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Job<M>> {
        self.0.iter_mut().flat_map(|place| place.waiting.drain(..))
    }
}
