//! Histories made by hand: the checker accepts the good ones and rejects each anomaly.

use super::checker::{Transaction, serial_order};

/// Begin, end, reads, writes.
type Row<'a> = (u64, u64, &'a [(usize, u64)], &'a [(usize, u64)]);

fn is_serial(rows: &[Row<'_>]) -> bool {
    let history: Vec<_> = rows
        .iter()
        .map(|(begin, end, reads, writes)| Transaction {
            what: String::new(),
            begin: *begin,
            end: *end,
            reads: reads.to_vec(),
            writes: writes.to_vec(),
        })
        .collect();
    serial_order(&history, 2).is_some()
}

#[test]
fn good_histories_are_accepted() {
    assert!(is_serial(&[]));
    // One after the other.
    assert!(is_serial(&[(0, 1, &[(0, 0)], &[(0, 5)]), (2, 3, &[(0, 5)], &[])]));
    // At the same time, in either order of the clock.
    assert!(is_serial(&[(0, 9, &[(0, 0)], &[(1, 5)]), (1, 8, &[(1, 5)], &[(0, 7)])]));
    assert!(is_serial(&[(1, 8, &[(1, 5)], &[(0, 7)]), (0, 9, &[(0, 0)], &[(1, 5)])]));
    // A snapshot before, at the same time as, and after a writer.
    let writer: Row<'_> = (2, 5, &[], &[(0, 1), (1, 1)]);
    for (begin, end, value) in [(0, 1, 0), (1, 9, 0), (1, 9, 1), (6, 7, 1)] {
        assert!(is_serial(&[writer, (begin, end, &[(0, value), (1, value)], &[])]));
    }
}

#[test]
fn lost_update() {
    assert!(!is_serial(&[(0, 9, &[(0, 0)], &[(0, 1)]), (0, 9, &[(0, 0)], &[(0, 2)])]));
}

#[test]
fn write_skew() {
    assert!(!is_serial(&[(0, 9, &[(0, 0)], &[(1, 1)]), (0, 9, &[(1, 0)], &[(0, 1)])]));
}

#[test]
fn dirty_read() {
    let rolled_back: Row<'_> = (0, 9, &[], &[]);
    assert!(!is_serial(&[rolled_back, (1, 8, &[(0, 7)], &[])]));
}

#[test]
fn non_repeatable_and_torn_reads() {
    let writer: Row<'_> = (0, 9, &[], &[(0, 1), (1, 1)]);
    assert!(!is_serial(&[writer, (1, 8, &[(0, 0), (0, 1)], &[])]));
    assert!(!is_serial(&[writer, (1, 8, &[(0, 0), (1, 1)], &[])]));
    assert!(!is_serial(&[writer, (1, 8, &[(0, 1), (1, 0)], &[])]));
}

#[test]
fn stale_reads() {
    // After the writer had ended.
    assert!(!is_serial(&[(0, 1, &[], &[(0, 1)]), (2, 3, &[(0, 0)], &[])]));
    // Of the future.
    assert!(!is_serial(&[(2, 3, &[], &[(0, 1)]), (0, 1, &[(0, 1)], &[])]));
    // Serialisable, but not in time: the reader of the old value begins after the reader of the new
    // one.
    let writer: Row<'_> = (0, 9, &[], &[(0, 1)]);
    assert!(is_serial(&[writer, (1, 2, &[(0, 0)], &[]), (3, 4, &[(0, 1)], &[])]));
    assert!(!is_serial(&[writer, (1, 2, &[(0, 1)], &[]), (3, 4, &[(0, 0)], &[])]));
}

#[test]
fn two_readers_that_disagree_about_the_order_of_two_writers() {
    let writers: [Row<'_>; 2] = [(0, 9, &[], &[(0, 1)]), (0, 9, &[], &[(1, 1)])];
    let one: Row<'_> = (1, 8, &[(0, 1), (1, 0)], &[]);
    let other: Row<'_> = (1, 8, &[(0, 0), (1, 1)], &[]);
    assert!(is_serial(&[writers[0], writers[1], one]));
    assert!(!is_serial(&[writers[0], writers[1], one, other]));
}
