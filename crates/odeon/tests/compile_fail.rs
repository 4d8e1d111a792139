//! What the compiler must refuse, with the message that it gives: `tests/ui/*.rs` beside
//! `*.stderr`.
//!
//! The messages are those of the stable compiler of the day; after an update of the compiler,
//! `TRYBUILD=overwrite cargo test -p odeon --test compile_fail` rewrites them for review.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

#[test]
fn misuse_does_not_compile() {
    let tests = trybuild::TestCases::new();
    // Some checks are made when a generic function is instantiated, so the programs must be built
    // and not only checked; trybuild does that if one of them is to succeed.
    tests.pass("tests/ui/correct_use.rs");
    tests.compile_fail("tests/ui/refused_*.rs");
}
