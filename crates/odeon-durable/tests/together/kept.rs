//! What the log of transactions has, and those of the actors have not.

use super::vaults::{VAULTS, Vaults, store};
use crate::actors::{PATIENCE, processings, theater};
use odeon_core::Access;
use odeon_log::Storage;
use odeon_testkit::disk::SimulatedDisk;
use std::path::Path;

const FOLDERS: [&str; VAULTS + 1] = ["0", "1", "2", "transactions"];
const TRANSACTIONS: u64 = 9;

/// What is found of transactions, and how many commits of each actor there are.
fn found(disk: &SimulatedDisk) -> (u64, [u64; VAULTS]) {
    let theater = theater();
    let store = store(FOLDERS.map(|name| disk.folder(name)));
    let vaults = Vaults::spawn(&theater, &store, |_| processings()[1].clone()).unwrap();
    let commits = vaults.0.each_ref().map(|vault| vault.recovered_commits());
    let found = vaults.audit(&theater, Access::Update).unwrap();
    let _ = theater.shutdown(PATIENCE);
    (found.get(&7).copied().unwrap_or(0), commits)
}

/// The same actors as they are without it.
fn found_alone(disk: &SimulatedDisk) -> [u64; VAULTS] {
    let theater = theater();
    let nothing = SimulatedDisk::new(1);
    let folders = FOLDERS.map(|name| match name {
        "transactions" => nothing.folder(name),
        _ => disk.folder(name),
    });
    let vaults = Vaults::spawn(&theater, &store(folders), |_| processings()[1].clone()).unwrap();
    let commits = vaults.0.each_ref().map(|vault| vault.recovered_commits());
    let _ = theater.shutdown(PATIENCE);
    commits
}

/// A disk as a process leaves it that is killed.
fn left_behind() -> SimulatedDisk {
    let (theater, disk) = (theater(), SimulatedDisk::new(1));
    let store = store(FOLDERS.map(|name| disk.folder(name)));
    let vaults = Vaults::spawn(&theater, &store, |vault| processings()[vault].clone()).unwrap();
    for number in 1..=TRANSACTIONS {
        assert!(vaults.pay(&theater, 7, number));
    }
    let left = disk.crash();
    let _ = theater.shutdown(PATIENCE);
    left
}

#[test]
fn s44_actors_go_on_with_what_is_kept_for_them() {
    let left = left_behind();
    let alone = found_alone(&left.crash());
    let (transactions, commits) = found(&left);
    assert_eq!(transactions, TRANSACTIONS);
    for (commits, alone) in commits.into_iter().zip(alone) {
        assert!(commits > alone, "{commits} with what is kept, {alone} without it");
    }
    // And their logs have it from then on.
    assert!(found_alone(&left).into_iter().zip(commits).all(|(alone, before)| alone >= before));
}

/// As `left_behind` has left it.
#[test]
fn s44_a_store_of_version_1_is_found_for_ever() {
    let (disk, golden) = (SimulatedDisk::new(1), Path::new(env!("CARGO_MANIFEST_DIR")));
    for folder in FOLDERS {
        let files = golden.join("tests/golden/transactions-1").join(folder);
        for file in std::fs::read_dir(files).expect("it is in the repository") {
            let path = file.expect("it can be read").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("it is UTF-8");
            disk.put(&format!("{folder}/{name}"), std::fs::read(&path).expect("it can be read"));
        }
        assert!(!disk.folder(folder).list().unwrap().is_empty());
    }
    assert_eq!(found(&disk).0, TRANSACTIONS);
    assert!(found_alone(&disk).into_iter().all(|commits| commits > 1));
}
