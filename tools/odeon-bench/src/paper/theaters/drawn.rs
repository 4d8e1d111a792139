//! The results of one figure, and what can be said of them.

use super::TheatersKey;
use super::figures::Figure;
use crate::paper::cases::Cases;
use crate::paper::not_measured;
use crate::paper::page::Drawing;
use crate::plot::{Axis, Lines};
use crate::statistics::StraightLine;
use crate::table::{factor, short};

/// A figure with its runs.
pub(super) struct Drawn {
    pub(super) figure: &'static Figure,
    pub(super) cases: Cases<TheatersKey>,
}

impl Drawn {
    /// Line, value on the x axis, and the time of a run.
    pub(super) fn times(&self) -> impl Iterator<Item = (TheatersKey, [String; 2])> + '_ {
        self.cases.keys().filter_map(|key| Some((key, self.cases.cells(key)?)))
    }

    /// Operations for each step on the x axis.
    fn operations(&self) -> f64 {
        let of = |key: TheatersKey| Some(self.cases.samples(key)?.ops as f64 / key.1 as f64);
        self.cases.keys().filter_map(of).last().unwrap_or(0.0)
    }

    /// The median times of a line.
    fn points(&self, line: &str, from: u64, to: u64) -> Vec<(f64, f64)> {
        let keys = self.cases.keys().filter(|(of, at)| *of == line && (from..=to).contains(at));
        let point = |key: TheatersKey| Some((key.1 as f64, self.cases.seconds(key)?.median));
        keys.filter_map(point).collect()
    }

    fn straight(&self, line: &str) -> Option<StraightLine> {
        StraightLine::through(&self.points(line, self.figure.linear_from, u64::MAX))
    }

    fn lines(&self) -> impl Iterator<Item = &'static str> {
        self.figure.lines.iter().map(|(line, _)| *line)
    }

    /// How many times as long one line's operations take as another's.
    pub(super) fn slopes(&self, line: &str, other: &str) -> String {
        let slope = |line| Some(self.straight(line)?.slope / self.operations() * 1e9);
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
            let rate = self.operations() / self.straight(line)?.slope;
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
    pub(super) fn charts(&self) -> Vec<(String, Drawing)> {
        let charts = self.figure.parts.iter().map(|&(part, from, to)| {
            let line = |line: &str| (line.to_owned(), self.points(line, from, to));
            let name = format!("{}{part}", self.figure.number);
            let lines = Lines {
                title: format!("Figure {name}: {}", self.figure.title),
                x_title: self.figure.x_title,
                y_title: "seconds",
                x: Axis::Linear,
                y: Axis::Linear,
                series: self.lines().map(line).collect(),
            };
            (format!("figure-{name}.svg"), Drawing::Lines(lines))
        });
        charts.collect()
    }
}
