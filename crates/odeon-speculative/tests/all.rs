//! The tests of this crate as one program: what they share is compiled and linked once. Those beside it, in `Cargo.toml`, have a process of their own.

mod s17_pressure;
mod s21_conflict_report;
mod s23_s28_replay;
mod s24_one_at_a_time;
mod s24_s25_s26_random_programs;
mod s24_widths;
mod s25_arrival_order;
mod s25_order;
mod s26_access;
mod s26_effects;
mod s26_ends;
mod s26_failures;
mod s28_begun_in_handlers;
mod s28_congestion;
mod s28_coordinated;
mod s28_faults;
mod s28_joins;
mod s28_random_programs;
mod s28_theaters;
mod s28_waits;
mod s39_width_by_energy;
mod s3_buffers;
mod s3_guards;
mod s3_s23_replay;
mod support;
