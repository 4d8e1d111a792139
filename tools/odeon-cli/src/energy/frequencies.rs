//! Who chooses the frequencies of this machine's cores.

use crate::output::Terminal;
use odeon_energy::{CpuFrequency, Governors};

pub(super) fn show(governors: &Governors, terminal: &mut Terminal) {
    terminal.print("governors");
    match governors.read() {
        Ok(cpus) => groups(&cpus).iter().for_each(|line| terminal.print(line)),
        Err(why) => terminal.print(&format!("  unavailable: {why}")),
    }
}

/// Cores that follow each other and say the same are one line.
fn groups(cpus: &[CpuFrequency]) -> Vec<String> {
    let same = |one: &CpuFrequency, next: &CpuFrequency| {
        let mut apart = next.clone();
        (apart.cpu, apart.now_khz) = (one.cpu, one.now_khz);
        next.cpu == one.cpu + 1 && *one == apart
    };
    let lines = cpus.chunk_by(same).map(|group| match group {
        [only] => format!("  core {}: {only}", only.cpu),
        [first, .., last] => format!("  cores {} to {}: {first}", first.cpu, last.cpu),
        [] => String::new(),
    });
    lines.collect()
}
