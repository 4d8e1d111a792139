//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod s10_s26_replies;
mod s15_s28_made_anew;
mod s17_pressure;
mod s18_bounded;
mod s21_conflict_report;
mod s23_s28_replay;
mod s24_one_at_a_time;
mod s24_s25_s26_random_programs;
mod s24_widths;
mod s25_arrival_order;
mod s25_order;
mod s26_access;
mod s26_contained;
mod s26_effects;
mod s26_ends;
mod s26_failures;
mod s26_rejections;
mod s28_begun_in_handlers;
mod s28_congestion;
mod s28_contained;
mod s28_coordinated;
mod s28_faults;
mod s28_joins;
mod s28_plain_participants;
mod s28_random_programs;
mod s28_theaters;
mod s28_waits;
mod s3_buffers;
mod s3_guards;
mod s3_s23_replay;
mod s42_callers_are_executors;
mod s42_calls;
mod support;
