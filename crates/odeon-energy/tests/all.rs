//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod s39_attribution;
mod s39_rapl;
mod s39_runs;
mod support;
