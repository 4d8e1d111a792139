//! Which senders have a message under way: the next one of such a sender waits here.
//!
//! A job takes the *place* of its lane, which others have in common, for as long as it runs: to wait for a job of
//! another lane costs parallelism only. A job that waits elsewhere, parked or as a visit, gives the place up and *halts* its
//! lane: it may be waiting for the very job that shares the place. Visits in the [`Company`] of those that have halted a lane pass.

use crate::coordination::{Company, Enlisted};
use crate::job::Job;
use crate::number_map::NumberMap;
use odeon_core::extend::Lane;
use std::collections::VecDeque;

/// TUNE: places for lanes. Senders that share one are not handled at once.
const PLACES: usize = 256;

struct Place<M> {
    is_busy: bool,
    /// Whether a visit has it, which is about to leave for its transaction.
    is_of_visit: bool,
    waiting: VecDeque<Job<M>>,
}

/// A lane whose message waits elsewhere.
struct Halted<M> {
    /// Which visits have halted it, and how many these are; `None`: a parked job has.
    by: Option<Company>,
    visits: usize,
    behind: VecDeque<Job<M>>,
}

impl<M> Place<M> {
    fn take(&mut self, job: &Job<M>) {
        (self.is_busy, self.is_of_visit) = (true, job.enlisted.is_some());
    }

    /// Whoever had it has gone.
    fn next(&mut self) -> Option<Job<M>> {
        let next = self.waiting.pop_front();
        self.is_busy = next.is_some();
        self.is_of_visit = next.as_ref().is_some_and(|job| job.enlisted.is_some());
        next
    }
}

impl<M> Halted<M> {
    /// Whether first messages of this very transaction have halted it: what is joined to that waits for nothing behind them, which would
    /// wait for the outcome.
    fn is_by(&self, enlisted: Option<&Enlisted>) -> bool {
        enlisted.is_some_and(|enlisted| self.by == Some(Company::First(enlisted.number())))
    }
}

/// See the module.
pub(crate) struct Lanes<M> {
    places: Vec<Place<M>>,
    halted: NumberMap<Lane, Halted<M>>,
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

/// A job stands behind those that have halted its lane.
fn stands_behind<M>(by: Option<Company>, job: &mut Job<M>) {
    if let (None, Some(enlisted)) = (by, &mut job.enlisted) {
        enlisted.stands_behind_parked();
    }
}

/// The number of a lane's place.
fn place_of(lane: Lane) -> usize {
    // The upper bits are the better mixed ones.
    lane.number() as usize >> (24 - PLACES.ilog2())
}

impl<M> Lanes<M> {
    pub(crate) fn new() -> Self {
        let free = || Place { is_busy: false, is_of_visit: false, waiting: VecDeque::new() };
        let places = std::iter::repeat_with(free).take(PLACES).collect();
        Self { places, halted: NumberMap::default(), behind_halted: 0 }
    }

    /// Jobs that wait behind halted ones.
    pub(crate) fn behind_halted(&self) -> usize {
        self.behind_halted
    }

    /// Whether a job of this lane waits elsewhere.
    pub(crate) fn is_halted(&self, lane: Option<Lane>) -> bool {
        !self.halted.is_empty() && lane.is_some_and(|lane| self.halted.contains_key(&lane))
    }

    /// A job has come.
    pub(crate) fn enter(&mut self, mut job: Job<M>) -> Entered<M> {
        let Some(lane) = job.lane else { return Entered::Ready(job) };
        if !self.halted.is_empty() {
            if let Some(halted) = self.halted.get_mut(&lane) {
                let company = job.company();
                let is_of_them =
                    halted.behind.is_empty() && halted.by.is_some() && halted.by == company;
                if is_of_them || halted.is_by(job.enlisted.as_deref()) {
                    halted.visits += 1;
                    return Entered::Joins(job);
                }
                stands_behind(halted.by, &mut job);
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
        place.take(&job);
        Entered::Ready(job)
    }

    /// The job that had taken the place of a lane is over: the next one of it, which has the place then.
    pub(crate) fn leave(&mut self, lane: Option<Lane>) -> Option<Job<M>> {
        let place = &mut self.places[place_of(lane?)];
        place.next()
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
        let mut halted = Halted { by, visits: 1, behind: of_lane };
        halted.behind.iter_mut().for_each(|job| stands_behind(by, job));
        self.halted.insert(lane, halted);
        self.leave(Some(lane))
    }

    /// Messages that were joined to coordinated transactions and wait behind jobs that are none.
    pub(crate) fn visits_waiting(&self) -> impl Iterator<Item = &Enlisted> {
        let behind_jobs = self.places.iter().flat_map(|place| {
            let is_of_visit = place.is_of_visit;
            place.waiting.iter().skip_while(move |job| is_of_visit && job.enlisted.is_some())
        });
        let joined = behind_jobs.filter(|job| job.company() == Some(Company::Joined));
        joined.filter_map(|job| job.enlisted.as_deref())
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
        let behind = self.release_all(lane)?;
        let place = &mut self.places[place_of(lane?)];
        place.waiting.extend(behind);
        if place.is_busy {
            return None;
        }
        place.next()
    }

    /// One of the visits that have halted a lane is over. After the last one: all that has waited for them, without a place.
    pub(crate) fn release_all(&mut self, lane: Option<Lane>) -> Option<VecDeque<Job<M>>> {
        let lane = lane?;
        let halted = self.halted.get_mut(&lane)?;
        halted.visits -= 1;
        if halted.visits > 0 {
            return None;
        }
        let behind = self.halted.remove(&lane)?.behind;
        self.behind_halted -= behind.len();
        Some(behind)
    }

    /// Everything that waits.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Job<M>> {
        self.behind_halted = 0;
        let behind = self.halted.drain().flat_map(|(_, halted)| halted.behind);
        self.places.iter_mut().flat_map(|place| place.waiting.drain(..)).chain(behind)
    }
}
