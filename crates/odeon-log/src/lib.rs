//! The log that durable actors are written to: what was acknowledged is there after a crash.
//!
//! A log is a sequence of *epochs*, numbered from 1 on without gaps. An epoch is a number of
//! records, which are bytes to this crate; it is written at once, and durable before the next one
//! begins. Epochs lie in *segments*, files of a directory. A *snapshot* has the state after an
//! epoch, and makes the segments before it superfluous. `docs/log-format.md` has every byte.
//!
//! | to | there is |
//! |---|---|
//! | open a log, and learn what it has | [`Recovery::open`] |
//! | append epochs | [`LogWriter`] |
//! | write snapshots meanwhile | [`SnapshotWriter`] |
//! | look at a log, or look for damage | [`LogReader`] |
//! | keep it elsewhere than in a folder | [`Storage`] |
//! | test against disks that fail | `odeon_testkit::disk` |
//!
//! # What is promised
//!
//! * What was acknowledged is recovered, whole and in order. Of what was not, at most one epoch is,
//!   whole or not at all.
//! * What was written last and is not whole ends the log. What is damaged before that is an error
//!   that names the file and the byte, and never passed over. If the last epoch of all is damaged
//!   later, that cannot be told from one that was not whole.
//! * After an error of the disk a writer writes nothing more.
//!
//! # Map
//!
//! From the ground up: `storage` (what disks promise), `format` (bytes), `error`, `reading`,
//! `writing`, `recovery`.
#![forbid(unsafe_code)]

mod error;
mod format;
mod reading;
mod recovery;
mod storage;
mod writing;

pub use error::{Damage, LogError, Problem, TornEnd};
pub use format::{FORMAT_VERSION, LogId, Records};
pub use reading::{Found, LogFile, LogReader};
pub use recovery::{Recovered, Recovery};
pub use storage::{DirectoryStorage, Storage, StorageFile, StorageLock, StorageRead};
pub use writing::{LogOptions, LogWriter, SnapshotWriter};
