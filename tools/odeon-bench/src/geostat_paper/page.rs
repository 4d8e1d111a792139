//! The page: what the thesis says of its figures 5.8 and 5.9, each statement beside what was measured here. Values are given
//! only where its text gives them; its plots are not read.

use super::GeostatPlan;
use super::runs::{
    ADAPTIVE, CHARTS, FIXED, LOGGED, Medians, READS, RELAXED, Runs, SNAPSHOT, THRESHOLD, WIDTHS,
};
use crate::date;
use crate::environment::Machine;
use crate::html::{QUICK_RUN, element, page as html_page, picture, statements, table};
use crate::table::factor;

const NOT_MEASURED: &str = "not measured";

pub(super) fn page(plan: &GeostatPlan, runs: &Runs, machine: &Machine) -> String {
    let mut body = element("h1", "The simulation of the hydraulic subsurface, beside the thesis");
    if plan.quick {
        body += QUICK_RUN;
    }
    body += &setting(plan, machine);
    let is_quick = plan.quick;
    body += &section(
        is_quick,
        "Hayduk's thesis, figure 5.8",
        "Throughput and rollbacks of simulation messages and of read-only messages over time; a fixed share of the threads for each. Here: one message at once for each worker.",
        &[
            (
                "Read-only messages by direct reads (singleRelaxedGet) instead of in transactions (atomic): some 40 s less of execution time.",
                faster(runs, (FIXED, RELAXED), (FIXED, LOGGED)),
            ),
            (
                "More read-only messages are processed.",
                looks(runs, (FIXED, RELAXED), (FIXED, LOGGED)),
            ),
            (
                "The total number of rollbacks stays about the same.",
                rollbacks(runs, &[(FIXED, LOGGED), (FIXED, RELAXED)]),
            ),
            (
                "(Snapshots are what Odeon has between the two: consistent, and never rolled back.)",
                faster(runs, (FIXED, SNAPSHOT), (FIXED, LOGGED)),
            ),
        ],
        &[FIXED],
    );
    body += &section(
        is_quick,
        "Hayduk's thesis, figure 5.9",
        "The same with a number of threads that follows the ratio of commits to rollbacks.",
        &[
            (
                "By direct reads another 20 s less of execution time than with fixed shares.",
                format!(
                    "threshold: {}; adaptive: {}",
                    faster(runs, (THRESHOLD, RELAXED), (FIXED, RELAXED)),
                    faster(runs, (ADAPTIVE, RELAXED), (FIXED, RELAXED))
                ),
            ),
            (
                "Fewer rollbacks than with fixed shares.",
                rollbacks(runs, &[(FIXED, RELAXED), (THRESHOLD, RELAXED), (ADAPTIVE, RELAXED)]),
            ),
            (
                "In all cases direct reads with a number of threads that adapts are the fastest.",
                format!(
                    "threshold: {}; adaptive: {}",
                    faster(runs, (THRESHOLD, RELAXED), (THRESHOLD, LOGGED)),
                    faster(runs, (ADAPTIVE, RELAXED), (ADAPTIVE, LOGGED))
                ),
            ),
        ],
        &[THRESHOLD, ADAPTIVE],
    );
    body += &medians(runs);
    html_page("Odeon: the simulation of the hydraulic subsurface", &body)
}

fn setting(plan: &GeostatPlan, machine: &Machine) -> String {
    let base = plan.base();
    let number = |name| base.number(name).to_string();
    let (edge, points) = (base.number("grid"), base.number("points"));
    let requests = (edge * edge).div_ceil(points);
    let rows = [
        ("machine", machine.line(), "48 cores: four AMD Opteron 6172 at 2.1 GHz"),
        ("date", date::today(), "2017"),
        ("worker threads", number("workers"), "as many as the actors' framework chooses"),
        ("grid", format!("{edge} x {edge}"), "750 x 750"),
        ("neighbours of a point", number("neighbours"), "15"),
        ("training image", base.word("ti").to_owned(), "the one that comes with MPDS"),
        ("simulation actors", number("simulators"), "32 actors together with log actors"),
        ("points of a request", format!("{points}: {requests} requests"), "30; 167 messages"),
        ("log actors", number("logs"), "8"),
        (
            "nodes that a read-only message sees",
            format!("{}; the next one goes on behind them", number("log_points")),
            "not said",
        ),
        (
            "threshold of commits to rollbacks (alpha)",
            "profiled by the actor itself".to_owned(),
            "1.2, profiled by hand",
        ),
        ("samples", format!("{}, median", plan.rounds.samples), "not said"),
    ];
    let rows = rows.map(|(what, ours, thesis)| vec![what.to_owned(), ours, thesis.to_owned()]);
    table(&["", "here", "thesis"], rows)
}

fn section(
    is_quick: bool,
    heading: &str,
    shows: &str,
    said: &[(&str, String)],
    widths: &[&str],
) -> String {
    let rows = said.iter().map(|(thesis, ours)| vec![(*thesis).to_owned(), ours.clone()]);
    let files = widths.iter().flat_map(|width| CHARTS.map(|chart| Runs::file(chart, width)));
    let pictures: String = files.map(|file| picture(&file)).collect();
    element("h2", heading)
        + &element("p", shows)
        + &statements("the thesis", is_quick, rows)
        + &pictures
}

type Case = (&'static str, &'static str);

fn both(runs: &Runs, one: Case, other: Case) -> Option<(Medians, Medians)> {
    runs.medians(one.0, one.1).zip(runs.medians(other.0, other.1))
}

fn faster(runs: &Runs, one: Case, other: Case) -> String {
    both(runs, one, other).map_or_else(not_measured, |(ours, others)| {
        format!(
            "{} with {} reads is {} as fast as {} with {} reads ({:.3} s against {:.3} s)",
            one.0,
            one.1,
            factor(others.seconds / ours.seconds),
            other.0,
            other.1,
            ours.seconds,
            others.seconds
        )
    })
}

fn looks(runs: &Runs, one: Case, other: Case) -> String {
    both(runs, one, other).map_or_else(not_measured, |(ours, others)| {
        let rate = |medians: Medians| medians.looks / medians.seconds;
        format!(
            "{:.0} a second against {:.0}; in the whole run {:.0} against {:.0}",
            rate(ours),
            rate(others),
            ours.looks,
            others.looks
        )
    })
}

fn rollbacks(runs: &Runs, cases: &[Case]) -> String {
    let each = cases.iter().map(|(width, reads)| {
        let said = runs.medians(width, reads).map(|medians| {
            format!(
                "{:.0} ({:.0} of simulation messages)",
                medians.rolled_back(),
                medians.requests_rolled_back
            )
        });
        format!("{width}, {reads} reads: {}", said.unwrap_or_else(not_measured))
    });
    each.collect::<Vec<_>>().join("; ")
}

fn medians(runs: &Runs) -> String {
    let headings = [
        "width",
        "reads",
        "seconds",
        "read-only messages",
        "simulation messages rolled back",
        "read-only messages rolled back",
        "events searched for again, % of points",
    ];
    let cases = WIDTHS.iter().flat_map(|width| READS.map(|reads| (*width, reads)));
    let rows = cases.filter_map(|(width, reads)| {
        let medians = runs.medians(width, reads)?;
        Some(vec![
            width.to_owned(),
            reads.to_owned(),
            format!("{:.3}", medians.seconds),
            format!("{:.0}", medians.looks),
            format!("{:.0}", medians.requests_rolled_back),
            format!("{:.0}", medians.looks_rolled_back),
            format!("{:.2}", medians.searched_again * 100.0),
        ])
    });
    element("h2", "All runs, medians") + &table(&headings, rows.collect::<Vec<_>>())
}

fn not_measured() -> String {
    NOT_MEASURED.to_owned()
}
