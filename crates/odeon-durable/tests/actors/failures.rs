//! Messages that fail, and disks that do.

use super::ledger::{PATIENCE, ToLedger, audit, processings, spawn, store, theater, transfer};
use odeon_core::AskError;
use odeon_testkit::disk::{DiskFault, SimulatedDisk};

#[test]
fn s44_what_fails_leaves_no_trace_in_the_log() {
    for processing in processings() {
        let disk = SimulatedDisk::new(1);
        let before = {
            let theater = theater();
            let ledger = spawn(&theater, &store(disk.clone()), processing.clone()).unwrap();
            transfer(&ledger, 1, 1, 5).1.unwrap();
            for _ in 0..3 {
                assert!(matches!(ledger.ask(ToLedger::Fail).wait(), Err(AskError::Failed(_))));
                assert!(matches!(ledger.ask(ToLedger::Panic).wait(), Err(AskError::Failed(_))));
                assert_eq!(ledger.ask(ToLedger::Reject).wait(), Ok(7));
            }
            transfer(&ledger, 1, 6, 5).1.unwrap();
            let before = audit(&ledger);
            let _ = theater.shutdown(PATIENCE);
            before
        };
        before.check();
        let theater = theater();
        let ledger = spawn(&theater, &store(disk), processing).unwrap();
        assert_eq!(audit(&ledger), before);
    }
}

#[test]
fn s45_when_the_disk_fails_each_message_fails_and_says_why() {
    for processing in processings() {
        let (disk, theater_of_first) = (SimulatedDisk::new(1), theater());
        let ledger = spawn(&theater_of_first, &store(disk.clone()), processing.clone()).unwrap();
        transfer(&ledger, 1, 1, 5).1.unwrap();
        assert!(ledger.log_failure().is_none());
        disk.fail_at(disk.operations(), DiskFault::Error);
        let (heard, failed) = transfer(&ledger, 1, 6, 5);
        assert_eq!(heard, 5);
        let Err(AskError::Failed(text)) = failed else { panic!("{failed:?}") };
        assert!(text.to_string().contains("log"), "{text}");
        assert!(ledger.log_failure().is_some());
        // The disk is well again, and nobody knows what is on it.
        for _ in 0..3 {
            let asked = ledger.ask(|reply| ToLedger::Audit(odeon_core::Access::Snapshot, reply));
            assert!(matches!(asked.wait(), Err(AskError::Failed(_))));
            assert!(matches!(transfer(&ledger, 1, 6, 1).1, Err(AskError::Failed(_))));
        }
        let _ = theater_of_first.shutdown(PATIENCE);
        let theater = theater();
        let ledger = spawn(&theater, &store(disk.crash()), processing).unwrap();
        let found = audit(&ledger);
        found.check();
        assert!((5..=6).contains(&found.of_client(1)), "{found:?}");
    }
}
