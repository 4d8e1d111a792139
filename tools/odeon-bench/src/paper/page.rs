//! The page: the setting here and there, and each figure with what the paper says of it, beside
//! what was measured here.

use super::PaperPlan;
use crate::date;
use crate::environment::Machine;
use crate::error::BenchError;
use crate::html::{QUICK_RUN, element, page as html_page, picture, statements};
#[cfg(feature = "devices")]
use crate::plot::Bars;
use crate::plot::{self, Lines};
use crate::runner::Results;
use crate::table::TextTable;
use std::path::{Path, PathBuf};

/// All of it.
pub(super) struct Page {
    /// Of the window.
    pub(super) title: &'static str,
    pub(super) heading: &'static str,
    /// Who says what stands beside ours.
    pub(super) who: &'static str,
    pub(super) is_quick: bool,
    /// What is so here, and what there.
    pub(super) setting: TextTable,
    /// What to know of all figures.
    pub(super) intro: Vec<String>,
    pub(super) sections: Vec<Section>,
}

/// One figure.
#[derive(Default)]
pub(super) struct Section {
    pub(super) heading: String,
    /// Whether it belongs to the section before.
    pub(super) is_part: bool,
    /// What it shows, and in which setting; may be empty.
    pub(super) shows: &'static str,
    /// What the paper says, and what we measured.
    pub(super) said: Vec<(&'static str, String)>,
    /// Files, and what is drawn there.
    pub(super) plots: Vec<(String, Drawing)>,
    /// Plots of other sections.
    pub(super) also: Vec<String>,
    pub(super) table: Option<TextTable>,
}

/// What is drawn.
pub(super) enum Drawing {
    Lines(Lines),
    #[cfg(feature = "devices")]
    Bars(Bars),
    Results(Results),
}

/// What was written.
#[derive(Debug, Clone)]
pub struct Written {
    /// The page; the plots lie beside it.
    pub page: PathBuf,
    /// The files of the plots.
    pub plots: Vec<PathBuf>,
}

/// Rows of what is so here and what there; the machine, the date and the samples are those of every
/// page.
pub(super) fn setting<'a>(
    plan: &PaperPlan,
    who: &str,
    [machine, year, samples]: [&'a str; 3],
    rows: impl IntoIterator<Item = (&'a str, String, &'a str)>,
) -> TextTable {
    let mut table = TextTable::new(["", "here", who]);
    let ours = format!("{}, median; cases take turns", plan.rounds.samples);
    let known = [
        ("machine", Machine::here().line(), machine),
        ("date", date::today(), year),
        ("samples", ours, samples),
    ];
    for (what, ours, theirs) in known.into_iter().chain(rows) {
        table.row([what.to_owned(), ours, theirs.to_owned()]);
    }
    table
}

impl Page {
    /// Writes it, with its plots, into the folder `out`, which is there.
    pub(super) fn write(&self, out: &Path) -> Result<Written, BenchError> {
        let mut plots = Vec::new();
        for (file, drawing) in self.sections.iter().flat_map(|section| &section.plots) {
            let path = out.join(file);
            drawing.draw(&path)?;
            plots.push(path);
        }
        let page = out.join("index.html");
        std::fs::write(&page, self.text()).map_err(|source| BenchError::file(&page, source))?;
        Ok(Written { page, plots })
    }

    pub(super) fn text(&self) -> String {
        let mut body = element("h1", self.heading);
        if self.is_quick {
            body += QUICK_RUN;
        }
        body += &self.setting.to_html();
        body.extend(self.intro.iter().map(|text| element("p", text)));
        body.extend(self.sections.iter().map(|section| section.text(self)));
        html_page(self.title, &body)
    }
}

impl Section {
    fn text(&self, of: &Page) -> String {
        let mut text = element(if self.is_part { "h3" } else { "h2" }, &self.heading);
        if !self.shows.is_empty() {
            text += &element("p", self.shows);
        }
        if !self.said.is_empty() {
            let said =
                self.said.iter().map(|(paper, ours)| vec![(*paper).to_owned(), ours.clone()]);
            text += &statements(of.who, of.is_quick, said);
        }
        let files = self.plots.iter().map(|(file, _)| file).chain(&self.also);
        text.extend(files.map(|file| picture(file)));
        text.extend(self.table.iter().map(TextTable::to_html));
        text
    }
}

impl Drawing {
    fn draw(&self, path: &Path) -> Result<(), BenchError> {
        match self {
            Self::Lines(lines) => lines.draw(path),
            #[cfg(feature = "devices")]
            Self::Bars(bars) => bars.draw(path),
            Self::Results(results) => plot::draw(results, path),
        }
    }
}
