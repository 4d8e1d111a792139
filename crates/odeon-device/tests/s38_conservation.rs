//! S38: each piece comes back exactly once, whatever fails, and nothing of it is copied.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::{Random, Theater};
use odeon_device::*;
use odeon_testkit::{Deterministic, for_seeds, silent_panic};

/// A number that is to be squared.
struct Square {
    of: u64,
    result: Vec<u64>,
}

impl Square {
    fn new(of: u64) -> Self {
        Self { of, result: Vec::with_capacity(1) }
    }

    fn buffer(&self) -> usize {
        self.result.as_ptr() as usize
    }
}

/// Squares; and what goes wrong, decided by a seed.
struct Faulty {
    random: Random,
    most_at_once: usize,
    /// Of a thousand batches.
    fails: usize,
}

impl Worker for Faulty {
    type Work = Square;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn most_at_once(&self) -> usize {
        self.most_at_once
    }

    fn work(&mut self, batch: &mut [Square]) -> Result<(), DeviceError> {
        assert!((1..=self.most_at_once).contains(&batch.len()));
        let done = self.random.below(batch.len() + 1);
        let fails = self.random.below(1_000) < self.fails;
        // Those before a failure have their results already, and are done again.
        for piece in batch.iter_mut().take(if fails { done } else { usize::MAX }) {
            piece.result.clear();
            piece.result.push(piece.of * piece.of);
        }
        match fails.then(|| self.random.below(4)) {
            None => Ok(()),
            Some(0) => silent_panic("injected"),
            Some(1) => Err(DeviceError::Lost("injected".into())),
            Some(2) => Err(DeviceError::Invalid("injected".into())),
            Some(_) => Err(DeviceError::OutOfMemory { asked: 2, available: 1 }),
        }
    }
}

fn faulty(name: &str, most: usize, most_at_once: usize, seed: u64, fails: usize) -> Kind<Square> {
    let made = AtomicUsize::new(0);
    Kind::new(name, Place::Cpu, most, move |number| {
        // ORDERING: a number for the seed.
        let made = made.fetch_add(1, Ordering::Relaxed) as u64;
        let mut random = Random::from_seed(seed ^ (number as u64) << 32 ^ made << 48);
        match random.below(8) {
            0 if fails > 0 => Err(DeviceError::Disconnected("injected".into())),
            1 if fails > 0 && made > 20 => Err(DeviceError::Unavailable("injected".into())),
            _ => Ok(Faulty { random, most_at_once, fails }),
        }
    })
}

/// What has come back: done, and undone.
fn account(returned: Vec<Returned<Square>>, buffers: &BTreeSet<usize>) -> (u64, u64) {
    let (mut done, mut undone) = (0, 0);
    for piece in returned {
        let piece = match piece {
            Ok(piece) => {
                assert_eq!(piece.result, [piece.of * piece.of]);
                done += 1;
                piece
            }
            Err(piece) => {
                undone += 1;
                piece.work
            }
        };
        assert!(buffers.contains(&piece.buffer()), "a piece has another buffer than before");
    }
    (done, undone)
}

#[test]
fn s38_under_random_faults_each_piece_comes_back_once_with_its_buffer() {
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        let mut random = Random::from_seed(seed);
        let fails = [0, 20, 300, 1_000][random.below(4)];
        let pool = BalancingPool::builder()
            .kind(faulty("one", 1 + random.below(3), 1, seed, fails))
            .kind(faulty("many", 1 + random.below(2), 8, !seed, fails))
            .most_tries(1 + random.below(4) as u32)
            .most_remakes(random.below(6) as u32)
            .queue(if random.below(2) == 0 { 40 } else { usize::MAX })
            .profile_of(500)
            .start(run.theater())
            .unwrap();
        let (mut asks, mut buffers) = (Vec::new(), BTreeSet::new());
        let mut submitted = 0;
        for _ in 0..1 + random.below(20) {
            let pieces: Vec<_> = (0..random.below(50) as u64).map(Square::new).collect();
            submitted += pieces.len() as u64;
            buffers.extend(pieces.iter().map(Square::buffer));
            asks.push(pool.submit_all(pieces));
            run.run_steps(random.below(200));
            run.clock().advance(Duration::from_millis(random.below(30) as u64));
        }
        let end = random.below(4);
        let report = match end {
            0 => {
                run.advance(Duration::from_secs(60));
                Some(pool.report())
            }
            1 => {
                pool.stop();
                run.run_until_idle();
                Some(pool.report())
            }
            _ => None,
        };
        if end == 2 {
            drop(pool);
            run.advance(Duration::from_secs(60));
            assert_eq!(run.theater().live_actors(), 0, "workers without a pool");
        }
        drop(run);
        let (mut done, mut undone) = (0, 0);
        for ask in asks {
            let (its_done, its_undone) = account(ask.wait().unwrap(), &buffers);
            (done, undone) = (done + its_done, undone + its_undone);
        }
        assert_eq!(done + undone, submitted);
        if let Some(report) = report {
            let told = (report.submitted, report.done, report.undone);
            assert_eq!(told, (submitted, done, undone), "{report:?}");
            assert_eq!(report.kinds.iter().map(|kind| kind.pieces).sum::<u64>(), done);
            assert_eq!((report.waiting, report.in_work), (0, 0));
        }
    });
}

#[test]
fn s38_with_threads_of_its_own_and_of_the_theater_under_faults() {
    for_seeds(10, |seed| {
        let theater = Theater::builder().workers(2).build().unwrap();
        let pool = BalancingPool::builder()
            .kind(faulty("pool", 2, 1, seed, 50))
            .kind(faulty("thread", 2, 4, !seed, 50).on_threads())
            .pauses(Duration::ZERO, Duration::from_millis(2))
            .most_remakes(1_000)
            .profile_of(2_000)
            .start(&theater)
            .unwrap();
        let mut pieces: Vec<_> = (0..100).map(Square::new).collect();
        for round in 0..20 {
            let buffers: BTreeSet<_> = pieces.iter().map(Square::buffer).collect();
            let returned = pool.submit_all(pieces).wait().unwrap();
            let order: Vec<u64> = returned
                .iter()
                .map(|piece| piece.as_ref().map_or_else(|undone| undone.work.of, |piece| piece.of))
                .collect();
            assert!(order.iter().copied().eq(0..100), "round {round}");
            pieces =
                returned.into_iter().map(|it| it.unwrap_or_else(|undone| undone.work)).collect();
            assert_eq!(pieces.iter().map(Square::buffer).collect::<BTreeSet<_>>(), buffers);
        }
        let report = pool.report();
        assert_eq!((report.submitted, report.done + report.undone), (2_000, 2_000));
        drop(pool);
        while theater.live_actors() > 0 {
            std::thread::yield_now();
        }
    });
}

/// Does what its function does.
struct By<F>(F);

impl<F> Worker for By<F>
where
    F: FnMut(&mut u32) -> Result<(), DeviceError> + Send + 'static,
{
    type Work = u32;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [u32]) -> Result<(), DeviceError> {
        batch.iter_mut().try_for_each(&mut self.0)
    }
}

fn kind<F>(name: &str, make: impl Fn() -> F + Send + Sync + 'static) -> Kind<u32>
where
    F: FnMut(&mut u32) -> Result<(), DeviceError> + Send + 'static,
{
    Kind::new(name, Place::Cpu, 1, move |_| Ok(By(make())))
}

#[test]
fn s38_what_fails_everywhere_comes_back_and_the_rest_is_done() {
    let run = Deterministic::new(1);
    let tries = Arc::new(Mutex::new(Vec::new()));
    let poisoned = |name: &'static str| {
        let tries = tries.clone();
        kind(name, move || {
            let tries = tries.clone();
            move |n: &mut u32| {
                if *n != 13 {
                    *n += 100;
                    return Ok(());
                }
                tries.lock().unwrap().push(name);
                Err(DeviceError::Invalid("13".into()))
            }
        })
    };
    let pool = BalancingPool::builder()
        .kind(poisoned("one"))
        .kind(poisoned("other"))
        .configurations([[1, 0]])
        .start(run.theater())
        .unwrap();
    let ask = pool.submit_all((0..20).collect());
    run.run_until_idle();
    let mut returned = ask.wait().unwrap();
    let undone = returned.remove(13).unwrap_err();
    let last = WorkerError::Error(DeviceError::Invalid("13".into()));
    assert_eq!(undone.why, WhyUndone::Failed { tries: 3, last });
    let said = "a piece of work was not done: failed wherever it was tried (3 times), at last: invalid: 13";
    assert_eq!((undone.work, undone.to_string().as_str()), (13, said));
    assert!(returned.into_iter().map(Result::unwrap).all(|n| n >= 100));
    // Also at the kind that has nothing to do otherwise.
    assert!(tries.lock().unwrap().contains(&"other"), "{tries:?}");
}

#[test]
fn s38_who_fails_at_what_others_can_do_is_left_out_and_said_to_be() {
    let run = Deterministic::new(1);
    let told = Arc::new(Mutex::new(Vec::new()));
    let hook = told.clone();
    let pool = BalancingPool::builder()
        .kind(kind("bad", || |_: &mut u32| Err(DeviceError::Kernel("no such type".into()))))
        .kind(kind("good", || {
            |n: &mut u32| {
                *n += 1;
                Ok(())
            }
        }))
        .configurations([[1, 1]])
        .on_failure(move |failure| hook.lock().unwrap().push(failure.to_string()))
        .start(run.theater())
        .unwrap();
    let ask = pool.submit_all((0..200).collect());
    run.run_until_idle();
    assert!(ask.wait().unwrap().into_iter().map(Result::unwrap).eq(1..201));
    let told = told.lock().unwrap();
    let goes_on = "bad 0: the kernel does not compile: no such type; 1 piece is done again, the worker goes on";
    let left_out = "bad 0: the kernel does not compile: no such type; the worker is left out";
    assert_eq!(
        (told.first().unwrap().as_str(), told.last().unwrap().as_str()),
        (goes_on, left_out)
    );
    let report = pool.report();
    assert_eq!((report.kinds[0].present, report.kinds[1].pieces), (0, 200));
    assert_eq!(report.kinds[0].left_out.as_deref(), Some("failed too often at what others can do"));
}

#[test]
fn s38_a_kind_without_driver_is_left_out_and_the_rest_works() {
    let run = Deterministic::new(1);
    let told = Arc::new(Mutex::new(Vec::new()));
    let hook = told.clone();
    let none = Kind::new("gpu", Place::Device, 2, |_| -> Result<By<fn(&mut u32) -> _>, _> {
        Err(DeviceError::Unavailable("no driver".into()))
    });
    let pool = BalancingPool::builder()
        .kind(none.on_pool())
        .kind(kind("cpu", || {
            |n: &mut u32| {
                *n += 1;
                Ok(())
            }
        }))
        .on_failure(move |failure| hook.lock().unwrap().push(failure.to_string()))
        .start(run.theater())
        .unwrap();
    let ask = pool.submit_all(vec![1, 2, 3]);
    run.run_until_idle();
    assert_eq!(ask.wait().unwrap(), [Ok(2), Ok(3), Ok(4)]);
    let mut told = told.lock().unwrap();
    told.sort();
    let said = |n| format!("gpu {n}: no such device: no driver; the worker is left out");
    assert_eq!(*told, [said(0), said(1)]);
    let report = pool.report();
    assert_eq!((report.in_use.to_string().as_str(), report.profilings), ("1 cpu", 0));
    assert_eq!(report.kinds[0].left_out.as_deref(), Some("no such device: no driver"));
}

#[test]
fn s38_if_nobody_is_left_all_comes_back_with_the_reason() {
    let run = Deterministic::new(1);
    let pool = BalancingPool::builder()
        .kind(Kind::new("gpu", Place::Cpu, 2, |_| -> Result<By<fn(&mut u32) -> _>, _> {
            Err(DeviceError::Unavailable("no driver".into()))
        }))
        .start(run.theater())
        .unwrap();
    let before = pool.submit_all(vec![1, 2]);
    run.run_until_idle();
    let after = pool.submit(3);
    let why = WhyUndone::NobodyLeft("no such device: no driver".into());
    let back = |work| Err(Undone { work, why: why.clone() });
    assert_eq!(before.wait().unwrap(), [back(1), back(2)]);
    assert_eq!(after.wait().unwrap(), back(3));
    pool.room().wait().unwrap();
}

/// A worker that loses its device at each batch but the third one after a start.
#[test]
fn s38_a_lost_device_is_found_again_after_a_pause_and_nothing_is_lost() {
    let run = Deterministic::new(1);
    let batches = Arc::new(AtomicUsize::new(0));
    let count = batches.clone();
    let pool = BalancingPool::builder()
        .kind(kind("gpu", move || {
            let batches = count.clone();
            move |n: &mut u32| {
                // ORDERING: one thread.
                if batches.fetch_add(1, Ordering::Relaxed) % 3 < 2 {
                    return Err(DeviceError::Lost("reset".into()));
                }
                *n += 1;
                Ok(())
            }
        }))
        .pauses(Duration::from_millis(10), Duration::from_millis(40))
        .start(run.theater())
        .unwrap();
    let ask = pool.submit_all((0..10).collect());
    run.run_until_idle();
    assert_eq!(batches.load(Ordering::Relaxed), 1, "it waits before it is made anew");
    run.clock().advance(Duration::from_millis(9));
    run.run_until_idle();
    assert_eq!(batches.load(Ordering::Relaxed), 1);
    run.advance(Duration::from_secs(1));
    assert!(ask.wait().unwrap().into_iter().map(Result::unwrap).eq(1..11));
    assert_eq!(pool.report().kinds[0].failures, 20);
}

#[test]
fn s38_a_full_queue_gives_back_and_says_when_there_is_room() {
    let run = Deterministic::new(1);
    let pool = BalancingPool::builder()
        .kind(kind("cpu", || {
            |n: &mut u32| {
                *n += 1;
                Ok(())
            }
        }))
        .queue(2)
        .start(run.theater())
        .unwrap();
    let ask = pool.submit_all(vec![1, 2, 3]);
    let full = pool.submit(4).wait().unwrap();
    assert_eq!(full, Err(Undone { work: 4, why: WhyUndone::Full }));
    let room = pool.room();
    assert!(run.run_until_idle() > 0);
    room.wait().unwrap();
    let returned = ask.wait().unwrap();
    assert_eq!(returned, [Ok(2), Ok(3), Err(Undone { work: 3, why: WhyUndone::Full })]);
    let again = pool.submit(5);
    run.run_until_idle();
    assert_eq!(again.wait().unwrap(), Ok(6));
}

#[test]
fn s38_a_stopped_pool_gives_all_back_and_its_workers_end() {
    let run = Deterministic::new(1);
    let pool = BalancingPool::builder()
        .kind(kind("cpu", || {
            |n: &mut u32| {
                *n += 1;
                Ok(())
            }
        }))
        .start(run.theater())
        .unwrap();
    let waits = pool.submit(1);
    pool.stop();
    let stopped = |work| Err(Undone { work, why: WhyUndone::Stopped });
    assert_eq!(waits.wait().unwrap(), stopped(1));
    assert_eq!(pool.submit(2).wait().unwrap(), stopped(2));
    run.run_until_idle();
    assert_eq!(run.theater().live_actors(), 0);
    assert_eq!(pool.submit(3).wait().unwrap(), stopped(3));
}

#[test]
fn s38_a_theater_that_ends_gives_all_back() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock().unwrap();
    let waits = gate.clone();
    let pool = BalancingPool::builder()
        .kind(
            kind("cpu", move || {
                let gate = waits.clone();
                move |n: &mut u32| {
                    drop(gate.lock());
                    *n += 1;
                    Ok(())
                }
            })
            .on_threads(),
        )
        .start(&theater)
        .unwrap();
    let ask = pool.submit_all(vec![1, 2, 3]);
    while pool.report().in_work == 0 {
        std::thread::yield_now();
    }
    let ends = std::thread::spawn(move || drop(theater));
    std::thread::sleep(Duration::from_millis(50));
    drop(closed);
    ends.join().unwrap();
    let returned = ask.wait().unwrap();
    let done = returned.iter().filter(|piece| piece.is_ok()).count();
    assert!(done >= 1 && returned.len() == 3, "{returned:?}");
    assert_eq!(pool.submit(4).wait().unwrap().unwrap_err().why, WhyUndone::Stopped);
}
