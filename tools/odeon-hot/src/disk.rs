//! What the disk does by itself, without any log.

use odeon_bench::error::BenchError;
use odeon_bench::latency::{Latency, nanoseconds};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Of one look at a disk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DiskSpeed {
    /// An `fdatasync` of 64 KiB that were appended to a file.
    pub sync: Latency,
    /// What is written in sequence, with one `fdatasync` at the end.
    pub bytes_per_second: f64,
}

/// How much of a disk a look takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskLook {
    /// Times that 64 KiB are synced.
    pub syncs: usize,
    /// What is written in sequence.
    pub mebibytes: usize,
}

const SYNCED: usize = 64 * 1024;
const MEBIBYTE: usize = 1024 * 1024;

impl DiskLook {
    /// Looks at the disk that has this folder.
    ///
    /// # Errors
    /// If a file cannot be written there.
    pub fn look(self, folder: &Path) -> Result<DiskSpeed, BenchError> {
        let path = folder.join("disk-speed");
        let speed = self.look_with(&path).map_err(|error| BenchError::file(&path, error));
        let removed = std::fs::remove_file(&path).map_err(|error| BenchError::file(&path, error));
        speed.and_then(|speed| removed.map(|()| speed))
    }

    fn look_with(self, path: &Path) -> std::io::Result<DiskSpeed> {
        // No disk finds this shorter than it is.
        let mut state = 1_u64;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        });
        let noise: Vec<u8> = noise.take(MEBIBYTE).collect();
        let mut file = File::create(path)?;
        file.sync_all()?;
        let mut took = Vec::with_capacity(self.syncs);
        for _ in 0..self.syncs {
            file.write_all(&noise[..SYNCED])?;
            let begun = Instant::now();
            file.sync_data()?;
            took.push(nanoseconds(begun.elapsed()));
        }
        let sync = Latency::of(took).expect("there is one at least");
        let begun = Instant::now();
        for _ in 0..self.mebibytes {
            file.write_all(&noise)?;
        }
        file.sync_data()?;
        let bytes = (self.mebibytes * MEBIBYTE) as f64;
        Ok(DiskSpeed { sync, bytes_per_second: bytes / begun.elapsed().as_secs_f64() })
    }
}

/// The kind of file system that has this folder, where the system tells.
pub fn file_system(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let mounts = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (place, kind) = (words.nth(1)?, words.next()?);
        folder.starts_with(place).then_some((place.len(), kind))
    });
    // Of those at one place the last one hides the others.
    mounts.max_by_key(|(length, _)| *length).map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("odeon-hot-disk-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("it can be made");
        let look = DiskLook { syncs: 3, mebibytes: 1 };
        let DiskSpeed { sync, bytes_per_second } = look.look(&folder).expect("it can be written");
        assert!(sync.p50_ns > 0 && sync.p50_ns <= sync.p99_ns && bytes_per_second > 0.0);
        assert!(file_system(&folder).is_some() || !cfg!(target_os = "linux"));
        std::fs::remove_dir(&folder).expect("it is empty");
        assert!(matches!(look.look(&folder), Err(BenchError::File { .. })));
    }
}
