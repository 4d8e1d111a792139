//! Execution times for every mix of requests, number of list actors, number of requesters, and mode.

use super::{ReproductionPlan, WatchReproduction, list, name_of};
use crate::error::BenchError;
use crate::parameter::{Params, Value};
use crate::peers::Peers;
use crate::plot::Lines;
use crate::runner::{Plan, Results, Wrong, measure_right_ones};
use crate::workload::Variant;

/// Of the papers; they report 1 to 32 list actors, and 125 to 500 requesters.
const LIST_ACTORS: [u64; 6] = [1, 2, 4, 8, 16, 32];
const REQUESTERS: [u64; 3] = [125, 250, 500];
const MIXES: [&str; 3] = ["read", "write", "mixed"];
/// Sums are one transaction over all list actors in all of them but the first.
const MODES: [&str; 6] =
    ["plain", "sequential", "concurrent", "nonblocking", "combined", "adaptive"];

/// All execution times.
pub(super) struct Matrix {
    pub(super) list_actors: Vec<u64>,
    pub(super) requesters: Vec<u64>,
    pub(super) mixes: Vec<&'static str>,
    pub(super) modes: Vec<&'static str>,
    base: Params,
    results: Results,
    /// Runs that have come to a wrong result: they have no times.
    wrong: Vec<Wrong>,
}

impl Matrix {
    pub(super) fn run(
        plan: &ReproductionPlan,
        watch: &mut dyn WatchReproduction,
    ) -> Result<Self, BenchError> {
        let mut matrix = Self {
            list_actors: plan.numbers("list_actors", &LIST_ACTORS, &[1, 4]),
            requesters: plan.numbers("requesters", &REQUESTERS, &[5, 10]),
            mixes: plan.words("workload", &MIXES),
            modes: plan.words("mode", &MODES),
            base: plan.base(),
            results: Results::default(),
            wrong: Vec::new(),
        };
        let mut cases = Plan::default();
        for mix in &matrix.mixes {
            for list_actors in &matrix.list_actors {
                for requesters in &matrix.requesters {
                    for mode in &matrix.modes {
                        let params = matrix.params(mix, mode, *list_actors, *requesters);
                        list().check(&params)?;
                        cases.add_odeon(list(), Variant::Pool, &params);
                    }
                }
            }
        }
        watch.part("execution times", plan.rounds.runs(&cases));
        let measured = measure_right_ones(&cases, plan.rounds, &mut Peers::none(), |case| {
            watch.run(name_of(case));
        });
        (matrix.results, matrix.wrong) = measured?;
        Ok(matrix)
    }

    /// What has come to a wrong result: the rest is told all the same.
    pub(super) fn failures(&self) -> Vec<String> {
        let told = |wrong: &Wrong| format!("{}: {}", name_of(&wrong.case), wrong.error);
        self.wrong.iter().map(told).collect()
    }

    fn params(&self, mix: &'static str, mode: &'static str, actors: u64, askers: u64) -> Params {
        self.base
            .clone()
            .with("workload", Value::Word(mix))
            .with("mode", Value::Word(mode))
            .with("list_actors", Value::Number(actors))
            .with("requesters", Value::Number(askers))
    }

    /// Whether a run has come to a wrong result.
    pub(super) fn is_wrong(
        &self,
        mix: &'static str,
        mode: &'static str,
        list_actors: u64,
        requesters: u64,
    ) -> bool {
        let params = self.params(mix, mode, list_actors, requesters);
        self.wrong.iter().any(|wrong| wrong.is_odeon(list(), Variant::Pool, &params))
    }

    /// The median time of a run, if it was measured.
    pub(super) fn seconds(
        &self,
        mix: &'static str,
        mode: &'static str,
        list_actors: u64,
        requesters: u64,
    ) -> Option<f64> {
        let params = self.params(mix, mode, list_actors, requesters);
        let samples = self.results.odeon(list(), Variant::Pool, &params)?;
        Some(samples.median() * samples.ops as f64 / 1e9)
    }

    /// The most requesters: what claims are compared at.
    pub(super) fn most_requesters(&self) -> u64 {
        self.requesters.iter().copied().max().unwrap_or_default()
    }

    /// How many times faster one mode is than another.
    pub(super) fn times_faster(
        &self,
        mix: &'static str,
        (mode, other): (&'static str, &'static str),
        list_actors: u64,
    ) -> Option<f64> {
        let seconds = |mode| self.seconds(mix, mode, list_actors, self.most_requesters());
        Some(seconds(other)? / seconds(mode)?)
    }

    /// The file of a chart with a line for each number of list actors.
    pub(super) fn file_of_mode(mix: &str, mode: &str) -> String {
        format!("time-{mix}-{mode}.svg")
    }

    /// The file of a chart with a line for each mode.
    pub(super) fn file_of_actors(mix: &str, list_actors: u64) -> String {
        format!("time-{mix}-{list_actors}-list-actors.svg")
    }

    /// Files and what is drawn there.
    pub(super) fn charts(&self) -> Vec<(String, Lines)> {
        let mut charts = Vec::new();
        for mix in &self.mixes {
            for mode in &self.modes {
                let lines = self.list_actors.iter().map(|list_actors| {
                    (format!("{list_actors} list actors"), self.line(mix, mode, *list_actors))
                });
                let chart = chart(format!("{mix}, {mode}"), lines.collect());
                charts.push((Self::file_of_mode(mix, mode), chart));
            }
            for list_actors in &self.list_actors {
                let lines = self
                    .modes
                    .iter()
                    .map(|mode| ((*mode).to_owned(), self.line(mix, mode, *list_actors)));
                let chart = chart(format!("{mix}, {list_actors} list actors"), lines.collect());
                charts.push((Self::file_of_actors(mix, *list_actors), chart));
            }
        }
        charts
    }

    fn line(&self, mix: &'static str, mode: &'static str, list_actors: u64) -> Vec<(f64, f64)> {
        let point = |requesters: &u64| {
            let seconds = self.seconds(mix, mode, list_actors, *requesters)?;
            Some((*requesters as f64, seconds))
        };
        self.requesters.iter().filter_map(point).collect()
    }
}

fn chart(title: String, series: Vec<(String, Vec<(f64, f64)>)>) -> Lines {
    Lines {
        title,
        x_title: "request actors",
        y_title: "execution time, s",
        is_logarithmic: true,
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{Case, Contender, Outcome, Rounds, WRONG_RESULT};
    use crate::samples::Samples;

    #[test]
    fn a_run_with_a_wrong_result_leaves_the_others_theirs_and_is_told() {
        let rounds = Rounds { warmup: 0, samples: 1 };
        let plan = ReproductionPlan { quick: true, rounds, chosen: Vec::new() };
        let mut matrix = Matrix {
            list_actors: vec![1],
            requesters: vec![5],
            mixes: vec!["read"],
            modes: vec!["plain", "combined"],
            base: plan.base(),
            results: Results::default(),
            wrong: Vec::new(),
        };
        let case = |mode| {
            let params = matrix.params("read", mode, 1, 5);
            Case { workload: list(), contender: Contender::Odeon(Variant::Pool), params }
        };
        let error = BenchError::WrongResult("a number is missing".to_owned());
        let wrong = Wrong { case: case("combined"), error };
        let samples = Samples { ops: 1, ns_per_op: vec![2e9], ..Samples::default() };
        let right = Outcome { case: case("plain"), samples };
        (matrix.results, matrix.wrong) = (Results(vec![right]), vec![wrong]);
        assert_eq!(matrix.seconds("read", "plain", 1, 5), Some(2.0));
        assert_eq!(matrix.seconds("read", "combined", 1, 5), None);
        let told = "read, combined, 1 list actors, 5 requesters: wrong result: a number is missing";
        assert_eq!(matrix.failures(), [told]);
        assert_eq!(matrix.times_faster("read", ("combined", "plain"), 1), None);
        let page = super::super::page::times(&matrix);
        assert!(page.contains("2.0000") && page.contains(WRONG_RESULT), "{page}");
    }
}
