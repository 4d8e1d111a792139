//! Records that anybody has written: an actor begins with what they say, or refuses them.
//!
//! Its corpus begins best with the records of a ledger: `records_of` in `given_records.rs`.
#![no_main]

#[path = "../../crates/odeon-durable/tests/actors/given_records.rs"]
#[expect(dead_code, reason = "the records of a log are for the tests beside it")]
mod given_records;
#[path = "../../crates/odeon-durable/tests/actors/ledger.rs"]
#[expect(dead_code, reason = "the tests beside it do more")]
mod ledger;

use odeon_core::Theater;
use std::sync::LazyLock;

static THEATER: LazyLock<Theater> = LazyLock::new(ledger::theater);

libfuzzer_sys::fuzz_target!(|records: &[u8]| {
    // An error is as good as a state.
    let _ = given_records::open(&THEATER, records);
});
