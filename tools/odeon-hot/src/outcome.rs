//! All that a run of `odeon bench hot` found out.

use crate::disk::DiskSpeed;
use crate::recovery::{LogSize, RecoveryTook};
use crate::running::HotSample;
use crate::{HotLoad, HotWay};
use odeon_bench::statistics::Spread;
use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Debug, Clone, PartialEq)]
pub struct HotOutcome {
    /// The kind of file system, if the system tells.
    pub file_system: Option<String>,
    /// Workers of each theater.
    pub workers: usize,
    /// The disk, looked at before each round of samples.
    pub disk: Vec<DiskSpeed>,
    /// Each way with each load.
    pub points: Vec<HotPoint>,
    /// The log of each load.
    pub logs: Vec<LogFindings>,
}

/// A way with a load, and what its runs came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HotPoint {
    /// Who kept the ledger.
    pub way: HotWay,
    /// What was done.
    pub load: HotLoad,
    /// Each run.
    pub samples: Vec<HotSample>,
}

/// The log that one run of a load has left, without a snapshot, and what it takes to open that.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LogFindings {
    /// Whose it is.
    pub load: HotLoad,
    /// What it has.
    pub size: LogSize,
    /// From all commits.
    pub from_log: RecoveryTook,
    /// From a snapshot of the same state, with nothing behind it.
    pub from_snapshot: RecoveryTook,
}

impl HotPoint {
    /// One value of all runs.
    pub fn spread(&self, of: impl Fn(&HotSample) -> f64) -> Spread {
        Spread::of(&self.samples.iter().map(of).collect::<Vec<_>>())
    }

    /// The median of the acknowledged transfers a second.
    pub fn per_second(&self) -> f64 {
        self.spread(|sample| sample.per_second).median
    }
}

impl LogFindings {
    /// Of one transfer, with its part of the epoch's frame.
    pub fn bytes_a_transfer(&self) -> f64 {
        self.size.bytes as f64 / self.size.commits.max(1) as f64
    }

    /// What is written and synced together.
    pub fn transfers_an_epoch(&self) -> f64 {
        self.size.commits as f64 / self.size.epochs.max(1) as f64
    }
}

impl HotOutcome {
    /// All loads, in their order.
    pub fn loads(&self) -> Vec<HotLoad> {
        let mut loads = Vec::new();
        for point in &self.points {
            if !loads.contains(&point.load) {
                loads.push(point.load);
            }
        }
        loads
    }

    /// What was measured of a way with a load.
    pub fn point(&self, way: HotWay, load: &HotLoad) -> Option<&HotPoint> {
        self.points.iter().find(|point| point.way == way && point.load == *load)
    }

    /// The log of a load.
    pub fn log(&self, load: &HotLoad) -> Option<&LogFindings> {
        self.logs.iter().find(|log| log.load == *load)
    }

    /// The medians of all looks at the disk.
    pub fn median_disk(&self) -> Option<DiskSpeed> {
        let median = |of: fn(&DiskSpeed) -> f64| {
            Spread::of(&self.disk.iter().map(of).collect::<Vec<_>>()).median
        };
        let mut middle = *self.disk.first()?;
        middle.sync.p50_ns = median(|speed| speed.sync.p50_ns.into()) as u32;
        middle.sync.p99_ns = median(|speed| speed.sync.p99_ns.into()) as u32;
        middle.bytes_per_second = median(|speed| speed.bytes_per_second);
        Some(middle)
    }
}
