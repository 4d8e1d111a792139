//! Execution times for every mix of requests, number of list actors, number of requesters, and
//! mode.

use super::{QUICK, list};
use crate::error::BenchError;
use crate::paper::cases::Cases;
use crate::paper::page::{Drawing, Section};
use crate::paper::{PaperPlan, WatchPaper};
use crate::parameter::Value;
use crate::parameter::Value::{Number, Word};
use crate::plot::{Axis, Lines};
use crate::runner::WRONG_RESULT;
use crate::table::TextTable;

/// Of the papers; they report 1 to 32 list actors, and 125 to 500 requesters.
const LIST_ACTORS: [u64; 6] = [1, 2, 4, 8, 16, 32];
const REQUESTERS: [u64; 3] = [125, 250, 500];
const MIXES: [&str; 3] = ["read", "write", "mixed"];
/// Sums are one transaction over all list actors in all of them but the first.
const MODES: [&str; 6] =
    ["plain", "sequential", "concurrent", "nonblocking", "combined", "adaptive"];

/// The mix, the mode, list actors, requesters.
type MatrixKey = (&'static str, &'static str, u64, u64);

/// All execution times.
pub(super) struct Matrix {
    pub(super) list_actors: Vec<u64>,
    requesters: Vec<u64>,
    mixes: Vec<&'static str>,
    modes: Vec<&'static str>,
    cases: Cases<MatrixKey>,
}

impl Matrix {
    pub(super) fn run(plan: &PaperPlan, watch: &mut dyn WatchPaper) -> Result<Self, BenchError> {
        let numbers = |name, full: &[u64], quick: &[u64]| {
            let usual = if plan.quick { quick } else { full };
            chosen(plan, name, number_of).unwrap_or_else(|| usual.to_vec())
        };
        let words = |name, all: &[&'static str]| {
            chosen(plan, name, word_of).unwrap_or_else(|| all.to_vec())
        };
        let list_actors = numbers("list_actors", &LIST_ACTORS, &[1, 4]);
        let requesters = numbers("requesters", &REQUESTERS, &[5, 10]);
        let (mixes, modes) = (words("workload", &MIXES), words("mode", &MODES));
        let mut cases = Vec::new();
        for &mix in &mixes {
            for &actors in &list_actors {
                for &askers in &requesters {
                    cases.extend(modes.iter().map(|mode| (mix, *mode, actors, askers)));
                }
            }
        }
        let cases = cases.into_iter().map(|key| {
            let (mix, mode, actors, askers) = key;
            let params = plan.params(list(), &[], QUICK);
            let params = params.with("workload", Word(mix)).with("mode", Word(mode));
            let params = params.with("list_actors", Number(actors));
            (key, params.with("requesters", Number(askers)))
        });
        let cases = Cases::measure("execution times", list(), cases.collect(), plan, watch)?;
        Ok(Self { list_actors, requesters, mixes, modes, cases })
    }

    /// What has come to a wrong result.
    pub(super) fn failures(&self) -> Vec<String> {
        self.cases.failures("list")
    }

    /// The median time of a run, if it was measured.
    fn seconds(&self, key: MatrixKey) -> Option<f64> {
        Some(self.cases.seconds(key)?.median)
    }

    /// The same with the most requesters, which claims are compared at.
    pub(super) fn seconds_at_most(
        &self,
        mix: &'static str,
        mode: &'static str,
        list_actors: u64,
    ) -> Option<f64> {
        let most = self.requesters.iter().copied().max().unwrap_or_default();
        self.seconds((mix, mode, list_actors, most))
    }

    /// How many times faster one mode is than another.
    pub(super) fn times_faster(
        &self,
        mix: &'static str,
        (mode, other): (&'static str, &'static str),
        list_actors: u64,
    ) -> Option<f64> {
        let seconds = |mode| self.seconds_at_most(mix, mode, list_actors);
        Some(seconds(other)? / seconds(mode)?)
    }

    /// A chart for each mode, with a line for each number of list actors.
    pub(super) fn by_mode(&self, mix: &'static str) -> Vec<(String, Drawing)> {
        let modes = self.modes.iter().filter(|_| self.mixes.contains(&mix));
        let chart = |mode: &&'static str| {
            let lines = self.list_actors.iter().map(|list_actors| {
                (format!("{list_actors} list actors"), self.line(mix, mode, *list_actors))
            });
            let chart = chart(format!("{mix}, {mode}"), lines.collect());
            (format!("time-{mix}-{mode}.svg"), chart)
        };
        modes.map(chart).collect()
    }

    /// A chart for each number of list actors, with a line for each mode.
    pub(super) fn by_list_actors(&self, mix: &'static str) -> Vec<(String, Drawing)> {
        let numbers = self.list_actors.iter().filter(|_| self.mixes.contains(&mix));
        let chart = |list_actors: &u64| {
            let modes = self.modes.iter();
            let lines = modes.map(|mode| ((*mode).to_owned(), self.line(mix, mode, *list_actors)));
            let chart = chart(format!("{mix}, {list_actors} list actors"), lines.collect());
            (format!("time-{mix}-{list_actors}-list-actors.svg"), chart)
        };
        numbers.map(chart).collect()
    }

    fn line(&self, mix: &'static str, mode: &'static str, list_actors: u64) -> Vec<(f64, f64)> {
        let point = |requesters: &u64| {
            Some((*requesters as f64, self.seconds((mix, mode, list_actors, *requesters))?))
        };
        self.requesters.iter().filter_map(point).collect()
    }

    /// All execution times, and plots of the mix that OPODIS 2013 does not have.
    pub(super) fn times(&self) -> Section {
        let headings = ["mix", "list actors", "request actors"].into_iter();
        let mut table = TextTable::new(headings.chain(self.modes.iter().copied()));
        for &mix in &self.mixes {
            for &actors in &self.list_actors {
                for &askers in &self.requesters {
                    let cell = |mode: &&'static str| {
                        let key = (mix, *mode, actors, askers);
                        let seconds = self.seconds(key);
                        match self.cases.is_wrong(key) {
                            true => WRONG_RESULT.to_owned(),
                            false => seconds.map_or_else(String::new, |it| format!("{it:.4}")),
                        }
                    };
                    let names = [mix.to_owned(), actors.to_string(), askers.to_string()];
                    table.row(names.into_iter().chain(self.modes.iter().map(cell)));
                }
            }
        }
        let mut plots = self.by_mode("mixed");
        plots.extend(self.by_list_actors("mixed"));
        Section {
            heading: "All execution times, medians in seconds".to_owned(),
            plots,
            table: Some(table),
            ..Section::default()
        }
    }
}

/// The values that the caller has chosen for a parameter.
fn chosen<T>(plan: &PaperPlan, name: &str, read: fn(Value) -> Option<T>) -> Option<Vec<T>> {
    let (_, values) = plan.chosen.iter().find(|(chosen, _)| *chosen == name)?;
    Some(values.iter().filter_map(|value| read(*value)).collect())
}

fn number_of(value: Value) -> Option<u64> {
    match value {
        Number(number) => Some(number),
        Word(_) => None,
    }
}

fn word_of(value: Value) -> Option<&'static str> {
    match value {
        Word(word) => Some(word),
        Number(_) => None,
    }
}

fn chart(title: String, series: Vec<(String, Vec<(f64, f64)>)>) -> Drawing {
    Drawing::Lines(Lines {
        title,
        x_title: "request actors",
        y_title: "execution time, s",
        x: Axis::Linear,
        y: Axis::LOG10,
        series,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_with_a_wrong_result_leaves_the_others_theirs_and_is_told() {
        let case = |mode, outcome| {
            let params = list().defaults().with("mode", Word(mode));
            (("read", mode, 1, 5), params, outcome)
        };
        let made_up = vec![case("plain", Ok((1, 2.0))), case("combined", Err("one is missing"))];
        let matrix = Matrix {
            list_actors: vec![1],
            requesters: vec![5],
            mixes: vec!["read"],
            modes: vec!["plain", "combined"],
            cases: Cases::made_up(list(), made_up),
        };
        assert_eq!(matrix.seconds(("read", "plain", 1, 5)), Some(2.0));
        assert_eq!(matrix.seconds(("read", "combined", 1, 5)), None);
        let [failure] = &matrix.failures()[..] else { panic!("one is wrong") };
        assert!(failure.contains("mode=combined") && failure.ends_with("one is missing"));
        assert_eq!(matrix.times_faster("read", ("combined", "plain"), 1), None);
        let times = matrix.times().table.expect("there is one").to_text();
        assert!(times.contains("2.0000") && times.contains(WRONG_RESULT), "{times}");
    }
}
