//! Folders of single runs.

use odeon_bench::error::BenchError;
use std::path::Path;

/// Calls a function with an empty folder below this one, and removes that.
pub(crate) fn in_a_folder<T>(
    above: &Path,
    doing: impl FnOnce(&Path) -> Result<T, BenchError>,
) -> Result<T, BenchError> {
    let folder = above.join(format!("odeon-hot-{}", std::process::id()));
    let refused = |error| BenchError::file(&folder, error);
    std::fs::create_dir(&folder).map_err(refused)?;
    let done = doing(&folder);
    let removed = std::fs::remove_dir_all(&folder).map_err(refused);
    done.and_then(|done| removed.map(|()| done))
}
