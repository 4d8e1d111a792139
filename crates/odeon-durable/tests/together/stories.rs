//! One by one: what is told when, and what takes no part.

use super::vaults::{ToVault, VAULTS, Vaults, parts_of, store};
use crate::actors::{PATIENCE, processings, theater};
use odeon_core::{Access, Theater};
use odeon_durable::{LogError, RecoverError, SpawnDurable, Store};
use odeon_log::Storage;
use odeon_speculative::{Coordinate, CoordinationError};
use odeon_testkit::disk::{DiskFault, SimulatedDisk};
use std::thread;
use std::time::Instant;

type Disks = [SimulatedDisk; VAULTS + 1];

fn disks() -> Disks {
    [1, 2, 3, 4].map(SimulatedDisk::new)
}

fn vaults(theater: &Theater, store: &Store) -> Vaults {
    Vaults::spawn(theater, store, |vault| processings()[vault].clone()).unwrap()
}

#[test]
fn s44_a_transaction_is_there_at_all_actors_in_the_next_life() {
    let disks = disks();
    for life in 0..4 {
        let (theater, store) = (theater(), store(disks.clone()));
        let vaults = vaults(&theater, &store);
        let found = vaults.audit(&theater, Access::Snapshot).unwrap();
        assert_eq!(found.get(&7).copied().unwrap_or(0), 20 * life);
        for number in 20 * life + 1..=20 * life + 20 {
            assert!(vaults.pay(&theater, 7, number));
        }
        let _ = theater.shutdown(PATIENCE);
        drop(vaults);
    }
}

/// Within one process, and with the same store.
#[test]
fn s44_an_actor_that_begins_again_has_its_part() {
    let (theater, store) = (theater(), store(disks()));
    let mut vaults = vaults(&theater, &store);
    for number in 1..=30 {
        assert!(vaults.pay(&theater, 7, number));
        let vault = number as usize % VAULTS;
        if number % 5 == 0 {
            vaults.0[vault].stop();
            vaults.0[vault].ended().wait();
            let again = super::vaults::Vault::new();
            let processing = processings()[vault].clone();
            let name = vault.to_string();
            vaults.0[vault] = theater.spawn_durable(&store, &name, again, processing).unwrap();
        }
        let found = vaults.audit(&theater, Access::Snapshot).unwrap();
        assert_eq!(found[&7], number);
    }
}

#[test]
fn s44_a_transaction_that_fails_leaves_no_trace() {
    let disks = disks();
    let theater = theater();
    let vaults = vaults(&theater, &store(disks));
    assert!(vaults.pay(&theater, 7, 2));
    let failed = theater.coordinate(|plan| {
        let [(first, part), (second, other), ..] = parts_of(7, 6)[..] else { unreachable!() };
        plan.send(&vaults.0[first], ToVault::Part(part));
        plan.send(&vaults.0[second], ToVault::Fail(other));
    });
    assert!(matches!(failed.wait(), Err(CoordinationError::Failed { .. })));
    assert_eq!(vaults.audit(&theater, Access::Update).unwrap()[&7], 2);
}

/// The disk of one of them, and nobody answers for the transaction; but the log of the third one
/// goes on.
#[test]
fn s45_actors_whose_transaction_is_lost_fail_together() {
    let disks = disks();
    let theater = theater();
    let vaults = vaults(&theater, &store(disks.clone()));
    // Of the first two, and then of all.
    assert_eq!(super::vaults::vaults_of(0, 3), [0, 1]);
    assert!(vaults.pay(&theater, 0, 2));
    let audit = vaults.audit(&theater, Access::Update).unwrap();
    disks[VAULTS].fail_at(disks[VAULTS].operations(), DiskFault::Error);
    assert!(!vaults.pay(&theater, 0, 3));
    for vault in [0, 1] {
        // One of them is told first.
        let begun = Instant::now();
        while vaults.0[vault].log_failure().is_none() {
            assert!(begun.elapsed() < PATIENCE, "vault {vault} goes on");
            thread::yield_now();
        }
        assert!(vaults.0[vault].ask(ToVault::Move).wait().is_err());
    }
    assert!(vaults.0[2].log_failure().is_none());
    vaults.0[2].ask(ToVault::Move).wait().unwrap();
    // Nor is there another transaction.
    assert!(!vaults.pay(&theater, 0, 6));
    let _ = theater.shutdown(PATIENCE);
    let theater = super::stories::theater();
    let found = self::vaults(&theater, &store(disks)).audit(&theater, Access::Update).unwrap();
    assert!(found[&0] == audit[&0] || found[&0] == 3, "{found:?}");
}

#[test]
fn s44_stores_are_one_for_all_that_take_part() {
    let (theater, disks) = (theater(), disks());
    let vaults = vaults(&theater, &store(disks));
    let elsewhere = store([5, 6, 7, 8].map(SimulatedDisk::new));
    let elsewhere = Vaults::spawn(&theater, &elsewhere, |_| processings()[1].clone()).unwrap();
    let (_, part) = parts_of(7, 2)[0];
    let failed = theater.coordinate(|plan| {
        plan.send(&vaults.0[0], ToVault::Part(part));
        plan.send(&elsewhere.0[1], ToVault::Part(part));
    });
    let Err(CoordinationError::Failed { why, .. }) = failed.wait() else { panic!("it has failed") };
    assert!(why.contains("different stores"), "{why}");
    assert!(vaults.audit(&theater, Access::Update).unwrap().is_empty());
}

#[test]
fn s44_a_store_that_has_no_place_for_transactions_says_so() {
    let theater = theater();
    let disk = SimulatedDisk::new(1);
    let store = Store::on(move |name| {
        let folder: std::sync::Arc<dyn Storage> = std::sync::Arc::new(disk.folder(name));
        Ok(folder)
    });
    let vaults = vaults(&theater, &store);
    let (_, part) = parts_of(7, 2)[0];
    let alone = theater.coordinate(|plan| plan.send(&vaults.0[0], ToVault::Part(part)));
    alone.wait().unwrap();
    let (_, part) = parts_of(7, 3)[0];
    let failed = theater.coordinate(|plan| {
        plan.send(&vaults.0[0], ToVault::Part(part));
        plan.send(&vaults.0[1], ToVault::Part(part));
    });
    let Err(CoordinationError::Failed { why, .. }) = failed.wait() else { panic!("it has failed") };
    assert!(why.contains("transactions_on"), "{why}");
}

/// In a folder, where the log of transactions begins with the first one.
#[test]
fn s44_one_store_at_a_time_writes_the_transactions_of_a_folder() {
    let folder = std::env::temp_dir().join(format!("odeon-together-{}", std::process::id()));
    let theater = theater();
    let open = || Store::open(&folder).unwrap();
    {
        let store = open();
        let vaults = vaults(&theater, &store);
        assert!(!folder.join(".transactions").exists());
        assert!(vaults.pay(&theater, 7, 2));
        assert!(folder.join(".transactions").exists());
        let processing = processings()[0].clone();
        let refused =
            theater.spawn_durable(&open(), "other", super::vaults::Vault::new(), processing);
        assert!(matches!(refused, Err(RecoverError::Log(LogError::InUse))));
        for vault in &vaults.0 {
            vault.stop();
            vault.ended().wait();
        }
    }
    let vaults = vaults(&theater, &open());
    assert_eq!(vaults.audit(&theater, Access::Snapshot).unwrap()[&7], 2);
    let _ = theater.shutdown(PATIENCE);
    std::fs::remove_dir_all(folder).unwrap();
}
