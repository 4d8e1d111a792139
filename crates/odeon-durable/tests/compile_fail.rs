//! What `#[derive(Durable)]` must refuse, with the message that it gives: `tests/ui/*.rs` beside
//! `*.stderr`.
//!
//! The messages are those of the stable compiler of the day; after an update of the compiler,
//! `TRYBUILD=overwrite cargo test -p odeon-durable --test compile_fail` rewrites them for review.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/refused_*.rs");
}
