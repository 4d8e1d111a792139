//! Where results go: the terminal, and files that are opened before anything is measured.

use odeon_bench::error::BenchError;
use odeon_bench::json_lines::JsonLines;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The standard output. What it does not take is reported at the end: a full disk is no reason to
/// panic, nor to lose what goes to files. A reader that has seen enough has no need of a report.
#[derive(Default)]
pub(crate) struct Terminal {
    failed: Option<std::io::Error>,
}

impl Terminal {
    pub(crate) fn print(&mut self, text: &str) {
        if self.failed.is_none() {
            let mut out = std::io::stdout().lock();
            self.failed = writeln!(out, "{text}").and_then(|()| out.flush()).err();
        }
    }

    /// Whether all of it was written.
    pub(crate) fn finish(self) -> Result<(), BenchError> {
        match self.failed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(BenchError::Output(error)),
            _ => Ok(()),
        }
    }
}

/// The file of `--json`, if it was asked for.
pub(crate) fn json(path: Option<&Path>) -> Result<Option<JsonLines>, BenchError> {
    let file = path.map(JsonLines::create).transpose();
    file.map_err(|error| BenchError::bad_argument("--json", error.to_string()))
}

/// Refuses options of which one would overwrite what the other has written.
pub(crate) fn check_distinct(options: &[(&str, Option<&Path>)]) -> Result<(), BenchError> {
    let mut taken: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in options {
        let Some(path) = path else { continue };
        // What is there and no plain file, such as /dev/null, may take several.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            continue;
        }
        let place = place_of(path);
        if let Some((other, _)) = taken.iter().find(|(_, other)| *other == place) {
            let problem = format!("{} is the file of {other} already", path.display());
            return Err(BenchError::bad_argument(*option, problem));
        }
        taken.push((option, place));
    }
    Ok(())
}

/// The file that a path leads to, also if it is still to be created.
fn place_of(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => path,
    };
    let to_create = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(to_create).unwrap_or_else(|| path.to_owned())
}

/// Whether a file can be written, asked before measuring. What is in it stays until there are
/// results.
pub(crate) fn check(option: &str, path: &Path) -> Result<(), BenchError> {
    let opened = File::options().append(true).create(true).open(path);
    opened.map(drop).map_err(|error| refused(option, path, &error))
}

/// A file for results, empty.
pub(crate) fn create(option: &str, path: &Path) -> Result<File, BenchError> {
    File::create(path).map_err(|error| refused(option, path, &error))
}

fn refused(option: &str, path: &Path, error: &std::io::Error) -> BenchError {
    BenchError::bad_argument(option, format!("{}: {error}", path.display()))
}
