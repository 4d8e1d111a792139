//! Counts the instructions of Odeon's hot paths by callgrind, which does not depend on how busy the
//! machine is.
//!
//! `cargo run --release -p odeon-instructions` runs itself under callgrind, each path with so many
//! operations and with twice as many; the difference is what these operations take without start
//! and end. All theaters have one worker. Needs `valgrind`.
//!
//! | question | file |
//! |---|---|
//! | which paths | `paths.rs` |
//! | how they are counted | `count.rs` |

#![forbid(unsafe_code)]

mod count;
mod paths;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [] => count::all(),
        [path, operations] => match operations.parse() {
            Ok(operations) => paths::run(path, operations),
            Err(_) => Err(format!("not a number of operations: {operations}")),
        },
        _ => Err("usage: odeon-instructions [PATH OPERATIONS]".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("odeon-instructions: {error}");
            ExitCode::FAILURE
        }
    }
}
