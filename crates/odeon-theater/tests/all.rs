//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

use odeon_theater::InMemoryNetwork as Net;

mod bank;
mod hostile;
mod log;
mod neighbours;
mod s31_at_home;
mod s31_every_step;
mod s31_hostile_values;
mod s31_layouts;
mod s31_references;
mod s31_s32_simulated;
mod s32_changed_bytes;
mod s32_ends;
mod s32_odd_settings;
mod s32_order_of_events;
mod s32_pressure;
mod s32_secret;
mod s33_follows;
mod s33_joined;
mod s33_names;
mod s33_s34_simulated;
mod s33_simulated;
mod s34_a_thousand_theaters;
mod s34_bank;
mod s34_every_step;
mod s34_hostile_states;
mod s34_migration;
mod s34_pauses;
mod s34_ready;
mod s34_requests;
mod s34_simulated;
mod s34_stopped;
mod s34_subscribers;
mod s34_timers;
mod s34_watches;
mod s35_control_actor;
mod s35_drain;
mod s35_rebalancing;
mod s37_unreferenced;
mod simulated;
mod stepwise;
mod support;
mod virtual_time;
