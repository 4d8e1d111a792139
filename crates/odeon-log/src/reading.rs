//! Reading a log, file by file and block by block.
//!
//! | file | has |
//! |---|---|
//! | `reading/contents.rs` | which files count, and in which order |
//! | `reading/block_reader.rs` | one file: its blocks, and what comes behind a bad one |
//! | `reading/found.rs` | what is found |
//! | `reading/log_reader.rs` | all of it: what is torn, and what is damaged |

mod block_reader;
mod contents;
mod found;
mod log_reader;

pub(crate) use contents::Contents;
pub use found::{Found, LogFile};
pub(crate) use found::{LogEnd, ReadEvent};
pub use log_reader::LogReader;
