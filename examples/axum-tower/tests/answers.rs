//! Runs the example: it checks its answers itself.

use std::process::Command;

#[test]
fn the_example_gets_the_answers_it_expects() {
    let example = env!("CARGO_BIN_EXE_odeon-example-axum-tower");
    let output = Command::new(example).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    let expected = [
        "/words/stage: 200 1",
        "/words/stage: 200 2",
        "/words/actor: 200 1",
        "/words/stage: 503 service overloaded",
        "/words/stage: 200 3",
        "/words/stage: 503 the actor has stopped",
        "all answers were as expected",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}
