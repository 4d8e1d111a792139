//! Hands the program the facts of its own build: the compiler's version and the peers' versions.

use std::process::Command;
use std::{env, fs};

const PEERS: [&str; 5] = ["tokio", "kameo", "ractor", "stm", "fast-stm"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");

    let compiler = env::var("RUSTC").expect("cargo sets RUSTC");
    let output =
        Command::new(compiler).arg("--version").output().expect("the compiler tells its version");
    let rustc = String::from_utf8(output.stdout).expect("the compiler's version is text");
    println!("cargo::rustc-env=ODEON_PEERS_RUSTC={}", rustc.trim());

    let lock = fs::read_to_string("Cargo.lock").expect("the package has a lock file");
    for peer in PEERS {
        let version = locked_version(&lock, peer);
        let variable = peer.to_uppercase().replace('-', "_");
        println!("cargo::rustc-env=ODEON_PEERS_{variable}={version}");
    }
}

/// The version the lock file gives for `package`: the line after its name.
fn locked_version<'a>(lock: &'a str, package: &str) -> &'a str {
    let name = format!("name = \"{package}\"");
    lock.lines()
        .skip_while(|line| *line != name)
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \""))
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or_else(|| panic!("Cargo.lock has no version for {package}"))
}
