//! S31 and S32 by Zenoh: what `odeon-theater` tests of theaters with threads, and of those who are not let in, with another network.
#![allow(clippy::duplicate_mod, reason = "all files have the same support")]

mod support;

#[path = "../../odeon-theater/tests/s31_references.rs"]
mod s31_references;
#[path = "../../odeon-theater/tests/s32_ends.rs"]
mod s32_ends;
#[path = "../../odeon-theater/tests/s32_secret.rs"]
mod s32_secret;

use support::by_zenoh::Net;
