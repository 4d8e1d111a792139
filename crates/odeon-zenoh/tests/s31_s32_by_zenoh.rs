//! S31 and S32 by Zenoh: what `odeon-theater` tests of theaters with threads, with another network.
#![allow(clippy::duplicate_mod, reason = "both files have the same support")]

mod support;

#[path = "../../odeon-theater/tests/s31_references.rs"]
mod s31_references;
#[path = "../../odeon-theater/tests/s32_ends.rs"]
mod s32_ends;

use support::by_zenoh::Net;
