//! What could not be tested here.

use std::io::Write;

/// Says that a test has not done what it is for. Not by `println`: of tests that pass the harness
/// shows nothing.
pub fn skipped(test: &str, reason: &str) {
    let mut errors = std::io::stderr();
    writeln!(errors, "skipped: {test}: {reason}").unwrap();
}
