//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

#[path = "../../odeon-theater/tests/bank/mod.rs"]
mod bank;
mod s31_by_zenoh;
mod s31_discovery;
mod s32_clusters;
mod s32_hostile;
mod s32_hostile_settings;
mod s32_killed;
mod s32_parted;
mod s32_settings;
mod s32_short_cuts;
mod s32_tls;
mod s34_bank;
mod s34_standing_still;
mod s36_by_zenoh;
mod support;
mod teller;
