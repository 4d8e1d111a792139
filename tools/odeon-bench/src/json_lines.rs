//! Results as JSON lines, one object per result.

use crate::environment::Machine;
use crate::error::BenchError;
use crate::parameter::Params;
use crate::peers::Peers;
use crate::runner::{Outcome, Results};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// One line.
#[derive(Debug, Serialize)]
pub struct Record<'a> {
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
    machine: &'a Machine,
}

impl<'a> Record<'a> {
    /// The line of one outcome.
    pub fn new(
        outcome: &'a Outcome,
        results: &Results,
        peers: &'a Peers,
        machine: &'a Machine,
    ) -> Self {
        let implementation = outcome.case.contender.implementation();
        Self {
            workload: outcome.case.workload.about().name,
            implementation,
            impl_version: peers.version_of(implementation),
            params: &outcome.case.params,
            ops: outcome.samples.ops,
            samples_ns_per_op: &outcome.samples.ns_per_op,
            median_ns_per_op: outcome.samples.median(),
            floor_ns_per_op: results.floor_of(outcome).map(|floor| floor.median()),
            peak_rss_kib: outcome.samples.peak_rss_kib,
            machine,
        }
    }
}

/// A file of JSON lines; opened before measuring, so that a bad path costs no time.
pub struct JsonLines {
    path: std::path::PathBuf,
    file: BufWriter<File>,
}

impl JsonLines {
    /// Creates the file, replacing one that exists.
    pub fn create(path: &Path) -> Result<Self, BenchError> {
        let file = File::create(path).map_err(|error| BenchError::file(path, error))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    /// Writes one object, through to the file.
    pub fn write(&mut self, record: &impl Serialize) -> Result<(), BenchError> {
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
        results
            .0
            .iter()
            .try_for_each(|outcome| self.write(&Record::new(outcome, results, peers, machine)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{Plan, Rounds, measure};
    use crate::workload::Variant;

    #[test]
    fn a_line_has_every_field() {
        let ring = crate::workloads::find("ring").expect("ring is a workload");
        let params = Params::defaults(ring.about().parameters)
            .with("hops", crate::parameter::Value::Number(100));
        let mut plan = Plan::default();
        plan.add(ring, Variant::Pinned, &params, &[]);
        let mut peers = Peers::none();
        let rounds = Rounds { warmup: 0, samples: 3 };
        let results = measure(&plan, rounds, &mut peers, |_| {}).expect("it runs");
        let machine = Machine::here();
        let record = Record::new(&results.0[0], &results, &peers, &machine);
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
            "machine",
        ];
        expected.sort_unstable();
        assert_eq!(keys, expected);
    }
}
