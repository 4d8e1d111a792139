//! The state of a run, and the loop over its events.

use super::cores::{Cores, Unit};
use super::lock::SimulatedLock;
use super::places::ShardPlaces;
use super::rules::{Pace, pace_of, shard_number};
use super::sending::SimulatedSender;
use super::shards::{Pass, SimulatedShard};
use super::{SerialPart, Simulated, Simulation};
use odeon_example_run::SplitMix64;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Time, in whole numbers so that its order is total.
pub(super) type Picoseconds = u64;

pub(super) fn picoseconds(ns: f64) -> Picoseconds {
    (ns.max(0.0) * 1000.0).round() as Picoseconds
}

/// What a core has just come to the end of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It looks for something to do.
    Begin,
    /// A sender has sent what it sends in one go.
    Sent(usize),
    /// A shard has handled so many messages.
    Handled(usize, usize),
    /// A shard has passed the board's lock, and given a place to another one.
    Passed(usize, Pass, Option<usize>),
}

pub(super) struct World<'a> {
    pub(super) plan: &'a Simulation,
    random: SplitMix64,
    events: BinaryHeap<Reverse<(Picoseconds, u64, usize)>>,
    events_so_far: u64,
    /// What each core is doing.
    pub(super) steps: Vec<Step>,
    pub(super) cores: Cores,
    pub(super) senders: Vec<SimulatedSender>,
    pub(super) shards: Vec<SimulatedShard>,
    pub(super) places: ShardPlaces,
    pub(super) board_lock: SimulatedLock,
    pub(super) pace: Pace,
    pub(super) handled: u64,
    pub(super) places_taken: u64,
    /// Of these, while messages were thought to take long.
    pub(super) taken_if_long: u64,
}

/// TUNE: by how much steps differ from each other, up and down. Guessed 2026-11.
const DIFFERENCE: f64 = 0.1;

impl<'a> World<'a> {
    pub(super) fn new(plan: &'a Simulation) -> Self {
        let Simulation { cores, width, senders, messages, seed, .. } = *plan;
        let mut numbers = Vec::new();
        let mut shard_of = |sender: usize| {
            let number = if width == 1 { 0 } else { shard_number(sender, seed) };
            numbers.iter().position(|known| *known == number).unwrap_or_else(|| {
                numbers.push(number);
                numbers.len() - 1
            })
        };
        let new_sender = |sender| SimulatedSender {
            left: messages / senders as u64,
            shard: shard_of(sender),
            budget: Default::default(),
        };
        let all_senders = (0..senders).map(new_sender).collect();
        let shards = numbers.len();
        Self {
            plan,
            random: SplitMix64::new(seed),
            events: BinaryHeap::new(),
            events_so_far: 0,
            steps: vec![Step::Begin; cores],
            cores: Cores::new(cores),
            senders: all_senders,
            shards: (0..shards).map(|_| SimulatedShard::default()).collect(),
            places: ShardPlaces::new(shards, width),
            board_lock: SimulatedLock::default(),
            // Before it is known, messages are brought to the board, some dozens in all.
            pace: pace_of(plan.handler_ns + plan.costs.attempt),
            handled: 0,
            places_taken: 0,
            taken_if_long: 0,
        }
    }

    /// Whether there are shards, and they need places.
    pub(super) fn is_wide(&self) -> bool {
        self.plan.width > 1
    }

    pub(super) fn run(mut self) -> Simulated {
        for sender in 0..self.senders.len() {
            self.cores.queue(Unit::Sender(sender), sender % self.plan.cores);
        }
        (0..self.plan.cores).for_each(|core| self.at(0, core, Step::Begin));
        let mut end = 0;
        while let Some((now, core)) = self.next_event() {
            end = now;
            self.step(core, now);
        }
        self.assert_over();
        let each = |time: Picoseconds| time as f64 / 1000.0 / self.handled.max(1) as f64;
        let places = self.places_taken.max(1) as f64;
        let busiest = self.shards.iter().map(|shard| shard.busy).max().unwrap_or(0);
        Simulated {
            ns: each(end),
            batch: if self.is_wide() { self.handled as f64 / places } else { 0.0 },
            passes: self.board_lock.passes as f64 / self.handled.max(1) as f64,
            waited_ns: each(self.board_lock.waited),
            thought_long_percent: 100.0 * self.taken_if_long as f64 / places,
            serial: [
                (SerialPart::Shard, each(busiest)),
                (SerialPart::Board, each(self.board_lock.held)),
            ],
        }
    }

    /// The moment at which a core is next at the end of a step, and the core.
    pub(super) fn next_event(&mut self) -> Option<(Picoseconds, usize)> {
        self.events.pop().map(|Reverse((now, _, core))| (now, core))
    }

    pub(super) fn step(&mut self, core: usize, now: Picoseconds) {
        match self.steps[core] {
            Step::Begin => self.begin(core, now),
            Step::Sent(sender) => self.sent(sender, core, now),
            Step::Handled(shard, messages) => self.messages_handled(shard, messages, core, now),
            Step::Passed(shard, pass, given) => self.passed(shard, pass, given, core, now),
        }
    }

    /// Nothing was lost, and nobody waits for ever.
    fn assert_over(&self) {
        let Simulation { messages, senders, width, .. } = *self.plan;
        assert_eq!(self.handled, messages / senders as u64 * senders as u64, "messages");
        let is_over = |shard: &SimulatedShard| shard.waiting == 0 && shard.held.is_empty();
        assert!(self.shards.iter().all(is_over), "there is something left: {:?}", self.shards);
        assert!(self.places.are_all_free(width), "{:?}", self.places);
    }

    fn begin(&mut self, core: usize, now: Picoseconds) {
        let (unit, is_more_queued) = self.cores.next(core, now);
        let wakes = if is_more_queued { self.rouse_core(now) } else { 0.0 };
        let now = now + picoseconds(wakes);
        match unit {
            Some(Unit::Sender(sender)) => self.begin_sender(sender, core, now),
            Some(Unit::Shard(shard)) => self.begin_shard(shard, core, now),
            None => {}
        }
    }

    /// A core is at the end of a step at `then`.
    pub(super) fn at(&mut self, then: Picoseconds, core: usize, step: Step) {
        self.steps[core] = step;
        self.events_so_far += 1;
        self.events.push(Reverse((then, self.events_so_far, core)));
    }

    /// After so many ns, more or less.
    pub(super) fn after(&mut self, now: Picoseconds, ns: f64, core: usize, step: Step) {
        let differs = self.differing(ns);
        self.at(now + picoseconds(differs), core, step);
    }

    pub(super) fn differing(&mut self, ns: f64) -> f64 {
        let drawn = (self.random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ns * (1.0 + DIFFERENCE * (2.0 * drawn - 1.0))
    }

    /// A core wakes a unit; answers what that takes it, in ns.
    pub(super) fn wake(&mut self, unit: Unit, core: usize, now: Picoseconds) -> f64 {
        if self.cores.wake(unit, core) { self.rouse_core(now) } else { 0.0 }
    }

    /// A turn is over, and its unit has more to do.
    pub(super) fn requeue(&mut self, unit: Unit, core: usize, now: Picoseconds) {
        let wakes = if self.cores.requeue(unit, core) { self.rouse_core(now) } else { 0.0 };
        self.at(now + picoseconds(wakes), core, Step::Begin);
    }

    /// An idle core, if there is one, looks for what is queued; answers what it takes who has it
    /// look, in ns.
    fn rouse_core(&mut self, now: Picoseconds) -> f64 {
        let Some(start) = self.cores.rouse(now) else { return 0.0 };
        let costs = self.plan.costs;
        let begins = if start.sleeps { costs.wake } else { costs.line };
        self.at(now + picoseconds(begins), start.core, Step::Begin);
        if start.sleeps { costs.waken } else { 0.0 }
    }

    /// What is written by another core takes so many cache lines.
    pub(super) fn lines(&self, written_by: usize, core: usize, lines: f64) -> f64 {
        if written_by == core { 0.0 } else { lines * self.plan.costs.line }
    }
}
