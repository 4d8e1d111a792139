//! Which segments are there.

use super::{FIRST, TVec};
use crate::{atomically, snapshot};

/// How many places there are.
fn room(vec: &TVec<usize>) -> usize {
    vec.segments.iter().filter_map(|segment| Some(segment.peek()?.0.len())).sum()
}

#[test]
fn room_is_given_back_as_elements_go() {
    let vec: TVec<usize> = (0..5_000).collect();
    for len in (0..5_000).rev() {
        atomically(|tx| vec.pop(tx).map(drop));
        assert!(room(&vec) < 4 * len + 3 * FIRST + 1, "{} places for {len}", room(&vec));
    }
    assert_eq!(room(&vec), FIRST);
    atomically(|tx| {
        vec.extend(tx, 0..1_000)?;
        // Also segments that the transaction itself has made and filled.
        while vec.pop(tx)?.is_some() {}
        vec.extend(tx, 0..100)
    });
    assert_eq!(snapshot(|view| vec.fold(view, 0, |sum, element| sum + element)), Ok(4_950));
    atomically(|tx| vec.clear(tx));
    assert_eq!((room(&vec), atomically(|tx| vec.len(tx))), (FIRST, 0));
}

#[test]
fn a_length_that_goes_up_and_down_keeps_its_segment() {
    let vec: TVec<usize> = (0..FIRST).collect();
    let second = |vec: &TVec<usize>| vec.segments[1].peek().map(|segment| segment.0.as_ptr());
    atomically(|tx| vec.push(tx, 0));
    let before = second(&vec);
    for _ in 0..3 {
        atomically(|tx| vec.pop(tx).map(drop));
        atomically(|tx| vec.push(tx, 0));
        assert_eq!(second(&vec), before);
    }
}

#[test]
fn who_reads_or_writes_in_a_segment_that_is_given_back_is_in_conflict() {
    use crate::attempt::transaction::Tx;
    use crate::attempt::{Attempt, Mode};
    use crate::domain::Domain;
    for writes in [false, true] {
        let vec: TVec<usize> = (0..100).collect();
        let domain = Domain::shared();
        let mut attempt = Attempt::new(domain).unwrap();
        attempt.begin(Mode::Logged);
        let tx = Tx::of(&mut attempt);
        assert_eq!(vec.get(tx, 99), Ok(Some(&99)));
        if writes {
            assert_eq!(vec.set(tx, 99, 1), Ok(Some(&99)));
        }
        atomically(|tx| vec.clear(tx));
        let other = crate::TVar::new(0);
        other.set(Tx::of(&mut attempt), 1).unwrap();
        assert!(attempt.commit().is_err());
        let _ = crate::attempt::between::roll_back(&mut attempt, crate::Cause::ReadOverwritten);
        assert_eq!(atomically(|tx| vec.get(tx, 99).map(|found| found.copied())), None);
    }
}
