//! Writing a log: epochs at its end, snapshots beside it.
//!
//! | file | has |
//! |---|---|
//! | `writing/site.rs` | where a log is written: its storage, its id, the right to write |
//! | `writing/new_file.rs` | how a file comes to its name only when it is whole |
//! | `writing/log_writer.rs` | epochs, each durable before the next one; segments |
//! | `writing/snapshot_writer.rs` | snapshots, and what they make superfluous |

mod log_writer;
mod new_file;
mod site;
mod snapshot_writer;

pub use log_writer::{LogOptions, LogWriter};
pub(crate) use site::Site;
pub use snapshot_writer::SnapshotWriter;
