//! `odeon bench heterogeneous`: figures 6.6, 6.7 and 6.8 of Hayduk's thesis (k-means on cores and devices: power, time and energy, lines of
//! code, shares of work), with plots and a page that sets what came out beside what the thesis reports.
//!
//! | figure | file |
//! |---|---|
//! | 6.6: power, time and energy by governor and implementation | `governors.rs` |
//! | 6.7: lines of code of each way to write the worker | `ways.rs` |
//! | 6.8: what a pool finds by profiling, and all the work, by numbers of workers | `sharing.rs` |

mod governors;
mod page;
mod sharing;
mod ways;

use crate::environment::Machine;
use crate::error::BenchError;
use crate::parameter::Params;
use crate::parameter::Setting;
use crate::runner::Rounds;
use crate::table::Table;
use crate::workload::Workload;
use crate::workloads;
use governors::Measurement;
use sharing::Shared;
use std::path::{Path, PathBuf};

/// What is run.
#[derive(Debug, Clone)]
pub struct HeterogeneousPlan {
    /// Small sizes: shows that everything works, and compares nothing seriously.
    pub quick: bool,
    /// How often each case is run.
    pub rounds: Rounds,
    /// Parameters of k-means that are to be other ones.
    pub chosen: Vec<Setting>,
}

/// Told about the course of a run.
pub trait WatchHeterogeneous {
    /// A part of a figure begins, with so many runs.
    fn part(&mut self, name: &str, runs: usize);
    /// A run begins.
    fn run(&mut self, what: String);
}

/// What came out.
pub struct HeterogeneousOutcome {
    measurements: Vec<Measurement>,
    shared: Vec<Shared>,
}

impl HeterogeneousPlan {
    /// Measures everything.
    ///
    /// # Errors
    /// What a run answers.
    pub fn run(
        &self,
        watch: &mut dyn WatchHeterogeneous,
    ) -> Result<HeterogeneousOutcome, BenchError> {
        let measurements = governors::measure(self, watch)?;
        Ok(HeterogeneousOutcome { measurements, shared: sharing::measure(self, watch)? })
    }
}

impl HeterogeneousOutcome {
    /// All three figures as tables.
    pub fn tables(&self) -> Vec<(&'static str, Table)> {
        vec![
            ("figure 6.6: power, time, energy", governors::table(&self.measurements)),
            ("figure 6.7: lines of code", ways::table()),
            ("figure 6.8: profiling and the remaining work", sharing::table(&self.shared)),
        ]
    }

    /// Writes page and plots into the folder `out`, which is there. Answers where the page is.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, plan: &HeterogeneousPlan, out: &Path) -> Result<PathBuf, BenchError> {
        for (file, bars) in governors::charts(&self.measurements) {
            bars.draw(&out.join(file))?;
        }
        ways::chart().draw(&out.join(ways::FILE))?;
        for shared in &self.shared {
            shared.chart().draw(&out.join(shared.file()))?;
        }
        let page = out.join("index.html");
        let text = page::page(plan, self, &Machine::here());
        std::fs::write(&page, text).map_err(|source| BenchError::file(&page, source))?;
        Ok(page)
    }
}

/// The workload of the chapter.
fn kmeans() -> &'static Workload {
    workloads::find("kmeans").expect("it is one of the workloads")
}

fn params(settings: &[Setting]) -> Params {
    let start = kmeans().defaults();
    settings.iter().fold(start, |params, (name, value)| params.with(name, *value))
}

#[cfg(test)]
mod tests;
