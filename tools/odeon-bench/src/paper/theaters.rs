//! `odeon bench theaters`: what *A Performance and Scalability Analysis of Actor Message Passing
//! and Migration in SALSA Lite* (Desell and Varela, AGERE 2015) measures, its figures 5 to 9.

mod drawn;
mod figures;

use super::cases::Cases;
use super::page::{Page, Section, setting};
use super::{Findings, Paper, PaperPlan, USUAL, WatchPaper};
use crate::error::BenchError;
use crate::parameter::{Params, Value};
use crate::table::TextTable;
use drawn::Drawn;
use figures::Figure;

pub(super) const PAPER: Paper = Paper {
    name: "theaters",
    about: "the paper on SALSA Lite: actors of each kind, messages between theaters, actors that move",
    parts: || figures::ALL.iter().map(|figure| figure.number.to_string()).collect(),
    workers: Some(1),
    run,
    ..USUAL
};

fn run(plan: &PaperPlan, watch: &mut dyn WatchPaper) -> Result<Findings, BenchError> {
    let wanted = figures::ALL.iter().filter(|figure| plan.wants(&figure.number.to_string()));
    let drawn = wanted.map(|figure| {
        let (name, cases) = (figure.name(), cases(figure, plan));
        let cases = Cases::measure(&name, figure.workload(), cases, plan, watch)?;
        Ok(Drawn { figure, cases })
    });
    Ok(outcome(plan, &drawn.collect::<Result<Vec<_>, BenchError>>()?))
}

/// A case: a line, and where it is on the x axis.
type TheatersKey = (&'static str, u64);

fn cases(figure: &Figure, plan: &PaperPlan) -> Vec<(TheatersKey, Params)> {
    let (swept, full, quick) = figure.swept;
    let values = if plan.quick { quick } else { full };
    let case = |&value: &u64, (line, settings): &(&'static str, &[_])| {
        let settings = [figure.settings, settings].concat();
        let params = plan.params(figure.workload(), &settings, figure.quick);
        ((*line, value), params.with(swept, Value::Number(value)))
    };
    values.iter().flat_map(|value| figure.lines.iter().map(move |line| case(value, line))).collect()
}

fn outcome(plan: &PaperPlan, drawn: &[Drawn]) -> Findings {
    let mut table = TextTable::new(["figure", "", "", "median ms", "min..max"]);
    for one in drawn {
        for ((line, value), [median, spread]) in one.times() {
            let at = format!("{value} {}", one.figure.x_title);
            table.row([one.figure.number.to_string(), line.to_owned(), at, median, spread]);
        }
    }
    let failures = drawn.iter().flat_map(|one| one.cases.failures(&one.figure.name()));
    let failures = failures.collect();
    Findings { tables: vec![("", table)], failures, ..Findings::new(page(plan, drawn)) }
}

fn page(plan: &PaperPlan, drawn: &[Drawn]) -> Page {
    let chosen = plan
        .chosen
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| format!("{name}={value}")));
    let rows = [
        (
            "theaters",
            "processes on this machine, by its loopback interface".to_owned(),
            "one on each node",
        ),
        (
            "threads for actors",
            "one worker in each theater, and Zenoh's threads".to_owned(),
            "one stage in each theater, and a thread for each connection",
        ),
        ("otherwise chosen", chosen.collect::<Vec<_>>().join(" "), ""),
        ("start", "not in the times".to_owned(), "in the times: of theaters and name servers"),
    ];
    let theirs = [
        "four nodes with two quad-core Intel E5-2643 at 3.3 GHz each, InfiniBand FDR between them (56 Gb/s)",
        "2015",
        "10, mean",
    ];
    Page {
        title: "Odeon: remote and mobile actors",
        heading: "Remote and mobile actors, beside the paper on SALSA Lite",
        who: "the paper",
        is_quick: plan.quick,
        setting: setting(plan, "paper", theirs, rows),
        intro: vec![
            "The paper's text gives ratios, correlations and few times; all else of its figures is only drawn, and is not read from there. \
             What operations take is, here as there, the slope of a straight line through the times of runs."
                .to_owned(),
        ],
        sections: drawn.iter().map(section).collect(),
    }
}

fn section(drawn: &Drawn) -> Section {
    let figure = drawn.figure;
    let mut table = TextTable::new(["", figure.x_title, "median ms", "min..max"]);
    for ((line, value), [median, spread]) in drawn.times() {
        table.row([line.to_owned(), value.to_string(), median, spread]);
    }
    Section {
        heading: format!("Figure {}: {}", figure.number, figure.title),
        shows: figure.shows,
        said: figure.statements.iter().map(|one| (one.paper, (one.ours)(drawn))).collect(),
        plots: drawn.charts(),
        table: Some(table),
        ..Section::default()
    }
}

#[cfg(test)]
mod tests;
