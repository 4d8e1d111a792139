//! What is run, and in which order.

use crate::disk::{DiskLook, file_system};
use crate::folder::in_a_folder;
use crate::outcome::{HotOutcome, HotPoint, LogFindings};
use crate::recovery::{LogSize, RecoveryTook, write_snapshot};
use crate::{HotLoad, HotWay, StopFlag, running};
use odeon::durable::Store;
use odeon_bench::error::BenchError;
use odeon_example_run::runtime;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use std::path::{Path, PathBuf};

/// Everything that is to be run.
#[derive(Debug, Clone)]
pub struct HotPlan {
    /// Who keeps the ledger.
    pub ways: Vec<HotWay>,
    /// What is done to it.
    pub loads: Vec<HotLoad>,
    /// Workers of each theater.
    pub workers: usize,
    /// Runs of each case.
    pub samples: usize,
    /// How much of the disk is looked at before each round.
    pub disk: DiskLook,
    /// Where logs are written: in folders that are made for it and go again.
    pub folder: PathBuf,
    /// Of the order.
    pub seed: u64,
    /// Ends it before it is done.
    pub stop: StopFlag,
}

/// Opens the ledger in a folder, with so many accounts, by [`recover`](crate::recovery::recover) in
/// a process that has done nothing before.
pub type Recovers<'a> = &'a dyn Fn(&Path, u32) -> Result<RecoveryTook, BenchError>;

impl HotPlan {
    /// Whether all of it can be run.
    ///
    /// # Errors
    /// With the option that is to blame.
    pub fn check(&self) -> Result<(), BenchError> {
        self.loads.iter().try_for_each(HotLoad::check)?;
        let made = std::fs::create_dir_all(&self.folder);
        made.map_err(|error| BenchError::file(&self.folder, error))
    }

    /// Those whose logs are looked at: what few transfers leave says nothing of many.
    fn logged_loads(&self) -> impl Iterator<Item = &HotLoad> {
        let is_durable = self.ways.contains(&HotWay::Durable);
        self.loads.iter().filter(move |load| is_durable && !load.is_few())
    }

    /// How many runs there will be.
    pub fn runs(&self) -> usize {
        self.ways.len() * self.loads.len() * (self.samples + 1) + self.logged_loads().count()
    }

    /// Runs everything, each case once before anything counts. Every round has an order of its own.
    ///
    /// # Errors
    /// If a run fails, or has a wrong outcome, or it is told to end.
    pub fn measure(
        &self,
        recovers: Recovers<'_>,
        mut before_run: impl FnMut(String),
    ) -> Result<HotOutcome, BenchError> {
        let points = self.loads.iter().flat_map(|load| {
            self.ways.iter().map(|way| HotPoint { way: *way, load: *load, samples: Vec::new() })
        });
        let mut points: Vec<HotPoint> = points.collect();
        let mut order: Vec<usize> = (0..points.len()).collect();
        let (mut random, mut disk) = (StdRng::seed_from_u64(self.seed), Vec::new());
        for round in 0..=self.samples {
            if round > 0 {
                disk.push(self.disk.look(&self.folder)?);
            }
            order.shuffle(&mut random);
            for point in &order {
                let HotPoint { way, load, samples } = &mut points[*point];
                self.stop.check()?;
                before_run(format!("{way}, {}", load.name()));
                let sample = in_a_folder(&self.folder, |folder| {
                    running::run(*way, load, self.workers, &store(folder)?, &self.stop)
                })?;
                if round > 0 {
                    samples.push(sample);
                }
            }
        }
        let of_logs = self.logged_loads().map(|load| {
            self.stop.check()?;
            before_run(format!("recovery, {}", load.name()));
            self.log(load, recovers)
        });
        let logs = of_logs.collect::<Result<_, _>>()?;
        let file_system = file_system(&self.folder);
        Ok(HotOutcome { file_system, workers: self.workers, disk, points, logs })
    }

    fn log(&self, load: &HotLoad, recovers: Recovers<'_>) -> Result<LogFindings, BenchError> {
        in_a_folder(&self.folder, |folder| {
            let whole = store(folder)?.snapshot_after(u64::MAX);
            running::run(HotWay::Durable, load, self.workers, &whole, &self.stop)?;
            let size = LogSize::of(folder)?;
            let from_log = recovers(folder, load.accounts)?;
            write_snapshot(folder, load)?;
            let from_snapshot = recovers(folder, load.accounts)?;
            // One more begins the log.
            if size.commits != load.transfers + 1 || from_log.books != from_snapshot.books {
                return Err(BenchError::WrongResult(format!(
                    "the log has {size:?}; from it come {from_log:?}, from a snapshot \
                     {from_snapshot:?}"
                )));
            }
            Ok(LogFindings { load: *load, size, from_log, from_snapshot })
        })
    }
}

fn store(folder: &Path) -> Result<Store, BenchError> {
    Store::open(folder).map_err(runtime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery::recover;

    #[test]
    fn every_case_is_run_and_each_log_opened_again() {
        let load =
            HotLoad { accounts: 50, clients: 9, window: 9, transfers: 500, ..HotLoad::default() };
        let folder = std::env::temp_dir().join(format!("odeon-hot-plan-{}", std::process::id()));
        let plan = HotPlan {
            ways: HotWay::ALL.to_vec(),
            loads: vec![
                load,
                HotLoad { zipf: 1.5, auditors: 1, ..load },
                load.with_few_under_way(3),
            ],
            workers: 2,
            samples: 2,
            disk: DiskLook { syncs: 2, mebibytes: 1 },
            folder: folder.clone(),
            seed: 1,
            stop: StopFlag::default(),
        };
        plan.check().expect("it can be run");
        let mut runs = 0;
        let outcome = plan.measure(&recover, |_| runs += 1).expect("it runs");
        assert_eq!(runs, plan.runs());
        assert_eq!(outcome.loads(), plan.loads);
        assert_eq!(outcome.disk.len(), 2);
        for load in &plan.loads {
            for way in HotWay::ALL {
                let point = outcome.point(way, load).expect("it was run");
                assert!(point.samples.len() == 2 && point.per_second() > 0.0);
            }
            let Some(log) = outcome.log(load) else {
                assert!(load.is_few());
                continue;
            };
            assert_eq!((log.size.commits, log.from_log.commits), (501, 501));
            assert!(log.bytes_a_transfer() > 48.0 && log.transfers_an_epoch() >= 1.0);
        }
        plan.stop.raise();
        let stopped = plan.measure(&recover, |_| unreachable!("nothing begins"));
        assert_eq!(stopped.expect_err("it is told to").to_string(), "interrupted");
        std::fs::remove_dir(&folder).expect("nothing is left there");
    }
}
