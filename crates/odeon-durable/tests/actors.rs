//! Durable actors: what was answered is there, whatever has happened to the disk.

mod crashes;
mod effects;
mod failures;
mod ledger;
mod restarts;
mod slow_disk;
mod snapshots;
