//! A process that is killed while it appends: what it was told is there, and its lock is not.

mod folder;

use folder::Folder;
use odeon_log::{DirectoryStorage, LogError, LogOptions, Recovered, Recovery};
use odeon_testkit::OwnProcess;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const TEST: &str = "what_a_killed_process_was_told_is_there";
const FOLDER: &str = "ODEON_DURABLE_FOLDER";

fn record(epoch: u64) -> Vec<u8> {
    vec![epoch as u8; 1 + (epoch as usize * 379) % 5_000]
}

/// Opens the log, and checks that it has epochs without a gap, each as it was appended.
fn open(folder: &str) -> Result<odeon_log::LogWriter, LogError> {
    let storage = Arc::new(DirectoryStorage::create(folder).expect("it is there"));
    let mut recovery = Recovery::open(storage, LogOptions::default().segment_bytes(20_000))?;
    let mut last = 0;
    while let Some(recovered) = recovery.read_next()? {
        match recovered {
            Recovered::Chunk(bytes) => {
                last = u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
            }
            Recovered::Epoch { epoch, records } => {
                last += 1;
                assert_eq!(epoch, last);
                assert!(records.eq([&record(epoch)[..]]));
            }
            Recovered::TornEnd(end) => eprintln!("{end}"),
        }
    }
    let writer = recovery.into_writer()?;
    assert_eq!(writer.last_epoch(), last);
    Ok(writer)
}

fn append_until_killed(folder: &str) {
    let mut writer = open(folder).expect("the one before was killed");
    loop {
        let epoch =
            writer.append_epoch([&record(writer.last_epoch() + 1)[..]]).expect("the disk works");
        OwnProcess::tell(&format!("acknowledged {epoch}"));
        if epoch % 20 == 0 {
            let mut snapshot = writer.begin_snapshot().expect("the disk works");
            snapshot.write_chunk(&epoch.to_le_bytes()).expect("the disk works");
            snapshot.finish().expect("the disk works");
        }
    }
}

#[test]
fn what_a_killed_process_was_told_is_there() {
    if OwnProcess::is_of(TEST) {
        return append_until_killed(&std::env::var(FOLDER).expect("its parent says where"));
    }
    let folder = Folder::new("killed");
    let path = folder.path().to_str().expect("temporary paths are UTF-8");
    let mut told = 0;
    for run in 1..=5 {
        let mut command = Command::new(std::env::current_exe().expect("it runs"));
        command.env(FOLDER, path);
        let mut process = OwnProcess::start_by(command, TEST);
        let mut hear = |within| match process.says("acknowledged ", within) {
            Some(epoch) => {
                told = epoch.parse().expect("it is a number");
                true
            }
            None => false,
        };
        for _ in 0..13 * run {
            assert!(hear(Duration::from_secs(60)), "it appends");
        }
        assert!(matches!(open(path), Err(LogError::InUse)));
        process.kill().expect("it is gone");
        while let Some(epoch) = process.says("acknowledged ", Duration::from_secs(60)) {
            told = epoch.parse().expect("it is a number");
        }
        let found = open(path).expect("nobody has it any more").last_epoch();
        assert!(found == told || found == told + 1, "{found} are there, {told} were acknowledged");
    }
}
