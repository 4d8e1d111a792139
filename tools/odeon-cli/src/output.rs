//! Where results go: the terminal, and files that are opened before anything is measured.

use odeon_bench::error::BenchError;
use odeon_bench::json_lines::JsonLines;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Prints to the standard output. WHY not `println!`: a reader that has seen enough is no reason to
/// panic.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// The file of `--json`, if it was asked for.
pub(crate) fn json(path: Option<&Path>) -> Result<Option<JsonLines>, BenchError> {
    let file = path.map(JsonLines::create).transpose();
    file.map_err(|error| BenchError::bad_argument("--json", error.to_string()))
}

/// Whether a file can be written, asked before measuring. What is in it stays until there are results.
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
