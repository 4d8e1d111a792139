//! Who is loaded, and in which order.

use super::KeeperKind;
use super::keeper::RunningKeeper;
use crate::folder::in_a_folder;
use crate::load::BALANCE;
use crate::{HotLoad, StopFlag};
use odeon_bench::error::BenchError;
use odeon_bench::latency::Latency;
use odeon_example_ledger::Books;
use odeon_example_run::runtime;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Everything that is to be run.
#[derive(Debug, Clone)]
pub struct NetworkPlan {
    /// Who keeps the ledger.
    pub keepers: Vec<KeeperKind>,
    /// What is done to it.
    pub loads: Vec<HotLoad>,
    /// Runs of each case.
    pub samples: usize,
    /// How long each run lasts, unless all transfers are done before.
    pub lasting: Duration,
    /// Where all of them write: in folders that are made for it and go again.
    pub folder: PathBuf,
    /// Of the order.
    pub seed: u64,
    /// Ends it before it is done.
    pub stop: StopFlag,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetworkOutcome {
    /// Each keeper with each load.
    pub points: Vec<NetworkPoint>,
    /// Who is not on this machine.
    pub missing: Vec<KeeperKind>,
    /// How long each run lasted at most.
    pub lasting: Duration,
}

/// A keeper with a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkPoint {
    /// Which one.
    pub keeper: KeeperKind,
    /// What it says that it is.
    pub version: String,
    /// How it was set up.
    pub settings: String,
    /// What was done.
    pub load: HotLoad,
    /// Each run.
    pub samples: Vec<NetworkSample>,
}

/// What one run came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NetworkSample {
    /// Acknowledged transfers a second.
    pub per_second: f64,
    /// From the sending of a transfer to its answer.
    pub latency: Latency,
    /// From the start of one that was killed to its audit of all accounts; nothing of one that is
    /// not durable.
    pub restart_seconds: Option<f64>,
}

impl NetworkPlan {
    /// How many runs there will be, if all are there.
    pub fn runs(&self) -> usize {
        self.keepers.len() * self.loads.len() * self.samples
    }

    /// Runs everything: each run with a new ledger, every round in an order of its own.
    ///
    /// # Errors
    /// If a keeper fails, or has not exactly what it has acknowledged, or all is told to end.
    pub fn measure(
        &self,
        mut before_run: impl FnMut(String),
    ) -> Result<NetworkOutcome, BenchError> {
        let mut outcome = NetworkOutcome { lasting: self.lasting, ..NetworkOutcome::default() };
        let of_loads = |load: &HotLoad| {
            let load = *load;
            self.keepers.iter().map(move |keeper| NetworkPoint {
                keeper: *keeper,
                version: String::new(),
                settings: keeper.settings().to_owned(),
                load,
                samples: Vec::new(),
            })
        };
        outcome.points = self.loads.iter().flat_map(of_loads).collect();
        let mut random = StdRng::seed_from_u64(self.seed);
        let mut order: Vec<usize> = (0..outcome.points.len()).collect();
        for _ in 0..self.samples {
            order.shuffle(&mut random);
            for point in &order {
                let point = &mut outcome.points[*point];
                self.stop.check()?;
                before_run(format!("{}, {}", point.keeper, point.load.name()));
                if !outcome.missing.contains(&point.keeper) && !self.sample(point)? {
                    outcome.missing.push(point.keeper);
                }
            }
        }
        outcome.points.retain(|point| !outcome.missing.contains(&point.keeper));
        Ok(outcome)
    }

    /// One run; `false`: the keeper is not there.
    fn sample(&self, point: &mut NetworkPoint) -> Result<bool, BenchError> {
        let (kind, load) = (point.keeper, point.load);
        in_a_folder(&self.folder, |folder| {
            let start = || RunningKeeper::start(kind, &load, folder, &self.stop);
            let Some(keeper) = start()? else { return Ok(false) };
            point.version = keeper.version().to_owned();
            let generated = keeper.bear(&load, self.lasting, &self.stop)?;
            let sum = u64::from(load.accounts) * BALANCE;
            let expected = Books { sum, transfers: generated.done };
            check(kind, &keeper, expected)?;
            drop(keeper);
            let mut restart_seconds = None;
            if kind.is_durable() {
                let begun = Instant::now();
                let again = start()?.ok_or_else(|| runtime(format!("{kind} has gone")))?;
                check(kind, &again, expected)?;
                restart_seconds = Some(begun.elapsed().as_secs_f64());
            }
            point.samples.push(NetworkSample {
                per_second: generated.per_second,
                latency: generated.latency,
                restart_seconds,
            });
            Ok(true)
        })
    }
}

/// Everything that was acknowledged is there, once.
fn check(kind: KeeperKind, keeper: &RunningKeeper, expected: Books) -> Result<(), BenchError> {
    let books = keeper.books()?;
    if books == expected {
        return Ok(());
    }
    Err(BenchError::WrongResult(format!("{kind} has {books:?}, not {expected:?}")))
}
