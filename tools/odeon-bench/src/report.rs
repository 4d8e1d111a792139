//! Results as a table on the terminal.

use crate::energy::Joules;
use crate::parameter::Params;
use crate::runner::{Case, CaseOutcome, Contender, Results, WRONG_RESULT, Wrong};
use crate::table::{TextTable, factor, short};
use std::cmp::Reverse;

/// One row per result: median, spread, distance to the floor, and beside peers how many times as
/// long as Odeon (the first result that did the same work) they took.
pub fn table(results: &Results) -> TextTable {
    table_with(results, &[])
}

/// As [`table`], with a row for each case that has come to a wrong result, which says so.
pub fn table_with(results: &Results, wrong: &[Wrong]) -> TextTable {
    let cases = || {
        let measured = results.0.iter().map(|outcome| &outcome.case);
        measured.chain(wrong.iter().map(|wrong| &wrong.case))
    };
    let operation = cases().next().map_or("op", |first| first.workload.operation);
    let per_operation = format!("ns per {operation}");
    let swept = swept_among(cases().map(|case| &case.params));
    let mut headings = vec!["impl"];
    headings.extend(&swept);
    headings.extend([per_operation.as_str(), "min..max", "floor", "x floor"]);
    let is_peer = |outcome: &CaseOutcome| matches!(outcome.case.contender, Contender::Peer(_));
    let has_peers = results.0.iter().any(is_peer);
    if has_peers {
        headings.push("x Odeon");
    }
    headings.push("peak MiB");
    let shows_growth = results.0.iter().any(|outcome| outcome.samples.median_growth().is_some());
    if shows_growth {
        headings.push("growth KiB/min");
    }
    let shows_latency = results.0.iter().any(|outcome| !outcome.samples.latency.is_empty());
    if shows_latency {
        headings.extend(["p50 us", "p99 us"]);
    }
    let shows_energy = results.0.iter().any(|outcome| !outcome.samples.joules_per_op.is_empty());
    if shows_energy {
        headings.push("nJ");
    }
    let mut table = TextTable::new(headings);
    for outcome in &results.0 {
        let spread = outcome.samples.spread();
        let floor = results.floor_of(outcome).map(|floor| floor.median());
        let mut cells = who(&outcome.case, &swept);
        cells.extend([
            short(spread.median),
            format!("{}..{}", short(spread.min), short(spread.max)),
            floor.map_or_else(String::new, short),
            floor.map_or_else(String::new, |floor| factor(spread.median / floor)),
        ]);
        if has_peers {
            let odeon = odeon_beside(outcome, results);
            cells.push(odeon.map_or_else(String::new, |odeon| factor(spread.median / odeon)));
        }
        let peak = outcome.samples.peak_rss_kib;
        cells.push(peak.map_or_else(String::new, |kib| (kib / 1024).to_string()));
        if shows_growth {
            let growth = outcome.samples.median_growth();
            cells.push(growth.map_or_else(String::new, |kib| format!("{kib:.0}")));
        }
        if shows_latency {
            let micros = |ns: f64| format!("{:.1}", ns / 1000.0);
            let latency = outcome.samples.median_latency();
            cells.extend(
                latency.map_or_else(Default::default, |(half, most)| [micros(half), micros(most)]),
            );
        }
        if shows_energy {
            let joules = outcome.samples.median_joules();
            cells.push(joules.map_or_else(String::new, in_nanojoules));
        }
        table.row(cells);
    }
    for Wrong { case, .. } in wrong {
        let mut cells = who(case, &swept);
        cells.push(WRONG_RESULT.to_owned());
        table.row(cells);
    }
    table
}

/// Name and parameters of a row.
fn who(case: &Case, swept: &[&'static str]) -> Vec<String> {
    let name = case.contender.implementation().to_owned();
    let value = |name: &&str| {
        case.params.get(name).map_or_else(|| "-".to_owned(), |value| value.to_string())
    };
    std::iter::once(name).chain(swept.iter().map(value)).collect()
}

/// With how far off it may be, where that is much.
fn in_nanojoules(joules: Joules) -> String {
    let [value, error] = [joules.value, joules.error].map(|joules| short(joules * 1e9));
    if joules.is_known() { value } else { format!("{value} +-{error}") }
}

/// Parameters with more than one value.
pub(crate) fn swept_parameters(results: &Results) -> Vec<&'static str> {
    swept_among(results.0.iter().map(|outcome| &outcome.case.params))
}

fn swept_among<'a>(all: impl Iterator<Item = &'a Params> + Clone) -> Vec<&'static str> {
    // Floors and peers know fewer than Odeon, which may not have measured anything.
    let every = all.clone();
    let Some(widest) = all.min_by_key(|params| Reverse(params.iter().count())) else {
        return Vec::new();
    };
    let has_several = |name: &&str| {
        let mut values = every.clone().filter_map(|params| params.get(name));
        let one = values.next();
        values.any(|value| Some(value) != one)
    };
    widest.iter().map(|(name, _)| name).filter(has_several).collect()
}

/// Odeon's median for the work of a peer.
fn odeon_beside(outcome: &CaseOutcome, results: &Results) -> Option<f64> {
    let Contender::Peer(peer) = &outcome.case.contender else {
        return None;
    };
    let same_work = results.0.iter().find(|other| {
        matches!(other.case.contender, Contender::Odeon(_))
            && results
                .peer(other.case.workload, peer, &other.case.params)
                .is_some_and(|samples| std::ptr::eq(samples, &outcome.samples))
    });
    same_work.map(|odeon| odeon.samples.median())
}
