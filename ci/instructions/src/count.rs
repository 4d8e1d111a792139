//! Runs this program under callgrind and reads what it counted.

use crate::paths::PATHS;
use std::process::Command;

/// Prints a line for each path.
pub(crate) fn all() -> Result<(), String> {
    println!("{:<22}{:>12}", "path", "instructions");
    for (path, operations) in PATHS {
        let once = instructions(path, operations)?;
        let twice = instructions(path, 2 * operations)?;
        let each = twice.saturating_sub(once) as f64 / operations as f64;
        println!("{path:<22}{each:>12.1}");
    }
    Ok(())
}

/// All instructions of a run.
fn instructions(path: &str, operations: u64) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--fair-sched=yes"])
        .arg(program)
        .args([path, &operations.to_string()])
        .output()
        .map_err(|error| format!("valgrind does not start: {error}"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{path} failed under valgrind:\n{report}"));
    }
    report
        .lines()
        .find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
        .ok_or_else(|| format!("callgrind counted nothing:\n{report}"))
}
