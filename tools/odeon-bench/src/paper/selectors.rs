//! `odeon bench selectors`: each benchmark of *Selectors: Actors with Multiple Guarded Mailboxes*
//! (Imam and Sarkar, AGERE 2014) as selectors and as plain actors.

mod comparisons;

use super::cases::Cases;
use super::page::{Drawing, Page, Section, setting};
use super::{Findings, Paper, PaperPlan, USUAL, WatchPaper};
use crate::error::BenchError;
use crate::lines;
use crate::parameter::{Params, Value};
use crate::table::{TextTable, factor};
use comparisons::{Comparison, Version, VersionKind};

pub(super) const PAPER: Paper = Paper {
    name: "selectors",
    about: "the paper on selectors: each benchmark with selectors and with plain actors",
    parts: names,
    has_full_size: true,
    run,
    ..USUAL
};

/// A case: a version, and the value of the parameter that is swept.
type SelectorKey = (&'static str, Option<u64>);

/// A comparison with its results.
struct Compared {
    comparison: &'static Comparison,
    cases: Cases<SelectorKey>,
}

/// The names of the workloads that are compared.
fn names() -> Vec<String> {
    let mut names: Vec<String> =
        comparisons::ALL.iter().map(|comparison| comparison.workload.to_owned()).collect();
    names.dedup();
    names
}

fn run(plan: &PaperPlan, watch: &mut dyn WatchPaper) -> Result<Findings, BenchError> {
    let wanted = comparisons::ALL.iter().filter(|comparison| plan.wants(comparison.workload));
    let compared = wanted.map(|comparison| {
        let cases = cases(comparison, plan);
        let cases = Cases::measure(comparison.title, comparison.workload(), cases, plan, watch)?;
        Ok(Compared { comparison, cases })
    });
    Ok(outcome(plan, compared.collect::<Result<Vec<_>, BenchError>>()?))
}

fn cases(comparison: &'static Comparison, plan: &PaperPlan) -> Vec<(SelectorKey, Params)> {
    let workload = comparison.workload();
    let mut settings = comparison.settings.to_vec();
    if plan.full_size {
        settings.extend([workload.paper, comparison.paper_settings].concat());
    }
    let base = plan.params(workload, &settings, comparison.quick);
    let case = |value: Option<u64>, version: &'static Version| {
        let mut params = base.clone();
        if let (Some((name, _)), Some(value)) = (comparison.swept, value) {
            params = params.with(name, Value::Number(value));
        }
        ((version.name, value), params.with_all(version.settings))
    };
    let versions = |value| comparison.versions.iter().map(move |version| case(value, version));
    comparison.values().into_iter().flat_map(versions).collect()
}

impl Compared {
    /// The version of this kind that is fastest at a value, and its time in seconds.
    fn best(&self, value: Option<u64>, kind: VersionKind) -> Option<(&'static Version, f64)> {
        let of_kind = self.comparison.versions.iter().filter(|version| version.kind == kind);
        let timed = of_kind.filter_map(|version| {
            Some((version, self.cases.seconds((version.name, value))?.median))
        });
        timed.min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// How many times faster the best selector is than the best version without.
    fn ratio(&self, value: Option<u64>) -> Option<f64> {
        let (_, selector) = self.best(value, VersionKind::Selector)?;
        let (_, actor) = self.best(value, VersionKind::Actor)?;
        Some(actor / selector)
    }

    /// How the best selector compares with the best version without, at each value.
    fn ours(&self) -> String {
        let values = self.comparison.values().into_iter();
        let said = values.filter_map(|value| {
            let (selector, _) = self.best(value, VersionKind::Selector)?;
            let (actor, _) = self.best(value, VersionKind::Actor)?;
            let ratio = factor(self.ratio(value)?);
            let names = format!("{ratio} ({} against {})", selector.name, actor.name);
            Some(value.map_or(names.clone(), |value| format!("{value}: {names}")))
        });
        said.collect::<Vec<_>>().join("; ")
    }

    /// A row for each version.
    fn add_to(&self, table: &mut TextTable) {
        for value in self.comparison.values() {
            let ratio = self.ratio(value).map_or_else(String::new, factor);
            let mut ratio = Some((ratio, self.comparison.paper_ratio.to_owned()));
            for version in self.comparison.versions {
                let Some([time, spread]) = self.cases.cells((version.name, value)) else {
                    continue;
                };
                let names = [self.comparison.name_at(value), version.name.to_owned()];
                if self.cases.is_wrong((version.name, value)) {
                    table.row(names.into_iter().chain([time]));
                    continue;
                }
                let (ratio, paper) = ratio.take().unwrap_or_default();
                let lines = version.source.map(|source| lines::of_code(source).to_string());
                let rest = [time, spread, ratio, paper, lines.unwrap_or_default()];
                table.row(names.into_iter().chain(rest));
            }
        }
    }

    fn section(self) -> Section {
        let comparison = self.comparison;
        let mut table = table();
        self.add_to(&mut table);
        let ours = self.ours();
        let file = comparison.plot();
        let drawn = Some(self.cases.results).filter(|results| !results.0.is_empty());
        Section {
            heading: match comparison.figure {
                Some(figure) => format!("Figure {figure}: {}", comparison.title),
                None => comparison.title.to_owned(),
            },
            shows: comparison.shows,
            said: comparison.paper.iter().map(|said| (*said, ours.clone())).collect(),
            plots: drawn.map(|results| (file, Drawing::Results(results))).into_iter().collect(),
            table: Some(table),
            ..Section::default()
        }
    }
}

fn table() -> TextTable {
    TextTable::new([
        "benchmark",
        "version",
        "median ms",
        "min..max",
        "actor / best selector",
        "in the paper",
        "lines",
    ])
}

fn outcome(plan: &PaperPlan, compared: Vec<Compared>) -> Findings {
    let mut all = table();
    compared.iter().for_each(|one| one.add_to(&mut all));
    let failures = compared.iter().flat_map(|one| one.cases.failures(one.comparison.title));
    let failures = failures.collect();
    Findings { tables: vec![("", all)], failures, ..Findings::new(page(plan, compared)) }
}

fn page(plan: &PaperPlan, compared: Vec<Compared>) -> Page {
    let parameters = if plan.full_size { "the paper's" } else { "scaled to two cores" };
    let rows = [
        ("worker threads", "2, unless a table says otherwise".to_owned(), "13"),
        ("parameters", parameters.to_owned(), ""),
        (
            "versions without selectors",
            "Odeon's own plain actors, with the same algorithm: a stash, a dictionary or a priority queue inside".to_owned(),
            "Scala, Akka, Jetlang, Scalaz, Functional Java and Habanero actors",
        ),
        (
            "lines",
            "of the file with the messages and actors of a version, without comments and empty lines".to_owned(),
            "of the whole program",
        ),
    ];
    let theirs =
        ["12 cores: two Intel Westmere at 2.8 GHz", "", "arithmetic mean of the best 50 of 120"];
    Page {
        title: "Odeon: selectors",
        heading: "Selectors, beside the paper",
        who: "the paper",
        is_quick: plan.quick,
        setting: setting(plan, "paper", theirs, rows),
        intro: Vec::new(),
        sections: compared.into_iter().map(Compared::section).collect(),
    }
}

/// For each benchmark how long the files of its versions are, without comments and empty lines:
/// those with several mailboxes, with guards, or with readers and writers beside those with one
/// mailbox.
pub fn lines_of_code() -> TextTable {
    let mut table =
        TextTable::new(["benchmark", "selectors, readers and writers", "actors with one mailbox"]);
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
        table.row([
            comparison.workload.to_owned(),
            of_kind(VersionKind::Selector),
            of_kind(VersionKind::Actor),
        ]);
    }
    table
}

#[cfg(test)]
mod tests;
