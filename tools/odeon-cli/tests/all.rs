//! The command line, by programs that are started: all tests as one program.

mod closed_pipes;
mod command_line;
mod energy;
#[cfg(feature = "full")]
mod figures;
#[cfg(feature = "full")]
mod members;
#[cfg(feature = "theaters")]
mod theater;
#[cfg(feature = "theaters")]
mod theater_words;
