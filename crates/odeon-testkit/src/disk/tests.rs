use super::*;

/// A disk with a durable file of 700 bytes, which is open.
fn with_file(seed: u64) -> (SimulatedDisk, Box<dyn StorageFile>) {
    let disk = SimulatedDisk::new(seed);
    let mut file = disk.create("file").unwrap();
    file.append(&[1; 700]).unwrap();
    file.sync().unwrap();
    disk.sync_directory().unwrap();
    (disk, file)
}

/// What is found after crashes with many seeds.
fn outcomes(crash: impl Fn(u64) -> Vec<u8>) -> Vec<Vec<u8>> {
    (0..400).map(crash).collect()
}

#[test]
fn what_is_durable_stays_and_the_rest_may_be_lost_torn_or_reordered() {
    let found = outcomes(|seed| {
        let (disk, mut file) = with_file(seed);
        file.append(&[2; 1_500]).unwrap();
        disk.crash().bytes("file").unwrap()
    });
    assert!(found.iter().all(|bytes| bytes[..700] == [1; 700]));
    let has = |what: &dyn Fn(&[u8]) -> bool| found.iter().any(|bytes| what(&bytes[700..]));
    assert!(has(&|rest| rest.is_empty()) && has(&|rest| rest == [2; 1_500]));
    assert!(has(
        &|rest| (1..1_500).contains(&rest.len()) && (700 + rest.len()) % SECTOR_OF_DISK != 0
    ));
    assert!(has(&|rest| rest.len() == 1_500 && rest[0] == 0 && rest[1_499] == 2));
    assert!(has(&|rest| rest.len() == 1_500 && ![0, 2].contains(&rest[400])));
}

const SECTOR_OF_DISK: usize = 512;

#[test]
fn after_a_failed_sync_later_ones_do_not_write_what_it_has_not() {
    let found = outcomes(|seed| {
        let (disk, mut file) = with_file(seed);
        file.append(&[2; 1_500]).unwrap();
        disk.fail_at(disk.operations(), DiskFault::Error);
        assert!(file.sync().is_err());
        file.append(&[3; 100]).unwrap();
        file.sync().unwrap();
        assert_eq!(disk.bytes("file").unwrap()[700..2_200], [2; 1_500], "the system shows it");
        disk.crash().bytes("file").unwrap()
    });
    assert!(found.iter().all(|bytes| bytes[..700] == [1; 700] && bytes[2_200..] == [3; 100]));
    assert!(found.iter().any(|bytes| bytes[700..2_200] == [0; 1_500]));
    assert!(found.iter().any(|bytes| bytes[700..2_200] == [2; 1_500]));
}

#[test]
fn names_are_lost_unless_the_directory_was_synced() {
    let after = |seed, sync: bool| {
        let (disk, _) = with_file(seed);
        let mut other = disk.create("new").unwrap();
        other.append(b"new").unwrap();
        other.sync().unwrap();
        disk.rename("new", "file").unwrap();
        disk.create("third").unwrap();
        if sync {
            disk.sync_directory().unwrap();
        }
        let disk = disk.crash();
        (disk.list().unwrap(), disk.bytes("file").unwrap().len())
    };
    assert!((0..100).all(|seed| after(seed, true) == (vec!["file".into(), "third".into()], 3)));
    let lost = (0..400).map(|seed| after(seed, false)).collect::<BTreeSet<_>>();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    for expected in [
        (names(&["file"]), 700),
        (names(&["file", "new"]), 700),
        (names(&["file", "third"]), 3),
        (names(&["file", "third"]), 700),
    ] {
        assert!(lost.contains(&expected), "{expected:?} is not in {lost:?}");
    }
}

#[test]
fn a_full_disk_takes_what_fits() {
    let (disk, mut file) = with_file(1);
    disk.set_capacity(710);
    let full = file.append(&[2; 100]).unwrap_err();
    assert_eq!((full.kind(), disk.bytes("file").unwrap().len()), (ErrorKind::StorageFull, 710));
}

#[test]
fn a_crash_ends_everything_and_the_same_seed_has_the_same_outcome() {
    let run = || {
        let (disk, mut file) = with_file(7);
        file.append(&[2; 1_500]).unwrap();
        disk.fail_at(disk.operations(), DiskFault::Crash);
        assert!(file.append(b"more").is_err() && file.sync().is_err() && disk.list().is_err());
        let _lock = disk.lock();
        let found = disk.crash();
        assert!(found.lock().is_ok() && found.lock().is_ok(), "locks end when they are dropped");
        found.bytes("file")
    };
    assert_eq!(run(), run());
}

#[test]
fn folders_have_files_names_and_locks_of_their_own() {
    let found = (0..400).map(|seed| {
        let disk = SimulatedDisk::new(seed);
        let folders = ["east", "west"].map(|name| disk.folder(name));
        let locks = folders.each_ref().map(|folder| folder.lock().unwrap());
        assert!(folders[0].lock().is_err() && disk.lock().is_ok());
        drop(locks);
        for folder in &folders {
            folder.create("file").unwrap();
            assert!(folder.lock().is_ok() && folder.create("file").is_err());
        }
        folders[0].sync_directory().unwrap();
        assert_eq!(folders[0].list().unwrap(), ["file"]);
        assert!(disk.list().unwrap().is_empty());
        let crashed = disk.crash();
        assert!(crashed.folder("east").open("file").is_ok(), "it was synced");
        crashed.folder("west").open("file").is_ok()
    });
    // Another folder's sync does nothing for it.
    assert_eq!(found.collect::<BTreeSet<_>>().len(), 2);
}
