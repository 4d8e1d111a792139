//! Actors that begin with the log of one before.

use super::ledger::{PATIENCE, ToLedger, audit, processings, spawn, store, theater, transfer};
use odeon_durable::RecoverError;
use odeon_log::LogError;
use odeon_testkit::disk::SimulatedDisk;
use std::thread;

const CLIENTS: u32 = 3;

#[test]
fn s44_an_actor_goes_on_where_the_one_before_has_ended() {
    for processing in processings() {
        let disk = SimulatedDisk::new(1);
        for life in 0..3 {
            let theater = theater();
            let ledger = spawn(&theater, &store(disk.clone()), processing.clone()).unwrap();
            let found = audit(&ledger);
            found.check();
            assert_eq!(found.transfers, life * i64::from(CLIENTS) * 50);
            assert_eq!(ledger.recovered_commits() == 0, life == 0);
            thread::scope(|scope| {
                for client in 0..CLIENTS {
                    let ledger = &ledger;
                    scope.spawn(move || {
                        transfer(ledger, client, 50 * life as u64 + 1, 50).1.unwrap();
                    });
                }
            });
            let all = audit(&ledger);
            all.check();
            assert!((0..CLIENTS).all(|client| all.of_client(client) == 50 * (life as u64 + 1)));
            let _ = theater.shutdown(PATIENCE);
        }
    }
}

/// It is not lost though nobody was told: a shutdown waits for it.
#[test]
fn what_nobody_waits_for_is_there_after_a_shutdown() {
    let disk = SimulatedDisk::new(1);
    let theater_of_first = theater();
    let ledger = spawn(&theater_of_first, &store(disk.clone()), processings()[1].clone()).unwrap();
    for number in 1..=200 {
        let ask = ledger.ask(|done| ToLedger::Transfer { client: 1, number, from: 1, to: 2, done });
        drop(ask);
    }
    drop(ledger);
    let _ = theater_of_first.shutdown(PATIENCE);
    let theater = theater();
    let ledger = spawn(&theater, &store(disk), processings()[0].clone()).unwrap();
    assert_eq!(audit(&ledger).of_client(1), 200);
}

#[test]
fn what_is_not_to_be_logged_begins_anew() {
    let disk = SimulatedDisk::new(1);
    for _ in 0..2 {
        let theater = theater();
        let ledger = spawn(&theater, &store(disk.clone()), processings()[1].clone()).unwrap();
        for expected in 1..=3 {
            assert_eq!(ledger.ask(ToLedger::Note).wait(), Ok(expected));
        }
        let _ = theater.shutdown(PATIENCE);
    }
}

#[test]
fn a_log_is_written_by_one_actor() {
    let (disk, theater) = (SimulatedDisk::new(1), theater());
    let first = spawn(&theater, &store(disk.clone()), processings()[1].clone()).unwrap();
    let second = spawn(&theater, &store(disk.clone()), processings()[1].clone());
    assert!(matches!(second, Err(RecoverError::Log(LogError::InUse))));
    first.ask(ToLedger::Stop).wait().unwrap();
    // It has ended when its log is closed.
    while spawn(&theater, &store(disk.clone()), processings()[1].clone()).is_err() {
        thread::yield_now();
    }
}
