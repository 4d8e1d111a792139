//! The page: each figure of the papers with what they say of it, beside what was measured here.

use super::courses::Courses;
use super::matrix::Matrix;
use super::papers::{PaperFigure, figures};
use super::{ReproductionPlan, list};
use crate::date;
use crate::environment::Machine;
use crate::html::{QUICK_RUN, element, page as html_page, picture, statements, table};
use crate::parameter::Value;
use crate::runner::WRONG_RESULT;

pub(super) fn page(
    plan: &ReproductionPlan,
    matrix: &Matrix,
    courses: &Courses,
    machine: &Machine,
) -> String {
    let mut body = element("h1", "The distributed sorted list, beside the papers");
    if plan.quick {
        body += QUICK_RUN;
    }
    body += &setting(plan, machine);
    for figure in figures(matrix, courses) {
        body += &section(&figure, plan.quick);
    }
    body += &times(matrix);
    html_page("Odeon: the distributed sorted list", &body)
}

fn setting(plan: &ReproductionPlan, machine: &Machine) -> String {
    let base = plan.base();
    let number = |name| base.number(name);
    let samples = plan.rounds.samples;
    let rows = [
        ("machine", machine.line(), "48 cores: four AMD Opteron 6172 at 2.1 GHz"),
        ("date", date::today(), ""),
        ("worker threads", number("workers").to_string(), "32 in the thesis"),
        ("requests of each requester", number("requests").to_string(), "1,000"),
        ("integers that the list may hold", number("range").to_string(), "41,216"),
        ("per cent of them at first", number("fill").to_string(), "20"),
        ("samples", format!("{samples}, median"), "7: geometric mean (OPODIS), median (thesis)"),
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
    let rows = rows.map(|(what, ours, paper)| vec![what.to_owned(), ours, paper.to_owned()]);
    let note = list().note(&base.with("list_actors", Value::Number(2)));
    table(&["", "here", "papers"], rows)
        + &note.map_or_else(String::new, |note| element("p", &note))
}

fn section(figure: &PaperFigure, is_quick: bool) -> String {
    let rows = figure.statements.iter().map(|one| vec![one.paper.to_owned(), one.ours.clone()]);
    let pictures: String = figure.plots.iter().map(|file| picture(file)).collect();
    element("h2", &figure.heading)
        + &element("p", figure.shows)
        + &statements("the paper", is_quick, rows)
        + &pictures
}

/// All execution times, and plots of the mix that OPODIS 2013 does not have.
pub(super) fn times(matrix: &Matrix) -> String {
    let mut headings = vec!["mix", "list actors", "request actors"];
    headings.extend(&matrix.modes);
    let mut rows = Vec::new();
    for mix in &matrix.mixes {
        for list_actors in &matrix.list_actors {
            for requesters in &matrix.requesters {
                let mut row =
                    vec![(*mix).to_owned(), list_actors.to_string(), requesters.to_string()];
                row.extend(matrix.modes.iter().map(|mode| {
                    if matrix.is_wrong(mix, mode, *list_actors, *requesters) {
                        return WRONG_RESULT.to_owned();
                    }
                    let seconds = matrix.seconds(mix, mode, *list_actors, *requesters);
                    seconds.map_or_else(String::new, |seconds| format!("{seconds:.4}"))
                }));
                rows.push(row);
            }
        }
    }
    let unreported = matrix.modes.iter().filter(|_| matrix.mixes.contains(&"mixed"));
    let pictures: String =
        unreported.map(|mode| picture(&Matrix::file_of_mode("mixed", mode))).collect();
    element("h2", "All execution times, medians in seconds") + &table(&headings, rows) + &pictures
}
