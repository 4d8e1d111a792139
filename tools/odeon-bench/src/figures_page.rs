//! The figures in words: a line of JSON for everything that a run has told, and from these lines a
//! page with all of it, and one with what to look at first.

mod headlines;

use crate::date;
use crate::devices;
use crate::energy;
use crate::error::BenchError;
use crate::figures_run::{FiguresOutcome, FiguresPlan, Judged, table};
use crate::paper;
use crate::peers::Peers;
use crate::runner::Results;
use crate::table::{TextTable, factor, short};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// All that a run has told.
#[derive(Debug, Clone, PartialEq)]
pub struct ToldFigures(Vec<PageLine>);

/// One line of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PageLine {
    /// Small parameters: it judges nothing.
    Quick,
    /// Where and how it was measured.
    Setting(String, String),
    Figure(Judged),
    /// Bytes of an idle actor of another runtime.
    Idle(String, f64),
    Medians(Medians),
}

/// The medians of all groups of one workload that stand beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Medians {
    workload: String,
    operation: String,
    floor: String,
    rows: Vec<Vec<String>>,
}

const COLUMNS: [&str; 6] = ["impl", "params", "median ns", "min..max", "x floor", "peak RSS MiB"];

impl ToldFigures {
    /// Of a run.
    pub fn of(outcome: &FiguresOutcome, plan: &FiguresPlan, peers: &Peers) -> Self {
        let mut lines = if plan.quick { vec![PageLine::Quick] } else { Vec::new() };
        lines.extend(setting(outcome, plan, peers));
        lines.extend(outcome.verdicts.iter().cloned().map(PageLine::Figure));
        let idle = outcome.peers_idle_bytes.iter();
        lines.extend(idle.map(|(name, bytes)| PageLine::Idle(name.clone(), bytes.round())));
        let mut rest = &outcome.results[..];
        while let Some(first) = rest.first() {
            let alike = rest.iter().take_while(|other| workload(other) == workload(first)).count();
            lines.extend(medians(&rest[..alike]).map(PageLine::Medians));
            rest = &rest[alike..];
        }
        Self(lines)
    }

    /// As a file has it.
    ///
    /// # Errors
    /// If it cannot be read, or a line is not one of these.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let failed = |error| BenchError::file(path, error);
        let text = std::fs::read_to_string(path).map_err(failed)?;
        let lines = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
        lines.map(Self).map_err(|error| failed(Error::new(ErrorKind::InvalidData, error)))
    }

    /// Lines of JSON.
    pub fn lines(&self) -> String {
        let line = |line| serde_json::to_string(line).expect("names are text") + "\n";
        self.0.iter().map(line).collect()
    }

    fn verdicts(&self) -> Vec<Judged> {
        let verdict = |line: &PageLine| match line {
            PageLine::Figure(verdict) => Some(verdict.clone()),
            _ => None,
        };
        self.0.iter().filter_map(verdict).collect()
    }

    fn quick_run(&self) -> &'static str {
        match self.0.contains(&PageLine::Quick) {
            true => {
                "**A quick run with small parameters: it shows that everything works, and judges nothing.**\n\n"
            }
            false => "",
        }
    }

    fn setting(&self) -> String {
        let mut table = TextTable::new(["", ""]);
        for line in &self.0 {
            if let PageLine::Setting(name, value) = line {
                table.row([name.clone(), value.clone()]);
            }
        }
        table.to_markdown()
    }

    /// Everything. `notes` is a Markdown text whose second-level headings are names of figures, or
    /// what their names begin with up to a comma; the paragraphs below a heading explain why the
    /// figure is not reached.
    pub fn page(&self, notes: &str) -> String {
        let verdicts = self.verdicts();
        let mut page = String::from("# Figures\n\n");
        page += "This page is written by `odeon bench figures --report docs/figures.md` from the ";
        page +=
            "lines of JSON beside it, which that command writes too; every figure was measured ";
        page += "in one run on the machine below.\n\n";
        page += self.quick_run();
        page += &self.setting();
        page += "\n## Figures\n\n";
        page += &table(&verdicts).to_markdown();
        page += &unreached(&verdicts, notes, "## Not reached", "");
        page += &self.idle_of_peers();
        page += "\n## Lines of code\n\n";
        page += "Of the programs of the Savina suite, without comments and empty lines: ";
        page += "messages, actors and setting up of each version.\n\n";
        page += &paper::lines_of_code().to_markdown();
        page += "\n## All medians\n\n";
        page += "Medians and spreads (min..max) of all samples, none dropped; ";
        page += "`--json` keeps every sample. ";
        page += "The floor is the same work with no runtime, measured in the same alternation.\n";
        page += "Peak memory is that of a whole process: Odeon's and the floors' rows share one, ";
        page += "which keeps what earlier rows have used; each peer has its own.\n";
        for line in &self.0 {
            if let PageLine::Medians(medians) = line {
                page += &medians.text();
            }
        }
        page
    }

    fn idle_of_peers(&self) -> String {
        let idle = |line: &PageLine| match line {
            PageLine::Idle(name, bytes) => Some(format!("{name} {}", short(*bytes))),
            _ => None,
        };
        let all: Vec<String> = self.0.iter().filter_map(idle).collect();
        match all.is_empty() {
            true => String::new(),
            false => format!("\nResident bytes of an idle actor elsewhere: {}.\n", all.join(", ")),
        }
    }
}

impl Medians {
    fn text(&self) -> String {
        let Self { workload, operation, floor, rows } = self;
        let mut table = TextTable::new(COLUMNS);
        rows.iter().for_each(|row| table.row(row.iter().cloned()));
        let heading = format!("\n### {workload}, ns per {operation}\n\nFloor: {floor}.\n\n");
        heading + &table.to_markdown()
    }
}

fn setting(outcome: &FiguresOutcome, plan: &FiguresPlan, peers: &Peers) -> Vec<PageLine> {
    let machine = &outcome.machine;
    let mut lines = Vec::new();
    let mut row = |name: &str, value: String| lines.push(PageLine::Setting(name.to_owned(), value));
    row("processor", format!("{}, {} cores", machine.cpu, machine.cores));
    if let Some(kib) = machine.memory_kib {
        row("memory", format!("{} MiB", kib / 1024));
    }
    row("kernel", machine.kernel.clone());
    row("compiler", format!("{}, profile {}", machine.rustc, machine.profile));
    // Only behind all measurements, as a driver that is open keeps a thread awake.
    row("devices for kernels", devices::all_told());
    row("counters of energy", energy::missing().unwrap_or_else(|| "there are some".to_owned()));
    row("odeon", machine.version.clone());
    row("commit", machine.commit.clone().unwrap_or_else(|| "not known".to_owned()));
    row("date", date::today());
    for hello in peers.hellos() {
        let value = format!("{}, allocator {}, {}", hello.version, hello.allocator, hello.rustc);
        row(&hello.implementation, value);
    }
    let rounds = plan.rounds;
    row(
        "runs",
        format!(
            "{} samples of each case, taken in turn, after {}",
            rounds.samples,
            warm(rounds.warmup)
        ),
    );
    lines
}

fn warm(runs: usize) -> String {
    match runs {
        1 => "1 run to warm up".to_owned(),
        runs => format!("{runs} runs to warm up"),
    }
}

/// One section per note on figures that are not reached, below a heading, which tells the level.
/// The headings of these notes begin with `beginning`.
pub(crate) fn unreached(
    verdicts: &[Judged],
    notes: &str,
    heading: &str,
    beginning: &str,
) -> String {
    let mut sections: Vec<(Vec<&str>, &str)> = Vec::new();
    for verdict in verdicts.iter().filter(|verdict| verdict.reached == Some(false)) {
        let what = &verdict.what[..];
        let family = what.split(',').next().unwrap_or(what);
        let note = [what, family]
            .iter()
            .find_map(|what| Some((*what, note_on(&format!("{beginning}{what}"), notes)?)));
        let (what, note) = note.unwrap_or((what, "The reason has not been written down yet."));
        match sections.iter_mut().find(|(_, told)| *told == note) {
            Some((whats, _)) if whats.contains(&what) => {}
            Some((whats, _)) => whats.push(what),
            None => sections.push((vec![what], note)),
        }
    }
    let level = heading.split(' ').next().unwrap_or_default();
    let mut text = String::new();
    for (place, (whats, note)) in sections.iter().enumerate() {
        if place == 0 {
            let _ = write!(text, "\n{heading}\n");
        }
        let whats = whats.join(&format!("\n{level}# "));
        let _ = write!(text, "\n{level}# {whats}\n\n{note}\n");
    }
    text
}

/// The text below the heading `## what`, and below those that follow it without a text between, up
/// to the next heading of that level.
fn note_on<'a>(what: &str, notes: &'a str) -> Option<&'a str> {
    let sections = notes.split("\n## ").map(|section| section.trim_start_matches("## "));
    let parts = sections.map(|section| section.split_once('\n').unwrap_or((section, "")));
    let from_there = parts.skip_while(|(heading, _)| heading.trim() != what);
    from_there.map(|(_, text)| text.trim()).find(|text| !text.is_empty())
}

fn workload(results: &Results) -> Option<&'static str> {
    results.0.first().map(|first| first.case.workload.name)
}

/// One table for all groups of one workload.
fn medians(groups: &[Results]) -> Option<Medians> {
    let all = groups.iter().flat_map(|results| results.0.iter().map(move |o| (o, results)));
    let about = all.clone().next()?.0.case.workload;
    let mut rows = Vec::new();
    for (outcome, results) in all {
        let spread = outcome.samples.spread();
        let floor = results.floor_of(outcome).map(|floor| factor(spread.median / floor.median()));
        let peak = outcome.samples.peak_rss_kib.map(|kib| (kib / 1024).to_string());
        rows.push(vec![
            outcome.case.contender.implementation().to_owned(),
            outcome.case.params.to_string(),
            short(spread.median),
            format!("{}..{}", short(spread.min), short(spread.max)),
            floor.unwrap_or_default(),
            peak.unwrap_or_default(),
        ]);
    }
    Some(Medians {
        workload: about.name.to_owned(),
        operation: about.operation.to_owned(),
        floor: about.floor_is.to_owned(),
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Machine;
    use crate::figures_run::List;
    use crate::runner::Rounds;

    fn verdict(what: &str, reached: bool) -> Judged {
        Judged {
            what: what.to_owned(),
            to_reach: "1x".to_owned(),
            measured: "2x".to_owned(),
            reached: Some(reached),
        }
    }

    #[test]
    fn notes_are_merged_by_name() {
        let notes = "# Notes\n\n## ring\n\nTwo cores.\n\n## other\n\nNot this.\n";
        assert_eq!(note_on("ring", notes), Some("Two cores."));
        assert_eq!(note_on("other", notes), Some("Not this."));
        assert_eq!(note_on("ri", notes), None);
        assert_eq!(note_on("ring", "## ring\nFirst line."), Some("First line."));
        let together = "## ring\n## big\n\nBoth.\n\n## other\n\nNot this.\n";
        assert_eq!([note_on("ring", together), note_on("big", together)], [Some("Both."); 2]);
    }

    #[test]
    fn the_page_explains_what_was_not_reached() {
        let outcome = FiguresOutcome {
            verdicts: vec![
                verdict("ring", false),
                verdict("ring", false),
                verdict("big", true),
                verdict("list, 1 list actors", false),
                verdict("list, 4 list actors", false),
            ],
            results: Vec::new(),
            peers_idle_bytes: vec![("tokio".to_owned(), 1152.0)],
            failures: Vec::new(),
            left_out: Vec::new(),
            machine: Machine::here(),
        };
        let plan = FiguresPlan {
            list: List::Usual,
            quick: true,
            rounds: Rounds { warmup: 1, samples: 10 },
            only: Vec::new(),
            idle_seconds: 5,
            within: None,
        };
        let notes = "## ring\n\nTwo cores.\n\n## list\n\nLong walks.\n";
        let told = ToldFigures::of(&outcome, &plan, &Peers::none());
        let text = told.page(notes);
        assert_eq!(text.matches("### ring\n\nTwo cores.\n").count(), 1, "{text}");
        assert!(text.contains("| ring | 1x | 2x | NO |"), "{text}");
        assert!(text.contains("A quick run") && text.contains("tokio 1152"), "{text}");
        assert!(!text.contains("### big"), "{text}");
        assert_eq!(text.matches("### list\n\nLong walks.\n").count(), 1, "{text}");
        let file = std::env::temp_dir().join(format!("odeon-told-{}", std::process::id()));
        std::fs::write(&file, told.lines()).expect("the temporary folder is writable");
        assert_eq!(ToldFigures::read(&file).expect("it was written"), told);
        let _ = std::fs::remove_file(&file);
    }
}
