//! The process's resident size as Linux tells it.

use std::fs;

/// TUNE: idle actors that are sent their message at once when their memory is weighed (guessed:
/// few, so that the messages' own memory does not count).
pub const IDLE_ACTORS_AT_ONCE: usize = 128;

/// Makes [`peak_kib`] forget what was reached before.
///
/// Where the kernel refuses, the peak stays that of the whole process.
pub fn restart_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

pub fn peak_kib() -> Result<u64, String> {
    let status = read_text("/proc/self/status")?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse().ok())
        .ok_or_else(|| "/proc/self/status has no VmHWM".into())
}

pub fn resident_bytes() -> Result<u64, String> {
    let statm = read_text("/proc/self/statm")?;
    let pages: u64 = statm
        .split_whitespace()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .ok_or("/proc/self/statm has no resident size")?;
    Ok(pages * page_bytes()?)
}

/// Bytes in a page: entry 6 (`AT_PAGESZ`) of the auxiliary vector, whose entries are two words.
fn page_bytes() -> Result<u64, String> {
    const PAGE_SIZE_KEY: usize = 6;
    const WORD: usize = size_of::<usize>();
    let vector =
        fs::read("/proc/self/auxv").map_err(|error| format!("/proc/self/auxv: {error}"))?;
    let word = |bytes: &[u8]| usize::from_ne_bytes(bytes.try_into().expect("a whole word"));
    vector
        .chunks_exact(2 * WORD)
        .find(|entry| word(&entry[..WORD]) == PAGE_SIZE_KEY)
        .map(|entry| word(&entry[WORD..]) as u64)
        .ok_or_else(|| "/proc/self/auxv has no page size".into())
}

fn read_text(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_sources_agree_on_the_order_of_magnitude() {
        let resident = resident_bytes().unwrap();
        let peak = peak_kib().unwrap() * 1024;
        assert!(resident > 0);
        assert!(peak * 2 > resident, "peak {peak}, resident {resident}");
    }
}
