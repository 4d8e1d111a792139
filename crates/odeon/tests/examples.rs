//! Every example prints what `examples/expected/` says, to the letter.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// The names of the files with this extension.
fn names(folder: &Path, extension: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .map(|path| path.file_stem().expect("a file's name").to_string_lossy().into_owned())
        .collect()
}

/// What examples need beside the default features, and what a test of all is built with: without
/// that, libraries that both use would be compiled again with fewer features.
const FEATURES: &str = "odeon/durable,odeon/gpu,odeon/tokio,odeon/zenoh,odeon-cli/full";

/// Built here: `cargo test --test examples` builds none, and not all features are on in this build.
/// Returns where they are.
fn build() -> PathBuf {
    // This program is `<target>/<profile>/deps/examples-<hash>`.
    let this_program = std::env::current_exe().expect("a running program has a path");
    let profile = this_program.ancestors().nth(2).expect("three folders up");
    let target = profile.parent().expect("as above");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let status = Command::new(cargo)
        // WHY the whole workspace: libraries get the features that they have in a test of all, so
        // that none is compiled again.
        .args(["build", "--quiet", "--workspace", "--examples", "--features", FEATURES])
        .args(["--profile", "test", "--target-dir"])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .expect("cargo can be started");
    assert!(status.success(), "the examples do not build");
    // The profile `test` puts its results where `dev` does.
    target.join("debug").join("examples")
}

#[test]
fn every_example_has_an_expected_output_and_none_is_left_over() {
    let (examples, expected) = (names(&folder(), "rs"), names(&folder().join("expected"), "txt"));
    let without: Vec<_> = examples.difference(&expected).collect();
    assert!(without.is_empty(), "examples without an expected output: {without:?}");
    let left_over: Vec<_> = expected.difference(&examples).collect();
    assert!(left_over.is_empty(), "expected outputs without an example: {left_over:?}");
    assert!(examples.len() >= 10, "{} examples", examples.len());
}

#[test]
fn every_example_prints_what_is_expected() {
    let programs = build();
    let mut wrong = Vec::new();
    for name in names(&folder(), "rs") {
        let expected = fs::read_to_string(folder().join("expected").join(format!("{name}.txt")));
        let output = Command::new(programs.join(&name)).output().expect("it was just built");
        let printed = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() || expected.is_ok_and(|expected| expected != printed) {
            let said = String::from_utf8_lossy(&output.stderr);
            wrong.push(format!("{name}: {}\n{printed}{said}", output.status));
        }
    }
    assert!(wrong.is_empty(), "not as expected:\n{}", wrong.join("\n"));
}
