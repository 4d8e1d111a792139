//! What `odeon-theater` tests of theaters with threads (S31 to S35, S37), with another network.

#[path = "../../odeon-theater/tests/hostile/mod.rs"]
mod hostile;
#[path = "support/mod.rs"]
mod of_zenoh;
#[path = "../../odeon-theater/tests/support/mod.rs"]
mod support;

#[path = "../../odeon-theater/tests/s31_hostile_values.rs"]
mod s31_hostile_values;
#[path = "../../odeon-theater/tests/s31_references.rs"]
mod s31_references;
#[path = "../../odeon-theater/tests/s32_ends.rs"]
mod s32_ends;
#[path = "../../odeon-theater/tests/s32_secret.rs"]
mod s32_secret;
#[path = "../../odeon-theater/tests/s33_follows.rs"]
mod s33_follows;
#[path = "../../odeon-theater/tests/s33_names.rs"]
mod s33_names;
#[path = "../../odeon-theater/tests/s34_hostile_states.rs"]
mod s34_hostile_states;
#[path = "../../odeon-theater/tests/s34_migration.rs"]
mod s34_migration;
#[path = "../../odeon-theater/tests/s35_control_actor.rs"]
mod s35_control_actor;
#[path = "../../odeon-theater/tests/s35_drain.rs"]
mod s35_drain;
#[path = "../../odeon-theater/tests/s37_unreferenced.rs"]
mod s37_unreferenced;

use of_zenoh::by_zenoh::Net;
