//! The standard error: what people are told beside the results.

use std::fmt::Display;
use std::io::Write;

/// Writes a line there. If nobody reads it (`2>&1 | head`) it is lost: `eprintln!` would panic, and
/// another exit code would hide what has happened.
pub fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
