//! Which senders have a message under way: the next one of such a sender, to the same mailbox,
//! waits here.
//!
//! A job takes the *place* of its lane, which others have in common, for as long as it runs: to
//! wait for a job of another lane costs parallelism only. A job that waits elsewhere, parked or as
//! a visit, gives the place up and *halts* its lane: it may be waiting for the very job that shares
//! the place. Visits in the [`Company`] of those that have halted a lane pass. So do messages that
//! are joined to transactions, while what has halted the lane are first messages of one that only
//! gathers: that may be waiting, at another actor, for the very transaction to which they are
//! joined.

use crate::executor::enlistment::{Company, Enlistment};
use crate::executor::job::Job;
use crate::executor::number_map::NumberMap;
use crate::executor::transaction::Transaction;
use odeon_core::extend::Lane;
use std::collections::VecDeque;
use std::sync::Arc;
use waiting::LaneQueue;

mod waiting;

/// TUNE: places for lanes. Senders that share one are not handled at once.
const PLACES: usize = 256;

struct LaneState<M> {
    is_busy: bool,
    /// Whether a visit has it, which is about to leave for its transaction.
    is_of_visit: bool,
    waiting: LaneQueue<M>,
    /// Lanes with this place that are halted.
    halted: usize,
}

/// A lane whose message waits elsewhere.
struct Halted<M> {
    /// Which visits have halted it, and how many these are; `None`: a parked job has.
    by: Option<Company>,
    visits: usize,
    /// The transaction of which these are first messages, and how many joined to others have passed
    /// them.
    first_of: Option<Arc<dyn Transaction>>,
    passed: usize,
    behind: VecDeque<Job<M>>,
}

impl<M> LaneState<M> {
    fn take(&mut self, job: &Job<M>) {
        (self.is_busy, self.is_of_visit) = (true, job.enlistment.is_some());
    }

    /// Whoever had it has gone.
    fn next(&mut self) -> Option<Job<M>> {
        let next = self.waiting.pop_front();
        self.is_busy = next.is_some();
        self.is_of_visit = next.as_ref().is_some_and(|job| job.enlistment.is_some());
        next
    }
}

impl<M> Halted<M> {
    /// Whether first messages of this very transaction have halted it: what is joined to that waits
    /// for nothing behind them, which would wait for the outcome.
    fn is_by(&self, enlistment: Option<&Enlistment>) -> bool {
        enlistment.is_some_and(|enlistment| self.by == Some(Company::First(enlistment.number())))
    }

    /// Whether what is joined to other transactions passes.
    fn lets_joined_pass(&self) -> bool {
        self.first_of.as_ref().is_some_and(|of| of.gathers())
    }
}

/// See the module.
pub(crate) struct Lanes<M> {
    places: Vec<LaneState<M>>,
    halted: NumberMap<Lane, Halted<M>>,
    behind_halted: usize,
    in_use: LaneUse,
}

/// How lanes have been used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LaneUse {
    /// Those that have a message under way at this moment, and the most that ever had.
    pub(crate) now: usize,
    pub(crate) at_most: usize,
    /// Messages that have waited for one of their own lane.
    pub(crate) waited: u64,
}

impl LaneUse {
    /// A place was busy, or not, and is so now, or not.
    fn note(&mut self, was_busy: bool, is_busy: bool) {
        self.now = self.now + usize::from(is_busy) - usize::from(was_busy);
        self.at_most = self.at_most.max(self.now);
    }
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
    if let (None, Some(enlistment)) = (by, &mut job.enlistment) {
        enlistment.stands_behind_parked();
    }
}

/// The number of a lane's place.
fn place_of(lane: Lane) -> usize {
    const { assert!(PLACES == 1 << u8::BITS) };
    lane.place().into()
}

impl<M> Lanes<M> {
    pub(crate) fn new() -> Self {
        let free = || LaneState {
            is_busy: false,
            is_of_visit: false,
            waiting: LaneQueue::new(),
            halted: 0,
        };
        let places = std::iter::repeat_with(free).take(PLACES).collect();
        Self { places, halted: NumberMap::default(), behind_halted: 0, in_use: LaneUse::default() }
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
                if is_of_them || halted.is_by(job.enlistment.as_deref()) {
                    halted.visits += 1;
                    return Entered::Joins(job);
                }
                if company == Some(Company::Joined) && halted.lets_joined_pass() {
                    halted.passed += 1;
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
            self.in_use.waited += 1;
            return Entered::Waits;
        }
        place.take(&job);
        self.in_use.note(false, true);
        Entered::Ready(job)
    }

    /// Whether a job of a lane with this place is here, or waits elsewhere.
    pub(crate) fn is_in_use(&self, place: u8) -> bool {
        let place = &self.places[usize::from(place)];
        place.is_busy || place.halted > 0
    }

    /// A shard begins to handle messages of lanes with one place, or no longer does.
    pub(crate) fn note_shard(&mut self, was_busy: bool, is_busy: bool) {
        self.in_use.note(was_busy, is_busy);
    }

    /// So many messages have waited for one of their own lane, or of one with its place, elsewhere.
    pub(crate) fn note_waits(&mut self, messages: u64) {
        self.in_use.waited += messages;
    }

    /// A job has come that is not to wait.
    ///
    /// # Errors
    /// The job, if it would.
    pub(crate) fn enter_if_free(&mut self, job: Job<M>) -> Result<Job<M>, Job<M>> {
        let is_busy = |lane| self.is_halted(Some(lane)) || self.places[place_of(lane)].is_busy;
        if job.lane.is_some_and(is_busy) {
            return Err(job);
        }
        match self.enter(job) {
            Entered::Ready(job) => Ok(job),
            _ => unreachable!("its lane is free"),
        }
    }

    /// A job of this lane has come, and with it these ones. Unless something has halted the lane,
    /// puts the next ones that are of it, visits excepted, behind what waits for the place. Answers
    /// how many.
    pub(crate) fn wait_behind(&mut self, lane: Lane, jobs: &mut VecDeque<Job<M>>) -> usize {
        if self.is_halted(Some(lane)) {
            return 0;
        }
        let place = &mut self.places[place_of(lane)];
        debug_assert!(place.is_busy, "by the one that has come, or by another one");
        let count = place.waiting.take_first_of(lane, jobs);
        self.in_use.waited += count as u64;
        count
    }

    /// How they have been used so far.
    pub(crate) fn in_use(&self) -> LaneUse {
        self.in_use
    }

    /// Whoever had a place has gone.
    fn hand_on(&mut self, place: usize) -> Option<Job<M>> {
        let place = &mut self.places[place];
        let was_busy = place.is_busy;
        let next = place.next();
        self.in_use.note(was_busy, place.is_busy);
        next
    }

    /// Puts behind `batch` what follows its last job in a lane, up to so many: they have its place
    /// too.
    pub(crate) fn follow(&mut self, batch: &mut VecDeque<Job<M>>, most: usize) {
        let Some((Some(lane), kind)) = batch.back().map(|last| (last.lane, last.kind)) else {
            return;
        };
        self.places[place_of(lane)].waiting.take_those_of(lane, kind, most, batch);
    }

    /// A job that has followed another one is not to begin after all: it is again the next one.
    pub(crate) fn unfollow(&mut self, job: Job<M>) {
        let lane = job.lane.expect("only jobs of a lane follow each other");
        self.places[place_of(lane)].waiting.push_front(job);
    }

    /// The job that had taken the place of a lane is over: the next one of it, which has the place
    /// then.
    pub(crate) fn leave(&mut self, lane: Lane) -> Option<Job<M>> {
        self.hand_on(place_of(lane))
    }

    /// The job that had taken the place of a lane waits elsewhere, as a visit or parked: the next
    /// one of another lane, which has the place then.
    pub(crate) fn halt(
        &mut self,
        lane: Option<Lane>,
        visit: Option<&Enlistment>,
    ) -> Option<Job<M>> {
        let lane = lane?;
        let place = &mut self.places[place_of(lane)];
        let of_lane = place.waiting.take_lane(lane);
        self.behind_halted += of_lane.len();
        let by = visit.map(Enlistment::company);
        let first_of = visit.filter(|_| matches!(by, Some(Company::First(_))));
        let first_of = first_of.map(|visit| visit.transaction().clone());
        let mut halted = Halted { by, visits: 1, first_of, passed: 0, behind: of_lane };
        halted.behind.iter_mut().for_each(|job| stands_behind(by, job));
        place.halted += usize::from(self.halted.insert(lane, halted).is_none());
        self.leave(lane)
    }

    /// Messages that were joined to coordinated transactions and wait behind jobs that are none.
    pub(crate) fn visits_waiting(&self) -> impl Iterator<Item = &Enlistment> {
        let behind_jobs = self.places.iter().flat_map(|place| {
            let is_of_visit = place.is_of_visit;
            place.waiting.iter().skip_while(move |job| is_of_visit && job.enlistment.is_some())
        });
        let joined = behind_jobs.filter(|job| job.company() == Some(Company::Joined));
        joined.filter_map(|job| job.enlistment.as_deref())
    }

    /// The jobs that wait behind what has halted a lane.
    pub(crate) fn behind(&self, lane: Option<Lane>) -> impl Iterator<Item = &Job<M>> {
        let halted = lane.and_then(|lane| self.halted.get(&lane));
        halted.into_iter().flat_map(|halted| &halted.behind)
    }

    /// Those of these jobs that pass: they come out.
    pub(crate) fn let_pass(&mut self, lane: Option<Lane>) -> Vec<Job<M>> {
        let halted = lane.and_then(|lane| self.halted.get_mut(&lane));
        let Some(halted) = halted.filter(|halted| halted.by.is_some()) else { return Vec::new() };
        let mut passing = Vec::new();
        let is_joined = |job: &Job<M>| job.company() == Some(Company::Joined);
        if halted.behind.iter().any(is_joined) && halted.lets_joined_pass() {
            let (joined, others): (VecDeque<_>, _) =
                std::mem::take(&mut halted.behind).into_iter().partition(is_joined);
            halted.passed += joined.len();
            (passing, halted.behind) = (Vec::from(joined), others);
        }
        while halted.behind.front().is_some_and(|front| front.company() == halted.by) {
            passing.extend(halted.behind.pop_front());
            halted.visits += 1;
        }
        self.behind_halted -= passing.len();
        passing
    }

    /// The lanes that first messages of this transaction have halted.
    pub(crate) fn halted_by(&self, first: u64) -> Vec<Lane> {
        let by = Some(Company::First(first));
        self.halted.iter().filter(|(_, halted)| halted.by == by).map(|(lane, _)| *lane).collect()
    }

    /// A parked job comes again, and behind it what has waited for it.
    pub(crate) fn resume(&mut self, job: Job<M>) -> Option<Job<M>> {
        let Some(lane) = job.lane else { return Some(job) };
        let behind = self.go_on(lane).unwrap_or_default();
        let ready = match self.enter(job) {
            Entered::Ready(job) | Entered::Joins(job) => Some(job),
            Entered::Waits | Entered::WaitsForHalted => None,
        };
        self.places[place_of(lane)].waiting.extend(behind);
        ready
    }

    /// One of the visits that have halted a lane, or have passed, is over: one of this transaction.
    /// After the last one what has waited for them comes again: answers the job that can go on, its
    /// place taken.
    pub(crate) fn release(&mut self, lane: Option<Lane>, who: u64) -> Option<Job<M>> {
        let behind = self.release_all(lane, who)?;
        let number = place_of(lane?);
        let place = &mut self.places[number];
        place.waiting.extend(behind);
        if place.is_busy {
            return None;
        }
        self.hand_on(number)
    }

    /// As [`release`](Self::release), but answers all that has waited, without a place.
    pub(crate) fn release_all(&mut self, lane: Option<Lane>, who: u64) -> Option<VecDeque<Job<M>>> {
        let lane = lane?;
        let halted = self.halted.get_mut(&lane)?;
        match halted.by {
            Some(Company::First(first)) if first != who => halted.passed -= 1,
            _ => halted.visits -= 1,
        }
        if halted.visits == 0 && halted.passed > 0 {
            // What has passed has the lane.
            let visits = std::mem::take(&mut halted.passed);
            (halted.by, halted.visits, halted.first_of) = (Some(Company::Joined), visits, None);
        }
        if halted.visits > 0 {
            return None;
        }
        self.go_on(lane)
    }

    /// A lane is halted no more: what has waited behind it.
    fn go_on(&mut self, lane: Lane) -> Option<VecDeque<Job<M>>> {
        let behind = self.halted.remove(&lane)?.behind;
        self.places[place_of(lane)].halted -= 1;
        self.behind_halted -= behind.len();
        Some(behind)
    }

    /// As [`drain`](Self::drain), to look at.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Job<M>> {
        let behind = self.halted.values().flat_map(|halted| &halted.behind);
        self.places.iter().flat_map(|place| place.waiting.iter()).chain(behind)
    }

    /// Everything that waits.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Job<M>> {
        self.behind_halted = 0;
        self.places.iter_mut().for_each(|place| place.halted = 0);
        let behind = self.halted.drain().flat_map(|(_, halted)| halted.behind);
        self.places.iter_mut().flat_map(|place| place.waiting.drain()).chain(behind)
    }
}
