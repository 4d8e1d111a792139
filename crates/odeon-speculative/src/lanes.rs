//! Which senders have a message under way: the next one of such a sender waits here.
//!
//! A job takes the *place* of its lane, which others have in common, for as long as it runs: to wait for a job of
//! another lane costs parallelism only. A parked job gives the place up and keeps its lane: it may be waiting for the
//! very job that shares the place.

use crate::job::Job;
use odeon_core::extend::Lane;
use std::collections::{HashMap, VecDeque};

/// TUNE: places for lanes. Senders that share one are not handled at once.
const PLACES: usize = 256;

struct Place<M> {
    is_busy: bool,
    waiting: VecDeque<Job<M>>,
}

/// See the module.
pub(crate) struct Lanes<M> {
    places: Vec<Place<M>>,
    /// The lanes of parked jobs, and what waits behind each of these.
    halted: HashMap<Lane, VecDeque<Job<M>>>,
    behind_parked: usize,
}

/// The number of a lane's place.
fn place_of(lane: Lane) -> usize {
    // The upper bits are the better mixed ones.
    lane.number() as usize >> (24 - PLACES.ilog2())
}

impl<M> Lanes<M> {
    pub(crate) fn new() -> Self {
        let free = || Place { is_busy: false, waiting: VecDeque::new() };
        let places = std::iter::repeat_with(free).take(PLACES).collect();
        Self { places, halted: HashMap::new(), behind_parked: 0 }
    }

    /// Jobs that wait behind parked ones.
    pub(crate) fn behind_parked(&self) -> usize {
        self.behind_parked
    }

    /// A job has come: it is returned if it can go on, its place taken.
    pub(crate) fn enter(&mut self, job: Job<M>) -> Option<Job<M>> {
        let Some(lane) = job.lane else { return Some(job) };
        if !self.halted.is_empty() {
            if let Some(behind) = self.halted.get_mut(&lane) {
                behind.push_back(job);
                self.behind_parked += 1;
                return None;
            }
        }
        let place = &mut self.places[place_of(lane)];
        if place.is_busy {
            place.waiting.push_back(job);
            return None;
        }
        place.is_busy = true;
        Some(job)
    }

    /// The job that had taken the place of a lane is over: the next one of it, which has the place then.
    pub(crate) fn leave(&mut self, lane: Option<Lane>) -> Option<Job<M>> {
        let place = &mut self.places[place_of(lane?)];
        let next = place.waiting.pop_front();
        place.is_busy = next.is_some();
        next
    }

    /// The job that had taken the place of a lane is parked: the next one of another lane, which has the place then.
    pub(crate) fn halt(&mut self, lane: Option<Lane>) -> Option<Job<M>> {
        let lane = lane?;
        let place = &mut self.places[place_of(lane)];
        let waiting = std::mem::take(&mut place.waiting);
        let (behind, others) = waiting.into_iter().partition(|job| job.lane == Some(lane));
        place.waiting = others;
        self.behind_parked += VecDeque::len(&behind);
        self.halted.insert(lane, behind);
        self.leave(Some(lane))
    }

    /// A job is parked no more: it comes again, and behind it what has waited for it.
    pub(crate) fn resume(&mut self, job: Job<M>) -> Option<Job<M>> {
        let Some(lane) = job.lane else { return Some(job) };
        let behind = self.halted.remove(&lane).unwrap_or_default();
        self.behind_parked -= behind.len();
        let ready = self.enter(job);
        self.places[place_of(lane)].waiting.extend(behind);
        ready
    }

    /// Everything that waits.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Job<M>> {
        self.behind_parked = 0;
        let behind = self.halted.drain().flat_map(|(_, behind)| behind);
        self.places.iter_mut().flat_map(|place| place.waiting.drain(..)).chain(behind)
    }
}
