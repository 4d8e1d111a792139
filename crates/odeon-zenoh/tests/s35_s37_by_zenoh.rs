//! S35 and S37 by Zenoh: what `odeon-theater` tests of theaters that are emptied, looked after, and let go of actors, with another network.
#![allow(clippy::duplicate_mod, reason = "all files have the same support")]

mod support;

#[path = "../../odeon-theater/tests/s35_drain.rs"]
mod s35_drain;
#[path = "../../odeon-theater/tests/s35_steward.rs"]
mod s35_steward;
#[path = "../../odeon-theater/tests/s37_unreferenced.rs"]
mod s37_unreferenced;

use support::by_zenoh::Net;
