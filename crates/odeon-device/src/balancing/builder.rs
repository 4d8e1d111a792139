//! What a program decides about a balancing pool before it starts.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use odeon_core::{StageError, Theater, extend};

use super::BalancingPool;
use super::WorkerFailure;
use super::configuration;
use super::distributor::Distributor;
use super::kind::Kind;
use super::member::{PoolWorker, Remaking};
use super::objective::{EnergySource, Meter, Objective};
use super::profiler::{Profiler, Quota, Terms};
use super::queue::WorkQueue;
use super::shared::{BalancingShared, FailureHook, KindName};
use super::worker_table::WorkerTable;

/// More configurations than this are not tried one after the other.
const MOST_CONFIGURATIONS: usize = 64;

/// TUNE: threads, or actors each of which looks at all others for its next piece: far beyond what
/// any machine works with at once; guessed 2026-11.
const MOST_WORKERS: usize = 4_096;

/// Kinds are counted in the bits of a word.
const MOST_KINDS: usize = 64;

/// Configures and starts a [`BalancingPool`].
#[must_use = "nothing happens before `start`"]
pub struct Balancing<W> {
    kinds: Vec<Kind<W>>,
    configurations: Option<Vec<Vec<usize>>>,
    objective: Objective,
    energy: Option<Box<dyn EnergySource>>,
    profiling: Profiling,
    hysteresis: f64,
    profiling_share: f64,
    queue: usize,
    most_tries: u32,
    remaking: Remaking,
    on_failure: Option<FailureHook>,
}

/// For how long configurations are tried, each time that is done.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Profiling {
    OfWork(u64),
    Within(Duration),
}

impl<W: Send + 'static> Balancing<W> {
    pub(super) fn new() -> Self {
        Self {
            kinds: Vec::new(),
            configurations: None,
            objective: Objective::Time,
            energy: None,
            profiling: Profiling::Within(Duration::from_secs(1)),
            hysteresis: 0.1,
            profiling_share: 0.02,
            queue: usize::MAX,
            most_tries: 3,
            remaking: Remaking {
                shortest_pause: Duration::from_millis(10),
                longest_pause: Duration::from_secs(2),
                // With these pauses a minute: longer than a broker or a driver takes to start.
                most: 37,
            },
            on_failure: None,
        }
    }

    /// Adds a kind of worker.
    pub fn kind(mut self, kind: Kind<W>) -> Self {
        self.kinds.push(kind);
        self
    }

    /// The configurations to choose from: how many workers of each kind, in the order in which the
    /// kinds were added. One alone is used without profiling. Default: for each number of device
    /// workers these alone, beside all CPU workers, beside half of them, and beside so many fewer
    /// that each device worker has a core for the thread that waits for it; without halves if that
    /// makes more than ten, so that each has 1 % of the work. If the objective needs energy, also a
    /// quarter of the workers of each CPU kind, down to one, unless that makes more than 64
    /// configurations.
    pub fn configurations<C: Into<Vec<usize>>>(
        mut self,
        configurations: impl IntoIterator<Item = C>,
    ) -> Self {
        self.configurations = Some(configurations.into_iter().map(Into::into).collect());
        self
    }

    /// What the best configuration is best at. Default: [`Objective::Time`].
    pub fn objective(mut self, objective: Objective) -> Self {
        self.objective = objective;
        self
    }

    /// Where energy comes from. Default: nowhere, and the report has no figures of it.
    pub fn energy(mut self, source: impl EnergySource) -> Self {
        self.energy = Some(Box::new(source));
        self
    }

    /// Profiles by 1 % of the work for each configuration, if there are `pieces` in all; with more
    /// than ten configurations less, so that all together have 10 %. Default:
    /// [`profile_within`](Self::profile_within) a second.
    pub fn profile_of(mut self, pieces: u64) -> Self {
        self.profiling = Profiling::OfWork(pieces);
        self
    }

    /// Profiles for about this time in all, a part of it for each configuration; only time in which
    /// the pool has work counts. Each configuration also gets as many pieces, or whole rounds, as
    /// it takes to measure it.
    pub fn profile_within(mut self, time: Duration) -> Self {
        self.profiling = Profiling::Within(time);
        self
    }

    /// By which part what a piece costs may change before all is profiled again, 0.01 to 10.
    /// Default: 0.1.
    pub fn hysteresis(mut self, part: f64) -> Self {
        self.hysteresis = part;
        self
    }

    /// The part of the time that profiling again may cost in the long run, 0.001 to 1.
    /// Default: 0.02. The first time is not counted.
    pub fn profiling_share(mut self, part: f64) -> Self {
        self.profiling_share = part;
        self
    }

    /// How many pieces may wait for a worker, at least 1; others come back at once
    /// ([`WhyUndone::Full`](super::WhyUndone::Full)). Default: any number.
    pub fn queue(mut self, pieces: usize) -> Self {
        self.queue = pieces;
        self
    }

    /// How often a piece is tried at least before it comes back as failed, at least 1; it is in any
    /// case once by each kind that is there. Default: 3.
    pub fn most_tries(mut self, tries: u32) -> Self {
        self.most_tries = tries;
        self
    }

    /// How long a worker that has failed, and may do better when it is made anew, waits for that:
    /// `shortest` at first, then twice as long each time up to `longest`. Default: 10 ms up to 2 s.
    pub fn pauses(mut self, shortest: Duration, longest: Duration) -> Self {
        self.remaking.shortest_pause = shortest;
        self.remaking.longest_pause = longest.max(shortest);
        self
    }

    /// How often a worker is made anew in a row, without having done anything in between, before it
    /// is left out. Default: 37, which with the default pauses takes a minute. One that has been
    /// there before is waited for so long also if what it works with is
    /// [unavailable](crate::DeviceError::Unavailable) meanwhile: a broker or a driver that starts
    /// again.
    pub fn most_remakes(mut self, times: u32) -> Self {
        self.remaking.most = times;
        self
    }

    /// Who is told of each failure of a worker, on the worker's thread.
    pub fn on_failure(mut self, hook: impl Fn(&WorkerFailure) + Send + Sync + 'static) -> Self {
        self.on_failure = Some(Box::new(hook));
        self
    }

    /// Starts the pool: makes all its workers, each on its thread. Those that cannot be made are
    /// reported and left out.
    ///
    /// # Errors
    /// [`BalancingError`], which says what does not fit.
    pub fn start(self, theater: &Theater) -> Result<BalancingPool<W>, BalancingError> {
        let configurations = self.check()?;
        let mut meter = Meter::new(self.energy);
        if self.objective.needs_energy() && !meter.reads() {
            return Err(BalancingError::NoEnergy(self.objective));
        }
        let quota = match self.profiling {
            Profiling::OfWork(pieces) => {
                Quota::Pieces((pieces / (10 * configurations.len() as u64).max(100)).max(1))
            }
            Profiling::Within(time) => {
                Quota::Time(time.as_secs_f64() / configurations.len() as f64)
            }
        };
        let terms = Terms {
            objective: self.objective,
            quota,
            hysteresis: self.hysteresis,
            share: self.profiling_share,
        };
        let most: Vec<usize> = self.kinds.iter().map(|kind| kind.most).collect();
        let profiler = Profiler::new(configurations, terms, meter);
        let distributor = Distributor::new(
            WorkQueue::new(self.queue),
            WorkerTable::new(&most),
            profiler,
            self.most_tries,
        );
        let name = |kind: &Kind<W>| KindName {
            name: kind.name.clone(),
            place: kind.place,
            most: kind.most,
        };
        let names = self.kinds.iter().map(name).collect();
        let (clock, stage) = (extend::clock(theater), extend::pool(theater));
        let shared = BalancingShared::new(distributor, names, clock, stage, self.on_failure);
        let pool = BalancingPool::new(shared.clone());
        let mut number = 0;
        for (kind_number, kind) in self.kinds.into_iter().enumerate() {
            for number_of_kind in 0..kind.most {
                let is_on_pool = !kind.has_threads;
                let place = (kind_number, number_of_kind);
                let make = kind.make.clone();
                let member =
                    PoolWorker::new(shared.clone(), number, place, make, self.remaking, is_on_pool);
                let actor = if is_on_pool {
                    theater.spawn(member)
                } else {
                    let name = format!("{}-{number_of_kind}", kind.name);
                    // Those that have begun end with the handle.
                    theater.actor().dedicated(&name).spawn(member).map_err(BalancingError::Stage)?
                };
                shared.set_member(number, actor);
                number += 1;
            }
        }
        Ok(pool)
    }

    /// Whether all fits together; if so, the configurations.
    fn check(&self) -> Result<Vec<Vec<usize>>, BalancingError> {
        let wrong = |what: String| Err(BalancingError::Setting(what));
        if self.kinds.iter().all(|kind| kind.most == 0) {
            return wrong("there is no worker: add a kind that has some".into());
        }
        if self.kinds.len() > MOST_KINDS {
            return wrong(format!("there are {} kinds, more than {MOST_KINDS}", self.kinds.len()));
        }
        if !(0.01..=10.0).contains(&self.hysteresis) {
            return wrong(format!("the hysteresis must be 0.01 to 10, not {}", self.hysteresis));
        }
        if !(0.001..=1.0).contains(&self.profiling_share) {
            let share = self.profiling_share;
            return wrong(format!("the share of profiling must be 0.001 to 1, not {share}"));
        }
        if self.queue == 0 || self.most_tries == 0 {
            return wrong("a queue for no piece, or no try, is none".into());
        }
        let workers = self.kinds.iter().fold(0_usize, |sum, kind| sum.saturating_add(kind.most));
        if workers > MOST_WORKERS {
            return wrong(format!("there are more than {MOST_WORKERS} workers"));
        }
        let too_many = |many: &str| {
            wrong(format!(
                "there are {many} configurations, more than {MOST_CONFIGURATIONS}: name those that are to be tried"
            ))
        };
        let configurations = match &self.configurations {
            Some(named) if named.len() > MOST_CONFIGURATIONS => {
                return too_many(&named.len().to_string());
            }
            Some(named) => named.clone(),
            None => {
                let kinds: Vec<_> = self.kinds.iter().map(|kind| (kind.place, kind.most)).collect();
                let needs_energy = self.objective.needs_energy();
                match configuration::all_of(&kinds, needs_energy, MOST_CONFIGURATIONS) {
                    Some(found) => found,
                    None => return too_many("too many"),
                }
            }
        };
        for counts in &configurations {
            let fits = counts.len() == self.kinds.len()
                && counts.iter().any(|count| *count > 0)
                && counts.iter().zip(&self.kinds).all(|(count, kind)| *count <= kind.most);
            if !fits {
                return wrong(format!("the configuration {counts:?} does not fit the kinds"));
            }
        }
        if configurations.is_empty() {
            return wrong("there is no configuration to choose from".into());
        }
        Ok(configurations)
    }
}

impl<W> fmt::Debug for Balancing<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Balancing")
            .field("kinds", &self.kinds)
            .field("objective", &self.objective)
            .field("profiling", &self.profiling)
            .finish_non_exhaustive()
    }
}

/// A balancing pool could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum BalancingError {
    /// A setting is out of its range, or does not fit the others: what, and why.
    Setting(String),
    /// The objective needs a figure of energy, and there is no source of one, or it has none.
    NoEnergy(Objective),
    /// The thread of a worker could not be started.
    Stage(StageError),
}

impl fmt::Display for BalancingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(what) => write!(f, "balancing pool: {what}"),
            Self::NoEnergy(objective) => write!(
                f,
                "balancing pool: the objective is the {objective}, and no source of energy has a figure here: balance by time, or give a source that has one"
            ),
            Self::Stage(error) => write!(f, "balancing pool: {error}"),
        }
    }
}

impl Error for BalancingError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Stage(error) => Some(error),
            _ => None,
        }
    }
}
