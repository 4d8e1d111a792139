//! Logs of actors of every version that there was: this Odeon, and each later one, goes on with
//! them.

mod evolved;
mod inventory;

use crate::actors::{PATIENCE, theater};
use evolved::{Evolved, EvolvedContents, LookAtEvolved};
use inventory::{Contents, Inventory, STEP_WITH_SNAPSHOT, STEPS, ToInventory};
use odeon_core::{Message, Theater};
use odeon_durable::state::Durable;
use odeon_durable::{DurableRef, SpawnDurable, Store};
use odeon_log::{FORMAT_VERSION, LogId, LogOptions, Storage};
use odeon_speculative::{Processing, SpeculativeActor};
use odeon_testkit::disk::SimulatedDisk;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

const ID: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;

/// The segment whose epochs are all in the snapshot.
const BEFORE_SNAPSHOT: &str = "00000000000000000005.segment";

/// The begin of the log, and one for each step.
const COMMITS: u64 = STEPS as u64 + 1;

/// Files by their names.
type Files = BTreeMap<String, Vec<u8>>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/version-1")
}

/// The files as they are kept.
fn kept() -> Files {
    let names = std::fs::read_dir(folder()).expect("it is in the repository");
    let files = names.map(|entry| {
        let entry = entry.expect("it can be read");
        let name = entry.file_name().into_string().expect("names of logs are UTF-8");
        (name, std::fs::read(entry.path()).expect("it can be read"))
    });
    files.collect()
}

fn disk_with(files: &Files) -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    files.iter().for_each(|(name, bytes)| disk.put(name, bytes.clone()));
    disk
}

fn files_of(disk: &SimulatedDisk) -> Files {
    let names = disk.list().unwrap();
    names.into_iter().map(|name| (name.clone(), disk.bytes(&name).unwrap())).collect()
}

fn spawn<A: SpeculativeActor + Durable>(
    theater: &Theater,
    disk: &SimulatedDisk,
    actor: A,
) -> DurableRef<A::Msg>
where
    A::Msg: Message,
{
    let disk = disk.clone();
    let store = Store::on(move |_| Ok(Arc::new(disk.clone())))
        .log_options(LogOptions::default().segment_bytes(400).new_id(LogId(ID)))
        .snapshot_after(1_000);
    theater.spawn_durable(&store, "inventory", actor, Processing::sequential()).unwrap()
}

/// The whole program, one message after the other: so each commit is an epoch.
fn write(disk: &SimulatedDisk) {
    let theater = theater();
    let inventory = spawn(&theater, disk, Inventory::new());
    for step in 1..=STEPS {
        inventory.ask(|done| ToInventory::Step(step, done)).wait().unwrap();
        if step == STEP_WITH_SNAPSHOT {
            while !disk.list().unwrap().iter().any(|name| name.ends_with(".snapshot")) {
                thread::yield_now();
            }
        }
    }
    let _ = theater.shutdown(PATIENCE);
}

/// What a program of this state finds, and how many commits that were.
fn found(disk: &SimulatedDisk) -> (Contents, u64) {
    let theater = theater();
    let inventory = spawn(&theater, disk, Inventory::new());
    assert!(inventory.torn_end().is_none());
    let contents = inventory.ask(ToInventory::Look).wait().unwrap();
    let commits = inventory.recovered_commits();
    let _ = theater.shutdown(PATIENCE);
    (contents, commits)
}

#[test]
fn a_state_of_version_1_is_found_for_ever() {
    let files = kept();
    let count = |kind| files.keys().filter(|name| name.ends_with(kind)).count();
    assert_eq!(count(".snapshot"), 1);
    assert!(count(".segment") > 2, "{:?}", files.keys());
    let disk = disk_with(&files);
    assert_eq!(found(&disk), (Contents::expected(), COMMITS));
    // And is gone on with.
    let theater = theater();
    let inventory = spawn(&theater, &disk, Inventory::new());
    inventory.ask(|done| ToInventory::Step(STEPS, done)).wait().unwrap();
    let contents = inventory.ask(ToInventory::Look).wait().unwrap();
    let _ = theater.shutdown(PATIENCE);
    assert_eq!(found(&disk), (contents, COMMITS + 1));
}

#[test]
fn a_state_of_version_1_is_taken_over_by_one_of_other_fields() {
    let disk = disk_with(&kept());
    for times in 0..3 {
        let theater = theater();
        let evolved = spawn(&theater, &disk, Evolved::new());
        let contents = evolved.ask(LookAtEvolved::Look).wait().unwrap();
        assert_eq!(contents, EvolvedContents::expected(times));
        evolved.ask(LookAtEvolved::Change).wait().unwrap();
        let _ = theater.shutdown(PATIENCE);
    }
}

#[test]
fn version_1_is_what_is_written() {
    assert_eq!(FORMAT_VERSION, 1, "keep a log of version 1, and add one of the new version");
    for _ in 0..3 {
        let disk = SimulatedDisk::new(1);
        write(&disk);
        let (written, kept) = (files_of(&disk), kept());
        assert!(written.keys().all(|name| kept.contains_key(name)), "{:?}", written.keys());
        for (name, bytes) in kept {
            match written.get(&name) {
                Some(written) => assert_eq!(*written, bytes, "{name}"),
                // The snapshot has made it superfluous, and it goes at that moment or with the next
                // one.
                None => assert_eq!(name, BEFORE_SNAPSHOT),
            }
        }
        assert_eq!(found(&disk).0, Contents::expected());
    }
}
