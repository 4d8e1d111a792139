//! Snapshots beside messages.

use super::ledger::{PATIENCE, audit, processings, spawn, store, theater, transfer};
use odeon_log::Storage;
use odeon_testkit::disk::SimulatedDisk;
use std::thread;

const CLIENTS: u32 = 3;

/// How many snapshots and segments there are.
fn files(disk: &SimulatedDisk) -> (usize, usize) {
    let names = disk.list().unwrap();
    let count = |part: &str| names.iter().filter(|name| name.contains(part)).count();
    (count("snapshot"), count("segment"))
}

#[test]
fn snapshots_are_made_beside_messages_and_the_log_stays_short() {
    for processing in processings() {
        let (disk, mut last) = (SimulatedDisk::new(1), None);
        for life in 0..3 {
            let theater = theater();
            let ledger = spawn(&theater, &store(disk.clone()), processing.clone()).unwrap();
            let found = audit(&ledger);
            found.check();
            assert!(last.is_none_or(|last| last == found));
            thread::scope(|scope| {
                for client in 0..CLIENTS {
                    let ledger = &ledger;
                    scope.spawn(move || transfer(ledger, client, 300 * life + 1, 300).1.unwrap());
                }
            });
            last = Some(audit(&ledger));
            let _ = theater.shutdown(PATIENCE);
            let (snapshots, segments) = files(&disk);
            assert!((1..=2).contains(&snapshots), "{:?}", disk.list());
            assert!(segments < 10, "{:?}", disk.list());
        }
    }
}
