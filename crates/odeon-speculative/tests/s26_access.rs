//! S26: what each kind of access promises, in every way of processing.

use crate::support::{Common, Do, Lab, ask, lab, result, width};
use odeon_core::{AskError, Theater};
use odeon_speculative::{Access, Ordering, SpawnSpeculative, fail};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;

const WIDTHS: [usize; 4] = [1, 2, 4, 7];

fn theater() -> Theater {
    Theater::builder().workers(3).build().unwrap()
}

#[test]
fn s26_a_snapshot_sees_one_moment_and_runs_once() {
    for each in WIDTHS {
        let theater = theater();
        let (lab, _) = lab(&theater, each);
        let runs = Arc::new(AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        let moves = Do::update(|lab, tx, _| {
                            lab.add(tx, 0, 1)?;
                            thread::yield_now();
                            lab.add(tx, 1, -1)
                        });
                        lab.send(moves).unwrap();
                    }
                });
            }
            scope.spawn(|| {
                for _ in 0..500 {
                    let runs = runs.clone();
                    let look = Do::with(Access::Snapshot, move |lab, tx, _| {
                        runs.fetch_add(1, SeqCst);
                        let left = lab.vars[0].get(tx)?;
                        thread::yield_now();
                        Ok(left + lab.vars[1].get(tx)?)
                    });
                    assert_eq!(result(&lab, look), Ok(0), "width {each}");
                }
            });
        });
        assert_eq!(runs.load(SeqCst), 500);
    }
}

/// The state changes while a message reads: a snapshot does not see it, a relaxed one does, and
/// both go on.
#[test]
fn s26_a_relaxed_message_sees_each_variable_as_it_is() {
    for (access, later) in [(Access::Snapshot, 0), (Access::Relaxed, 1)] {
        for each in WIDTHS.into_iter().filter(|width| *width > 1) {
            let theater = theater();
            // Two senders may share a place for lanes, and a message that shares one with another
            // does not begin.
            let processing = width(each).ordering(Ordering::Unordered);
            let lab = theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), processing);
            let (begun, changed) =
                (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
            let runs = Arc::new(AtomicU64::new(0));
            let (has_begun, has_changed, run) = (begun.clone(), changed.clone(), runs.clone());
            let look = Do::with(access, move |lab, tx, _| {
                run.fetch_add(1, SeqCst);
                let before = lab.vars[0].get(tx)?;
                has_begun.store(true, SeqCst);
                while !has_changed.load(SeqCst) {
                    thread::yield_now();
                }
                Ok(100 * before + 10 * lab.vars[0].get(tx)? + lab.vars[1].get(tx)?)
            });
            let seen = ask(&lab, look);
            thread::scope(|scope| {
                scope.spawn(|| {
                    while !begun.load(SeqCst) {
                        thread::yield_now();
                    }
                    let both = Do::update(|lab, tx, _| Ok(lab.add(tx, 0, 1)? + lab.add(tx, 1, 1)?));
                    assert_eq!(result(&lab, both), Ok(2));
                    changed.store(true, SeqCst);
                });
            });
            assert_eq!(seen.wait(), Ok(11 * later), "{access:?}, width {each}");
            assert_eq!((runs.load(SeqCst), lab.speculation().failures), (1, 0));
        }
    }
}

#[test]
fn s25_who_only_reads_sees_what_its_sender_has_sent_before() {
    for each in WIDTHS {
        for access in [Access::Snapshot, Access::Relaxed] {
            let theater = theater();
            let (lab, _) = lab(&theater, each);
            thread::scope(|scope| {
                for sender in 0..3 {
                    let lab = &lab;
                    scope.spawn(move || {
                        let look =
                            || Do::with(access, move |lab, tx, _| Ok(lab.vars[sender].get(tx)?));
                        let asked: Vec<_> = (0..300)
                            .map(|_| {
                                lab.send(Do::increment(sender)).unwrap();
                                ask(lab, look())
                            })
                            .collect();
                        for (n, seen) in (1..).zip(asked) {
                            assert_eq!(seen.wait(), Ok(n), "{access:?}, width {each}");
                        }
                    });
                }
            });
        }
    }
}

/// Whether that is a failure whose text ends so.
fn has_failed(answer: &Result<i64, AskError>, why: &str) -> bool {
    answer.as_ref().is_err_and(|error| error.failure().is_some_and(|text| text.contains(why)))
}

#[test]
fn s26_who_only_reads_neither_writes_nor_waits() {
    for (each, access) in
        WIDTHS.into_iter().flat_map(|each| [(each, Access::Snapshot), (each, Access::Relaxed)])
    {
        let theater = theater();
        let (lab, _) = lab(&theater, each);
        let writes = Do::with(access, |lab, tx, _| lab.add(tx, 0, 1));
        assert!(has_failed(&result(&lab, writes), "writes nothing"), "width {each}");
        let writes_the_same =
            Do::with(access, |lab, tx, _| Ok(lab.vars[0].set(tx, 0).map(|()| 0)?));
        assert!(has_failed(&result(&lab, writes_the_same), "writes nothing"), "width {each}");
        let runs = Arc::new(AtomicU64::new(0));
        let run = runs.clone();
        let waits = Do::with(access, move |lab, tx, _| {
            run.fetch_add(1, SeqCst);
            lab.vars[0].get(tx)?;
            Ok(tx.retry()?)
        });
        assert!(has_failed(&result(&lab, waits), "does not wait"), "width {each}");
        assert_eq!(runs.load(SeqCst), 1, "width {each}");
        assert_eq!(result(&lab, Do::look(0)), Ok(0));
        assert_eq!(lab.speculation().failures, 3);
    }
}

/// Reads of one batch share a snapshot; what becomes of one is no other's concern.
#[test]
fn s26_a_read_that_fails_concerns_no_other() {
    for (each, access) in
        WIDTHS.into_iter().flat_map(|each| [(each, Access::Snapshot), (each, Access::Relaxed)])
    {
        let theater = theater();
        let common = Arc::new(Common::default());
        let (lab, ends) = (Lab::new(&common), Arc::new([const { AtomicU64::new(0) }; 2]));
        // So that all can be of one batch.
        let lab = theater.spawn_speculative(lab, width(each).ordering(Ordering::Unordered));
        let asked: Vec<_> = (0..400)
            .map(|n| {
                let ends = ends.clone();
                let look = Do::with(access, move |lab, tx, _| {
                    let ends = [ends.clone(), ends.clone()];
                    let [committed, rolled_back] = ends;
                    tx.on_commit(move || _ = committed[0].fetch_add(1, SeqCst));
                    tx.on_rollback(move || _ = rolled_back[1].fetch_add(1, SeqCst));
                    let seen = lab.vars[0].get(tx)?;
                    match n % 10 {
                        0 => panic!("a read that panics"),
                        1 => fail("a read that gives up"),
                        2 => lab.add(tx, 0, 1),
                        3 => Ok(tx.retry()?),
                        _ => Ok(seen + n),
                    }
                });
                ask(&lab, look)
            })
            .collect();
        for (n, seen) in (0..).zip(asked) {
            let seen = seen.wait();
            let why = ["that panics", "that gives up", "writes nothing", "does not wait"];
            let is_right = match why.get(n as usize % 10) {
                Some(why) => has_failed(&seen, why),
                None => seen == Ok(n),
            };
            assert!(is_right, "{seen:?} to {n}, {access:?}, width {each}");
        }
        assert_eq!(result(&lab, Do::look(0)), Ok(0));
        // A failure is counted when the message is gone, and its answer with it.
        while lab.speculation().failures < 160 {
            thread::yield_now();
        }
        assert_eq!(lab.speculation().failures, 160, "{access:?}, width {each}");
        assert_eq!(ends.each_ref().map(|ends| ends.load(SeqCst)), [240, 160]);
    }
}

#[test]
fn s27_an_exclusive_message_runs_alone_and_once() {
    const EACH: u64 = 300;
    for each in WIDTHS {
        for order in [Ordering::PerSender, Ordering::Unordered] {
            let theater = theater();
            let common = Arc::new(Common::default());
            let lab = theater.spawn_speculative(Lab::new(&common), width(each).ordering(order));
            let (runs, beside) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
            let exclusive = |fails: bool| {
                let (runs, beside, common) = (runs.clone(), beside.clone(), common.clone());
                Do::with(Access::Exclusive, move |lab, tx, _| {
                    runs.fetch_add(1, SeqCst);
                    let is_alone = || common.running.load(SeqCst) == 1;
                    let before = is_alone();
                    let sum = lab.add(tx, 0, 1)?;
                    thread::yield_now();
                    beside.fetch_or(!before || !is_alone(), SeqCst);
                    if fails {
                        // To wait is to run again.
                        tx.retry()?;
                    }
                    Ok(sum)
                })
            };
            thread::scope(|scope| {
                for sender in 0..3 {
                    let (lab, exclusive) = (&lab, &exclusive);
                    scope.spawn(move || {
                        for n in 0..EACH {
                            lab.send(Do::increment(0)).unwrap();
                            lab.send(exclusive(n % 10 == sender)).unwrap();
                            lab.send(Do::look(1)).unwrap();
                            lab.send(Do::increment(1)).unwrap();
                        }
                    });
                }
                scope.spawn(|| {
                    for n in 0..200 {
                        lab.set_processing(width(1 + n % each));
                        thread::yield_now();
                    }
                });
            });
            let all = 2 * 3 * EACH - 3 * EACH / 10;
            while result(&lab, Do::look(1)).unwrap() < 3 * EACH as i64
                || result(&lab, Do::look(0)).unwrap() < all as i64
            {
                thread::yield_now();
            }
            assert_eq!(result(&lab, Do::look(0)), Ok(all as i64));
            assert!(!beside.load(SeqCst), "width {each}");
            assert_eq!(runs.load(SeqCst), 3 * EACH);
        }
    }
}

#[test]
fn s26_a_message_that_waits_holds_no_worker_and_goes_on_with_the_change() {
    for each in WIDTHS {
        let theater = theater();
        let (lab, _) = lab(&theater, each);
        let runs = Arc::new(AtomicU64::new(0));
        // More than there are workers, each of a sender of its own.
        thread::scope(|scope| {
            for n in 0..12 {
                let (lab, runs) = (&lab, runs.clone());
                scope.spawn(move || {
                    let waits = Do::update(move |lab, tx, _| {
                        runs.fetch_add(1, SeqCst);
                        match lab.vars[0].get(tx)? {
                            passed if passed > n => lab.add(tx, 1, 1),
                            _ => Ok(tx.retry()?),
                        }
                    });
                    result(lab, waits).unwrap();
                });
            }
            for n in 0..12 {
                // What it waits for is still to come, and others are handled.
                assert!(result(&lab, Do::look(1)).unwrap() <= n);
                assert_eq!(result(&lab, Do::increment(0)), Ok(n + 1));
            }
        });
        assert_eq!(result(&lab, Do::look(1)), Ok(12));
        // At first and after each change, with some conflicts: it is not asked over and over.
        assert!(runs.load(SeqCst) <= 12 * 14 * 9, "{}", runs.load(SeqCst));
    }
}

#[test]
fn s26_who_waits_and_its_successors_keep_their_order() {
    for each in WIDTHS {
        let theater = theater();
        let (lab, _) = lab(&theater, each);
        let waits = Do::update(|lab, tx, _| match lab.vars[0].get(tx)? {
            0 => Ok(tx.retry()?),
            _ => lab.add(tx, 1, 1),
        });
        let first = ask(&lab, waits);
        let behind: Vec<_> = (0..50).map(|_| ask(&lab, Do::increment(1))).collect();
        thread::scope(|scope| _ = scope.spawn(|| result(&lab, Do::increment(0)).unwrap()));
        assert_eq!(first.wait(), Ok(1), "width {each}");
        for (n, behind) in behind.into_iter().enumerate() {
            assert_eq!(behind.wait(), Ok(n as i64 + 2));
        }
    }
}
