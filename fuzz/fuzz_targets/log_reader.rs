//! Logs of any parts: nothing panics, and whoever reads one to go on with it and whoever looks at
//! it agree on whether it is damaged.
#![no_main]

#[path = "../../crates/odeon-log/tests/composed.rs"]
mod composed;
#[path = "../../crates/odeon-log/tests/encoded.rs"]
mod encoded;
#[path = "../../crates/odeon-log/tests/made.rs"]
#[expect(dead_code, reason = "the tests beside it make a log of their own")]
mod made;

libfuzzer_sys::fuzz_target!(|plan: &[u8]| {
    let files = composed::files(plan);
    let (read, found) = (made::recover(&files), made::look(&files));
    assert_eq!(found.damage.is_empty(), read.damage.is_empty());
});
