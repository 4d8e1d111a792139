//! S38 with users' code that panics, also in destructors, that calls the pool back, and with
//! settings of extreme sizes.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use odeon_core::{AskError, Theater};
use odeon_device::*;

use crate::support::{Bomb, PATIENCE, explode, in_time, wait_for};

/// Counts pieces up.
struct Counting;

impl Worker for Counting {
    type Work = u64;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [u64]) -> Result<(), DeviceError> {
        batch.iter_mut().for_each(|number| *number += 1);
        Ok(())
    }
}

fn counting(most: usize) -> Kind<u64> {
    Kind::new("counting", Place::Cpu, most, |_| Ok(Counting))
}

/// A pool whose meter does this with it, once it is there.
fn with_meter(
    theater: &Theater,
    mut does: impl FnMut(&BalancingPool<u64>) + Send + 'static,
) -> BalancingPool<u64> {
    let slot: Arc<OnceLock<BalancingPool<u64>>> = Arc::default();
    let known = slot.clone();
    let mut joules = 0.0;
    let pool = BalancingPool::builder()
        .kind(counting(2))
        .energy(move || {
            if let Some(pool) = known.get() {
                does(pool);
            }
            joules += 1.0;
            Some(joules)
        })
        .objective(Objective::Energy)
        .start(theater)
        .unwrap();
    slot.set(pool.clone()).unwrap();
    pool
}

#[test]
fn s38_a_meter_may_look_at_the_report_of_its_pool() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let pool = with_meter(&theater, |pool| drop(pool.report()));
        for _ in 0..100 {
            assert_eq!(pool.submit(1).wait().unwrap(), Ok(2));
        }
        pool.stop();
    });
}

#[test]
fn s38_a_meter_may_submit_to_its_pool() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let asks = Arc::new(Mutex::new(Vec::new()));
        let keep = asks.clone();
        let pool = with_meter(&theater, move |pool| {
            let mut keep = keep.lock().unwrap();
            if keep.len() < 10 {
                keep.push(pool.submit(7));
            }
            drop(pool.room());
            drop(pool.clone());
        });
        for _ in 0..100 {
            assert_eq!(pool.submit(1).wait().unwrap(), Ok(2));
        }
        for ask in asks.lock().unwrap().drain(..) {
            assert_eq!(ask.wait().unwrap(), Ok(8));
        }
        pool.stop();
    });
}

#[test]
fn s38_a_meter_may_drop_the_last_handle() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let slot: Arc<Mutex<Option<BalancingPool<u64>>>> = Arc::default();
        let known = slot.clone();
        let pool = BalancingPool::builder()
            .kind(counting(2))
            .energy(move || {
                drop(known.lock().unwrap().take());
                Some(1.0)
            })
            .start(&theater)
            .unwrap();
        let ask = pool.submit(1);
        *slot.lock().unwrap() = Some(pool);
        let _ = ask.wait();
        // Whoever is told of a change first reads the meter, at the latest when it works on.
        let more = slot.lock().unwrap().as_ref().map(|pool| pool.submit(2));
        if let Some(more) = more {
            assert_eq!(more.wait().unwrap(), Ok(3));
        }
    });
}

#[test]
fn s38_more_workers_than_there_can_be_are_refused() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        for kinds in [vec![usize::MAX], vec![usize::MAX, usize::MAX], vec![1, usize::MAX]] {
            for place in [Place::Cpu, Place::Device] {
                let mut pool = BalancingPool::builder();
                for most in &kinds {
                    pool = pool.kind(Kind::new("many", place, *most, |_| Ok(Counting)));
                }
                assert!(matches!(pool.start(&theater), Err(BalancingError::Setting(_))));
            }
        }
    });
}

#[test]
fn s38_more_configurations_than_can_be_listed_are_refused() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        for place in [Place::Cpu, Place::Device] {
            let mut pool = BalancingPool::builder();
            for _ in 0..60 {
                pool = pool.kind(Kind::new("one of many", place, 2, |_| Ok(Counting)));
            }
            assert!(matches!(pool.start(&theater), Err(BalancingError::Setting(_))));
        }
    });
}

#[test]
fn s38_a_configuration_of_extreme_size_is_refused() {
    let theater = Theater::new().unwrap();
    let pool = BalancingPool::builder().kind(counting(1)).kind(counting(1));
    let pool = pool.configurations([vec![usize::MAX, 1]]);
    assert!(matches!(pool.start(&theater), Err(BalancingError::Setting(_))));
}

#[test]
fn s38_a_kind_whose_threads_cannot_be_named_is_refused() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let named = |name| Kind::new(name, Place::Device, 1, |_| Ok(Counting));
        let pool = BalancingPool::builder().kind(named("good")).kind(named("a\0b"));
        assert!(matches!(pool.start(&theater), Err(BalancingError::Stage(_))));
        assert!(theater.shutdown(PATIENCE).leftovers.is_empty());
    });
}

/// A worker all of whose functions explode, as its destructor does.
struct Exploding {
    at: &'static str,
    _bomb: Bomb,
}

impl Worker for Exploding {
    type Work = u64;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn device(&self) -> Option<String> {
        if self.at == "device" { explode() } else { None }
    }

    fn most_at_once(&self) -> usize {
        if self.at == "most_at_once" { explode() } else { usize::MAX }
    }

    fn work(&mut self, _: &mut [u64]) -> Result<(), DeviceError> {
        match self.at {
            "work" => explode(),
            "lost" => Err(DeviceError::Lost("lost".into())),
            _ => Err(DeviceError::Invalid("no".into())),
        }
    }
}

#[test]
fn s38_workers_may_explode_wherever_they_are_asked_or_dropped() {
    for at in ["make", "device", "most_at_once", "work", "lost", "error"] {
        in_time(move || {
            let theater = Theater::new().unwrap();
            let failures = Arc::new(AtomicUsize::new(0));
            let counts = failures.clone();
            let pool = BalancingPool::builder()
                .kind(Kind::new("exploding", Place::Device, 1, move |_| {
                    if at == "make" {
                        explode()
                    }
                    Ok(Exploding { at, _bomb: Bomb })
                }))
                .pauses(Duration::ZERO, Duration::ZERO)
                .most_remakes(3)
                .most_tries(2)
                .on_failure(move |_| {
                    counts.fetch_add(1, SeqCst);
                    explode()
                })
                .start(&theater)
                .unwrap();
            let undone = pool.submit(1).wait().unwrap().unwrap_err();
            assert_eq!(undone.work, 1);
            wait_for(|| failures.load(SeqCst) > 0);
            let report = pool.report();
            assert_eq!((report.submitted, report.undone), (1, 1));
            pool.stop();
        });
    }
}

/// Takes pieces that explode when they are dropped.
struct Careful;

impl Worker for Careful {
    type Work = Vec<Bomb>;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn most_at_once(&self) -> usize {
        8
    }

    fn work(&mut self, _: &mut [Vec<Bomb>]) -> Result<(), DeviceError> {
        Ok(())
    }
}

#[test]
fn s38_pieces_may_explode_when_nobody_waits_for_them() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let kind = Kind::new("careful", Place::Device, 1, |_| Ok(Careful));
        let pool = BalancingPool::builder().kind(kind).start(&theater).unwrap();
        for _ in 0..20 {
            drop(pool.submit(vec![Bomb]));
        }
        wait_for(|| pool.report().done == 20);
        let kept = pool.submit(vec![Bomb]).wait().unwrap().unwrap();
        kept.into_iter().for_each(std::mem::forget);
        pool.stop();
    });
}

#[test]
fn s38_a_round_whose_pieces_explode_may_be_given_up() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let kind = Kind::new("careful", Place::Device, 1, |_| Ok(Careful));
        let pool = BalancingPool::builder().kind(kind).start(&theater).unwrap();
        drop(pool.submit_all((0..20).map(|_| vec![Bomb]).collect()));
        wait_for(|| pool.report().done == 20);
        let kept = pool.submit(vec![Bomb]).wait().unwrap().unwrap();
        kept.into_iter().for_each(std::mem::forget);
    });
}

#[test]
fn s38_who_waits_for_room_is_told_behind_others_that_have_given_up() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let gate = Arc::new(Mutex::new(()));
        let held = gate.clone();
        struct Gated(Arc<Mutex<()>>);
        impl Worker for Gated {
            type Work = u64;
            fn place(&self) -> Place {
                Place::Device
            }
            fn work(&mut self, _: &mut [u64]) -> Result<(), DeviceError> {
                drop(self.0.lock().unwrap());
                Ok(())
            }
        }
        let kind = Kind::new("gated", Place::Device, 1, move |_| Ok(Gated(held.clone())));
        let pool = BalancingPool::builder().kind(kind).queue(1).start(&theater).unwrap();
        let closed = gate.lock().unwrap();
        let first = pool.submit(1);
        wait_for(|| pool.report().in_work == 1);
        let second = pool.submit(2);
        for _ in 0..100 {
            drop(pool.room());
        }
        let room = pool.room();
        drop(closed);
        assert_eq!(first.wait().unwrap(), Ok(1));
        assert_eq!(second.wait().unwrap(), Ok(2));
        assert_eq!(room.wait_timeout(Duration::from_secs(10)), Ok(()));
        // Who is told, and submits nothing, takes no room from others.
        let closed = gate.lock().unwrap();
        let first = pool.submit(1);
        wait_for(|| pool.report().in_work == 1);
        let second = pool.submit(2);
        let rooms: Vec<_> = (0..10).map(|_| pool.room()).collect();
        drop(closed);
        assert_eq!((first.wait().unwrap(), second.wait().unwrap()), (Ok(1), Ok(2)));
        for room in rooms {
            assert_eq!(room.wait_timeout(Duration::from_secs(10)), Ok(()));
        }
    });
}

#[test]
fn s38_pauses_and_numbers_of_extreme_size() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let lost = || {
            Kind::new("lost", Place::Cpu, 1, |_| {
                Err::<Counting, _>(DeviceError::Lost("always".into()))
            })
        };
        let pool = BalancingPool::builder()
            .kind(lost())
            .kind(counting(1))
            .pauses(Duration::MAX, Duration::MAX)
            .most_remakes(u32::MAX)
            .most_tries(u32::MAX)
            .queue(usize::MAX)
            .profile_of(u64::MAX)
            .start(&theater)
            .unwrap();
        assert_eq!(pool.submit(1).wait().unwrap(), Ok(2));
        drop(pool);
        for time in [Duration::ZERO, Duration::MAX] {
            let pool = BalancingPool::builder().kind(counting(2)).profile_within(time);
            let pool = pool.start(&theater).unwrap();
            for _ in 0..100 {
                assert_eq!(pool.submit(1).wait().unwrap(), Ok(2));
            }
            let all = pool.submit_all((0..1_000).collect()).wait().unwrap();
            assert_eq!(all.len(), 1_000);
        }
    });
}

#[test]
fn s38_meters_with_figures_of_any_kind() {
    for figures in [
        vec![f64::MAX, f64::MIN],
        vec![f64::NAN, 1.0],
        vec![f64::INFINITY],
        vec![-1.0, 0.0],
        vec![5.0, 1.0, 9.0],
        vec![0.0],
        vec![f64::MIN, f64::MAX],
    ] {
        for objective in [Objective::Energy, Objective::EnergyDelayProduct] {
            let figures = figures.clone();
            in_time(move || {
                let theater = Theater::new().unwrap();
                let mut next = figures.into_iter().cycle();
                let pool = BalancingPool::builder()
                    .kind(counting(2))
                    .energy(move || next.next())
                    .objective(objective)
                    .profile_within(Duration::from_millis(1));
                let Ok(pool) = pool.start(&theater) else { return };
                for _ in 0..200 {
                    assert_eq!(pool.submit(1).wait().unwrap(), Ok(2));
                }
                drop(pool.report());
            });
        }
    }
}

#[test]
fn s38_a_pool_may_be_dropped_by_its_worker_and_its_pieces() {
    struct Owner(Option<BalancingPool<Box<dyn Send>>>);
    impl Worker for Owner {
        type Work = Box<dyn Send>;
        fn place(&self) -> Place {
            Place::Cpu
        }
        fn work(&mut self, _: &mut [Box<dyn Send>]) -> Result<(), DeviceError> {
            drop(self.0.take());
            Ok(())
        }
    }
    in_time(|| {
        let theater = Theater::new().unwrap();
        let given: Arc<Mutex<Option<BalancingPool<_>>>> = Arc::default();
        let taken = given.clone();
        let go = Arc::new(AtomicUsize::new(0));
        let may = go.clone();
        let kind = Kind::new("owner", Place::Device, 1, move |_| {
            wait_for(|| may.load(SeqCst) > 0);
            Ok(Owner(taken.lock().unwrap().take()))
        });
        let pool = BalancingPool::builder().kind(kind).start(&theater).unwrap();
        let ask = pool.submit(Box::new(pool.clone()) as Box<dyn Send>);
        *given.lock().unwrap() = Some(pool);
        go.store(1, SeqCst);
        let back = ask.wait();
        assert!(matches!(back, Ok(Ok(_))), "{:?}", back.map(|_| ()));
        drop(back);
        drop(theater);
    });
}

#[test]
fn s38_a_failure_hook_may_stop_the_pool() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let slot: Arc<OnceLock<BalancingPool<u64>>> = Arc::default();
        let known = slot.clone();
        struct Fails;
        impl Worker for Fails {
            type Work = u64;
            fn place(&self) -> Place {
                Place::Cpu
            }
            fn work(&mut self, _: &mut [u64]) -> Result<(), DeviceError> {
                Err(DeviceError::Lost("always".into()))
            }
        }
        let pool = BalancingPool::builder()
            .kind(Kind::new("fails", Place::Cpu, 2, |_| Ok(Fails)))
            .on_failure(move |_| {
                let Some(pool) = known.get() else { return };
                let _ = pool.report();
                drop(pool.submit(5));
                pool.profile();
                pool.stop();
            })
            .start(&theater)
            .unwrap();
        slot.set(pool.clone()).unwrap();
        let ask = pool.submit(1);
        assert!(matches!(
            ask.wait(),
            Ok(Err(Undone { why: WhyUndone::Stopped, .. })) | Err(AskError::NoReply)
        ));
    });
}
