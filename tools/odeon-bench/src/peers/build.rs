//! Finding or building the peers' program.

use super::failed;
use crate::error::BenchError;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names a program that is already built.
const PROGRAM_VARIABLE: &str = "ODEON_PEERS";

/// The program's path, after building it if need be.
pub(super) fn program() -> Result<PathBuf, BenchError> {
    match std::env::var_os(PROGRAM_VARIABLE) {
        Some(program) => Ok(program.into()),
        None => build(&manifest()?),
    }
}

/// The manifest beside this package, or below the current directory or one above it.
fn manifest() -> Result<PathBuf, BenchError> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("odeon-peers/Cargo.toml");
    let current = std::env::current_dir().unwrap_or_default();
    let above = current.ancestors().map(|folder| folder.join("tools/odeon-peers/Cargo.toml"));
    std::iter::once(beside).chain(above).find(|path| path.is_file()).ok_or_else(|| {
        let advice = "was not found; run inside the source tree, or name a built program in";
        failed("program", format!("tools/odeon-peers {advice} {PROGRAM_VARIABLE}"))
    })
}

/// WHY cargo's own messages tell the path: the target directory may be anywhere.
fn build(manifest: &Path) -> Result<PathBuf, BenchError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--message-format=json-render-diagnostics", "--manifest-path"])
        .arg(manifest)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed("program", format!("cargo did not start: {error}")))?;
    if !output.status.success() {
        return Err(failed("program", "cargo could not build tools/odeon-peers"));
    }
    let no_program = || failed("program", "the build made no program odeon-peers");
    executable(&String::from_utf8_lossy(&output.stdout)).ok_or_else(no_program)
}

/// The path of the program among cargo's messages.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages =
        messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let paths = messages.filter(|message| message["target"]["name"] == "odeon-peers");
    paths.filter_map(|message| Some(message["executable"].as_str()?.into())).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_read_from_cargos_messages() {
        let messages = concat!(
            "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"tokio\"},\"executable\":null}\n",
            "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"odeon-peers\"},\"executable\":\"/t/odeon-peers\"}\n",
            "{\"reason\":\"build-finished\",\"success\":true}\n",
        );
        assert_eq!(executable(messages), Some("/t/odeon-peers".into()));
        assert_eq!(executable("{\"reason\":\"build-finished\"}"), None);
    }
}
