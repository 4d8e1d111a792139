//! Whole runs of a pool in simulated time: the distributor with all that is behind it, and workers
//! whose speeds are known. Nothing is measured here but what the simulated clock says, so each run
//! is the same every time.

mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use odeon_core::{Random, extend};

use super::distributor::{Batch, Distributor, Orders, Taken};
use super::objective::{EnergySource, Meter, Objective};
use super::piece::{Home, WorkerError};
use super::profiler::{Profiler, Quota, Terms};
use super::queue::WorkQueue;
use super::worker_table::WorkerTable;
use crate::error::DeviceError;

/// A kind of simulated worker: what a batch costs at a load.
#[derive(Clone)]
pub(super) struct Speed {
    pub(super) count: usize,
    pub(super) most_at_once: usize,
    /// Microseconds of a launch, and of each piece, by the number of pieces that were submitted
    /// before.
    pub(super) launch: fn(u64) -> f64,
    pub(super) piece: fn(u64) -> f64,
    /// Microseconds that the first batch of a worker takes besides: it compiles.
    pub(super) first_batch: f64,
    /// By which part a piece takes longer for each other worker of the kind that works.
    pub(super) hinders: f64,
    /// Watts of one worker at work.
    pub(super) watts: f64,
    /// How often in a thousand batches one fails.
    pub(super) fails: usize,
}

impl Speed {
    pub(super) fn cpu(count: usize, piece: fn(u64) -> f64) -> Self {
        Self {
            count,
            most_at_once: 1,
            launch: |_| 0.0,
            piece,
            first_batch: 0.0,
            hinders: 0.0,
            watts: 10.0,
            fails: 0,
        }
    }

    pub(super) fn gpu(count: usize, launch: fn(u64) -> f64, piece: fn(u64) -> f64) -> Self {
        Self { most_at_once: 32, launch, watts: 100.0, ..Self::cpu(count, piece) }
    }
}

/// How pieces come.
#[derive(Clone, Copy)]
pub(super) enum Load {
    /// Rounds of so many pieces, by the number submitted before, and microseconds between two.
    Rounds { pieces: fn(u64) -> usize, gap: f64 },
    /// There are always so many.
    Stream { waiting: usize },
}

#[derive(Clone)]
pub(super) struct SimulationPlan {
    pub(super) speeds: Vec<Speed>,
    pub(super) load: Load,
    pub(super) total: u64,
    pub(super) configurations: Vec<Vec<usize>>,
    pub(super) quota: Quota,
    pub(super) objective: Objective,
    /// How often the meter is brought up to date.
    pub(super) meter_period: Duration,
    pub(super) meter_tells_period: bool,
    /// By which part pieces differ, at random.
    pub(super) noise: f64,
    pub(super) seed: u64,
    /// Workers that fail at the first batch that ends after so many pieces are done, and do not
    /// come back.
    pub(super) lost: Vec<(usize, u64)>,
}

/// What a run came to.
#[derive(Debug)]
pub(super) struct SimulationOutcome {
    /// Seconds in which there was something to do.
    pub(super) busy: f64,
    pub(super) joules: f64,
    pub(super) in_use: Vec<usize>,
    pub(super) profilings: u64,
    /// Whether a profile was under way at the end.
    pub(super) is_profiling: bool,
    /// The longest time that a worker of the configuration was idle while a piece waited.
    pub(super) idle_beside_work: f64,
    pub(super) pieces: Vec<u64>,
}

pub(super) struct Simulation {
    plan: SimulationPlan,
    distributor: Distributor<u64>,
    now_ns: u64,
    /// Time, order, what.
    events: BinaryHeap<Reverse<(u64, u64, SimulationEvent)>>,
    order: u64,
    in_hand: Vec<Option<Batch<u64>>>,
    working: Vec<bool>,
    has_worked: Vec<bool>,
    microjoules: u64,
    /// What the meter says.
    shown: Arc<AtomicU64>,
    kinds: Vec<usize>,
    submitted: u64,
    random: Random,
    busy_ns: u64,
}

/// A meter that is brought up to date from time to time.
struct Stepping {
    shown: Arc<AtomicU64>,
    period: Duration,
}

impl EnergySource for Stepping {
    fn joules(&mut self) -> Option<f64> {
        Some(self.shown.load(Ordering::Relaxed) as f64 / 1e6)
    }

    fn period(&self) -> Duration {
        self.period
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SimulationEvent {
    Look(usize),
    Done(usize),
    Submit,
    Tick(u64),
}

impl Simulation {
    pub(super) fn new(plan: SimulationPlan) -> Self {
        let shown = Arc::new(AtomicU64::new(0));
        let period = plan.meter_period * u32::from(plan.meter_tells_period);
        let source = Stepping { shown: shown.clone(), period };
        let terms =
            Terms { objective: plan.objective, quota: plan.quota, hysteresis: 0.1, share: 0.02 };
        let profiler =
            Profiler::new(plan.configurations.clone(), terms, Meter::new(Some(Box::new(source))));
        let most: Vec<usize> = plan.speeds.iter().map(|speed| speed.count).collect();
        let of = |(kind, &count): (usize, &usize)| (0..count).map(move |_| kind);
        let kinds: Vec<usize> = most.iter().enumerate().flat_map(of).collect();
        let distributor =
            Distributor::new(WorkQueue::new(usize::MAX), WorkerTable::new(&most), profiler, 3);
        Self {
            distributor,
            now_ns: 0,
            events: BinaryHeap::new(),
            order: 0,
            in_hand: kinds.iter().map(|_| None).collect(),
            working: vec![false; kinds.len()],
            has_worked: vec![false; kinds.len()],
            microjoules: 0,
            shown,
            kinds,
            submitted: 0,
            random: Random::from_seed(plan.seed),
            busy_ns: 0,
            plan,
        }
    }

    pub(super) fn run(mut self) -> SimulationOutcome {
        for member in 0..self.kinds.len() {
            let most = self.plan.speeds[self.kinds[member]].most_at_once;
            let (orders, more) = self.distributor.came(member, most, None, self.now());
            self.carry_out(orders);
            if more {
                self.at(0, SimulationEvent::Look(member));
            }
        }
        self.at(0, SimulationEvent::Submit);
        let mut idle_beside_work: f64 = 0.0;
        while let Some(Reverse((at, _, event))) = self.events.pop() {
            let passed = at - self.now_ns;
            if passed > 0 {
                if self.is_idle_beside_work() {
                    idle_beside_work = idle_beside_work.max(passed as f64 / 1e9);
                }
                self.let_pass(passed);
            }
            match event {
                SimulationEvent::Look(member) => self.look(member),
                SimulationEvent::Done(member) => self.done(member),
                SimulationEvent::Submit => self.submit(),
                SimulationEvent::Tick(at) => {
                    let orders = self.distributor.tick(f64::from_bits(at), self.now());
                    self.carry_out(orders);
                }
            }
        }
        let counts = self.distributor.counts;
        assert_eq!((counts.submitted, counts.done), (self.plan.total, self.plan.total));
        let profiler = &self.distributor.profiler;
        SimulationOutcome {
            busy: self.busy_ns as f64 / 1e9,
            joules: self.microjoules as f64 / 1e6,
            in_use: profiler.counts().map_or_else(Vec::new, <[usize]>::to_vec),
            profilings: profiler.profilings(),
            is_profiling: profiler.is_profiling(),
            idle_beside_work,
            pieces: (0..self.plan.speeds.len())
                .map(|kind| self.distributor.workers.tally(kind).pieces)
                .collect(),
        }
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(self.now_ns)
    }

    fn at(&mut self, delay_ns: u64, event: SimulationEvent) {
        self.order += 1;
        self.events.push(Reverse((self.now_ns + delay_ns, self.order, event)));
    }

    fn let_pass(&mut self, passed: u64) {
        let period = self.plan.meter_period.as_nanos() as u64;
        self.now_ns += passed;
        let microjoules_before = self.microjoules;
        if self.distributor.counts.done < self.distributor.counts.submitted {
            self.busy_ns += passed;
            let working = self.kinds.iter().zip(&self.working).filter(|(_, working)| **working);
            // The rest of the machine needs 20 W.
            let watts: f64 =
                20.0 + working.map(|(&kind, _)| self.plan.speeds[kind].watts).sum::<f64>();
            self.microjoules += (watts * passed as f64 / 1e3) as u64;
        }
        let since = if period == 0 { 0 } else { self.now_ns % period };
        if since < passed {
            // As it was when it was last brought up to date.
            let part = (passed - since) as f64 / passed as f64;
            let drawn = (self.microjoules - microjoules_before) as f64 * part;
            self.shown.store(microjoules_before + drawn as u64, Ordering::Relaxed);
        }
    }

    fn is_idle_beside_work(&self) -> bool {
        let counts = self.distributor.profiler.counts();
        let (workers, queue) = (&self.distributor.workers, &self.distributor.queue);
        let idle = |member: usize| !self.working[member] && workers.is_active(counts, member);
        (0..self.kinds.len()).any(|member| idle(member) && queue.has_for(workers, counts, member))
    }

    fn submit(&mut self) {
        let left = self.plan.total - self.submitted;
        let pieces = match self.plan.load {
            Load::Rounds { pieces, .. } => pieces(self.submitted) as u64,
            Load::Stream { waiting } => {
                (waiting as u64).saturating_sub(self.distributor.queue.len() as u64)
            }
        };
        let pieces = pieces.min(left);
        let homes = (0..pieces).map(|n| {
            let (reply, _nobody_waits) = extend::question();
            (self.submitted + n, Home::Alone(reply))
        });
        let orders = self.distributor.submit(homes.collect::<Vec<_>>().into_iter(), self.now());
        self.submitted += pieces;
        self.carry_out(orders);
    }

    fn look(&mut self, member: usize) {
        let (taken, orders) = self.distributor.take(member, self.now());
        self.carry_out(orders);
        let Taken::Batch(batch) = taken else { return };
        let speed = &self.plan.speeds[self.kinds[member]];
        let first = batch.works[0];
        let random = self.random.below(2_001) as f64 / 1_000.0 - 1.0;
        let by = 1.0 + self.plan.noise * random;
        let pieces: f64 = batch.works.iter().map(|&piece| (speed.piece)(piece)).sum();
        let working = self.kinds.iter().zip(&self.working).enumerate();
        let others = working.filter(|&(other, (kind, working))| {
            other != member && *kind == self.kinds[member] && *working
        });
        let hindered = 1.0 + speed.hinders * others.count() as f64;
        let first_batch = if self.has_worked[member] { 0.0 } else { speed.first_batch };
        let took = ((speed.launch)(first) + pieces) * by * hindered + first_batch;
        self.has_worked[member] = true;
        self.in_hand[member] = Some(batch);
        self.working[member] = true;
        self.at((took * 1e3) as u64, SimulationEvent::Done(member));
    }

    fn done(&mut self, member: usize) {
        self.working[member] = false;
        let batch = self.in_hand[member].take().expect("it began with one");
        let fails = self.plan.speeds[self.kinds[member]].fails;
        let now = self.now();
        if self.is_lost(member) {
            let error = WorkerError::Error(DeviceError::Lost("simulated".into()));
            let (orders, _) = self.distributor.failed(member, batch, &error, false, now);
            self.carry_out(orders);
            let orders = self.distributor.gone(member, Some(error.to_string()), now);
            return self.carry_out(orders);
        }
        let (orders, more) = if self.random.below(1_000) < fails {
            let error = WorkerError::Error(DeviceError::Invalid("simulated".into()));
            self.distributor.failed(member, batch, &error, true, now)
        } else {
            self.distributor.done(member, batch, now)
        };
        self.carry_out(orders);
        if more {
            self.at(0, SimulationEvent::Look(member));
        }
        match self.plan.load {
            Load::Stream { .. } if self.submitted < self.plan.total => self.submit(),
            Load::Rounds { gap, .. }
                if self.distributor.counts.done == self.submitted
                    && self.submitted < self.plan.total =>
            {
                self.at((gap * 1e3) as u64, SimulationEvent::Submit);
            }
            _ => {}
        }
    }

    fn is_lost(&self, member: usize) -> bool {
        let done = self.distributor.counts.done;
        self.plan.lost.iter().any(|&(lost, after)| lost == member && done >= after)
    }

    fn carry_out(&mut self, orders: Orders<u64>) {
        for member in orders.calls {
            self.at(0, SimulationEvent::Look(member));
        }
        if let Some((delay, at)) = orders.tick_after {
            self.at((delay * 1e9) as u64 + 1, SimulationEvent::Tick(at.to_bits()));
        }
        for (home, returned) in orders.returns {
            home.give_back(returned);
        }
    }
}
