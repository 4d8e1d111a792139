//! `odeon bench geostat --reproduce`: figures 5.8 and 5.9 of Hayduk's thesis, the simulation of the hydraulic subsurface with log actors that read in
//! transactions or by relaxed reads, with widths that are fixed or found out; with plots and a page that sets what came out beside
//! what the thesis reports.

mod page;
mod runs;

use crate::environment::Machine;
use crate::error::BenchError;
use crate::parameter::{Params, Value};
use crate::reproduction::{Chosen, WatchReproduction, Written};
use crate::runner::Rounds;
use crate::workload::Workload;
use crate::workloads;
use runs::Runs;
use std::path::Path;

/// What is run.
#[derive(Debug, Clone)]
pub struct GeostatPlan {
    /// A small grid: shows that everything works, and compares nothing seriously.
    pub quick: bool,
    /// How often each case is run.
    pub rounds: Rounds,
    /// What takes the place of the thesis' values.
    pub chosen: Vec<Chosen>,
}

/// What a quick look has instead of the defaults.
const QUICK: [(&str, u64); 2] = [("grid", 60), ("log_points", 1000)];

/// What the figures differ in.
const COMPARED: [&str; 2] = ["mode", "reads"];

impl GeostatPlan {
    /// Refuses several values of a parameter, and any of what the figures compare.
    ///
    /// # Errors
    /// If there is one.
    pub fn check(&self) -> Result<(), BenchError> {
        for (name, values) in &self.chosen {
            let parameters = geostat().parameters;
            let parameter = parameters.iter().find(|parameter| parameter.name == *name);
            let option = parameter.map_or_else(String::new, |parameter| parameter.option());
            if COMPARED.contains(name) {
                let problem = "is what --reproduce compares";
                return Err(BenchError::bad_argument(option, problem));
            }
            if values.len() > 1 {
                let problem = "takes one value with --reproduce";
                return Err(BenchError::bad_argument(option, problem));
            }
        }
        Ok(())
    }

    /// Runs everything, and writes page and plots into the folder `out`, which is there.
    ///
    /// # Errors
    /// What a run answers, or if a file cannot be written.
    pub fn run(
        &self,
        out: &Path,
        watch: &mut dyn WatchReproduction,
    ) -> Result<Written, BenchError> {
        let runs = Runs::run(self, watch)?;
        let mut plots = Vec::new();
        for (file, lines) in runs.charts() {
            let path = out.join(file);
            lines.draw(&path)?;
            plots.push(path);
        }
        let page = out.join("index.html");
        let text = page::page(self, &runs, &Machine::here());
        std::fs::write(&page, text).map_err(|source| BenchError::file(&page, source))?;
        Ok(Written { page, plots, failures: Vec::new() })
    }

    /// The defaults, with what is given for a quick look, and what the caller has chosen.
    fn base(&self) -> Params {
        let mut params = geostat().defaults();
        if self.quick {
            for (name, number) in QUICK {
                params = params.with(name, Value::Number(number));
            }
        }
        for (name, values) in &self.chosen {
            if let [only] = values[..] {
                params = params.with(name, only);
            }
        }
        params
    }
}

/// The workload that is reproduced.
fn geostat() -> &'static Workload {
    workloads::find("geostat").expect("geostat is a workload")
}

#[cfg(test)]
mod tests;
