//! The machine, compiler and source that results belong to.

use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::process::Command;

/// What every result says about where it was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model name of the processor.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Operating system and version of its kernel.
    pub kernel: String,
    /// Memory of the machine, where the system tells.
    pub memory_kib: Option<u64>,
    /// Version of the compiler that built this program.
    pub rustc: String,
    /// Cargo profile that built it.
    pub profile: String,
    /// Version of this package.
    pub version: String,
    /// Commit of the source, with `+changes` when the tree differs from it; `null` outside a git
    /// checkout.
    pub commit: Option<String>,
    /// What kernels can run on, once something has looked: that wakes a driver, which would disturb
    /// what is measured.
    #[serde(default)]
    pub devices: Option<String>,
}

/// Names the commit of a program that runs where its source is not.
const COMMIT_VARIABLE: &str = "ODEON_COMMIT";

impl Machine {
    /// Asks the system.
    pub fn here() -> Self {
        Self {
            cpu: field_of("/proc/cpuinfo", "model name")
                .unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: cores(),
            kernel: kernel(),
            memory_kib: kib_of("/proc/meminfo", "MemTotal"),
            rustc: env!("ODEON_BENCH_RUSTC").to_owned(),
            profile: env!("ODEON_BENCH_PROFILE").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: std::env::var(COMMIT_VARIABLE).ok().or_else(commit),
            devices: devices_if_open(),
        }
    }

    /// Devices, if something has looked for them meanwhile.
    pub fn look_again(&mut self) {
        self.devices = devices_if_open();
    }

    /// One line for headings.
    pub fn line(&self) -> String {
        let memory =
            self.memory_kib.map_or_else(String::new, |kib| format!(", {} MiB", kib / 1024));
        let (cpu, cores, kernel, rustc) = (&self.cpu, self.cores, &self.kernel, &self.rustc);
        let unoptimised = if self.profile == "release" { "" } else { ", NOT a release build" };
        format!("{cpu}, {cores} cores{memory}, {kernel}, {rustc}{unoptimised}")
    }
}

#[cfg(feature = "devices")]
fn devices_if_open() -> Option<String> {
    crate::devices::told_if_open()
}

/// Nothing looks for any.
#[cfg(not(feature = "devices"))]
fn devices_if_open() -> Option<String> {
    None
}

/// Cores that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn kernel() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {}", std::env::consts::OS, release.trim()).trim_end().to_owned()
}

/// WHY asked when the program runs: a build script would have to be rerun at every commit.
fn commit() -> Option<String> {
    let source = env!("CARGO_MANIFEST_DIR");
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(["-C", source]).args(arguments).output().ok()?;
        output.status.success().then_some(())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changes.is_empty() { commit } else { format!("{commit}+changes") })
}

/// The value of a `name : value` line of a file in `/proc`.
pub(crate) fn field_of(path: impl AsRef<Path>, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value)
    })?;
    Some(value.trim().to_owned())
}

/// The same for a value in kB.
pub(crate) fn kib_of(path: impl AsRef<Path>, name: &str) -> Option<u64> {
    field_of(path, name)?.strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_describes_itself() {
        let machine = Machine::here();
        assert!(machine.cores >= 1);
        assert!(machine.rustc.starts_with("rustc "), "{}", machine.rustc);
        assert!(machine.line().contains("cores"));
    }
}
