//! Commits that several logs are told of.

use crate::log::MemoryLog;
use crate::state::{State, steps};
use crate::support::Random;
use odeon_stm::journal::{Changes, Journal, Journaled};
use odeon_stm::staged::{Attempted, Journey};
use odeon_stm::{Abort, Mode, TVar, atomically};
use odeon_testkit::for_seeds;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

const ACCOUNTS: usize = 4;

/// A state and its log, which shares commits with others.
struct Logged {
    /// In its place: the log knows where it lies.
    state: Box<State>,
    log: MemoryLog,
}

impl Logged {
    fn new() -> Arc<Self> {
        let state = Box::new(State::new(ACCOUNTS));
        let log = MemoryLog::of(&*state).in_group(1);
        Arc::new(Self { state, log })
    }

    /// Random changes as a part of a journey; answers whether they were made.
    fn part(self: &Arc<Self>, journey: &mut Journey, random: &mut Random) -> bool {
        let (seed, fails) = (random.below(u64::MAX), random.below(6) == 0);
        let run = journey.part(self, |Logged { state, log }, tx| {
            tx.log_to(log);
            // Of a part nothing is undone but by an error.
            steps(state, tx, &mut Random::new(seed), 1)?;
            if fails { Err(Abort::Failed(())) } else { Ok(()) }
        });
        matches!(run, Attempted::Finished(..))
    }
}

#[test]
fn what_each_is_told_makes_the_same_states() {
    for_seeds(200, |seed| {
        let random = &mut Random::new(seed + 5_000);
        let (live, copies) =
            ([(); 3].map(|()| Logged::new()), [(); 3].map(|()| State::new(ACCOUNTS)));
        for _ in 0..15 {
            let mut journey = Journey::begin(Mode::Logged);
            for _ in 0..1 + random.below(5) {
                let _ = live[random.below(3) as usize].part(&mut journey, random);
                match random.below(6) {
                    0 => journey.protect().expect("nobody is in the way"),
                    1 => drop(journey.undo_last()),
                    _ => {}
                }
            }
            if random.below(6) == 0 {
                drop(journey);
            } else {
                journey.commit_before_hooks().expect("nobody is in the way").call();
            }
            for (live, copy) in live.iter().zip(&copies) {
                for (_, record) in live.log.take() {
                    assert!(copy.apply(&record.expect("nobody is in the way")));
                }
                assert_eq!(copy.contents(), live.state.contents());
            }
        }
        // Each part is told, and of how many it is one.
        let mut parts = BTreeMap::<u64, Vec<usize>>::new();
        for shared in live.iter().flat_map(|live| live.log.shared().into_values()) {
            parts.entry(shared.id).or_default().push(shared.parts);
        }
        assert!(parts.values().all(|of| of.len() > 1 && of.iter().all(|n| *n == of.len())));
    });
}

#[test]
fn a_log_is_told_of_a_shared_commit_in_which_nothing_of_it_was_written() {
    let live = [(); 2].map(|()| Logged::new());
    for (writes, protects) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut journey = Journey::begin(Mode::Logged);
        for (place, logged) in live.iter().enumerate() {
            let run = journey.part(logged, |Logged { state, log }, tx| {
                tx.log_to(log);
                let is_open = state.is_open.get(tx)?;
                if writes && place == 0 {
                    state.is_open.set(tx, !is_open)?;
                }
                Ok::<_, Abort<()>>(())
            });
            assert!(matches!(run, Attempted::Finished(..)));
        }
        if protects {
            journey.protect().unwrap();
        }
        journey.commit_before_hooks().unwrap().call();
        assert_eq!(live[0].log.only().is_empty(), !writes);
        assert!(live[1].log.only().is_empty());
    }
}

/// One that is told alone of what is protected.
#[test]
fn a_journey_with_one_log_is_journaled() {
    let live = Logged::new();
    for protects in [false, true] {
        let mut journey = Journey::begin(Mode::Logged);
        let flip = |journey: &mut Journey| {
            let run = journey.part(&live, |Logged { state, log }, tx| {
                tx.log_to(log);
                Ok::<_, Abort<()>>(state.is_open.update(tx, |open| !open)?)
            });
            assert!(matches!(run, Attempted::Finished(..)));
        };
        flip(&mut journey);
        if protects {
            journey.protect().unwrap();
        }
        flip(&mut journey);
        flip(&mut journey);
        assert!(journey.is_journaled());
        journey.commit_before_hooks().unwrap().call();
        assert!(!live.log.only().is_empty());
    }
    assert!(live.log.shared().is_empty());
}

const EACH: i64 = 100;
const THREADS: u64 = 3;
const TRANSFERS: u64 = 1_500;

/// Money that moves within banks, and between them.
struct Bank {
    balances: Vec<TVar<i64>>,
    log: MemoryLog,
}

impl Bank {
    fn new() -> Self {
        let balances: Vec<_> = (0..ACCOUNTS).map(|_| TVar::new(EACH)).collect();
        let journal = Journal::by(|journal| {
            for (place, balance) in (0..).zip(&balances) {
                balance.enroll(&[place], journal);
            }
        });
        Self { balances, log: MemoryLog::with(journal).in_group(2) }
    }
}

/// Transfers by journeys, some of them protected on the way.
fn transfer_much(banks: &[Arc<Bank>; 2], random: &mut Random) {
    for _ in 0..TRANSFERS {
        let stops = [(); 2].map(|()| random.below(2) as usize);
        let accounts = [(); 2].map(|()| random.below(ACCOUNTS as u64) as usize);
        let protects = random.below(3) == 0;
        loop {
            let mut journey = Journey::begin(Mode::Logged);
            let arrives = [-1, 1].into_iter().zip(stops.into_iter().zip(accounts)).all(
                |(amount, (bank, account))| {
                    let run = journey.part(&banks[bank], |Bank { balances, log }, tx| {
                        tx.log_to(log);
                        Ok::<_, Abort<()>>(balances[account].update(tx, |n| n + amount)?)
                    });
                    let stands = !protects || journey.protect().is_ok();
                    stands && matches!(run, Attempted::Finished(..))
                },
            );
            if arrives && journey.commit_before_hooks().is_ok() {
                break;
            }
        }
    }
}

#[test]
fn prefixes_that_agree_on_what_they_share_are_in_order() {
    let banks = [(); 2].map(|()| Arc::new(Bank::new()));
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let banks = &banks;
            scope.spawn(move || transfer_much(banks, &mut Random::new(thread + 9)));
        }
    });
    let logs = [0, 1].map(|bank| &banks[bank].log);
    let (records, shared) = (logs.map(MemoryLog::take), logs.map(MemoryLog::shared));
    let number_of = |bank: usize, id: u64| {
        *shared[bank].iter().find(|(_, of)| of.id == id).expect("both were told").0
    };
    let random = &mut Random::new(77);
    for _ in 0..60 {
        let mut ends = [0, 1].map(|bank| random.below(logs[bank].numbers() + 1));
        // What one has and the other one has not, it has not either, nor what comes behind it.
        loop {
            let mut agreed = ends;
            for bank in [0, 1] {
                let others = ends[1 - bank];
                let mut below = shared[bank].range(..ends[bank]);
                if let Some((&end, _)) = below.find(|(_, of)| number_of(1 - bank, of.id) >= others)
                {
                    agreed[bank] = agreed[bank].min(end);
                }
            }
            if agreed == ends {
                break;
            }
            ends = agreed;
        }
        let mut sum = 0;
        for bank in [0, 1] {
            let copy: Vec<TVar<i64>> = (0..ACCOUNTS).map(|_| TVar::new(EACH)).collect();
            for (_, record) in records[bank].iter().take(ends[bank] as usize) {
                let Some(record) = record else { continue };
                atomically(|tx| {
                    for change in Changes::of(record) {
                        let change = change.expect("it was written so");
                        let applied = copy[change.name[0] as usize].apply(tx, change.bytes);
                        applied.expect("nobody is in the way");
                    }
                    Ok(())
                });
            }
            sum += copy.iter().map(TVar::peek).sum::<i64>();
        }
        assert_eq!(sum, 2 * ACCOUNTS as i64 * EACH, "behind {ends:?}");
    }
}
