//! Tables and sentences, for terminals and pages alike.

use crate::ScaleLoad;
use crate::calibration::{Calibration, Check, LineFrom, WITHIN_PERCENT};
use crate::extrapolation::{Ceiling, Extrapolated, ceilings};
use crate::law::{DRAWS, FROM_WORKERS, Fit};
use crate::locks::CountedLocks;
use crate::measurements::Measurements;
use crate::outcome::Outcome;
use crate::serial_demand::SerialDemand;
use odeon_bench::statistics::Spread;
use odeon_bench::table::{TextTable, factor, short};

fn thousands_a_second(ns: f64) -> String {
    short(1e6 / ns)
}

/// Everything that was measured.
pub fn measured(measured: &Measurements) -> TextTable {
    let mut table = TextTable::new([
        "load",
        "who",
        "workers",
        "ns a message",
        "min..max",
        "thousands a s",
        "of plain",
        "CPU ns beside",
    ]);
    for point in &measured.points {
        let Spread { min, median, max } = point.spread();
        let cells = [
            point.load.name(),
            point.way.to_string(),
            point.workers.to_string(),
            short(median),
            format!("{}..{}", short(min), short(max)),
            thousands_a_second(median),
            measured.speed_up(point).map_or_else(String::new, factor),
            measured.cpu_beside(point).map_or_else(String::new, short),
        ];
        table.row(cells);
    }
    table
}

/// The law for each load, or why there is none, each reason once.
pub fn fits(outcome: &Outcome) -> Vec<String> {
    let mut lines = Vec::new();
    for (load, fit) in &outcome.fits {
        let line = match fit {
            Ok(fit) => fitted(*load, fit),
            Err(why) => why.to_string(),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

fn fitted(load: ScaleLoad, fit: &Fit) -> String {
    let best = fit.law.best_workers();
    let most = if best.is_finite() {
        format!("most with {best:.1} workers")
    } else {
        "more workers always do more".to_owned()
    };
    let failed = match fit.failed_draws {
        0 => String::new(),
        failed => format!("; no law fits {failed} of {DRAWS} draws"),
    };
    format!(
        "{}, from {FROM_WORKERS} workers on: sigma {:.4} ({:.4} to {:.4}), kappa {:.6} ({:.6} to {:.6}), {:.1} % off, {most}{failed}",
        load.name(),
        fit.law.sigma,
        fit.sigma_between.0,
        fit.sigma_between.1,
        fit.law.kappa,
        fit.kappa_between.0,
        fit.kappa_between.1,
        fit.residual_percent,
    )
}

/// How well the simulation gives what was measured.
pub fn checks(calibration: &Calibration) -> TextTable {
    let mut table = TextTable::new(["load", "workers", "measured ns", "simulated ns", "off %"]);
    for check in &calibration.checks {
        table.row([
            check.load.name(),
            check.workers.to_string(),
            short(check.measured_ns),
            short(check.simulated_ns),
            format!("{:+.1}", check.deviation_percent()),
        ]);
    }
    table
}

/// Whether that is near enough, where it is not, and what is only guessed.
pub fn verdict(calibration: &Calibration) -> String {
    let worst = calibration.worst_percent();
    let name = |check: &Check| {
        let Check { load, workers, .. } = check;
        format!("{} with {workers} ({:+.1} %)", load.name(), check.deviation_percent())
    };
    let missed: Vec<String> =
        calibration.checks.iter().filter(|check| !check.holds()).map(name).collect();
    let holds = if missed.is_empty() {
        format!("The simulation is at most {worst:.1} % off; {WITHIN_PERCENT} % are allowed.")
    } else {
        format!(
            "The simulation is not within {WITHIN_PERCENT} % with {}: what it says of these with more workers is worth less.",
            missed.join(", "),
        )
    };
    let line = calibration.costs.long.line;
    let line = match calibration.line_from {
        LineFrom::TwoWorkers => format!(
            "With {line} ns for a cache line that another core has written two workers come closest."
        ),
        LineFrom::Edge => format!(
            "WARNING: the price of a cache line that another core has written, {line} ns, is at the edge of what was tried: two workers do not tell it."
        ),
        LineFrom::Guess => format!(
            "WARNING: no two workers were measured, so the price of a cache line that another core has written, {line} ns, is guessed."
        ),
    };
    let lock = if calibration.is_lock_counted {
        "For how long the board's lock is held was counted."
    } else {
        "For how long the board's lock is held is guessed; a build that counts tells it."
    };
    format!("{holds} {line} {lock}")
}

/// What more workers would do. Simulated.
pub fn extrapolated(all: &[Extrapolated]) -> TextTable {
    let mut table = TextTable::new([
        "load",
        "workers",
        "simulated ns",
        "thousands a s",
        "of plain",
        "of a place",
        "busiest shard ns",
        "board ns",
        "passes",
        "thought long %",
        "waits ns",
        "1 and 2 are off %",
    ]);
    for one in all {
        let [shard, board] = one.simulated.serial.map(|(_, ns)| short(ns));
        table.row([
            one.load.name(),
            one.workers.to_string(),
            short(one.simulated.ns),
            thousands_a_second(one.simulated.ns),
            factor(one.speed_up),
            short(one.simulated.batch),
            shard,
            board,
            short(one.simulated.passes),
            short(one.simulated.thought_long_percent),
            short(one.simulated.waited_ns),
            one.off_percent.map_or_else(String::new, |off| format!("{off:.1}")),
        ]);
    }
    table
}

/// What bounds each load. Simulated.
pub fn ceiling_lines(all: &[Extrapolated]) -> Vec<String> {
    let line = |ceiling| match ceiling {
        Ceiling::OneWorker { load, ns } => format!(
            "{}: one worker does most, {} thousand messages a second (simulated)",
            load.name(),
            thousands_a_second(ns),
        ),
        Ceiling::SerialPart { load, part, part_ns, best_workers, best_ns } => format!(
            "{}: the largest serial part is {}, {} ns a message, so at most {} thousand messages a second; most is done by {best_workers} workers, {} thousand (simulated)",
            load.name(),
            part.name(),
            short(part_ns),
            thousands_a_second(part_ns),
            thousands_a_second(best_ns),
        ),
    };
    ceilings(all).into_iter().map(line).collect()
}

/// Locks of a concurrent actor, those that are held and waited for most.
pub fn locks(counted: &CountedLocks, loads: &[ScaleLoad]) -> TextTable {
    const SHOWN: usize = 6;
    let mut table = TextTable::new([
        "load",
        "workers",
        "lock",
        "passes a message",
        "contended %",
        "held ns",
        "waited ns",
    ]);
    for load in loads {
        for line in counted.of_concurrent(*load).into_iter().take(SHOWN) {
            table.row([
                line.load.name(),
                line.workers.to_string(),
                line.lock.place.clone(),
                short(line.lock.passes),
                format!("{:.1}", line.lock.contended_percent),
                short(line.lock.held_ns),
                short(line.lock.waited_ns),
            ]);
        }
    }
    table
}

/// What one lock is worth, or why that is not known.
pub fn demand(demand: &Result<SerialDemand, String>) -> String {
    let demand = match demand {
        Ok(demand) => demand,
        Err(why) => return why.clone(),
    };
    let points: Vec<String> =
        demand.points.iter().map(|(delay, ns)| format!("{} at {delay}", short(*ns))).collect();
    format!(
        "{}, {} with {} workers: serial by {:.2} (0: nobody waits for it; 1: nothing goes on beside it). A message passes it {} times, and takes {} ns longer for each ns of delay in its sections (r {:.2}; ns: {}).",
        demand.place,
        demand.load.name(),
        demand.workers,
        demand.serial_part(),
        short(demand.passes),
        short(demand.slope),
        demand.correlation,
        points.join(", "),
    )
}

#[cfg(test)]
mod tests;
