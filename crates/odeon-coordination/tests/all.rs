//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod bank;
mod s34_layouts;
mod s34_pauses;
mod s34_speculative;
mod s36_hostile;
mod s36_joins;
mod s36_parts;
mod s36_simulated;
mod s36_threads;
mod s36_transactions;
mod till;
#[path = "../../odeon-theater/tests/virtual_time/mod.rs"]
mod virtual_time;
