//! `odeon log` on logs that are whole, torn and damaged.

use crate::command_line::Folder;
use odeon_log::{DirectoryStorage, LogId, LogOptions, Recovery};
use std::process::Command;
use std::sync::Arc;

/// What it prints, what it complains, and its exit code.
fn odeon_log(arguments: &[&str]) -> (String, String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_odeon"));
    let output = command.arg("log").args(arguments).output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("it is UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

const FIRST: &str = "00000000000000000001.segment";

/// A log with a snapshot of the first of its three epochs.
fn with_log(test: &str) -> (Folder, String) {
    let folder = Folder::new(test);
    let path = folder.file("log");
    let storage = Arc::new(DirectoryStorage::create(&path).expect("it can be created"));
    let options = LogOptions::default().new_id(LogId(0xABCD));
    let mut writer = Recovery::open(storage, options).unwrap().into_writer().unwrap();
    writer.append_epoch([&b"one"[..]]).unwrap();
    let mut snapshot = writer.begin_snapshot().unwrap();
    snapshot.write_chunk(b"state").unwrap();
    snapshot.finish().unwrap();
    writer.append_epoch([&[1; 20][..], b""]).unwrap();
    writer.append_epoch([]).unwrap();
    (folder, path)
}

#[test]
fn show_lists_files_epochs_and_records() {
    let (_folder, path) = with_log("log-show");
    let expected = "\
log 0000000000000000000000000000abcd
00000000000000000001.snapshot: 101 bytes, the state after epoch 1
  chunk at byte 40: 5 bytes: 73 74 ..
00000000000000000001.segment: 159 bytes, epochs from 1 on
  epoch 1 at byte 40: 1 record
    3 bytes: 6f 6e ..
  epoch 2 at byte 75: 2 records
    20 bytes: 01 01 ..
    0 bytes
  epoch 3 at byte 131: 0 records
";
    let shown = odeon_log(&["show", "--bytes", "2", &path]);
    assert_eq!(shown, (expected.to_owned(), String::new(), Some(0)));
}

#[test]
fn stat_counts() {
    let (_folder, path) = with_log("log-stat");
    let expected = "\
log 0000000000000000000000000000abcd
snapshot: after epoch 1, 101 bytes, of which 5 in 1 chunk
segments: 1, 159 bytes
epochs: 3, the largest of 20 bytes
records: 3, 23 bytes
";
    assert_eq!(odeon_log(&["stat", &path]), (expected.to_owned(), String::new(), Some(0)));
}

#[test]
fn check_tells_what_is_damaged_and_what_is_left() {
    let (_folder, path) = with_log("log-check");
    let (out, _, code) = odeon_log(&["check", &path]);
    assert!(out.ends_with("\nreadable: 1 chunk, epochs 1 to 3\nnothing is damaged\n"), "{out}");
    assert_eq!(code, Some(0));

    let file = format!("{path}/{FIRST}");
    let whole = std::fs::read(&file).unwrap();
    // Torn: that is no damage. What is left over is named.
    std::fs::write(&file, [&whole[..], &[0; 9]].concat()).unwrap();
    std::fs::write(format!("{path}/00000000000000000004.segment.unfinished"), "").unwrap();
    let (out, _, code) = odeon_log(&["check", &path]);
    let torn = format!("{FIRST} ends at byte 159; 9 bytes behind it were never durable\n");
    assert!(
        out.contains(&torn) && out.contains("4.segment.unfinished: counts for nothing"),
        "{out}"
    );
    assert_eq!(code, Some(0));

    let mut damaged = whole.clone();
    damaged[110] ^= 1;
    std::fs::write(&file, damaged).unwrap();
    let (out, complaint, code) = odeon_log(&["check", &path]);
    let payload =
        format!("{FIRST} is damaged at byte 75: the payload of a block is not what was written\n");
    let missing = format!("{FIRST} is damaged at byte 131: epoch 2 is missing\n");
    assert!(out.contains(&payload) && out.contains(&missing), "{out}");
    assert!(out.ends_with("\nreadable: 1 chunk, epoch 1, epoch 3\n"), "{out}");
    assert_eq!((&*complaint, code), ("error: damaged: see 2 lines above\n", Some(1)));
    for command in ["show", "stat"] {
        let (out, _, code) = odeon_log(&[command, &path]);
        assert!(out.contains("damaged") && code == Some(0), "{out}");
    }
}

#[test]
fn what_is_no_log_is_refused_in_a_line() {
    let folder = Folder::new("log-none");
    let file = folder.file("file");
    std::fs::write(&file, "text").unwrap();
    let here = folder.file("");
    let nowhere = folder.file("nowhere");
    for (path, problem) in [
        (&*file, "not a folder"),
        (&here, "no log is in this folder"),
        (&nowhere, "no such folder"),
    ] {
        for command in ["show", "check", "stat"] {
            let expected = format!("error: {path}: {problem}\n");
            assert_eq!(odeon_log(&[command, path]), (String::new(), expected, Some(2)));
        }
    }
    let (_, complaint, code) = odeon_log(&["show", "--bytes", "x", &here]);
    assert!(
        complaint.contains("invalid value 'x' for '--bytes <N>'") && code == Some(2),
        "{complaint}"
    );
    assert_eq!(odeon_log(&["check"]).2, Some(2));
}
