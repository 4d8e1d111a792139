//! The section of the page of figures about real hardware, from what was measured there.

use crate::figures::Group;
use crate::figures_page::unreached;
use crate::figures_run::{FiguresPlan, Judged, table, workload_of};
use crate::json_lines::Recorded;
use crate::runner::Results;
use crate::table::{TextTable, short};
use std::collections::BTreeSet;

const HEADING: &str = "## Real hardware";

/// What the headings of notes on it begin with: the same figure is not reached for other reasons
/// elsewhere.
const NOTES: &str = "real hardware: ";

/// The verdicts of the plan's groups on what was measured, for a machine of as many cores as that
/// had.
pub fn verdicts(recorded: &Recorded, plan: &FiguresPlan) -> Vec<Judged> {
    let of_group = |group: &Group| -> Vec<Judged> {
        let figures = group.figures.iter();
        figures.map(|figure| plan.verdict(group, figure, &recorded.results)).collect()
    };
    plan.groups(recorded.machine.cores).iter().flat_map(of_group).collect()
}

/// The section; `notes` as for the page.
pub fn section(recorded: &Recorded, plan: &FiguresPlan, notes: &str) -> String {
    let verdicts = verdicts(recorded, plan);
    let mut text = format!("{HEADING}\n\n");
    text += "What needs many cores or a GPU was measured by `odeon bench figures --hardware`, on the machine of this section. ";
    text += "Promises for sixteen cores are judged where there are as many. ";
    text += "Every sample is in the files of the folder `hardware` beside this page.\n\n";
    text += &machine(recorded).to_markdown();
    text += "\n### Figures of real hardware\n\n";
    text += &table(&verdicts).to_markdown();
    text += &unreached(&verdicts, notes, "### Not reached there", NOTES);
    text + &sweeps(&plan.groups(recorded.machine.cores), plan, &recorded.results)
}

/// The page with this section: where there was one, or before the lines of code, or at the end.
pub fn put(page: &str, section: &str) -> String {
    let begins_at = |heading: &str| match page.starts_with(heading) {
        true => Some(0),
        false => page.find(&format!("\n{heading}")).map(|place| place + 1),
    };
    let next_after = |place: usize| page[place..].find("\n## ").map(|next| place + next + 1);
    let (before, behind) = match begins_at(HEADING) {
        Some(place) => (&page[..place], next_after(place).map_or("", |next| &page[next..])),
        None => page.split_at(begins_at("## Lines of code").unwrap_or(page.len())),
    };
    let gap = |text: &str| if text.is_empty() { "" } else { "\n" };
    let before = before.trim_end_matches('\n');
    let line = if before.is_empty() { "" } else { "\n\n" };
    format!("{before}{line}{}\n{}{behind}", section.trim_end(), gap(behind))
}

fn machine(recorded: &Recorded) -> TextTable {
    let machine = &recorded.machine;
    let mut table = TextTable::new(["", ""]);
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    row("processor", format!("{}, {} cores", machine.cpu, machine.cores));
    if let Some(kib) = machine.memory_kib {
        row("memory", format!("{} MiB", kib / 1024));
    }
    row("kernel", machine.kernel.clone());
    row("compiler", format!("{}, profile {}", machine.rustc, machine.profile));
    row("devices for kernels", machine.devices.clone().unwrap_or_else(|| "not known".to_owned()));
    row("odeon", machine.version.clone());
    if !recorded.commits.is_empty() {
        row("commit", recorded.commits.iter().cloned().collect::<Vec<_>>().join(", "));
    }
    recorded.peers.iter().for_each(|(name, version)| row(name, version.clone()));
    let samples = recorded.results.0.iter().map(|outcome| outcome.samples.ns_per_op.len());
    let samples: BTreeSet<String> = samples.map(|count| count.to_string()).collect();
    let samples = samples.into_iter().collect::<Vec<_>>().join(" or ");
    row("samples of each case", format!("{samples}, taken in turn"));
    table
}

/// One table for all groups of one workload that are swept over the same parameter.
fn sweeps(groups: &[Group], plan: &FiguresPlan, results: &Results) -> String {
    let key = |group: &Group| Some((group.workload, group.sweep.as_ref()?.over));
    let mut keys: Vec<_> = Vec::new();
    for key in groups.iter().filter_map(key) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let of_key = |(workload, over)| {
        let alike: Vec<_> =
            groups.iter().filter(|group| key(group) == Some((workload, over))).collect();
        let swept = alike.iter().filter_map(|group| group.sweep.as_ref());
        let rows = swept.flat_map(|sweep| &sweep.rows);
        let columns: BTreeSet<u64> = rows.flat_map(|row| row.at.iter().copied()).collect();
        let columns: Vec<u64> = columns.into_iter().collect();
        let rows: Vec<_> =
            alike.iter().flat_map(|group| rows_of(group, plan, results, &columns)).collect();
        if rows.is_empty() {
            return String::new();
        }
        let headings: Vec<String> = columns.iter().map(u64::to_string).collect();
        let headings = ["what", "how"].into_iter().chain(headings.iter().map(String::as_str));
        let mut table = TextTable::new(headings);
        rows.into_iter().for_each(|row| table.row(row));
        let operation = workload_of(alike[0]).operation;
        format!(
            "\n### {workload}, ns per {operation}, by number of {over}\n\n{}",
            table.to_markdown()
        )
    };
    keys.into_iter().map(of_key).collect()
}

/// Those of Odeon and those of the peers, without rows of which nothing was measured.
fn rows_of(
    group: &Group,
    plan: &FiguresPlan,
    results: &Results,
    columns: &[u64],
) -> Vec<Vec<String>> {
    let (workload, shared) = (workload_of(group), plan.params(group, &[]));
    let mut rows = Vec::new();
    let Some(sweep) = &group.sweep else { return rows };
    for row in &sweep.rows {
        let mut tell = |name: &str, peer: Option<&str>| {
            let cell = |at: &u64| {
                let params = sweep.case(row, *at, &shared);
                let samples = match peer {
                    Some(peer) => results.peer(workload, peer, &params),
                    None => results.odeon(workload, sweep.variant, &params),
                };
                let samples = samples.filter(|_| row.at.contains(at));
                samples.map_or_else(String::new, |samples| short(samples.median()))
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push([vec![sweep.what.clone(), name.to_owned()], cells].concat());
            }
        };
        tell(&row.name, None);
        group.peers.iter().for_each(|peer| tell(peer, Some(*peer)));
    }
    rows
}

#[cfg(test)]
mod tests;
