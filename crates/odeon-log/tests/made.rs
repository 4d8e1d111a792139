//! A log with a snapshot and several segments, and all that is in it, for tests that damage it.

use odeon_log::{
    Damage, Found, LogError, LogId, LogOptions, LogReader, Recovered, Recovery, Storage, TornEnd,
};
use odeon_testkit::disk::SimulatedDisk;
use std::collections::BTreeMap;
use std::sync::Arc;

type Epochs = BTreeMap<u64, Vec<Vec<u8>>>;

/// Files by their names.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

pub(crate) fn options() -> LogOptions {
    LogOptions::default().segment_bytes(1_500).new_id(LogId(7))
}

/// What was read of a log, up to its end or an error.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) chunks: Vec<Vec<u8>>,
    pub(crate) epochs: Epochs,
    pub(crate) torn: Option<TornEnd>,
    pub(crate) damage: Vec<Damage>,
    /// Whether a writer could go on behind it.
    pub(crate) goes_on: bool,
}

fn owned<'a>(records: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    records.map(<[u8]>::to_vec).collect()
}

/// Opens the log to write it, and appends an epoch.
pub(crate) fn recover(files: &Files) -> Read {
    let disk = disk_with(files);
    let mut read = Read::default();
    let mut recovery = Recovery::open(Arc::new(disk.clone()), options()).expect("the disk works");
    loop {
        match recovery.read_next() {
            Ok(Some(Recovered::Chunk(bytes))) => read.chunks.push(bytes.to_vec()),
            Ok(Some(Recovered::Epoch { epoch, records })) => {
                assert!(read.epochs.insert(epoch, owned(records)).is_none());
            }
            Ok(Some(Recovered::TornEnd(end))) => read.torn = Some(end),
            Ok(None) => break,
            Err(LogError::Damage(damage)) => {
                read.damage.push(damage);
                assert!(recovery.into_writer().is_err());
                let after: Files =
                    names(&disk).map(|name| (name.clone(), disk.bytes(&name).unwrap())).collect();
                assert_eq!(&after, files, "a damaged log is left as it is");
                return read;
            }
            Err(error) => panic!("{error}"),
        }
    }
    let mut writer = recovery.into_writer().expect("the disk works");
    let epoch = writer.append_epoch([&b"behind it"[..]]).expect("the disk works");
    drop(writer);
    let again = look_at(&disk);
    assert!(again.damage.is_empty() && again.torn.is_none(), "what is torn was cut off: {again:?}");
    let is_behind =
        |before| again.epochs.contains_key(&before) || disk.bytes(&snapshot(before)).is_some();
    assert!(epoch == 1 || is_behind(epoch - 1));
    assert_eq!(again.epochs[&epoch], [b"behind it"]);
    read.goes_on = true;
    read
}

/// Reads the log without writing, and goes on behind damage.
pub(crate) fn look(files: &Files) -> Read {
    look_at(&disk_with(files))
}

fn look_at(disk: &SimulatedDisk) -> Read {
    let mut read = Read::default();
    let mut reader = LogReader::open(Arc::new(disk.clone())).expect("the disk works");
    while let Some(found) = reader.read_next().expect("the disk works") {
        match found {
            Found::Chunk { bytes, .. } => read.chunks.push(bytes.to_vec()),
            Found::Epoch { epoch, records, .. } => {
                read.epochs.insert(epoch, owned(records));
            }
            Found::Damage(damage) => read.damage.push(damage),
            Found::TornEnd(end) => read.torn = Some(end),
            Found::Snapshot(_) | Found::Segment(_) => {}
        }
    }
    read
}

pub(crate) fn disk_with(files: &Files) -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    files.iter().for_each(|(name, bytes)| disk.put(name, bytes.clone()));
    disk
}

fn names(disk: &SimulatedDisk) -> impl Iterator<Item = String> {
    disk.list().expect("the disk works").into_iter()
}

pub(crate) fn segment(epoch: u64) -> String {
    format!("{epoch:020}.segment")
}

pub(crate) fn snapshot(epoch: u64) -> String {
    format!("{epoch:020}.snapshot")
}

/// How many epochs [`log`] has; the last ones are in segments from 7, 12 and 19 on.
pub(crate) const EPOCHS: u64 = 20;
/// The epoch of its snapshot, which the first segment has too.
pub(crate) const SNAPSHOT: u64 = 8;

/// The records of an epoch.
pub(crate) fn records(epoch: u64) -> Vec<Vec<u8>> {
    (0..epoch % 4).map(|record| vec![(epoch ^ record) as u8 + 1; 271 * record as usize]).collect()
}

/// A log that was written by the crate.
pub(crate) fn log() -> Files {
    let disk = SimulatedDisk::new(1);
    let log = Recovery::open(Arc::new(disk.clone()), options()).expect("the disk works");
    let mut writer = log.into_writer().expect("the disk works");
    for epoch in 1..=EPOCHS {
        let records = records(epoch);
        writer.append_epoch(records.iter().map(Vec::as_slice)).expect("the disk works");
        if epoch == SNAPSHOT {
            let mut snapshot = writer.begin_snapshot().expect("the disk works");
            for chunk in chunks() {
                snapshot.write_chunk(&chunk).expect("the disk works");
            }
            snapshot.finish().expect("the disk works");
        }
    }
    names(&disk).map(|name| (name.clone(), disk.bytes(&name).unwrap())).collect()
}

/// What its snapshot has.
pub(crate) fn chunks() -> Vec<Vec<u8>> {
    vec![b"the state".to_vec(), Vec::new(), vec![9; 900]]
}
