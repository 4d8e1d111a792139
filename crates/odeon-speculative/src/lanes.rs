//! Which senders have a message under way: the next one of such a sender waits here.
//!
//! A job takes the *place* of its lane, which others have in common, for as long as it runs: to wait for a job of
//! another lane costs parallelism only. A job that waits elsewhere, parked or as a visit, gives the place up and *halts* its
//! lane: it may be waiting for the very job that shares the place. Visits in the [`Company`] of those that have halted a lane pass.

use crate::coordination::Company;
use crate::job::Job;
use odeon_core::extend::Lane;
use std::collections::{HashMap, VecDeque};

/// TUNE: places for lanes. Senders that share one are not handled at once.
const PLACES: usize = 256;

struct Place<M> {
    is_busy: bool,
    waiting: VecDeque<Job<M>>,
}

/// A lane whose message waits elsewhere.
struct Halted<M> {
    /// Which visits have halted it, and how many these are; `None`: a parked job has.
    by: Option<Company>,
    visits: usize,
    behind: VecDeque<Job<M>>,
}

/// See the module.
pub(crate) struct Lanes<M> {
    places: Vec<Place<M>>,
    halted: HashMap<Lane, Halted<M>>,
    behind_halted: usize,
}

/// What becomes of a job that comes.
pub(crate) enum Entered<M> {
    /// It can go on, its place taken.
    Ready(Job<M>),
    /// It belongs to the visits that have halted its lane, and has no place.
    Joins(Job<M>),
    /// It waits behind jobs that run or are about to.
    Waits,
    /// It waits behind a job that waits itself.
    WaitsForHalted,
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
        Self { places, halted: HashMap::new(), behind_halted: 0 }
    }

    /// Jobs that wait behind halted ones.
    pub(crate) fn behind_halted(&self) -> usize {
        self.behind_halted
    }

    /// Whether jobs of these lanes take the same place.
    pub(crate) fn share_a_place(one: Option<Lane>, other: Option<Lane>) -> bool {
        one.zip(other).is_some_and(|(one, other)| place_of(one) == place_of(other))
    }

    /// Whether all that wait for the place of a lane are visits.
    pub(crate) fn only_visits_wait(&self, lane: Option<Lane>) -> bool {
        let waiting = lane.map(|lane| &self.places[place_of(lane)].waiting);
        waiting.is_none_or(|waiting| waiting.iter().all(|job| job.enlisted.is_some()))
    }

    /// A job has come.
    pub(crate) fn enter(&mut self, job: Job<M>) -> Entered<M> {
        let Some(lane) = job.lane else { return Entered::Ready(job) };
        if !self.halted.is_empty() {
            if let Some(halted) = self.halted.get_mut(&lane) {
                if halted.behind.is_empty() && halted.by.is_some() && halted.by == job.company() {
                    halted.visits += 1;
                    return Entered::Joins(job);
                }
                halted.behind.push_back(job);
                self.behind_halted += 1;
                return Entered::WaitsForHalted;
            }
        }
        let place = &mut self.places[place_of(lane)];
        if place.is_busy {
            place.waiting.push_back(job);
            return Entered::Waits;
        }
        place.is_busy = true;
        Entered::Ready(job)
    }

    /// The job that had taken the place of a lane is over: the next one of it, which has the place then.
    pub(crate) fn leave(&mut self, lane: Option<Lane>) -> Option<Job<M>> {
        let place = &mut self.places[place_of(lane?)];
        let next = place.waiting.pop_front();
        place.is_busy = next.is_some();
        next
    }

    /// The job that had taken the place of a lane waits elsewhere, as a visit or parked: the next one of
    /// another lane, which has the place then. `behind` is told of each job that waits for it.
    pub(crate) fn halt(
        &mut self,
        lane: Option<Lane>,
        by: Option<Company>,
        behind: impl FnMut(&Job<M>),
    ) -> Option<Job<M>> {
        let lane = lane?;
        let place = &mut self.places[place_of(lane)];
        let waiting = std::mem::take(&mut place.waiting);
        let (of_lane, others): (VecDeque<_>, _) =
            waiting.into_iter().partition(|job| job.lane == Some(lane));
        place.waiting = others;
        of_lane.iter().for_each(behind);
        self.behind_halted += of_lane.len();
        self.halted.insert(lane, Halted { by, visits: 1, behind: of_lane });
        self.leave(Some(lane))
    }

    /// The next job behind the visits that have halted a lane, if it belongs to them: it passes.
    pub(crate) fn next_visit(&mut self, lane: Option<Lane>) -> Option<Job<M>> {
        let halted = self.halted.get_mut(&lane?)?;
        let belongs = halted.by.is_some() && halted.behind.front()?.company() == halted.by;
        let job = if belongs { halted.behind.pop_front() } else { None }?;
        halted.visits += 1;
        self.behind_halted -= 1;
        Some(job)
    }

    /// A parked job comes again, and behind it what has waited for it.
    pub(crate) fn resume(&mut self, job: Job<M>) -> Option<Job<M>> {
        let Some(lane) = job.lane else { return Some(job) };
        let behind = self.halted.remove(&lane).map(|halted| halted.behind).unwrap_or_default();
        self.behind_halted -= behind.len();
        let ready = match self.enter(job) {
            Entered::Ready(job) | Entered::Joins(job) => Some(job),
            Entered::Waits | Entered::WaitsForHalted => None,
        };
        self.places[place_of(lane)].waiting.extend(behind);
        ready
    }

    /// One of the visits that have halted a lane is over. After the last one what has waited for them comes again: answers the job
    /// that can go on, its place taken.
    pub(crate) fn release(&mut self, lane: Option<Lane>) -> Option<Job<M>> {
        let lane = lane?;
        let halted = self.halted.get_mut(&lane)?;
        halted.visits -= 1;
        if halted.visits > 0 {
            return None;
        }
        let behind = self.halted.remove(&lane).map(|halted| halted.behind).unwrap_or_default();
        self.behind_halted -= behind.len();
        let place = &mut self.places[place_of(lane)];
        place.waiting.extend(behind);
        if place.is_busy {
            return None;
        }
        let next = place.waiting.pop_front();
        place.is_busy = next.is_some();
        next
    }

    /// Everything that waits.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Job<M>> {
        self.behind_halted = 0;
        let behind = self.halted.drain().flat_map(|(_, halted)| halted.behind);
        self.places.iter_mut().flat_map(|place| place.waiting.drain(..)).chain(behind)
    }
}
