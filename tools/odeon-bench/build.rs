//! Tells the crate which compiler builds it: every result names its compiler.

use std::process::Command;

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(compiler)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned());
    let profile = std::env::var("PROFILE").unwrap_or_else(|_| "unknown".to_owned());
    println!("cargo::rustc-env=ODEON_BENCH_RUSTC={version}");
    println!("cargo::rustc-env=ODEON_BENCH_PROFILE={profile}");
    println!("cargo::rerun-if-changed=build.rs");
}
