//! What is set beside a paper's figures: for each paper a table of what it shows and says, and of
//! what is run here for it; one plan, one page and one renderer for all of them.
//!
//! | what | file |
//! |---|---|
//! | OPODIS 2013 and Hayduk's thesis, chapter 5: the distributed sorted list | `list.rs` |
//! | Hayduk's thesis, chapter 5: the simulation of the subsurface | `geostat.rs` |
//! | Hayduk's thesis, chapter 6: cores and devices | `heterogeneous.rs` |
//! | AGERE 2014: selectors | `selectors.rs` |
//! | AGERE 2015: SALSA Lite, actors that are remote or move | `theaters.rs` |
//! | cases that are measured as whole runs | `cases.rs` |
//! | cases that are looked at in their course | `courses.rs` |
//! | the page | `page.rs` |

mod cases;
mod courses;
#[cfg(feature = "devices")]
mod geostat;
#[cfg(feature = "devices")]
mod heterogeneous;
mod list;
mod page;
mod selectors;
#[cfg(feature = "theaters")]
mod theaters;

use crate::error::BenchError;
use crate::parameter::{Params, Setting, Value};
use crate::runner::Rounds;
use crate::table::TextTable;
use crate::workload::Workload;
use page::Page;
use std::path::Path;

pub use page::Written;
pub use selectors::lines_of_code;

/// A parameter that the caller has chosen, with its values.
pub type Chosen = (&'static str, Vec<Value>);

/// What is run.
#[derive(Debug, Clone)]
pub struct PaperPlan {
    /// Small sizes: shows that everything works, and compares nothing seriously.
    pub quick: bool,
    /// The paper's sizes where those here are scaled to two cores.
    pub full_size: bool,
    /// How often each case is run.
    pub rounds: Rounds,
    /// Parts of it, by the names that the paper's table has for them; empty for all.
    pub only: Vec<String>,
    /// What takes the place of the paper's values.
    pub chosen: Vec<Chosen>,
}

/// Told about the course of a run.
pub trait WatchPaper {
    /// A part begins, with so many runs.
    fn part(&mut self, name: &str, runs: usize);
    /// A run begins.
    fn run(&mut self, what: String);
}

/// What came out.
pub struct Findings {
    /// What is told on a terminal; the headings may be empty.
    pub tables: Vec<(&'static str, TextTable)>,
    /// What has come to a wrong result: the rest is told all the same.
    pub failures: Vec<String>,
    /// What else to know of it.
    pub notes: Vec<String>,
    page: Page,
}

impl Findings {
    fn new(page: Page) -> Self {
        Self { tables: Vec::new(), failures: Vec::new(), notes: Vec::new(), page }
    }
}

impl Findings {
    /// Writes page and plots into the folder `out`, which is there.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, out: &Path) -> Result<Written, BenchError> {
        self.page.write(out)
    }
}

/// A paper of which something is reproduced.
pub struct Paper {
    /// The benchmark.
    pub name: &'static str,
    /// One line for `--help`, where it is a command of its own.
    pub about: &'static str,
    /// Samples, unless told otherwise.
    pub samples: usize,
    /// What may be chosen from it.
    pub parts: fn() -> Vec<String>,
    /// Whether its sizes are scaled to two cores unless told otherwise.
    pub has_full_size: bool,
    /// Worker threads, if another number may be chosen.
    pub workers: Option<u64>,
    check: fn(&PaperPlan) -> Result<(), BenchError>,
    run: fn(&PaperPlan, &mut dyn WatchPaper) -> Result<Findings, BenchError>,
}

/// What most have.
const USUAL: Paper = Paper {
    name: "",
    about: "",
    samples: 10,
    parts: Vec::new,
    has_full_size: false,
    workers: None,
    check: |_| Ok(()),
    run: |_, _| unreachable!("every paper has its own"),
};

/// All of them.
pub const ALL: &[Paper] = &[
    list::PAPER,
    selectors::PAPER,
    #[cfg(feature = "theaters")]
    theaters::PAPER,
    #[cfg(feature = "devices")]
    geostat::PAPER,
    #[cfg(feature = "devices")]
    heterogeneous::PAPER,
];

/// The one of a benchmark.
pub fn find(name: &str) -> Option<&'static Paper> {
    ALL.iter().find(|paper| paper.name == name)
}

impl Paper {
    /// Refuses what cannot be chosen.
    ///
    /// # Errors
    /// If the plan has something of the kind.
    pub fn check(&self, plan: &PaperPlan) -> Result<(), BenchError> {
        (self.check)(plan)
    }

    /// Measures everything.
    ///
    /// # Errors
    /// What a run answers.
    pub fn run(
        &self,
        plan: &PaperPlan,
        watch: &mut dyn WatchPaper,
    ) -> Result<Findings, BenchError> {
        (self.run)(plan, watch)
    }
}

impl PaperPlan {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    /// A workload's defaults, where these settings do not say otherwise, nor those of a quick look,
    /// nor the one value that the caller has chosen.
    fn params(&self, workload: &Workload, settings: &[Setting], quick: &[Setting]) -> Params {
        let quick = if self.quick { quick } else { &[] };
        let params = workload.defaults().with_all(settings).with_all(quick);
        self.chosen.iter().fold(params, |params, (name, values)| match values[..] {
            [only] if params.get(name).is_some() => params.with(name, only),
            _ => params,
        })
    }

    /// Refuses several values of a parameter, but for those of `swept`.
    fn check_chosen(&self, workload: &Workload, swept: &[&str]) -> Result<(), BenchError> {
        let several = self.chosen.iter().find(|(_, values)| values.len() > 1);
        match several.filter(|(name, _)| !swept.contains(name)) {
            Some((name, _)) => Err(BenchError::bad_argument(
                workload.option(name),
                "takes one value with --reproduce",
            )),
            None => Ok(()),
        }
    }
}

/// What is said of something that no run has measured.
const NOT_MEASURED: &str = "not measured";

fn not_measured() -> String {
    NOT_MEASURED.to_owned()
}

#[cfg(test)]
mod tests;
