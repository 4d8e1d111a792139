//! Folders of single runs.

use odeon_bench::error::BenchError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Calls a function with an empty folder below this one, and removes that.
pub(crate) fn in_a_folder<T>(
    above: &Path,
    doing: impl FnOnce(&Path) -> Result<T, BenchError>,
) -> Result<T, BenchError> {
    let folder = new_folder(above)?;
    let done = doing(&folder);
    let removed = std::fs::remove_dir_all(&folder);
    let removed = removed.map_err(|error| BenchError::file(&folder, error));
    done.and_then(|done| removed.map(|()| done))
}

/// One that was not there: others of this process, or of one that had its number, may be.
fn new_folder(above: &Path) -> Result<PathBuf, BenchError> {
    let mut number = 0;
    loop {
        let folder = above.join(format!("odeon-hot-{}-{number}", std::process::id()));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(BenchError::file(&folder, error)),
        }
    }
}
