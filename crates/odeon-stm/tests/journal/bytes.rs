//! Bytes that are no record, or no change of what they are for.

use crate::state::{State, steps};
use crate::support::Random;
use odeon_stm::atomically;
use odeon_stm::collections::{TList, TMap, TQueue, TSet, TVec};
use odeon_stm::journal::{ApplyError, Changes, Journaled, Malformed, add_change};
use odeon_stm::{TCounter, TMax, TVar, TWord};
use odeon_testkit::for_seeds;

/// Whether the bytes are a change of `one`.
fn applies(one: &dyn Journaled, change: &[u8]) -> bool {
    atomically(|tx| match one.apply(tx, change) {
        Ok(()) => Ok(true),
        Err(ApplyError::NoChange) => Ok(false),
        Err(ApplyError::Rollback(rollback)) => Err(rollback),
    })
}

#[test]
fn random_bytes_never_panic() {
    for_seeds(300, |seed| {
        let random = &mut Random::new(seed + 1);
        let live = State::new(3);
        for _ in 0..10 {
            let seed = random.below(u64::MAX);
            atomically(|tx| steps(&live, tx, &mut Random::new(seed), 0));
        }
        let record = live.tell();
        for _ in 0..50 {
            let mut record = record.clone();
            for _ in 0..=random.below(3) {
                let (place, byte) = (random.below(record.len() as u64), random.below(256));
                match random.below(4) {
                    0 => record[place as usize] = byte as u8,
                    1 => record[place as usize] ^= 1 << (byte % 8),
                    2 => record.insert(place as usize, byte as u8),
                    _ => record.truncate(place as usize + 1),
                }
            }
            live.apply(&record);
            let bytes: Vec<u8> = (0..random.below(30)).map(|_| random.below(256) as u8).collect();
            live.apply(&bytes);
        }
    });
}

#[test]
fn an_end_in_the_middle_is_malformed() {
    let mut record = Vec::new();
    add_change(&[1, 2_000], &[7; 300], &mut record);
    for end in 1..record.len() {
        let changes: Vec<_> = Changes::of(&record[..end]).collect();
        assert_eq!(changes, [Err(Malformed)], "{end}");
    }
    assert_eq!(Changes::of(&record).filter(Result::is_ok).count(), 1);
    assert_eq!(Changes::of(&[]).count(), 0);
    // A name of more components than there are bytes, and a component that is too large.
    assert_eq!(Changes::of(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]).last(), Some(Err(Malformed)));
    assert_eq!(Changes::of(&[1, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0]).last(), Some(Err(Malformed)));
}

#[test]
fn what_is_no_change_is_refused() {
    let text = TVar::new(String::from("before"));
    for bytes in [&[][..], &[5, b'a'], &[1, 0xFF], &[1, b'a', 0]] {
        assert!(!applies(&text, bytes), "{bytes:?}");
    }
    assert_eq!(text.peek(), "before");
    let truth = TVar::new(true);
    assert!(!applies(&truth, &[2]) && applies(&truth, &[0]) && !truth.peek());
    let sum = TCounter::new(5);
    for bytes in [&[][..], &[0], &[2, 4], &[0, 4, 4], &[0x80]] {
        assert!(!applies(&sum, bytes) && !applies(&TMax::new(0), bytes), "{bytes:?}");
    }
    assert_eq!(sum.peek(), 5);
    let word: TWord<crate::state::Half> = TWord::new(crate::state::Half(1));
    assert!(!applies(&word, &[]) && !applies(&word, &[3, 3]) && applies(&word, &[3]));
}

#[test]
fn what_is_not_there_cannot_change() {
    let (map, set) = (TMap::<u8, u8>::new(), TSet::<u8>::new());
    let (list, queue, vec) = (TList::<u8>::new(), TQueue::<u8>::new(), TVec::<u8>::new());
    let removed = [2, 7];
    assert!(!applies(&map, &removed) && !applies(&set, &removed) && !applies(&list, &removed));
    let (popped, changed, swapped) = ([2], [3, 0, 9], [4, 0, 0]);
    assert!(!applies(&queue, &popped) && !applies(&vec, &popped));
    assert!(!applies(&vec, &changed) && !applies(&vec, &swapped));
    let pushed = [1, 9];
    assert!(applies(&vec, &pushed) && applies(&vec, &changed) && applies(&vec, &swapped));
    assert!(applies(&queue, &pushed) && !applies(&queue, &changed) && !applies(&queue, &swapped));
    let far = [3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 9];
    assert!(!applies(&vec, &far));
}
