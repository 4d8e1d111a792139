//! Results as JSON lines, one object per result.

mod reading;

use crate::environment::Machine;
use crate::error::BenchError;
use crate::latency::Latency;
use crate::parameter::Params;
use crate::peers::Peers;
use crate::runner::{CaseOutcome, Results};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub use reading::{Recorded, read};

/// One line.
#[derive(Debug, Serialize)]
pub struct SampleRecord<'a> {
    workload: &'a str,
    #[serde(rename = "impl")]
    implementation: &'a str,
    /// Version of another runtime's library; `null` for Odeon, whose version is in `machine`.
    impl_version: Option<&'a str>,
    params: &'a Params,
    ops: u64,
    samples_ns_per_op: &'a [f64],
    median_ns_per_op: f64,
    floor_ns_per_op: Option<f64>,
    peak_rss_kib: Option<u64>,
    /// Of each run that looks at its memory.
    samples_growth_kib_per_minute: &'a [f64],
    /// Of each run that times single operations.
    samples_latency: &'a [Latency],
    /// Of each run that looks at its energy, where the machine tells.
    samples_joules_per_op: &'a [f64],
    /// How far off each of these may be.
    samples_joules_error_per_op: &'a [f64],
    machine: &'a Machine,
}

impl<'a> SampleRecord<'a> {
    /// The line of one outcome.
    pub fn new(
        outcome: &'a CaseOutcome,
        results: &Results,
        peers: &'a Peers,
        machine: &'a Machine,
    ) -> Self {
        let implementation = outcome.case.contender.implementation();
        Self {
            workload: outcome.case.workload.name,
            implementation,
            impl_version: peers.version_of(implementation),
            params: &outcome.case.params,
            ops: outcome.samples.ops,
            samples_ns_per_op: &outcome.samples.ns_per_op,
            median_ns_per_op: outcome.samples.median(),
            floor_ns_per_op: results.floor_of(outcome).map(|floor| floor.median()),
            peak_rss_kib: outcome.samples.peak_rss_kib,
            samples_growth_kib_per_minute: &outcome.samples.growth_kib_per_minute,
            samples_latency: &outcome.samples.latency,
            samples_joules_per_op: &outcome.samples.joules_per_op,
            samples_joules_error_per_op: &outcome.samples.joules_error_per_op,
            machine,
        }
    }
}

/// A file of JSON lines; opened before measuring, so that a bad path costs no time.
///
/// Lines go to a file beside it, whose name ends in `.partial`, which takes its place in
/// [`finish`](Self::finish): so a run that is broken off leaves an earlier file alone. What it has
/// measured stays in the partial file.
pub struct JsonLines {
    path: PathBuf,
    /// `None` if lines go to `path` itself, because it is no plain file: a device or a pipe.
    partial: Option<PathBuf>,
    file: BufWriter<File>,
    has_lines: bool,
}

impl JsonLines {
    /// Begins a file that will replace one that exists.
    pub fn create(path: &Path) -> Result<Self, BenchError> {
        Self::begin(path).map_err(|error| BenchError::file(path, error))
    }

    fn begin(path: &Path) -> std::io::Result<Self> {
        // Not a link, but what it leads to is replaced.
        let path = match path.canonicalize() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => path.to_owned(),
            found => found?,
        };
        let earlier = path.metadata().ok();
        let is_replaced = earlier.as_ref().is_none_or(std::fs::Metadata::is_file);
        if earlier.is_some() && is_replaced {
            // One that may not be written may not be replaced either.
            File::options().append(true).open(&path)?;
        }
        let partial = is_replaced.then(|| {
            let mut name = path.as_os_str().to_owned();
            name.push(".partial");
            PathBuf::from(name)
        });
        let file = File::create(partial.as_ref().unwrap_or(&path))?;
        Ok(Self { path, partial, file: BufWriter::new(file), has_lines: false })
    }

    /// All has been written: the file takes the place of an earlier one.
    pub fn finish(mut self) -> Result<(), BenchError> {
        let renamed = self.partial.take().map(|partial| std::fs::rename(partial, &self.path));
        renamed.unwrap_or(Ok(())).map_err(|error| BenchError::file(&self.path, error))
    }

    /// Writes one object, through to the file.
    pub fn write(&mut self, record: &impl Serialize) -> Result<(), BenchError> {
        self.has_lines = true;
        let written = serde_json::to_writer(&mut self.file, record)
            .map_err(std::io::Error::from)
            .and_then(|()| writeln!(self.file))
            .and_then(|()| self.file.flush());
        written.map_err(|error| BenchError::file(&self.path, error))
    }

    /// Writes all results of a plan.
    pub fn write_all(
        &mut self,
        results: &Results,
        peers: &Peers,
        machine: &Machine,
    ) -> Result<(), BenchError> {
        results.0.iter().try_for_each(|outcome| {
            self.write(&SampleRecord::new(outcome, results, peers, machine))
        })
    }
}

impl Drop for JsonLines {
    fn drop(&mut self) {
        // A run that came to nothing leaves nothing behind.
        if let Some(partial) = self.partial.take().filter(|_| !self.has_lines) {
            let _ = std::fs::remove_file(partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{CasePlan, Rounds, measure};
    use crate::workload::Variant;

    #[test]
    fn a_line_has_every_field() {
        let ring = crate::workloads::find("ring").expect("ring is a workload");
        let params = ring.defaults().with("hops", crate::parameter::Value::Number(100));
        let mut plan = CasePlan::default();
        plan.add(ring, Variant::Pinned, &params, &[]);
        let mut peers = Peers::none();
        let rounds = Rounds { warmup: 0, samples: 3 };
        let results = measure(&plan, rounds, &mut peers, |_| {}).expect("it runs");
        let machine = Machine::here();
        let record = SampleRecord::new(&results.0[0], &results, &peers, &machine);
        let line = serde_json::to_value(&record).expect("records are JSON");
        assert_eq!(line["workload"], "ring");
        assert_eq!(line["impl"], "odeon-pinned");
        assert_eq!(line["params"]["hops"], 100);
        assert_eq!(line["ops"], 100);
        assert_eq!(line["samples_ns_per_op"].as_array().map(Vec::len), Some(3));
        assert!(line["median_ns_per_op"].is_f64() && line["floor_ns_per_op"].is_f64());
        assert!(line["machine"]["cores"].is_u64());
        let keys: Vec<&str> = line.as_object().expect("an object").keys().map(|k| &**k).collect();
        let mut expected = [
            "workload",
            "impl",
            "impl_version",
            "params",
            "ops",
            "samples_ns_per_op",
            "median_ns_per_op",
            "floor_ns_per_op",
            "peak_rss_kib",
            "samples_growth_kib_per_minute",
            "samples_latency",
            "samples_joules_per_op",
            "samples_joules_error_per_op",
            "machine",
        ];
        expected.sort_unstable();
        assert_eq!(keys, expected);
    }
}
