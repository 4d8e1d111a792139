//! Memory of this process, as the system and the heap see it.

mod course;

pub use course::MemoryCourse;

use crate::environment::kib_of;
use std::fs;

/// Starts the peak of resident memory again at the present value. Where the system does not permit
/// it, the peak stays that of the whole process so far.
pub fn reset_peak_rss() {
    // WHY 5: the value that resets the peak and nothing else, see proc(5).
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Highest resident memory since the last reset, in KiB; `None` where the system does not tell.
pub fn peak_rss_kib() -> Option<u64> {
    kib_of("/proc/self/status", "VmHWM")
}

/// Resident memory now, in KiB; `None` where the system does not tell.
pub fn rss_kib() -> Option<u64> {
    kib_of("/proc/self/status", "VmRSS")
}

/// CPU time that all living threads of this process have used, in ns.
///
/// WHY schedstat: it counts in ns, while the process' own total counts in ticks of 10 ms, which is
/// the whole budget of an idle theater for five seconds.
pub fn cpu_time_ns() -> Option<u64> {
    let mut total = 0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let line = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        total += line.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(total)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_peak_follows_use() {
        reset_peak_rss();
        let before = peak_rss_kib().expect("linux tells");
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        let after = peak_rss_kib().expect("linux tells");
        assert!(after >= before + (50 << 10), "{before} KiB before, {after} KiB after");
        assert!(rss_kib().expect("linux tells") > 50 << 10);
        drop(block);
    }

    #[test]
    fn work_uses_cpu_time() {
        let before = cpu_time_ns().expect("linux tells");
        let start = std::time::Instant::now();
        while start.elapsed().as_millis() < 30 {
            std::hint::spin_loop();
        }
        assert!(cpu_time_ns().expect("linux tells") > before);
    }
}
