//! The command line, by programs that are started: all tests as one program.

#[cfg(feature = "theaters")]
#[path = "../../../crates/odeon-zenoh/tests/support/authority.rs"]
#[allow(unreachable_pub, reason = "other programs of tests share it")]
mod authority;
mod closed_pipes;
mod command_line;
mod energy;
#[cfg(feature = "full")]
mod figures;
mod log;
#[cfg(feature = "full")]
mod members;
#[cfg(feature = "network")]
mod network;
#[cfg(feature = "theaters")]
mod theater;
#[cfg(feature = "theaters")]
mod theater_certificates;
#[cfg(feature = "theaters")]
mod theater_words;
