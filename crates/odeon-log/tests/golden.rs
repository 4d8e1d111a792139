//! Logs of every version that there was: this Odeon, and each later one, reads them.

use crate::encoded::Encoded;
use crate::made::{Files, look, recover, segment, snapshot};
use odeon_log::{FORMAT_VERSION, LogId, LogOptions, Recovery, Storage};
use odeon_testkit::disk::SimulatedDisk;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ID: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;

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

#[test]
fn version_1_is_read_for_ever() {
    for read in [recover(&kept()), look(&kept())] {
        assert_eq!(read.damage, []);
        assert_eq!(read.chunks, [&b"1 ODEON"[..], b"2 ODEON"]);
        let three = vec![b"three".to_vec(), vec![], vec![3; 300]];
        assert!(read.epochs.into_iter().eq([(3, three), (4, vec![b"four".to_vec()])]));
    }
}

#[test]
fn version_1_is_what_is_written() {
    assert_eq!(FORMAT_VERSION, 1, "keep a log of version 1, and add one of the new version");
    let disk = SimulatedDisk::new(1);
    let options = LogOptions::default().segment_bytes(120).new_id(LogId(ID));
    let mut writer =
        Recovery::open(Arc::new(disk.clone()), options).unwrap().into_writer().unwrap();
    writer.append_epoch([&b"one, which is in the snapshot"[..]]).unwrap();
    writer.append_epoch([]).unwrap();
    let mut state = writer.begin_snapshot().unwrap();
    state.write_chunk(b"1 ODEON").unwrap();
    state.write_chunk(b"2 ODEON").unwrap();
    state.finish().unwrap();
    writer.append_epoch([&b"three"[..], b"", &[3; 300]]).unwrap();
    writer.append_epoch([&b"four"[..]]).unwrap();
    let written: Files = disk
        .list()
        .unwrap()
        .into_iter()
        .map(|name| (name.clone(), disk.bytes(&name).unwrap()))
        .collect();

    let by_hand = Files::from([
        (
            snapshot(2),
            Encoded::snapshot(ID, 2).chunk(1, b"1 ODEON").chunk(2, b"2 ODEON").footer(2).bytes,
        ),
        (
            segment(1),
            Encoded::segment(ID, 1)
                .epoch(1, &[b"one, which is in the snapshot"])
                .epoch(2, &[])
                .bytes,
        ),
        (segment(3), Encoded::segment(ID, 3).epoch(3, &[b"three", b"", &[3; 300]]).bytes),
        (segment(4), Encoded::segment(ID, 4).epoch(4, &[b"four"]).bytes),
    ]);
    assert_eq!(written, by_hand);
    assert_eq!(written, kept());
}
