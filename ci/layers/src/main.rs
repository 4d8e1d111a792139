//! Checks the layers of every crate of the workspace.
//!
//! The top-level modules of a crate are its rooms. `ci/layers/rooms.toml` lists them from the
//! ground up; a room imports only from rooms below its own. Files may import each other in circles,
//! but only in small ones. The program prints every violation with the name that causes it.
//!
//! | question | file |
//! |---|---|
//! | which rooms, which limits | `rooms.rs`, `rooms.toml` |
//! | which modules a crate has, what each imports | `tree.rs`, `conditions.rs`, `imports.rs` |
//! | where an imported name is defined | `resolve.rs` |
//! | what breaks the order | `check.rs` |
//!
//! What tests and models import does not count. A module that re-exports what its own submodules
//! define does not import them by that: an import counts for the file that defines the name.

#![forbid(unsafe_code)]

mod check;
mod conditions;
mod imports;
mod resolve;
mod rooms;
#[cfg(test)]
mod tests;
mod tree;

use check::check;
use rooms::Rooms;
use std::path::Path;
use std::process::ExitCode;
use tree::Tree;

fn main() -> ExitCode {
    match run(Path::new(".")) {
        Ok(violations) if violations.is_empty() => {
            println!("all layers hold");
            ExitCode::SUCCESS
        }
        Ok(violations) => {
            violations.iter().for_each(|violation| println!("{violation}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("layers: {error}");
            ExitCode::from(2)
        }
    }
}

/// The violations of all crates that `ci/layers/rooms.toml` below `root` lists, and crates that it
/// misses.
fn run(root: &Path) -> Result<Vec<String>, String> {
    let rooms = Rooms::read(&root.join("ci/layers/rooms.toml"))?;
    let mut violations = rooms.missing_crates(root)?;
    for (folder, layout) in rooms.crates() {
        let tree = Tree::read(&root.join(folder).join("src"))?;
        violations.extend(check(folder, layout, &tree));
    }
    Ok(violations)
}
