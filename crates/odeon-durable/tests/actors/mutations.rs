//! Logs that were changed at random: whoever opens them finds a state that the actor was in, or is
//! told; nothing panics, and nothing is lost in silence that can be noticed.

use super::given_records::{open, records_of};
use super::ledger::{Audited, PATIENCE, audit, processings, spawn, store, theater, transfer};
use odeon_core::Random;
use odeon_durable::RecoverError;
use odeon_log::{LogError, Storage};
use odeon_testkit::disk::SimulatedDisk;
use odeon_testkit::for_seeds;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A log, and the states of the ledger after so many commits.
struct Made {
    files: BTreeMap<String, Vec<u8>>,
    states: Vec<Audited>,
}

fn made(transfers: u64, snapshot_after: u64) -> (SimulatedDisk, Made) {
    let (theater, disk) = (theater(), SimulatedDisk::new(1));
    let store = store(disk.clone()).snapshot_after(snapshot_after);
    let ledger = spawn(&theater, &store, processings()[1].clone()).unwrap();
    let mut states = vec![audit(&ledger)];
    for number in 1..=transfers {
        transfer(&ledger, (number % 3) as u32, number.div_ceil(3), 1).1.unwrap();
        states.push(audit(&ledger));
    }
    let _ = theater.shutdown(PATIENCE);
    let names = disk.list().unwrap().into_iter();
    let files = names.map(|name| (name.clone(), disk.bytes(&name).unwrap())).collect();
    (disk, Made { files, states })
}

impl Made {
    fn last_segment(&self) -> &str {
        self.files.keys().rfind(|name| name.ends_with(".segment")).expect("there is one")
    }

    fn commits(&self) -> u64 {
        self.states.len() as u64 - 1
    }
}

enum Mutation {
    /// Bytes have become others: files are as long as before.
    InPlace(String),
    Other,
}

fn change(files: &mut BTreeMap<String, Vec<u8>>, random: &mut Random) -> Mutation {
    let names: Vec<_> = files.keys().cloned().collect();
    let name = names[random.below(names.len())].clone();
    let bytes = files.get_mut(&name).expect("it is there");
    let at = random.below(bytes.len());
    let most = [2, 40, 600][random.below(3)];
    let end = at + random.below((bytes.len() - at).min(most)) + 1;
    match random.below(9) {
        0..2 => bytes[at..end].fill_with(|| random.next_u64() as u8),
        2 => bytes[at..end].fill(0),
        3 => bytes[at] ^= 1 << random.below(8),
        number => {
            match number {
                4 => bytes.truncate(at),
                5 => drop(bytes.drain(at..end)),
                6 => {
                    let copy = bytes[at..end].to_vec();
                    bytes.extend(copy);
                }
                7 => drop(files.remove(&name)),
                _ => {
                    let bytes = files.remove(&name).expect("it is there");
                    let to = format!("{:020}.segment", random.below(40));
                    files.insert(to, bytes);
                }
            }
            return Mutation::Other;
        }
    }
    Mutation::InPlace(name)
}

#[test]
fn files_that_were_changed_at_random_give_a_state_that_was_there() {
    let (_, made) = made(150, 3_000);
    assert!(made.files.keys().any(|name| name.ends_with(".snapshot")), "{:?}", made.files.keys());
    let theater = theater();
    for_seeds(3_000, |seed| {
        let mut random = Random::from_seed(seed);
        let (mut files, disk) = (made.files.clone(), SimulatedDisk::new(seed));
        let mutation = change(&mut files, &mut random);
        files.iter().for_each(|(name, bytes)| disk.put(name, bytes.clone()));
        match spawn(&theater, &store(disk.clone()), processings()[1].clone()) {
            Ok(ledger) => {
                // One of them is the begin of the log.
                let commits = ledger.recovered_commits().saturating_sub(1);
                assert_eq!(audit(&ledger), made.states[commits as usize]);
                let is_told = ledger.torn_end().is_some();
                if let (Mutation::InPlace(name), true) = (mutation, commits < made.commits()) {
                    assert_eq!(name, made.last_segment());
                    assert!(is_told, "{commits} are left in silence");
                }
            }
            Err(RecoverError::Log(LogError::Damage(_))) => {
                for (name, bytes) in files {
                    assert_eq!(disk.bytes(&name), Some(bytes), "it is as it was");
                }
            }
            Err(error) => panic!("{error}"),
        }
    });
}

/// Their checksums are right: somebody else has written them, or a defect of this crate.
#[test]
fn records_that_were_changed_at_random_are_made_or_refused() {
    let (disk, made) = made(40, u64::MAX);
    let (whole, theater) = (records_of(&disk), theater());
    let found = open(&theater, &whole).expect("it is whole").expect("it answers");
    assert_eq!(found, made.states[40]);
    for_seeds(3_000, |seed| {
        let (mut random, mut bytes) = (Random::from_seed(seed), whole.clone());
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            let end = at + random.below((bytes.len() - at).min(20)) + 1;
            match random.below(6) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)],
                2 => bytes[at..end].fill_with(|| random.next_u64() as u8),
                3 => drop(bytes.drain(at..end)),
                4 => {
                    let copy = bytes[at..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
                _ => bytes.truncate(at.max(1)),
            }
        }
        if let Err(error) = open(&theater, &bytes) {
            assert!(!matches!(error, RecoverError::Log(_)), "{error}");
        }
    });
}

/// No actor writes numbers that are so large, or with a gap between them.
#[test]
fn numbers_that_nobody_has_taken_are_refused() {
    let theater = theater();
    for first in [0, 5, 1 << 63, u64::MAX] {
        let mut head = vec![9, 0, 1];
        head.extend(u64::to_le_bytes(first));
        // Two commits that have changed nothing, and the end of the epoch.
        let bytes = [&head[..], &[0, 0, 0, 0, 0xFF, 0xFF]].concat();
        let opened = catch_unwind(AssertUnwindSafe(|| open(&theater, &bytes)));
        let refused = opened.expect("it does not panic").expect_err("nobody has written that");
        match first {
            5 => assert!(matches!(refused, RecoverError::MissingCommits { epoch: 1, .. })),
            _ => assert!(matches!(refused, RecoverError::NotOfAnActor { epoch: 1 }), "{refused:?}"),
        }
    }
}
