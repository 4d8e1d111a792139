//! Damage of what was durable: an error that names file and byte, or nothing lost; never silence.

use crate::encoded::Encoded;
use crate::made::{
    EPOCHS, Files, Read, SNAPSHOT, chunks, log, look, records, recover, segment, snapshot,
};
use odeon_log::{Damage, Problem};

/// What must be true if bytes of one file were changed from `offset` on.
fn check(files: &Files, name: &str, offset: usize, last: &str) {
    let read = recover(files);
    if let [damage] = &*read.damage {
        assert_eq!(damage.file, name);
        assert!(damage.offset <= offset as u64, "{damage}: it is at {offset}");
    } else {
        assert!(read.goes_on);
        // Damage that nothing is left behind cannot be told from what was never durable: it is in
        // the last epoch, or takes everything from an earlier one on.
        let lost = EPOCHS - read.epochs.keys().max().expect("some are in other segments");
        assert_eq!(lost > 0, read.torn.is_some());
        assert!(lost == 0 || name == last, "{name} at {offset}: {:?}", read.torn);
        is_whole(&read, EPOCHS - lost);
    }
    // Who looks for what is left finds all epochs but the damaged one.
    let found = look(files);
    let damaged = found.damage.is_empty() && found.torn.is_none();
    assert_eq!(damaged, read.damage.is_empty() && read.torn.is_none());
    for epoch in SNAPSHOT + 1..=EPOCHS {
        assert!(found.epochs.get(&epoch).is_none_or(|found| *found == records(epoch)));
    }
    // 512 bytes are in five of the 14 at most.
    assert!(found.epochs.len() >= 14 - 5, "{:?}", found.epochs.keys());
}

/// Whether all of the log was recovered, up to that epoch.
fn is_whole(read: &Read, last: u64) {
    assert_eq!(read.chunks, chunks());
    let expected = (SNAPSHOT + 1..=last).map(|epoch| (epoch, records(epoch)));
    assert!(read.epochs.clone().into_iter().eq(expected), "{:?}", read.epochs.keys());
}

fn last_segment(files: &Files) -> String {
    files.keys().rfind(|name| name.ends_with(".segment")).expect("there is one").clone()
}

#[test]
fn the_log_is_what_the_tests_take_it_for() {
    let files = log();
    let names: Vec<_> = files.keys().cloned().collect();
    assert_eq!(names, [segment(7), snapshot(8), segment(12), segment(19)]);
    is_whole(&recover(&files), EPOCHS);
    assert!(look(&files).damage.is_empty());
}

#[test]
fn every_flipped_bit_is_noticed() {
    let files = log();
    let last = last_segment(&files);
    for (name, bytes) in &files {
        for byte in 0..bytes.len() {
            let mut flipped = files.clone();
            flipped.get_mut(name).unwrap()[byte] ^= 1 << (byte % 8);
            check(&flipped, name, byte, &last);
            let read = recover(&flipped);
            assert!(!read.damage.is_empty() || read.torn.is_some(), "{name}: byte {byte}");
        }
    }
}

#[test]
fn sectors_of_zeros_are_noticed() {
    let files = log();
    let last = last_segment(&files);
    for (name, bytes) in &files {
        for (start, length) in (0..bytes.len()).step_by(64).flat_map(|at| [(at, 64), (at, 512)]) {
            let mut zeroed = files.clone();
            let end = (start + length).min(bytes.len());
            let Some(first) = bytes[start..end].iter().position(|&byte| byte != 0) else {
                continue;
            };
            zeroed.get_mut(name).unwrap()[start..end].fill(0);
            check(&zeroed, name, start + first, &last);
        }
    }
}

#[test]
fn a_file_that_ends_too_soon_is_noticed() {
    let files = log();
    let last = last_segment(&files);
    for (name, bytes) in files.iter().filter(|(name, _)| **name != last) {
        for length in 0..bytes.len() {
            let mut cut = files.clone();
            cut.get_mut(name).unwrap().truncate(length);
            let read = recover(&cut);
            assert_eq!(read.damage.len(), 1, "{name} cut at {length}");
            assert!(read.damage[0].file == *name && read.damage[0].offset <= length as u64);
            assert!(!look(&cut).damage.is_empty());
        }
    }
}

#[test]
fn a_torn_end_is_cut_off_and_told() {
    let files = log();
    let last = last_segment(&files);
    let length = files[&last].len();
    let header = 40;
    // The last segment has epochs 19 and 20; the first of them ends here.
    let middle = length - 28;
    for cut in header..length {
        let mut torn = files.clone();
        torn.get_mut(&last).unwrap().truncate(cut);
        let read = recover(&torn);
        let (whole, at) = if cut < middle { (18, header) } else { (19, middle) };
        is_whole(&read, whole);
        assert_eq!(read.damage, []);
        let told = read.torn.map(|end| (end.file, end.offset, end.bytes));
        let expected = (cut > at).then(|| (last.clone(), at as u64, (cut - at) as u64));
        assert_eq!(told, expected);
        assert!(look(&torn).damage.is_empty());
    }
    // What a crash left behind a header or a whole epoch, with a length that nobody has written.
    for garbage in [vec![0; 700], vec![0xF5; 700], files[&segment(12)].clone()] {
        let mut torn = files.clone();
        torn.get_mut(&last).unwrap().extend(&garbage);
        let read = recover(&torn);
        is_whole(&read, EPOCHS);
        assert_eq!(read.torn.map(|end| end.bytes), Some(garbage.len() as u64));
    }
}

#[test]
fn a_segment_or_snapshot_without_its_header_was_whole_once() {
    let files = log();
    for name in [segment(19), segment(12), snapshot(8)] {
        for length in [0, 1, 39] {
            let mut cut = files.clone();
            cut.get_mut(&name).unwrap().truncate(length);
            let header = Damage { file: name.clone(), offset: 0, problem: Problem::Header };
            assert_eq!(recover(&cut).damage, [header]);
        }
    }
}

#[test]
fn a_segment_in_which_nothing_stands_yet_is_no_damage() {
    let mut files = log();
    files.insert(segment(21), Encoded::segment(7, 21).bytes);
    is_whole(&recover(&files), EPOCHS);
    files.get_mut(&segment(21)).unwrap().extend([0; 100]);
    let read = recover(&files);
    is_whole(&read, EPOCHS);
    assert_eq!(
        read.torn.map(|end| (end.file, end.offset, end.bytes)),
        Some((segment(21), 40, 100))
    );
}

#[test]
fn a_missing_file_is_noticed() {
    let files = log();
    let without = |name: String| {
        let mut files = files.clone();
        files.remove(&name).expect("it is there");
        assert_eq!(recover(&files).damage, look(&files).damage);
        recover(&files).damage
    };
    let missing = |file: String, offset: usize, first, last| {
        let problem = Problem::MissingEpochs { first, last };
        vec![Damage { file, offset: offset as u64, problem }]
    };
    assert_eq!(without(segment(7)), missing(segment(12), 0, 9, 11));
    assert_eq!(without(segment(12)), missing(segment(7), files[&segment(7)].len(), 12, 18));
    assert_eq!(without(snapshot(8)), missing(segment(7), 0, 1, 6));

    let only = Files::from([(snapshot(8), files[&snapshot(8)].clone())]);
    assert_eq!(recover(&only).damage[0].problem, Problem::NoSegment);
}

#[test]
fn a_log_that_ends_before_its_snapshot_is_damaged() {
    let segments = Encoded::segment(7, 1).epoch(1, &[b"one"]).epoch(2, &[]);
    let end = segments.bytes.len();
    let snapshots = Encoded::snapshot(7, 3).chunk(1, b"state").footer(1);
    let mut files = Files::from([(segment(1), segments.bytes), (snapshot(3), snapshots.bytes)]);
    let missing = Problem::MissingEpochs { first: 3, last: 3 };
    let expected = Damage { file: segment(1), offset: end as u64, problem: missing };
    assert_eq!(recover(&files).damage, [expected]);
    // Nothing stands behind it, and it was durable all the same.
    files.get_mut(&segment(1)).unwrap().extend(b"torn");
    assert_eq!(recover(&files).damage[0].problem, Problem::BlockHeader);
}

#[test]
fn epochs_that_are_there_twice_or_in_another_order_are_noticed() {
    let twice = Encoded::segment(7, 1).epoch(1, &[b"one"]).epoch(1, &[b"one"]);
    let read = recover(&Files::from([(segment(1), twice.bytes)]));
    assert_eq!(read.damage[0].problem, Problem::OutOfOrder { expected: 2, found: 1 });

    let gap = Encoded::segment(7, 1).epoch(1, &[]).epoch(3, &[]);
    let read = recover(&Files::from([(segment(1), gap.bytes)]));
    assert_eq!(read.damage[0].problem, Problem::MissingEpochs { first: 2, last: 2 });

    let first = Encoded::segment(7, 1).epoch(1, &[]).epoch(2, &[]).epoch(3, &[]);
    let second = Encoded::segment(7, 3).epoch(3, &[]);
    let read = recover(&Files::from([(segment(1), first.bytes), (segment(3), second.bytes)]));
    let problem = Problem::OutOfOrder { expected: 4, found: 3 };
    assert_eq!(read.damage, [Damage { file: segment(3), offset: 0, problem }]);

    let chunks = Encoded::snapshot(7, 1).chunk(2, b"b").chunk(1, b"a").footer(2);
    let segments = Encoded::segment(7, 1).epoch(1, &[]);
    let read = recover(&Files::from([(snapshot(1), chunks.bytes), (segment(1), segments.bytes)]));
    assert_eq!(read.damage[0].problem, Problem::OutOfOrder { expected: 1, found: 2 });
}

#[test]
fn a_header_behind_a_bad_epoch_says_that_it_was_durable() {
    // The second epoch is bad, and the third was being written: so the second was acknowledged.
    let whole = Encoded::segment(7, 1).epoch(1, &[b"one"]).epoch(2, &[b"two"]);
    let bad = whole.bytes.len() - 1;
    let mut bytes = whole.epoch(3, &[&[3; 700]]).bytes;
    bytes[bad] ^= 1;
    bytes.truncate(bytes.len() - 500);
    let read = recover(&Files::from([(segment(1), bytes)]));
    assert_eq!(read.damage[0].problem, Problem::Payload);

    // A header alone, of an epoch that is not the next one.
    let mut bytes = Encoded::segment(7, 1).epoch(1, &[]).epoch(3, &[b"three"]).bytes;
    bytes.pop();
    assert_eq!(recover(&Files::from([(segment(1), bytes)])).damage[0].problem, Problem::Truncated);
}

#[test]
fn a_record_that_is_a_copy_of_a_log_is_a_record() {
    let copy = Encoded::segment(7, 1).epoch(1, &[b"one"]).epoch(2, &[b"two"]).bytes;
    let mut bytes = Encoded::segment(7, 1).epoch(1, &[&copy]).epoch(2, &[&copy[40..]]).bytes;
    bytes.pop();
    let read = recover(&Files::from([(segment(1), bytes)]));
    assert_eq!((read.damage, read.epochs.len()), (vec![], 1));
    assert!(read.torn.is_some());
}

#[test]
fn files_of_others_are_told_apart() {
    let mut files = log();
    files.insert(segment(12), Encoded::segment(8, 12).epoch(12, &[]).bytes);
    let damage = Damage { file: segment(12), offset: 0, problem: Problem::OtherLog };
    assert_eq!(recover(&files).damage, [damage]);

    let mut files = log();
    files.insert(segment(19), files[&segment(12)].clone());
    assert_eq!(recover(&files).damage[0].problem, Problem::Misnamed);

    let mut files = log();
    for (name, bytes) in [("README", &b"hello"[..]), ("7.segment", b""), ("lock", b"")] {
        files.insert(name.to_owned(), bytes.to_vec());
    }
    is_whole(&recover(&files), EPOCHS);
}

#[test]
fn a_newer_version_is_named() {
    let newer = Encoded::file(b"OdeonLog", 2, 7, 1);
    let read = recover(&Files::from([(segment(1), newer.bytes)]));
    assert_eq!(read.damage[0].problem, Problem::Version(2));
    assert_eq!(
        read.damage[0].to_string(),
        "00000000000000000001.segment is damaged at byte 0: the file has version 2 of the format; \
         this Odeon reads 1"
    );
}

#[test]
fn blocks_that_are_wrong_with_a_right_checksum_are_noticed() {
    let problem = |file: Encoded| {
        let files = Files::from([(segment(1), file.epoch(2, &[]).bytes)]);
        assert_eq!(recover(&files).damage, look(&files).damage[..1]);
        recover(&files).damage[0].problem.clone()
    };
    let begun = || Encoded::segment(7, 1);
    assert_eq!(problem(begun().block(b"\xF5Epo", 1, 4, 2, &[0; 4])), Problem::Payload);
    assert_eq!(problem(begun().block(b"\xF5Epo", 1, 5, 1, &[0; 5])), Problem::Payload);
    assert_eq!(problem(begun().block(b"\xF5Epo", 1, 4, 1, &[0xFF; 4])), Problem::Payload);
    assert_eq!(problem(begun().chunk(1, b"chunk")), Problem::Payload);
    // A length of 4 GiB asks for no memory.
    assert_eq!(problem(begun().block(b"\xF5Epo", 1, u32::MAX, 0, b"")), Problem::Truncated);
    assert_eq!(problem(begun().block(b"\xF5Epo", 1, 0, u32::MAX, b"")), Problem::Payload);
    let last = begun().epoch(u64::MAX, &[]);
    assert!(matches!(problem(last), Problem::MissingEpochs { first: 1, .. }));
}
