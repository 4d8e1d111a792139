//! `odeon bench list --reproduce`: the list as the papers ran it, with plots and one page that sets what came out beside what the
//! papers report.

mod courses;
mod matrix;
mod page;
mod papers;

use crate::environment::Machine;
use crate::error::BenchError;
use crate::parameter::{Params, Value};
use crate::runner::{Case, Rounds};
use crate::workload::Workload;
use crate::workloads;
use courses::Courses;
use matrix::Matrix;
use std::path::{Path, PathBuf};

/// A parameter that the caller has chosen, with its values.
pub type Chosen = (&'static str, Vec<Value>);

/// What is run, and where the results go.
#[derive(Debug, Clone)]
pub struct ReproductionPlan {
    /// Small sizes: shows that everything works, and compares nothing seriously.
    pub quick: bool,
    /// How often each case is run.
    pub rounds: Rounds,
    /// What takes the place of the papers' values.
    pub chosen: Vec<Chosen>,
}

/// Told about the course of a reproduction.
pub trait WatchReproduction {
    /// A part begins, with so many runs.
    fn part(&mut self, name: &str, runs: usize);
    /// A run begins.
    fn run(&mut self, what: String);
}

/// What a reproduction has written.
#[derive(Debug, Clone)]
pub struct Written {
    /// The page; the plots lie beside it.
    pub page: PathBuf,
    /// The files of the plots.
    pub plots: Vec<PathBuf>,
    /// What has come to a wrong result, and is not in them.
    pub failures: Vec<String>,
}

/// The parameters of which several values are run.
const SWEPT: [&str; 4] = ["list_actors", "requesters", "workload", "mode"];

impl ReproductionPlan {
    /// Refuses several values of a parameter that has one for the whole reproduction.
    pub fn check(&self) -> Result<(), BenchError> {
        let several =
            self.chosen.iter().find(|(name, values)| values.len() > 1 && !SWEPT.contains(name));
        several.map_or(Ok(()), |(name, _)| {
            let parameters = list().parameters;
            let parameter = parameters.iter().find(|parameter| parameter.name == *name);
            let option = parameter.map_or_else(String::new, |parameter| parameter.option());
            Err(BenchError::bad_argument(option, "takes one value with --reproduce"))
        })
    }

    /// Runs everything, and writes page and plots into the folder `out`, which is there.
    pub fn run(
        &self,
        out: &Path,
        watch: &mut dyn WatchReproduction,
    ) -> Result<Written, BenchError> {
        let matrix = Matrix::run(self, watch)?;
        let courses = Courses::run(self, watch)?;
        let mut plots = Vec::new();
        let charts = matrix.charts().into_iter().chain(courses.charts());
        for (file, lines) in charts {
            let path = out.join(file);
            lines.draw(&path)?;
            plots.push(path);
        }
        let page = out.join("index.html");
        let text = page::page(self, &matrix, &courses, &Machine::here());
        std::fs::write(&page, text).map_err(|source| BenchError::file(&page, source))?;
        Ok(Written { page, plots, failures: matrix.failures() })
    }

    /// The defaults of the list, with what is given for a quick look, and what the caller has chosen, if it is one value.
    fn base(&self) -> Params {
        let mut params = list().defaults();
        if self.quick {
            for (name, number) in [("requests", 20), ("range", 400)] {
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

    /// What the caller has chosen, or else `full` or `quick`.
    fn values<T: Copy>(
        &self,
        name: &str,
        (full, quick): (&[T], &[T]),
        read: impl Fn(Value) -> Option<T>,
    ) -> Vec<T> {
        if let Some((_, values)) = self.chosen.iter().find(|(chosen, _)| *chosen == name) {
            return values.iter().filter_map(|value| read(*value)).collect();
        }
        if self.quick { quick.to_vec() } else { full.to_vec() }
    }

    fn numbers(&self, name: &str, full: &[u64], quick: &[u64]) -> Vec<u64> {
        self.values(name, (full, quick), |value| match value {
            Value::Number(number) => Some(number),
            Value::Word(_) => None,
        })
    }

    fn words(&self, name: &str, full: &[&'static str]) -> Vec<&'static str> {
        self.values(name, (full, full), |value| match value {
            Value::Word(word) => Some(word),
            Value::Number(_) => None,
        })
    }
}

/// The workload that is reproduced.
fn list() -> &'static Workload {
    workloads::find("list").expect("the list is a workload")
}

/// What a progress display shows of a run.
fn name_of(case: &Case) -> String {
    let params = &case.params;
    let number = |name| params.number(name);
    format!(
        "{}, {}, {} list actors, {} requesters",
        params.word("workload"),
        params.word("mode"),
        number("list_actors"),
        number("requesters")
    )
}

#[cfg(test)]
mod tests;
