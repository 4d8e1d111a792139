//! Lines of JSON read back, as [`SampleRecord`](super::SampleRecord) writes them.

use crate::environment::Machine;
use crate::error::BenchError;
use crate::latency::Latency;
use crate::parameter::{Params, Value};
use crate::peers;
use crate::runner::{Case, CaseOutcome, Contender, Results};
use crate::samples::Samples;
use crate::workload::Workload;
use crate::workloads;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// What files of lines tell of one machine.
pub struct Recorded {
    /// Where all of it was measured.
    pub machine: Machine,
    /// The sources that it was built from.
    pub commits: BTreeSet<String>,
    /// Other runtimes and libraries, with their versions.
    pub peers: BTreeMap<String, String>,
    /// All that was measured. Of a case that is there twice, the last one.
    pub results: Results,
}

#[derive(Deserialize)]
struct SampleLine {
    workload: String,
    #[serde(rename = "impl")]
    implementation: String,
    impl_version: Option<String>,
    params: BTreeMap<String, serde_json::Value>,
    ops: u64,
    samples_ns_per_op: Vec<f64>,
    peak_rss_kib: Option<u64>,
    samples_growth_kib_per_minute: Vec<f64>,
    samples_latency: Vec<Latency>,
    samples_joules_per_op: Vec<f64>,
    samples_joules_error_per_op: Vec<f64>,
    machine: Machine,
}

/// All lines of these files.
///
/// # Errors
/// If one cannot be read, says what is not known, or was measured on another machine; or if there
/// is none.
pub fn read(paths: &[PathBuf]) -> Result<Recorded, BenchError> {
    let mut recorded: Option<Recorded> = None;
    for path in paths {
        let text = std::fs::read_to_string(path).map_err(|error| BenchError::file(path, error))?;
        for (index, line) in text.lines().enumerate() {
            add(&mut recorded, line).map_err(|problem| at(path, index + 1, problem))?;
        }
    }
    recorded.ok_or_else(|| BenchError::bad_argument("--from", "there is no line in these files"))
}

fn at(path: &Path, line: usize, problem: String) -> BenchError {
    BenchError::file(path, Error::new(ErrorKind::InvalidData, format!("line {line}: {problem}")))
}

fn add(recorded: &mut Option<Recorded>, line: &str) -> Result<(), String> {
    let line: SampleLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let recorded = recorded.get_or_insert_with(|| Recorded {
        machine: line.machine.clone(),
        commits: BTreeSet::new(),
        peers: BTreeMap::new(),
        results: Results::default(),
    });
    if (&recorded.machine.cpu, recorded.machine.cores) != (&line.machine.cpu, line.machine.cores) {
        return Err("this was measured on another machine than what is before it".to_owned());
    }
    recorded.machine.devices = line.machine.devices.clone().or(recorded.machine.devices.take());
    recorded.commits.extend(line.machine.commit.clone());
    let version = line.impl_version.clone().map(|version| (line.implementation.clone(), version));
    recorded.peers.extend(version);
    let outcome = outcome(line)?;
    let outcomes = &mut recorded.results.0;
    outcomes.retain(|earlier| !earlier.case.is_same(&outcome.case));
    outcomes.push(outcome);
    Ok(())
}

fn outcome(line: SampleLine) -> Result<CaseOutcome, String> {
    let workload = workloads::find(&line.workload)
        .ok_or_else(|| format!("no workload is called {}", line.workload))?;
    let contender = contender(workload, &line.implementation)
        .ok_or_else(|| format!("nobody is called {}", line.implementation))?;
    let params = params(workload, &contender, &line.params)?;
    let samples = Samples {
        ops: line.ops,
        ns_per_op: line.samples_ns_per_op,
        peak_rss_kib: line.peak_rss_kib,
        growth_kib_per_minute: line.samples_growth_kib_per_minute,
        latency: line.samples_latency,
        joules_per_op: line.samples_joules_per_op,
        joules_error_per_op: line.samples_joules_error_per_op,
    };
    Ok(CaseOutcome { case: Case { workload, contender, params }, samples })
}

fn contender(workload: &Workload, name: &str) -> Option<Contender> {
    let variants = workload.variants.iter();
    let variant = variants.copied().find(|variant| variant.implementation() == name);
    let floor = (name == Contender::Floor.implementation()).then_some(Contender::Floor);
    let peer = || peers::names().find(|peer| *peer == name);
    variant
        .map(Contender::Odeon)
        .or(floor)
        .or_else(|| peer().map(|peer| Contender::Peer(peer.to_owned())))
}

/// A parameter that the line does not name was not there yet when it was written: it has its
/// default.
fn params(
    workload: &Workload,
    contender: &Contender,
    told: &BTreeMap<String, serde_json::Value>,
) -> Result<Params, String> {
    let parameters = workload.parameters;
    let mut params = Params::defaults(parameters);
    for (name, value) in told {
        let parameter = parameters.iter().find(|parameter| parameter.name == name);
        let parameter = parameter.ok_or_else(|| format!("no parameter is called {name}"))?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let value: Value = parameter.parse(&text)?;
        params = params.with(name, value);
    }
    match contender {
        Contender::Odeon(_) => Ok(params),
        Contender::Floor => Ok(params.for_floor(parameters)),
        Contender::Peer(peer) => {
            params.for_peers(parameters).ok_or_else(|| format!("{peer} cannot do this"))
        }
    }
}
