//! What is run, and in which order.

use crate::measurements::{Measurements, Point};
use crate::way::{CONCURRENT, PLAIN, WIDTH};
use crate::{ScaleLoad, ScaleWay, running};
use odeon_bench::error::BenchError;
use odeon_example_run::SplitMix64;
use odeon_sync::lock_counts;

/// Everything that is to be run.
#[derive(Debug, Clone)]
pub struct ScalePlan {
    /// Numbers of workers.
    pub workers: Vec<usize>,
    /// Ways to share the state, by their words.
    pub modes: Vec<&'static str>,
    /// What is done.
    pub loads: Vec<ScaleLoad>,
    /// Runs of each case.
    pub samples: usize,
    /// About how long a run lasts.
    pub run_ms: u64,
    /// Of all draws.
    pub seed: u64,
    /// Whether the runs are added that a simulation takes its costs from.
    pub calibrates: bool,
}

impl ScalePlan {
    /// Whether what is asked for can be run on so many cores.
    ///
    /// # Errors
    /// With the option that is to blame.
    pub fn check(&self, cores: usize) -> Result<(), BenchError> {
        if let Some(workers) = self.workers.iter().find(|workers| **workers > cores) {
            let problem = format!(
                "{workers} workers need as many cores, and there are {cores}; more than that is simulated"
            );
            return Err(BenchError::bad_argument("--workers", problem));
        }
        Ok(())
    }

    /// Ways and workers, without loads.
    fn cases(&self) -> Vec<(ScaleWay, usize)> {
        let mut cases = Vec::new();
        let mut modes: Vec<ScaleWay> = self.modes.iter().map(|mode| ScaleWay::Mode(mode)).collect();
        for way in [PLAIN, CONCURRENT] {
            if !modes.contains(&way) && (way == PLAIN || self.calibrates) {
                modes.push(way);
            }
        }
        for workers in &self.workers {
            cases.push((ScaleWay::Floor, *workers));
            cases.extend(modes.iter().map(|way| (*way, *workers)));
        }
        if self.calibrates {
            cases.push((ScaleWay::Transactions, 1));
            cases.push((ScaleWay::Width(WIDTH), 1));
        }
        cases
    }

    /// How many runs there will be.
    pub fn runs(&self) -> usize {
        self.cases().len() * self.loads.len() * (self.samples + 1)
    }

    /// Runs everything, each case once before anything counts. Every round has an order of its own,
    /// so that no case always follows the same one.
    ///
    /// # Errors
    /// If a run fails, or has a wrong outcome.
    pub fn measure(&self, mut before_run: impl FnMut(String)) -> Result<Measurements, BenchError> {
        let cases = self.cases();
        let of_loads = self.loads.iter().flat_map(|load| {
            cases.iter().map(move |(way, workers)| Point::new(*way, *workers, *load))
        });
        let mut points: Vec<Point> = of_loads.collect();
        let mut random = SplitMix64::new(self.seed);
        let mut order: Vec<usize> = (0..points.len()).collect();
        for round in 0..=self.samples {
            shuffle(&mut order, &mut random);
            for index in order.iter().copied() {
                let point = &mut points[index];
                let Point { way, workers, load, .. } = *point;
                before_run(format!("{way}, {workers} workers, {}", load.name()));
                let before = lock_counts();
                let took = running::run(way, workers, &load, self.run_ms, self.seed)?;
                if round > 0 {
                    point.push(took, &before, &lock_counts());
                }
            }
        }
        Ok(Measurements { points })
    }
}

/// R. Durstenfeld: "Algorithm 235: Random Permutation", 1964.
fn shuffle(order: &mut [usize], random: &mut SplitMix64) {
    for last in (1..order.len()).rev() {
        order.swap(last, (random.next() % (last as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn plan() -> ScalePlan {
        let load = ScaleLoad { handler_ns: 0, senders: 2, conflict: 0, reads: 0 };
        ScalePlan {
            workers: vec![1, 2],
            modes: vec!["mutex"],
            loads: vec![load],
            samples: 1,
            run_ms: 1,
            seed: 1,
            calibrates: false,
        }
    }

    #[test]
    fn what_cannot_be_run_is_refused_with_its_option() {
        assert!(plan().check(2).is_ok());
        let problem = plan().check(1).expect_err("there is one core").to_string();
        assert!(problem.starts_with("--workers: 2 workers need as many cores"), "{problem}");
    }

    #[test]
    fn no_case_always_follows_the_same_one() {
        let plan = ScalePlan { samples: 7, ..plan() };
        let mut begun = Vec::new();
        plan.measure(|what| begun.push(what)).expect("it runs");
        let rounds: Vec<&[String]> = begun.chunks(begun.len() / 8).collect();
        for case in rounds[0] {
            let place = |round: &&[String]| round.iter().position(|it| it == case);
            let before = |round: &&[String]| {
                place(round).expect("each round has all").checked_sub(1).map(|at| round[at].clone())
            };
            let before: HashSet<Option<String>> = rounds.iter().map(before).collect();
            assert!(before.len() > 2, "{case}: {before:?}");
        }
    }

    #[test]
    fn the_plain_actor_and_the_floor_are_measured_beside_what_is_asked_for() {
        let mut runs = 0;
        let plan = ScalePlan { workers: vec![1], ..plan() };
        let measured = plan.measure(|_| runs += 1).expect("it runs");
        assert_eq!(runs, plan.runs());
        let ways: Vec<ScaleWay> = measured.points.iter().map(|point| point.way).collect();
        assert_eq!(ways, [ScaleWay::Floor, ScaleWay::Mode("mutex"), PLAIN]);
        assert!(measured.points.iter().all(|point| point.ns.len() == 1 && point.ns[0] > 0.0));
    }

    #[test]
    fn what_a_simulation_needs_is_run_too() {
        let plan = ScalePlan { workers: vec![1], calibrates: true, ..plan() };
        let measured = plan.measure(|_| ()).expect("it runs");
        for way in [CONCURRENT, ScaleWay::Transactions, ScaleWay::Width(WIDTH)] {
            assert!(measured.of(way, 1, plan.loads[0]).is_some(), "{way}");
        }
    }
}
