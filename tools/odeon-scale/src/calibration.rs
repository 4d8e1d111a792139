//! Where the costs of the simulation come from, and whether they give what was measured.
//!
//! Everything is of one worker, where nobody is in the way: a concurrent actor's message at width
//! 1, one in a shard of a wider actor, and the same transaction without an actor. It is of two
//! handlers, the shortest one and one that is long: a core works ahead, and where there is no
//! handler it hides much of what a message takes behind the next one. Two things one worker does
//! not show: what a cache line costs that another core has written, which is chosen so that two
//! workers come closest to what they were measured at (the least sum of the squares of the
//! logarithms of how many times as long they take); and how long the board's lock is held, which a
//! build that counts tells.

mod bases;

use crate::locks::LockUse;
use crate::measurements::Measurements;
use crate::simulation::{Costs, Simulation, takes_long};
use crate::way::CONCURRENT;
use crate::{ScaleLoad, ScaleWay, WakeCosts};
use bases::costs_beside;
use serde::Serialize;

/// How far the simulation may be off, in per cent.
pub const WITHIN_PERCENT: f64 = 10.0;

/// Messages of each sender in a simulated run: more than a measured one has with handlers of 2 us.
/// In a shorter one less waits than does in the long run.
pub(crate) const MESSAGES_EACH: u64 = 4_000;

/// TUNE: ns of a handler from which on costs are those beside a long one: no core works ahead of so
/// many instructions. Measured 2026-11: a message at width 1 takes 44 ns beside an empty handler,
/// 70 beside one of 100 ns, 75 beside one of 500 ns.
const NOTHING_HIDDEN_NS: f64 = 100.0;

/// TUNE: ns of a handler, guessed 2026-11: long enough, and not so long that its own differences
/// from run to run are as large as what is beside it.
const LONG_NS: u64 = 300;

/// What steps take beside handlers of any length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CostsByHandler {
    /// The shortest handler that was measured.
    pub shortest_ns: u64,
    /// Beside that one.
    pub shortest: Costs,
    /// Beside a long one.
    pub long: Costs,
}

impl CostsByHandler {
    /// Beside a handler of so many ns.
    pub fn at(&self, handler_ns: u64) -> Costs {
        let longer = handler_ns.saturating_sub(self.shortest_ns) as f64;
        self.shortest.towards(&self.long, (longer / NOTHING_HIDDEN_NS).min(1.0))
    }

    fn with_line(self, line: f64) -> Self {
        let (shortest, long) = (self.shortest, self.long);
        let with_line = |costs: Costs| Costs { line, ..costs };
        Self { shortest: with_line(shortest), long: with_line(long), ..self }
    }
}

/// Costs, and how well they give what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// What steps take.
    pub costs: CostsByHandler,
    /// Where the price of a cache line comes from.
    pub line_from: LineFrom,
    /// Whether a build that counts has told how long the board's lock is held.
    pub is_lock_counted: bool,
    /// Each measured width of one and two, with each load.
    pub checks: Vec<Check>,
}

/// Where the price of a cache line that another core has written comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineFrom {
    /// With it two workers come closest to what they were measured at.
    TwoWorkers,
    /// As that, but the closest one that was tried is at an end of all that were.
    Edge,
    /// Two workers were not measured: it is guessed.
    Guess,
}

/// One width with one load, measured and simulated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Check {
    /// What was done.
    pub load: ScaleLoad,
    /// Workers, and width.
    pub workers: usize,
    /// For a message, the fastest run.
    pub measured_ns: f64,
    /// For a message.
    pub simulated_ns: f64,
}

impl Check {
    /// Of how many times as long as measured it takes: as far from 0 for half as for twice as long.
    fn logarithm(&self) -> f64 {
        (self.simulated_ns / self.measured_ns).ln()
    }

    /// How far the simulation is off.
    pub fn deviation_percent(&self) -> f64 {
        100.0 * (self.simulated_ns / self.measured_ns - 1.0)
    }

    /// Whether that is near enough.
    pub fn holds(&self) -> bool {
        self.deviation_percent().abs() <= WITHIN_PERCENT
    }
}

impl Calibration {
    /// The largest deviation, in per cent.
    pub fn worst_percent(&self) -> f64 {
        self.checks.iter().map(|check| check.deviation_percent().abs()).fold(0.0, f64::max)
    }

    /// That of one load; nothing if that was not checked.
    pub fn worst_percent_of(&self, load: ScaleLoad) -> Option<f64> {
        let its = self.checks.iter().filter(|check| check.load == load);
        its.map(|check| check.deviation_percent().abs()).reduce(f64::max)
    }
}

/// The loads that the simulation knows: messages that only change, never meet, and do not take
/// long.
pub fn simulated_loads(measured: &Measurements) -> Vec<ScaleLoad> {
    let is_known = |load: &ScaleLoad| load.is_undisturbed() && !takes_long(load.handler_ns);
    measured.loads().into_iter().filter(is_known).collect()
}

/// What the handler itself takes with so many workers, on all cores that work at once.
pub(crate) fn handler_ns(measured: &Measurements, load: ScaleLoad, workers: usize) -> Option<f64> {
    Some(measured.of(ScaleWay::Floor, workers, load)?.fastest_ns() * workers as f64)
}

/// TUNE: how many times as long a bare handler may take on each of two threads as on one. Guessed
/// 2026-11: hyper-threads of one core are below that, and half a core is not.
const MOST_BESIDE: f64 = 1.5;

/// Whether two threads had a core each. If not, the simulated cores would be as slow as theirs, and
/// the checks would hold for nothing.
fn had_both_cores(measured: &Measurements, load: ScaleLoad) -> bool {
    let both = handler_ns(measured, load, 1).zip(handler_ns(measured, load, 2));
    both.is_none_or(|(one, two)| two <= MOST_BESIDE * one)
}

/// Finds the costs, and checks them.
///
/// # Errors
/// If something was not measured that they come from.
pub fn calibrate(
    measured: &Measurements,
    board_alone: Option<&LockUse>,
    wakes: WakeCosts,
    seed: u64,
) -> Result<Calibration, String> {
    let loads = simulated_loads(measured);
    let busy = loads.iter().find(|load| !had_both_cores(measured, **load));
    if let Some(load) = busy {
        return Err(format!(
            "no simulation: with {} two threads took more than {MOST_BESIDE} times as long for the bare handler as one, so others had the cores",
            load.name(),
        ));
    }
    let by_length = |load: &&ScaleLoad| load.handler_ns;
    let shortest = loads.iter().min_by_key(by_length);
    let shortest = *shortest.ok_or_else(|| {
        not_measured("a load without conflicts and reads, and not of long messages")
    })?;
    let long = loads.iter().filter(|load| load.handler_ns >= LONG_NS).min_by_key(by_length);
    let long = *long.or(loads.iter().max_by_key(by_length)).expect("there is a shortest one");
    let WakeCosts { waker_ns: waken, sleeper_ns: wake } = wakes;
    let told = Costs { pass: pass(board_alone), wake, waken, ..Costs::default() };
    let costs = CostsByHandler {
        shortest_ns: shortest.handler_ns,
        shortest: costs_beside(measured, shortest, told, seed)?,
        long: costs_beside(measured, long, told, seed)?,
    };
    let (line, line_from) = line(measured, &loads, costs, seed);
    let costs = costs.with_line(line);
    let of_load = |load: &ScaleLoad| {
        [1, 2].map(|workers| check(measured, *load, workers, costs.at(load.handler_ns), seed))
    };
    let checks = loads.iter().flat_map(of_load).flatten().collect();
    Ok(Calibration { costs, line_from, is_lock_counted: board_alone.is_some(), checks })
}

fn not_measured(what: &str) -> String {
    format!("no simulation: {what} was not measured")
}

/// TUNE: ns that the board's lock is held for on each way through it, for who has not counted.
/// Guessed 2026-11: some fifty memory accesses to lines that are there, two locked instructions.
const PASS_NS: f64 = 50.0;

/// For how long the board's lock is held on each way through it, with nobody beside.
fn pass(board_alone: Option<&LockUse>) -> f64 {
    board_alone.map_or(PASS_NS, |board| board.held_ns / board.passes.max(f64::MIN_POSITIVE))
}

/// TUNE: ns, a grid: from no cost at all to twice what a line between sockets takes. Guessed
/// 2026-11.
const LINES_NS: [f64; 31] = {
    let mut lines = [0.0; 31];
    let mut step = 1;
    while step < lines.len() {
        lines[step] = 10.0 * step as f64;
        step += 1;
    }
    lines
};

/// TUNE: ns of a line between cores of one socket, guessed 2026-11, for who has not measured two
/// workers.
const LINE_NS: f64 = 80.0;

/// The price of a cache line with which two workers come closest to what they were measured at:
/// one worker has nobody to get a line from.
fn line(
    measured: &Measurements,
    loads: &[ScaleLoad],
    costs: CostsByHandler,
    seed: u64,
) -> (f64, LineFrom) {
    let off = |line: f64| {
        let costs = costs.with_line(line);
        let of_load = |load: &ScaleLoad| check(measured, *load, 2, costs.at(load.handler_ns), seed);
        let checks = loads.iter().filter_map(of_load);
        checks.map(|check| check.logarithm().powi(2)).reduce(|sum, square| sum + square)
    };
    let offs = LINES_NS.iter().enumerate().filter_map(|(step, line)| Some((step, off(*line)?)));
    match offs.min_by(|a, b| a.1.total_cmp(&b.1)) {
        None => (LINE_NS, LineFrom::Guess),
        // Two steps differ by less than what chance makes of them.
        Some((step, _)) if step < 2 || step + 2 >= LINES_NS.len() => {
            (LINES_NS[step], LineFrom::Edge)
        }
        Some((step, _)) => (LINES_NS[step], LineFrom::TwoWorkers),
    }
}

fn check(
    measured: &Measurements,
    load: ScaleLoad,
    workers: usize,
    costs: Costs,
    seed: u64,
) -> Option<Check> {
    let point = measured.of(CONCURRENT, workers, load)?;
    let simulation = Simulation {
        costs,
        handler_ns: handler_ns(measured, load, workers)?,
        cores: workers,
        width: workers,
        senders: load.senders,
        messages: MESSAGES_EACH * load.senders as u64,
        seed,
    };
    let simulated_ns = simulation.run_as_pool().ns;
    Some(Check { load, workers, measured_ns: point.fastest_ns(), simulated_ns })
}

#[cfg(test)]
mod tests;
