//! Durable actors: what was answered is there, whatever has happened to the disk.

mod crashes;
mod edges;
mod effects;
mod endings;
mod failures;
mod given_records;
mod histories;
mod ledger;
mod mutations;
mod pressure;
mod restarts;
mod slow_disk;
mod snapshots;
mod unreadable_values;
mod waiting;

pub(crate) use ledger::{PATIENCE, processings, store, theater};
pub(crate) use slow_disk::SlowDisk;
