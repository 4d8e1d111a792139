//! What tests of theaters by Zenoh are made with, in one process and in several.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod authority;
pub mod by_zenoh;
pub mod endpoint;
pub mod member;
pub mod namespace;
pub mod place;
pub mod relay;
pub mod says;
pub mod skipped;
pub mod traffic;

use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here takes on a slow machine.
pub const LONG: Duration = Duration::from_secs(60);

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}
