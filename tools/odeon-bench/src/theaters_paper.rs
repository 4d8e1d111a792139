//! `odeon bench theaters`: what *A Performance and Scalability Analysis of Actor Message Passing and Migration in SALSA Lite* (Desell and Varela, AGERE
//! 2015) measures, its figures 5 to 9, with plots and a page that sets what came out beside what the paper reports.

mod drawn;
mod figures;
mod page;

use crate::environment::Machine;
use crate::error::BenchError;
use crate::parameter::Setting;
use crate::parameter::{Params, Value};
use crate::peers::Peers;
use crate::runner::{Case, Plan, Rounds, WRONG_RESULT, measure_right_ones};
use crate::statistics::Spread;
use crate::table::{Table, short};
use crate::workload::Variant;
use drawn::Drawn;
use figures::Figure;
use std::path::{Path, PathBuf};

/// What is run.
#[derive(Debug, Clone)]
pub struct TheatersPlan {
    /// Small sizes: shows that everything works, and compares nothing seriously.
    pub quick: bool,
    /// How often each case is run.
    pub rounds: Rounds,
    /// Numbers of figures; empty for all.
    pub only: Vec<u8>,
    /// What is so in all runs, in place of the paper's.
    pub chosen: Vec<Setting>,
}

/// Told about the course of a run.
pub trait WatchTheaters {
    /// A figure begins, with so many runs.
    fn figure(&mut self, name: &str, runs: usize);
    /// A run begins.
    fn run(&mut self, what: String);
}

/// What came out.
pub struct TheatersOutcome(Vec<Drawn>);

/// The numbers of the figures.
pub fn numbers() -> Vec<u8> {
    figures::ALL.iter().map(|figure| figure.number).collect()
}

impl TheatersPlan {
    /// Measures everything.
    ///
    /// # Errors
    /// What a run answers.
    pub fn run(&self, watch: &mut dyn WatchTheaters) -> Result<TheatersOutcome, BenchError> {
        let wanted = |figure: &&Figure| self.only.is_empty() || self.only.contains(&figure.number);
        let drawn = figures::ALL.iter().filter(wanted).map(|figure| self.measure(figure, watch));
        drawn.collect::<Result<_, _>>().map(TheatersOutcome)
    }

    fn measure(
        &self,
        figure: &'static Figure,
        watch: &mut dyn WatchTheaters,
    ) -> Result<Drawn, BenchError> {
        let mut points = Vec::new();
        let mut plan = Plan::default();
        let (swept, full, quick) = figure.swept;
        for &value in if self.quick { quick } else { full } {
            for (line, settings) in figure.lines {
                let params = self.params(figure, settings).with(swept, Value::Number(value));
                figure.workload().check(&params)?;
                plan.add_odeon(figure.workload(), Variant::Pool, &params);
                points.push((*line, value, params));
            }
        }
        watch.figure(&figure.name(), self.rounds.runs(&plan));
        let measured = measure_right_ones(&plan, self.rounds, &mut Peers::none(), |case: &Case| {
            watch.run(case.params.to_string());
        });
        let (results, wrong) = measured?;
        Ok(Drawn::new(figure, &points, &results, &wrong))
    }

    fn params(&self, figure: &Figure, line: &[Setting]) -> Params {
        let about = figure.workload();
        let quick = if self.quick { figure.quick } else { &[] };
        let known = |(name, _): &&Setting| about.parameters.iter().any(|one| one.name == *name);
        let chosen = self.chosen.iter().filter(known);
        let all = figure.settings.iter().chain(quick).chain(line).chain(chosen);
        all.fold(about.defaults(), |params, (name, value)| params.with(name, *value))
    }
}

impl TheatersOutcome {
    /// The times of all runs.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["figure", "", "", "median ms", "min..max"]);
        for drawn in &self.0 {
            for (line, value, seconds) in drawn.times() {
                let Spread { min, median, max } = in_ms(seconds);
                let spread = format!("{}..{}", short(min), short(max));
                let at = format!("{value} {}", drawn.figure.x_title);
                let number = drawn.figure.number.to_string();
                table.row([number, line.to_owned(), at, short(median), spread]);
            }
            for (line, value, _) in drawn.wrong() {
                let at = format!("{value} {}", drawn.figure.x_title);
                let number = drawn.figure.number.to_string();
                let wrong = WRONG_RESULT.to_owned();
                table.row([number, line.to_owned(), at, wrong, String::new()]);
            }
        }
        table
    }

    /// What has come to a wrong result: the rest is told all the same.
    pub fn failures(&self) -> Vec<String> {
        let told = |drawn: &Drawn| {
            let told = drawn.wrong().map(|(line, value, why)| {
                format!("{}, {line}, {value} {}: {why}", drawn.figure.name(), drawn.figure.x_title)
            });
            told.collect::<Vec<_>>()
        };
        self.0.iter().flat_map(told).collect()
    }

    /// Writes page and plots into the folder `out`, which is there. Answers where the page is.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, plan: &TheatersPlan, out: &Path) -> Result<PathBuf, BenchError> {
        for (file, lines) in self.0.iter().flat_map(Drawn::charts) {
            lines.draw(&out.join(file))?;
        }
        let page = out.join("index.html");
        let text = page::page(plan, &self.0, &Machine::here());
        std::fs::write(&page, text).map_err(|source| BenchError::file(&page, source))?;
        Ok(page)
    }
}

fn in_ms(Spread { min, median, max }: Spread) -> Spread {
    Spread { min: min * 1e3, median: median * 1e3, max: max * 1e3 }
}

#[cfg(test)]
mod tests;
