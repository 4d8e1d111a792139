//! The results of one figure, and what can be said of them.

use super::figures::Figure;
use crate::parameter::Params;
use crate::plot::Lines;
use crate::runner::{Results, Wrong};
use crate::statistics::{Spread, StraightLine};
use crate::table::{factor, short};
use crate::workload::Variant;

/// A figure with the times of its runs.
pub(super) struct Drawn {
    pub(super) figure: &'static Figure,
    times: Vec<(&'static str, u64, Spread)>,
    /// Runs that have come to a wrong result, and what is wrong.
    wrong: Vec<(&'static str, u64, String)>,
    /// Operations for each step on the x axis.
    operations: f64,
}

impl Drawn {
    pub(super) fn new(
        figure: &'static Figure,
        points: &[(&'static str, u64, Params)],
        results: &Results,
        all_wrong: &[Wrong],
    ) -> Self {
        let mut operations = 0.0;
        let (mut times, mut wrong) = (Vec::new(), Vec::new());
        for (line, value, params) in points {
            let is_it = |it: &&Wrong| it.is_odeon(figure.workload(), Variant::Pool, params);
            if let Some(it) = all_wrong.iter().find(is_it) {
                wrong.push((*line, *value, it.error.to_string()));
            }
            let samples = results.odeon(figure.workload(), Variant::Pool, params);
            let Some(samples) = samples else { continue };
            let in_seconds = |ns: f64| ns * samples.ops as f64 / 1e9;
            let Spread { min, median, max } = samples.spread();
            let [min, median, max] = [min, median, max].map(in_seconds);
            times.push((*line, *value, Spread { min, median, max }));
            operations = samples.ops as f64 / *value as f64;
        }
        Self { figure, times, wrong, operations }
    }

    /// Line, value on the x axis, and seconds of a run.
    pub(super) fn times(&self) -> impl Iterator<Item = (&'static str, u64, Spread)> + '_ {
        self.times.iter().copied()
    }

    /// Line and value on the x axis of runs with a wrong result, and what is wrong.
    pub(super) fn wrong(&self) -> impl Iterator<Item = (&'static str, u64, &str)> + '_ {
        self.wrong.iter().map(|(line, value, why)| (*line, *value, why.as_str()))
    }

    /// The median times of a line.
    fn points(&self, line: &str, from: u64, to: u64) -> Vec<(f64, f64)> {
        let is_it = |of: &str, value: u64| of == line && (from..=to).contains(&value);
        let points = self.times().filter(|(of, value, _)| is_it(of, *value));
        points.map(|(_, value, seconds)| (value as f64, seconds.median)).collect()
    }

    fn straight(&self, line: &str) -> Option<StraightLine> {
        StraightLine::through(&self.points(line, self.figure.linear_from, u64::MAX))
    }

    fn lines(&self) -> impl Iterator<Item = &'static str> {
        self.figure.lines.iter().map(|(line, _)| *line)
    }

    /// How many times as long one line's operations take as another's.
    pub(super) fn slopes(&self, line: &str, other: &str) -> String {
        let slope = |line| Some(self.straight(line)?.slope / self.operations * 1e9);
        let said = slope(line).zip(slope(other)).map(|(slope, other)| {
            let more = (slope / other - 1.0) * 100.0;
            let how = if more < 0.0 { "shorter" } else { "longer" };
            format!("{:.1} % {how} ({} ns against {} ns)", more.abs(), short(slope), short(other))
        });
        said.unwrap_or_else(not_measured)
    }

    /// How many times as long one line's run takes as another's, with so much to do.
    pub(super) fn times_at(&self, value: u64, line: &str, other: &str) -> String {
        let at = |line| self.points(line, value, value).first().map(|(_, seconds)| *seconds);
        let said = at(line).zip(at(other)).map(|(line, other)| {
            format!("{} ({} s against {} s)", factor(line / other), short(line), short(other))
        });
        said.unwrap_or_else(not_measured)
    }

    /// Where each line is lowest, and how low it begins.
    pub(super) fn fastest(&self) -> String {
        self.of_each(|line| {
            let points = self.points(line, 0, u64::MAX);
            let lowest = points.iter().copied().min_by(|one, other| one.1.total_cmp(&other.1))?;
            let (first, x) = (points.first()?, self.figure.x_title);
            Some(format!(
                "{} {x}, {} s ({}: {} s)",
                lowest.0,
                short(lowest.1),
                first.0,
                short(first.1)
            ))
        })
    }

    /// The first time of each line.
    pub(super) fn at_first(&self) -> String {
        self.of_each(|line| {
            let points = self.points(line, 0, u64::MAX);
            let (value, seconds) = points.first()?;
            Some(format!("{value} {} in {} s", self.figure.x_title, short(*seconds)))
        })
    }

    /// How many operations a second each line's slope comes to.
    pub(super) fn rates(&self) -> String {
        let operation = self.figure.workload().operation;
        let rates = self.of_each(|line| {
            let rate = self.operations / self.straight(line)?.slope;
            Some(format!("{rate:.0} {operation}s a second"))
        });
        format!("{rates}. SALSA is not run here.")
    }

    /// How straight each line is.
    pub(super) fn correlations(&self) -> String {
        self.of_each(|line| Some(format!("{:.4}", self.straight(line)?.correlation)))
    }

    fn of_each(&self, what: impl Fn(&str) -> Option<String>) -> String {
        let said =
            self.lines().map(|line| format!("{line}: {}", what(line).unwrap_or_else(not_measured)));
        said.collect::<Vec<_>>().join("; ")
    }

    /// Files and what is drawn there.
    pub(super) fn charts(&self) -> Vec<(String, Lines)> {
        let charts = self.figure.parts.iter().map(|&(part, from, to)| {
            let line = |line: &str| (line.to_owned(), self.points(line, from, to));
            let lines = Lines {
                title: format!("Figure {}{part}: {}", self.figure.number, self.figure.title),
                x_title: self.figure.x_title,
                y_title: "seconds",
                is_logarithmic: false,
                series: self.lines().map(line).collect(),
            };
            (self.file(part), lines)
        });
        charts.collect()
    }

    pub(super) fn file(&self, part: &str) -> String {
        format!("figure-{}{part}.svg", self.figure.number)
    }
}

fn not_measured() -> String {
    "not measured".to_owned()
}
