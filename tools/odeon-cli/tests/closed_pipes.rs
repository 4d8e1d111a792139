//! What becomes of the program when nobody reads what it says.
#![cfg(unix)]

use std::process::{Command, Stdio};

/// As in `odeon .. 2>&1 | head`.
#[test]
fn readers_that_have_seen_enough_end_nothing_and_panic_nowhere() {
    let closed = || {
        let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().expect("it is there");
        let pipe = reader.stdin.take().expect("it was asked for");
        reader.wait().expect("it ends");
        pipe
    };
    let mut wrong = Command::new(env!("CARGO_BIN_EXE_odeon"));
    wrong.args(["bench", "ring", "--actors", "0"]).stderr(closed());
    assert_eq!(wrong.status().expect("the program starts").code(), Some(2));

    let mut energy = Command::new(env!("CARGO_BIN_EXE_odeon"));
    let output = energy.args(["energy", "--idle", "0"]).stdout(closed()).stderr(Stdio::piped());
    let output = output.output().expect("the program starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*message), (Some(0), ""));
}
