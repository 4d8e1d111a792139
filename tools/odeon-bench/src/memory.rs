//! Memory of this process, as the system and the heap see it.

mod course;

pub use course::MemoryCourse;

use crate::environment::kib_of;
use rustix::time::{ClockId, clock_gettime};
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

/// CPU time that all threads of this process have used, the ended ones too, in ns. Never less than
/// before.
pub fn cpu_time_ns() -> u64 {
    time_ns(ClockId::ProcessCPUTime)
}

fn time_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// WHY several attempts: other tests of this process give memory back at the same time, and
    /// reset the peak.
    #[test]
    fn the_peak_follows_use() {
        let seen = (0..20).any(|_| {
            reset_peak_rss();
            let before = peak_rss_kib().expect("linux tells");
            let block = std::hint::black_box(vec![1_u8; 64 << 20]);
            let after = peak_rss_kib().expect("linux tells");
            assert!(rss_kib().expect("linux tells") > 50 << 10);
            drop(block);
            after >= before + (50 << 10)
        });
        assert!(seen, "64 MiB never raised the peak by 50");
    }

    #[test]
    fn the_time_of_ended_threads_counts() {
        const USED_NS: u64 = 1_000_000;
        let before = cpu_time_ns();
        let worker = std::thread::spawn(|| {
            while time_ns(ClockId::ThreadCPUTime) < USED_NS {
                std::hint::spin_loop();
            }
        });
        worker.join().expect("it only waits");
        assert!(cpu_time_ns() >= before + USED_NS);
    }
}
