//! What more executors would do than the machine has cores: simulated, all of it.

use crate::ScaleLoad;
use crate::calibration::{Calibration, MESSAGES_EACH, handler_ns, simulated_loads};
use crate::measurements::Measurements;
use crate::simulation::{SerialPart, Simulated, Simulation};
use crate::way::PLAIN;
use serde::Serialize;

/// Numbers of workers, each as wide as the actor.
pub const WORKERS: [usize; 9] = [1, 2, 4, 8, 12, 16, 24, 32, 64];

/// Senders for each worker, so that there are enough shards for all.
const SENDERS_EACH: usize = 4;

/// One simulated number of workers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Extrapolated {
    /// What is done, by more senders than was measured if there are more workers.
    pub load: ScaleLoad,
    /// Workers, and width.
    pub workers: usize,
    /// How many times as many messages as a plain actor with most real workers.
    pub speed_up: f64,
    /// How far the simulation of one and two workers is off with this load, in per cent.
    pub off_percent: Option<f64>,
    /// What came out.
    pub simulated: Simulated,
}

/// What bounds a load, however many workers there are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum Ceiling {
    /// One worker does most, or as much as any.
    OneWorker {
        /// What is done.
        load: ScaleLoad,
        /// What a message takes.
        ns: f64,
    },
    /// Several do most.
    SerialPart {
        /// What is done.
        load: ScaleLoad,
        /// The serial part that a message takes most of, at the number of workers that does most.
        part: SerialPart,
        /// How much that is.
        part_ns: f64,
        /// The number of workers that does most.
        best_workers: usize,
        /// What a message takes there.
        best_ns: f64,
    },
}

/// All numbers of workers with all loads.
pub fn extrapolate(
    measured: &Measurements,
    calibration: &Calibration,
    seed: u64,
) -> Vec<Extrapolated> {
    let of_loads = simulated_loads(measured).into_iter().flat_map(|load| {
        WORKERS.map(|workers| extrapolated(measured, calibration, load, workers, seed))
    });
    of_loads.flatten().collect()
}

fn extrapolated(
    measured: &Measurements,
    calibration: &Calibration,
    load: ScaleLoad,
    workers: usize,
    seed: u64,
) -> Option<Extrapolated> {
    let widest = measured.course(PLAIN, load).pop()?;
    let senders = load.senders.max(SENDERS_EACH * workers);
    let simulation = Simulation {
        costs: calibration.costs.at(load.handler_ns),
        // With more cores than there are, the handler is as long as with all that there are.
        handler_ns: handler_ns(measured, load, workers.min(widest.workers))?,
        cores: workers,
        width: workers,
        senders,
        messages: MESSAGES_EACH * senders as u64,
        seed,
    };
    let simulated = simulation.run_as_pool();
    let speed_up = widest.fastest_ns() / simulated.ns;
    let off_percent = calibration.worst_percent_of(load);
    Some(Extrapolated { load, workers, speed_up, off_percent, simulated })
}

/// The ceilings of all loads. One worker has no shards, and a turn that has nobody beside it: it
/// says nothing about what several share.
pub fn ceilings(all: &[Extrapolated]) -> Vec<Ceiling> {
    let mut loads: Vec<ScaleLoad> = Vec::new();
    for one in all {
        if !loads.contains(&one.load) {
            loads.push(one.load);
        }
    }
    loads.into_iter().filter_map(|load| ceiling(all, load)).collect()
}

fn ceiling(all: &[Extrapolated], load: ScaleLoad) -> Option<Ceiling> {
    let its = || all.iter().filter(|one| one.load == load);
    let alone = its().find(|one| one.workers == 1).map(|one| one.simulated.ns);
    let several = its().filter(|one| one.workers > 1);
    let best = several.min_by(|a, b| a.simulated.ns.total_cmp(&b.simulated.ns))?;
    let best_ns = best.simulated.ns;
    if let Some(ns) = alone.filter(|ns| *ns <= best_ns) {
        return Some(Ceiling::OneWorker { load, ns });
    }
    let (part, part_ns) = best.simulated.largest();
    Some(Ceiling::SerialPart { load, part, part_ns, best_workers: best.workers, best_ns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScaleWay;
    use crate::calibration::{Check, CostsByHandler, LineFrom};
    use crate::measurements::tests::{LOAD, point};
    use crate::simulation::Costs;
    use std::sync::OnceLock;

    fn calibration() -> Calibration {
        let costs = Costs { pass: 1000.0, attempt: 50.0, direct: 100.0, ..Costs::default() };
        let check = Check { load: LOAD, workers: 2, measured_ns: 100.0, simulated_ns: 95.0 };
        let costs = CostsByHandler { shortest_ns: 0, shortest: costs, long: costs };
        Calibration {
            costs,
            line_from: LineFrom::TwoWorkers,
            is_lock_counted: false,
            checks: vec![check],
        }
    }

    fn measured() -> Measurements {
        let points = vec![
            point(ScaleWay::Floor, 1, LOAD, &[1000.0]),
            point(ScaleWay::Floor, 2, LOAD, &[500.0]),
            point(PLAIN, 2, LOAD, &[1050.0]),
        ];
        Measurements { points }
    }

    /// Simulated once for all tests.
    fn all() -> Vec<Extrapolated> {
        static ALL: OnceLock<Vec<Extrapolated>> = OnceLock::new();
        ALL.get_or_init(|| extrapolate(&measured(), &calibration(), 1)).clone()
    }

    #[test]
    fn all_says_how_far_its_calibration_is_off() {
        let all = all();
        let is_off =
            |one: &Extrapolated| one.off_percent.is_some_and(|off| (off - 5.0).abs() < 0.01);
        assert!(all.iter().all(is_off), "{all:?}");
    }

    #[test]
    fn the_ceiling_is_what_the_largest_serial_part_allows() {
        let all = all();
        assert_eq!(all.len(), WORKERS.len());
        assert!((all[0].speed_up - 1050.0 / all[0].simulated.ns).abs() < 1e-9);
        let [ceiling] = ceilings(&all)[..] else { panic!("one load") };
        let Ceiling::SerialPart { part, part_ns, best_workers, best_ns, .. } = ceiling else {
            panic!("{ceiling:?}")
        };
        // A place is for 243 messages at most with 64 workers, fewer if its shard has not so many.
        assert_eq!(part, SerialPart::Board);
        assert!((2.0 * 1000.0 / 243.0..60.0).contains(&part_ns), "{ceiling:?}");
        assert!(best_workers >= 8 && best_ns >= part_ns, "{ceiling:?}");
    }

    #[test]
    fn a_shard_is_serial_by_all_that_it_does_and_there_are_more_of_them_with_more_workers() {
        let all = all();
        let busiest = |at: usize| all[at].simulated.serial[0].1;
        // Of one worker, there is a single one.
        assert!((busiest(0) - 1100.0).abs() < 20.0, "{:?}", all[0]);
        let (four, sixteen) = (busiest(2), busiest(5));
        assert!((65.0..100.0).contains(&four), "one of sixteen: {:?}", all[2]);
        assert!(sixteen < 0.6 * four, "{:?}", all[5]);
    }

    #[test]
    fn where_one_worker_does_most_that_is_said() {
        let mut all = all();
        all[0].simulated.ns = 10.0;
        let one = Ceiling::OneWorker { load: LOAD, ns: 10.0 };
        assert_eq!(ceilings(&all), [one]);
    }
}
