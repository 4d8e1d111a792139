//! Logs in folders of the file system.

use crate::folder::Folder;
use odeon_log::{
    DirectoryStorage, LogError, LogOptions, LogReader, LogWriter, Recovered, Recovery, Storage,
};
use std::io::ErrorKind;
use std::sync::Arc;

fn open(folder: &Folder) -> Result<LogWriter, LogError> {
    let storage = DirectoryStorage::create(folder.path().join("a/b")).expect("it can be created");
    Recovery::open(Arc::new(storage), LogOptions::default().segment_bytes(200))?.into_writer()
}

#[test]
fn epochs_and_snapshots_are_found_by_the_next_one() {
    let folder = Folder::new("next");
    for run in 1..=4 {
        let mut writer = open(&folder).expect("nobody else has it");
        assert_eq!(writer.last_epoch(), (run - 1) * 10);
        for _ in 0..10 {
            writer.append_epoch([&[7; 60][..]]).expect("the disk works");
        }
        let mut snapshot = writer.begin_snapshot().expect("the disk works");
        snapshot.write_chunk(b"state").expect("the disk works");
        snapshot.finish().expect("the disk works");
        let names = DirectoryStorage::at(folder.path().join("a/b")).list().expect("it can be read");
        assert_eq!(names.len(), 3, "a lock, a snapshot, a segment: {names:?}");
    }
}

#[test]
fn snapshots_are_written_by_other_threads_while_epochs_go_on() {
    let folder = Folder::new("threads");
    let mut writer = open(&folder).expect("nobody else has it");
    std::thread::scope(|scope| {
        for epoch in 1..=60_u64 {
            writer.append_epoch([&epoch.to_le_bytes()[..]]).expect("the disk works");
            if epoch % 5 == 0 {
                let mut snapshot = writer.begin_snapshot().expect("the disk works");
                scope.spawn(move || {
                    for number in 1..=snapshot.epoch() {
                        snapshot.write_chunk(&number.to_le_bytes()).expect("the disk works");
                    }
                    snapshot.finish().expect("the disk works");
                });
            }
        }
    });
    drop(writer);
    let storage = Arc::new(DirectoryStorage::at(folder.path().join("a/b")));
    let mut recovery = Recovery::open(storage, LogOptions::default()).expect("nobody has it");
    let mut found = Vec::new();
    while let Some(recovered) = recovery.read_next().expect("nothing is damaged") {
        match recovered {
            Recovered::Chunk(number) => found.push(number.to_vec()),
            Recovered::Epoch { records, .. } => found.extend(records.map(<[u8]>::to_vec)),
            Recovered::TornEnd(end) => panic!("{end}"),
        }
    }
    assert!(found.into_iter().eq((1..=60_u64).map(|number| number.to_le_bytes().to_vec())));
}

#[test]
fn one_writes_and_others_are_refused() {
    let folder = Folder::new("locked");
    let mut writer = open(&folder).expect("nobody else has it");
    writer.append_epoch([&b"one"[..]]).expect("the disk works");
    let refused = open(&folder).err().expect("somebody has it");
    assert!(matches!(refused, LogError::InUse));
    assert_eq!(refused.to_string(), "another process or writer has this log open");

    // A snapshot that is not finished is a writer too; who only reads needs no lock.
    let snapshot = writer.begin_snapshot().expect("the disk works");
    drop(writer);
    assert!(matches!(open(&folder), Err(LogError::InUse)));
    assert!(LogReader::open(Arc::new(DirectoryStorage::at(folder.path().join("a/b")))).is_ok());
    drop(snapshot);
    assert_eq!(open(&folder).expect("nobody has it any more").last_epoch(), 1);
}

#[test]
fn what_the_file_system_refuses_is_told() {
    let folder = Folder::new("refused");
    let nothing = DirectoryStorage::at(folder.path().join("nothing"));
    assert_eq!(nothing.list().unwrap_err().kind(), ErrorKind::NotFound);
    let error = LogReader::open(Arc::new(nothing)).err().expect("there is none");
    assert!(error.to_string().starts_with("cannot list the files: "), "{error}");

    let storage = DirectoryStorage::create(folder.path()).expect("it is there");
    storage.create("file").expect("it is new");
    assert_eq!(
        storage.create("file").err().map(|error| error.kind()),
        Some(ErrorKind::AlreadyExists)
    );
    assert_eq!(storage.remove("other").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(storage.rename("other", "file").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(storage.open("other").err().map(|error| error.kind()), Some(ErrorKind::NotFound));

    // What has the name of a segment is not passed over, whatever it is.
    std::fs::create_dir(folder.path().join("00000000000000000001.segment")).expect("it is new");
    let error = Recovery::open(Arc::new(storage), LogOptions::default()).expect("it has its lock");
    let error = error.into_writer().err().expect("it is no file");
    assert!(error.to_string().starts_with("cannot read 00000000000000000001.segment: "), "{error}");
}
