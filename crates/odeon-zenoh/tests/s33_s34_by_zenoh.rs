//! S33 and S34 by Zenoh: what `odeon-theater` tests of names and of actors that move, with another network.
#![allow(clippy::duplicate_mod, reason = "all files have the same support")]

mod support;

#[path = "../../odeon-theater/tests/s33_follows.rs"]
mod s33_follows;
#[path = "../../odeon-theater/tests/s33_names.rs"]
mod s33_names;
#[path = "../../odeon-theater/tests/s34_migration.rs"]
mod s34_migration;

use support::by_zenoh::Net;
