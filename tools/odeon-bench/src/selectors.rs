//! `odeon bench selectors`: each benchmark of *Selectors: Actors with Multiple Guarded Mailboxes* (Imam and Sarkar, AGERE 2014) as
//! selectors and as plain actors, measured in alternation; with plots and a page that sets what came out beside what the paper reports.

mod comparisons;
mod page;

use crate::environment::Machine;
use crate::error::BenchError;
use crate::lines;
use crate::parameter::{Params, Value};
use crate::peers::Peers;
use crate::plot;
use crate::runner::{Case, Plan, Results, Rounds, WRONG_RESULT, Wrong, measure_right_ones};
use crate::samples::Samples;
use crate::statistics::Spread;
use crate::table::{Table, factor, short};
use crate::workload::Variant;
use comparisons::{Comparison, Kind, Version};
use std::path::{Path, PathBuf};

/// What is run.
#[derive(Debug, Clone)]
pub struct SelectorsPlan {
    /// Small sizes: shows that everything works, and compares nothing seriously.
    pub quick: bool,
    /// The paper's parameters instead of the scaled ones.
    pub paper: bool,
    /// How often each case is run.
    pub rounds: Rounds,
    /// Workloads; empty for all.
    pub only: Vec<String>,
}

/// Told about the course of a run.
pub trait WatchSelectors {
    /// A comparison begins, with so many runs.
    fn comparison(&mut self, name: &str, runs: usize);
    /// A run begins.
    fn run(&mut self, what: String);
}

/// What came out.
pub struct SelectorsOutcome(Vec<Compared>);

/// A comparison with its results.
struct Compared {
    comparison: &'static Comparison,
    results: Results,
    /// Versions that have come to a wrong result: nothing is said of how fast they are.
    wrong: Vec<Wrong>,
    /// One for each value of the parameter that is swept; one if none is.
    points: Vec<Point>,
}

/// All versions with one set of parameters.
struct Point {
    /// Of the parameter that is swept.
    value: Option<u64>,
    cases: Vec<(&'static Version, Params)>,
}

/// The names of the workloads that are compared.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        comparisons::ALL.iter().map(|comparison| comparison.workload).collect();
    names.dedup();
    names
}

impl SelectorsPlan {
    fn comparisons(&self) -> impl Iterator<Item = &'static Comparison> + '_ {
        let wanted = |name| self.only.is_empty() || self.only.iter().any(|only| only == name);
        comparisons::ALL.iter().filter(move |comparison| wanted(comparison.workload))
    }

    /// Measures everything.
    pub fn run(&self, watch: &mut dyn WatchSelectors) -> Result<SelectorsOutcome, BenchError> {
        let compared = self.comparisons().map(|comparison| self.compare(comparison, watch));
        compared.collect::<Result<_, _>>().map(SelectorsOutcome)
    }

    fn compare(
        &self,
        comparison: &'static Comparison,
        watch: &mut dyn WatchSelectors,
    ) -> Result<Compared, BenchError> {
        let points = self.points(comparison);
        let mut plan = Plan::default();
        for (_, params) in points.iter().flat_map(|point| &point.cases) {
            comparison.workload().check(params)?;
            plan.add_odeon(comparison.workload(), Variant::Pool, params);
        }
        watch.comparison(comparison.title, self.rounds.runs(&plan));
        let measured = measure_right_ones(&plan, self.rounds, &mut Peers::none(), |case: &Case| {
            watch.run(case.params.to_string());
        });
        let (results, wrong) = measured?;
        Ok(Compared { comparison, results, wrong, points })
    }

    fn points(&self, comparison: &'static Comparison) -> Vec<Point> {
        let workload = comparison.workload();
        let mut base = workload.defaults();
        let mut set = |settings: &[(&'static str, Value)]| {
            for (name, value) in settings {
                base = base.clone().with(name, *value);
            }
        };
        set(comparison.settings);
        if self.paper {
            set(workload.paper);
            set(comparison.paper_settings);
        }
        if self.quick {
            set(comparison.quick);
        }
        let point = |value: Option<u64>| {
            let base = match (comparison.swept, value) {
                (Some((name, _)), Some(value)) => base.clone().with(name, Value::Number(value)),
                _ => base.clone(),
            };
            let case = |version: &'static Version| {
                let with = |params: Params, (name, value): &(&'static str, Value)| {
                    params.with(name, *value)
                };
                (version, version.settings.iter().fold(base.clone(), with))
            };
            Point { value, cases: comparison.versions.iter().map(case).collect() }
        };
        match comparison.swept {
            None => vec![point(None)],
            Some((_, values)) => values.iter().map(|value| point(Some(*value))).collect(),
        }
    }
}

impl Compared {
    /// Whether a version has come to a wrong result.
    fn is_wrong(&self, params: &Params) -> bool {
        let is_it = |it: &Wrong| it.is_odeon(self.comparison.workload(), Variant::Pool, params);
        self.wrong.iter().any(is_it)
    }

    fn samples(&self, params: &Params) -> Option<&Samples> {
        self.results.odeon(self.comparison.workload(), Variant::Pool, params)
    }

    /// Times of whole runs, in ms.
    fn milliseconds(&self, params: &Params) -> Option<Spread> {
        let samples = self.samples(params)?;
        let in_ms = |ns: f64| ns * samples.ops as f64 / 1e6;
        let Spread { min, median, max } = samples.spread();
        Some(Spread { min: in_ms(min), median: in_ms(median), max: in_ms(max) })
    }

    /// The version of this kind that is fastest at a point, and its time in ms.
    fn best(&self, point: &Point, kind: Kind) -> Option<(&'static Version, f64)> {
        let of_kind = point.cases.iter().filter(|(version, _)| version.kind == kind);
        let timed = of_kind
            .filter_map(|(version, params)| Some((*version, self.milliseconds(params)?.median)));
        timed.min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// How many times faster the best selector is than the best version without, at a point.
    fn ratio(&self, point: &Point) -> Option<f64> {
        let (_, selector) = self.best(point, Kind::Selector)?;
        let (_, actor) = self.best(point, Kind::Actor)?;
        Some(actor / selector)
    }

    /// The file of its plot.
    fn plot(&self) -> String {
        format!("{}.svg", self.comparison.title.replace([' ', ','], "-"))
    }
}

impl SelectorsOutcome {
    /// A row for each version.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "benchmark",
            "version",
            "median ms",
            "min..max",
            "actor / best selector",
            "in the paper",
            "lines",
        ]);
        for compared in &self.0 {
            let comparison = compared.comparison;
            for point in &compared.points {
                let ratio = compared.ratio(point).map_or_else(String::new, factor);
                let mut ratio = Some((ratio, comparison.paper_ratio.to_owned()));
                for (version, params) in &point.cases {
                    if compared.is_wrong(params) {
                        let name = name_of(comparison, point);
                        let wrong = WRONG_RESULT.to_owned();
                        let empty = [(); 4].map(|()| String::new());
                        let row = [name, version.name.to_owned(), wrong].into_iter().chain(empty);
                        table.row(row);
                        continue;
                    }
                    let Some(time) = compared.milliseconds(params) else { continue };
                    let (ratio, paper) = ratio.take().unwrap_or_default();
                    table.row([
                        name_of(comparison, point),
                        version.name.to_owned(),
                        short(time.median),
                        format!("{}..{}", short(time.min), short(time.max)),
                        ratio,
                        paper,
                        version
                            .source
                            .map_or_else(String::new, |it| lines::of_code(it).to_string()),
                    ]);
                }
            }
        }
        table
    }

    /// What has come to a wrong result: the rest is told all the same.
    pub fn failures(&self) -> Vec<String> {
        let told = |compared: &Compared| {
            let title = compared.comparison.title;
            let told = compared.wrong.iter().map(move |wrong| format!("{title}: {}", wrong.told()));
            told.collect::<Vec<_>>()
        };
        self.0.iter().flat_map(told).collect()
    }

    /// Writes the page and a plot for each comparison into the folder `out`, which is there. Returns the page.
    pub fn write(&self, plan: &SelectorsPlan, out: &Path) -> Result<PathBuf, BenchError> {
        for compared in self.0.iter().filter(|it| !it.results.0.is_empty()) {
            plot::draw(&compared.results, &out.join(compared.plot()))?;
        }
        let page = out.join("index.html");
        let text = page::page(plan, &self.0, &Machine::here());
        std::fs::write(&page, text).map_err(|source| BenchError::file(&page, source))?;
        Ok(page)
    }
}

/// For each benchmark how long the files of its versions are, without comments and empty lines: those with several mailboxes, with guards,
/// or with readers and writers beside those with one mailbox.
pub fn lines_of_code() -> Table {
    let mut table =
        Table::new(["benchmark", "selectors, readers and writers", "actors with one mailbox"]);
    let mut told = Vec::new();
    for comparison in comparisons::ALL.iter().filter(|one| one.versions[0].source.is_some()) {
        if told.contains(&comparison.workload) {
            continue;
        }
        told.push(comparison.workload);
        let of_kind = |kind| {
            let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
            for version in comparison.versions.iter().filter(|version| version.kind == kind) {
                let source = version.source.unwrap_or_default();
                match files.iter_mut().find(|(known, _)| *known == source) {
                    Some((_, names)) => names.push(version.name),
                    None => files.push((source, vec![version.name])),
                }
            }
            let file = |(source, names): (&str, Vec<&str>)| {
                format!("{} ({})", lines::of_code(source), names.join(", "))
            };
            files.into_iter().map(file).collect::<Vec<_>>().join("; ")
        };
        table.row([comparison.workload.to_owned(), of_kind(Kind::Selector), of_kind(Kind::Actor)]);
    }
    table
}

fn name_of(comparison: &Comparison, point: &Point) -> String {
    match (comparison.swept, point.value) {
        (Some((parameter, _)), Some(value)) => format!("{}, {value} {parameter}", comparison.title),
        _ => comparison.title.to_owned(),
    }
}

#[cfg(test)]
mod tests;
