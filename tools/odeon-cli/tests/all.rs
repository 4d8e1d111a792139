//! The command line, by programs that are started: all tests as one program.

mod closed_pipes;
mod command_line;
mod energy;
mod figures;
mod members;
mod theater;
mod theater_words;
