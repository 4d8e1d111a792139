//! Figures of real hardware, judged by what was measured there.

use crate::output::Terminal;
use odeon_bench::error::BenchError;
use odeon_bench::figures::hardware::HardwarePart;
use odeon_bench::figures_run::{FiguresPlan, List, table};
use odeon_bench::hardware_page::{put, section, verdicts};
use odeon_bench::json_lines;
use odeon_bench::runner::Rounds;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Shows the verdicts, and replaces the section of the page.
pub(super) fn judge(
    files: &[PathBuf],
    plan: &FiguresPlan,
    report: Option<&Path>,
    notes: &str,
) -> Result<(), BenchError> {
    let recorded = json_lines::read(files).map_err(|error| match error.is_bad_argument() {
        true => error,
        false => BenchError::bad_argument("--from", error.to_string()),
    })?;
    let mut terminal = Terminal::default();
    terminal.print(&format!("figures on {}\n", recorded.machine.line()));
    terminal.print(&table(&verdicts(&recorded, plan)).to_text());
    if let Some(path) = report {
        let failed = |source| BenchError::File { path: path.to_owned(), source };
        let page = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read.map_err(failed)?,
        };
        std::fs::write(path, put(&page, &section(&recorded, plan, notes))).map_err(failed)?;
    }
    terminal.finish()
}

/// The section for a page, from the files in the folder `hardware` beside it; nothing if there are
/// none.
pub(super) fn section_beside(report: &Path, notes: &str) -> Result<Option<String>, BenchError> {
    let folder = report.with_file_name("hardware");
    let failed = |source| BenchError::File { path: folder.clone(), source };
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        read => read.map_err(failed)?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(failed)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    if files.is_empty() {
        return Ok(None);
    }
    // Of a case that is in two of them, the last one counts.
    files.sort();
    let plan = FiguresPlan {
        list: List::Hardware(vec![HardwarePart::Cores, HardwarePart::Gpu]),
        quick: false,
        rounds: Rounds { warmup: 0, samples: 1 },
        only: Vec::new(),
        idle_seconds: 0,
        within: None,
    };
    Ok(Some(section(&json_lines::read(&files)?, &plan, notes)))
}
