//! `odeon bench list --reproduce`: the list as Hayduk, Sobe and Felber (OPODIS 2013) and Hayduk's
//! thesis (2017, chapter 5) ran it.

mod figures;
mod matrix;

use super::courses::{Courses, Every, RunCourse};
use super::page::{Drawing, Page, Section, setting};
use super::{Findings, Paper, PaperPlan, USUAL, WatchPaper};
use crate::error::BenchError;
use crate::parameter::Value::{Number, Word};
use crate::parameter::{Params, Setting};
use crate::workload::Workload;
use crate::workloads::{self, record_course};
use matrix::Matrix;
use std::time::Duration;

pub(super) const PAPER: Paper = Paper {
    name: "list",
    samples: 7,
    check: |plan| plan.check_chosen(list(), &SWEPT),
    run,
    ..USUAL
};

/// The parameters of which several values are run.
const SWEPT: [&str; 4] = ["list_actors", "requesters", "workload", "mode"];

const QUICK: &[Setting] = &[("requests", Number(20)), ("range", Number(400))];

/// Courses of the thesis' 5.4.1: eight list actors, 500 requesters.
const COURSES: &[Setting] = &[("list_actors", Number(8)), ("requesters", Number(500))];
const QUICK_COURSES: &[Setting] = &[("list_actors", Number(2)), ("requesters", Number(20))];

/// The width of each list actor stays as it is.
const FIXED: &str = "concurrent";
/// It follows the throughput.
const ADAPTIVE: &str = "adaptive";
/// It follows the share of attempts that commit, as in the thesis.
const THRESHOLD: &str = "threshold";
const TRANSACTION: &str = "transaction";
const SNAPSHOT: &str = "snapshot";
const KEPT: &str = "kept";
const SUMS: [&str; 3] = [TRANSACTION, SNAPSHOT, KEPT];

/// What is counted in a course.
const ANSWERED: usize = 0;
const ROLLBACKS: usize = 1;

/// TUNE: guessed 2026-11: a run takes a second or so; a chart shows some fifty points.
const EVERY: Every = Every { full: Duration::from_millis(20), quick: Duration::from_millis(1) };

/// A case that is looked at in its course: the mix, the width, the way to sum.
type ListKey = (&'static str, &'static str, &'static str);

/// The workload that is reproduced.
fn list() -> &'static Workload {
    workloads::find("list").expect("the list is a workload")
}

fn run(plan: &PaperPlan, watch: &mut dyn WatchPaper) -> Result<Findings, BenchError> {
    let matrix = Matrix::run(plan, watch)?;
    let courses = courses(plan, watch)?;
    let mut sections = figures::opodis(&matrix);
    sections.extend(figures::thesis(&courses));
    sections.push(matrix.times());
    let failures = matrix.failures();
    Ok(Findings { failures, ..Findings::new(page(plan, sections)) })
}

/// A fixed width and widths that adapt, each with every way to add up a list actor's values.
fn courses(plan: &PaperPlan, watch: &mut dyn WatchPaper) -> Result<Courses<ListKey>, BenchError> {
    let sizes = if plan.quick { QUICK_COURSES } else { COURSES };
    let mut cases = Vec::new();
    for mix in ["write", "mixed"] {
        for width in [FIXED, ADAPTIVE, THRESHOLD] {
            for sum in SUMS {
                let words = [("workload", mix), ("mode", width), ("sum", sum)];
                let words = words.map(|(name, word)| (name, Word(word)));
                let params = base(plan).with_all(sizes).with_all(&words);
                cases.push(((mix, width, sum), params));
            }
        }
    }
    Courses::record("courses", &cases, EVERY, plan, watch, |params, every| {
        let course = record_course(params, every)?;
        let looks =
            course.looks.iter().map(|(at, done)| (*at, vec![done.answered, done.rollbacks]));
        let elapsed = course.timed.elapsed;
        Ok(RunCourse { ops: course.timed.ops, elapsed, looks: looks.collect() })
    })
}

/// Throughput and rollbacks in the course of a mix, for each of these widths.
fn charts(
    courses: &Courses<ListKey>,
    mix: &'static str,
    widths: &[&'static str],
) -> Vec<(String, Drawing)> {
    let whats = [
        ("throughput", "requests answered per second", ANSWERED),
        ("rollbacks", "rollbacks per second", ROLLBACKS),
    ];
    let of_width = |width: &&'static str| {
        let width = *width;
        whats.map(|(what, y_title, counter)| {
            let lines = SUMS.map(|sum| (format!("sum: {sum}"), (mix, width, sum), counter));
            let chart = courses.chart(format!("{mix}, {width}: {what}"), y_title, lines);
            (format!("{what}-{mix}-{width}.svg"), Drawing::Lines(chart))
        })
    };
    widths.iter().flat_map(of_width).collect()
}

fn base(plan: &PaperPlan) -> Params {
    plan.params(list(), &[], QUICK)
}

fn page(plan: &PaperPlan, sections: Vec<Section>) -> Page {
    let base = base(plan);
    let number = |name| base.number(name).to_string();
    let rows = [
        ("worker threads", number("workers"), "32 in the thesis"),
        ("requests of each requester", number("requests"), "1,000"),
        ("integers that the list may hold", number("range"), "41,216"),
        ("per cent of them at first", number("fill"), "20"),
        (
            "sequential processing",
            "sequential: a speculative actor, one message at a time, sums coordinated and blocking; plain: a plain actor, sums not coordinated".to_owned(),
            "plain actors without transactions; sums coordinated and blocking",
        ),
        (
            "concurrent processing",
            "concurrent: a fixed width of one per worker; adaptive: a width that follows the throughput; threshold: the thesis' rule".to_owned(),
            "a transaction for each message of a batch",
        ),
        (
            "a sum that nobody waits for",
            "in a snapshot: consistent, never rolled back".to_owned(),
            "singleRelaxedGet: direct reads, not consistent",
        ),
    ];
    let theirs = [
        "48 cores: four AMD Opteron 6172 at 2.1 GHz",
        "",
        "7: geometric mean (OPODIS), median (thesis)",
    ];
    Page {
        title: "Odeon: the distributed sorted list",
        heading: "The distributed sorted list, beside the papers",
        who: "the paper",
        is_quick: plan.quick,
        setting: setting(plan, "papers", theirs, rows),
        intro: list().note(&base.with("list_actors", Number(2))).into_iter().collect(),
        sections,
    }
}

#[cfg(test)]
mod tests;
