//! S38: who works, by which objective; that nobody is idle, and that others get their turns.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_device::*;
use odeon_testkit::VirtualClock;

/// Moves the clock and the meter instead of working.
struct Simulated {
    clock: Arc<VirtualClock>,
    time: Duration,
    meter: Arc<AtomicU64>,
    joules: u64,
}

impl Worker for Simulated {
    type Work = u32;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [u32]) -> Result<(), DeviceError> {
        for piece in batch {
            *piece += 1;
            self.clock.advance(self.time);
            // ORDERING: one thread at a time.
            self.meter.fetch_add(self.joules, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// A theater of one thread, in which only workers take time.
fn theater(clock: &Arc<VirtualClock>) -> Theater {
    Theater::builder().workers(1).clock(clock.clone()).build().unwrap()
}

/// A quick kind and a slow one, that need 2 J and 1 J for a piece.
fn quick_and_slow(clock: &Arc<VirtualClock>, meter: &Arc<AtomicU64>) -> Balancing<u32> {
    let kind = |name, time, joules| {
        let (clock, meter) = (clock.clone(), meter.clone());
        Kind::new(name, Place::Cpu, 1, move |_| {
            let time = Duration::from_millis(time);
            Ok(Simulated { clock: clock.clone(), time, meter: meter.clone(), joules })
        })
    };
    BalancingPool::builder().kind(kind("quick", 1, 2)).kind(kind("slow", 3, 1)).profile_of(4_000)
}

/// Works in rounds of 20 until 4,000 pieces are done.
fn work(pool: &BalancingPool<u32>) -> BalancingReport {
    let mut pieces = vec![0; 20];
    for _ in 0..200 {
        let returned = pool.submit_all(pieces).wait().unwrap();
        pieces = returned.into_iter().map(Result::unwrap).collect();
    }
    assert_eq!(pieces, [200; 20]);
    pool.report()
}

/// Works until nothing is profiled: at the end of a round that may be so by a change that it takes
/// for one of the load. Time stands still but for work, so on a busy machine a worker may have done
/// a whole round by itself before the other one was called.
fn work_until_settled(pool: &BalancingPool<u32>) -> BalancingReport {
    let mut rounds = (0..20).map(|_| work(pool));
    rounds.find(|report| !report.is_profiling).expect("it is profiled for a while, and not always")
}

#[test]
fn s38_each_objective_uses_its_configuration() {
    use Objective::*;
    for (objective, expected) in
        [(Time, "1 quick"), (Energy, "1 slow"), (EnergyDelayProduct, "1 quick")]
    {
        let (clock, meter) = (Arc::new(VirtualClock::new()), Arc::new(AtomicU64::new(0)));
        let theater = theater(&clock);
        let read = meter.clone();
        let pool = quick_and_slow(&clock, &meter)
            .energy(move || Some(read.load(Ordering::Relaxed) as f64))
            .objective(objective)
            .start(&theater)
            .unwrap();
        let report = work_until_settled(&pool);
        assert_eq!(report.in_use.to_string(), expected, "by {objective}: {report:#?}");
        assert!(report.profilings >= 1, "{report:#?}");
        let measured = report.configurations.iter().filter(|it| it.time_per_piece.is_some());
        assert!(measured.count() >= 2, "{report:#?}");
        let quick =
            report.configurations.iter().find(|it| it.configuration.to_string() == "1 quick");
        let quick = quick.unwrap();
        if objective != Energy {
            assert_eq!(quick.time_per_piece, Some(Duration::from_millis(1)));
            assert_eq!(quick.joules_per_piece, Some(2.0));
        }
    }
}

#[test]
fn s38_without_a_figure_of_energy_the_pool_does_not_start() {
    let (clock, meter) = (Arc::new(VirtualClock::new()), Arc::new(AtomicU64::new(0)));
    let theater = theater(&clock);
    let said = |balancing: Balancing<u32>| balancing.start(&theater).unwrap_err().to_string();
    let by_energy = || quick_and_slow(&clock, &meter).objective(Objective::Energy);
    let sentence = "balancing pool: the objective is the energy, and no source of energy has a figure here: \
                    balance by time, or give a source that has one";
    assert_eq!(said(by_energy()), sentence);
    assert_eq!(said(by_energy().energy(|| None)), sentence);
    // One that stands still has none either, which shows when there is work.
    let pool = by_energy().energy(|| Some(7.0)).start(&theater).unwrap();
    let report = work_until_settled(&pool);
    assert_eq!(report.in_use.to_string(), "1 quick");
    assert!(report.configurations.iter().all(|it| it.joules_per_piece.is_none()), "{report:#?}");
    // By time it does, and says that there is no figure.
    let pool = quick_and_slow(&clock, &meter).energy(|| None).start(&theater).unwrap();
    let report = work_until_settled(&pool);
    assert_eq!(report.in_use.to_string(), "1 quick");
    assert!(report.configurations.iter().all(|it| it.joules_per_piece.is_none()));
}

#[test]
fn s38_all_is_profiled_again_when_asked() {
    let (clock, meter) = (Arc::new(VirtualClock::new()), Arc::new(AtomicU64::new(0)));
    let theater = theater(&clock);
    let pool = quick_and_slow(&clock, &meter).start(&theater).unwrap();
    let before = work_until_settled(&pool);
    assert!(before.profilings >= 1, "{before:#?}");
    pool.profile();
    let report = pool.report();
    assert_eq!((report.profilings, report.is_profiling), (before.profilings + 1, true));
    work_until_settled(&pool);
}

#[test]
fn s38_settings_that_do_not_fit_are_said() {
    let (clock, meter) = (Arc::new(VirtualClock::new()), Arc::new(AtomicU64::new(0)));
    let theater = theater(&clock);
    let said = |balancing: Balancing<u32>| balancing.start(&theater).unwrap_err().to_string();
    let balancing = || quick_and_slow(&clock, &meter);
    assert_eq!(
        said(BalancingPool::builder()),
        "balancing pool: there is no worker: add a kind that has some"
    );
    for wrong in [vec![2, 0], vec![0, 0], vec![1]] {
        let text = format!("balancing pool: the configuration {wrong:?} does not fit the kinds");
        assert_eq!(said(balancing().configurations([wrong])), text);
    }
    assert_eq!(
        said(balancing().configurations(Vec::<[usize; 2]>::new())),
        "balancing pool: there is no configuration to choose from"
    );
    assert!(said(balancing().configurations(vec![[1, 1]; 65])).contains("65 configurations"));
    assert!(said(balancing().hysteresis(f64::NAN)).contains("hysteresis must be 0.01 to 10"));
    assert!(said(balancing().profiling_share(0.0)).contains("must be 0.001 to 1, not 0"));
    assert!(said(balancing().queue(0)).contains("a queue for no piece"));
}

/// Waits until as many as there are work at the same time.
struct Meets {
    here: Arc<AtomicUsize>,
    all: usize,
    most: Arc<AtomicUsize>,
}

impl Worker for Meets {
    type Work = bool;

    fn place(&self) -> Place {
        Place::Device
    }

    fn most_at_once(&self) -> usize {
        100
    }

    fn work(&mut self, batch: &mut [bool]) -> Result<(), DeviceError> {
        // ORDERING: SeqCst: a count that all see the same way.
        self.here.fetch_add(1, Ordering::SeqCst);
        while self.here.load(Ordering::SeqCst) < self.all {
            std::thread::yield_now();
        }
        self.most.fetch_max(batch.len(), Ordering::SeqCst);
        batch.fill(true);
        Ok(())
    }
}

/// Each of them waits until all work: if one took everything, nobody would come to an end.
#[test]
fn s38_whoever_is_free_gets_a_part_of_the_round() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (here, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, greatest) = (here.clone(), most.clone());
    let pool = BalancingPool::builder()
        .kind(Kind::new("gpu", Place::Device, 4, move |_| {
            Ok(Meets { here: counted.clone(), all: 4, most: greatest.clone() })
        }))
        .configurations([[4]])
        .start(&theater)
        .unwrap();
    while pool.report().kinds[0].present < 4 {
        std::thread::yield_now();
    }
    // In the first round they are found to be equally fast.
    for _ in 0..2 {
        let done = pool.submit_all(vec![false; 64]).wait().unwrap();
        assert!(done.into_iter().all(|piece| piece == Ok(true)));
    }
    assert_eq!(most.load(Ordering::SeqCst), 16, "a quarter for the first of four");
    assert!(here.load(Ordering::SeqCst) > 4);
}

/// Says how many pieces were done when it had its turn.
struct Bystander {
    done: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<usize>>>,
}

impl Actor for Bystander {
    type Msg = usize;

    fn handle(&mut self, before: usize, _: &mut Context<'_, Self>) {
        self.seen.lock().unwrap().push(self.done.load(Ordering::SeqCst) - before);
    }
}

/// Who sends to the bystander, and how many pieces were done by then.
type Tell = fn(ActorRef<usize>, usize);

struct Counts {
    done: Arc<AtomicUsize>,
    tell: Tell,
}

impl Worker for Counts {
    type Work = ActorRef<usize>;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [ActorRef<usize>]) -> Result<(), DeviceError> {
        for bystander in batch {
            let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
            if done % 100 == 0 {
                (self.tell)(bystander.clone(), done);
            }
        }
        Ok(())
    }
}

/// How many of 10,000 pieces were done, by one worker on the only thread, before each of 100
/// messages had its turn.
fn waits(tell: Tell) -> Vec<usize> {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (done, seen) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
    let bystander = theater.spawn(Bystander { done: done.clone(), seen: seen.clone() });
    let pool = BalancingPool::builder()
        .kind(Kind::new("cpu", Place::Cpu, 1, move |_| Ok(Counts { done: done.clone(), tell })))
        .start(&theater)
        .unwrap();
    pool.submit_all(vec![bystander; 10_000]).wait().unwrap();
    assert!(theater.shutdown(Duration::from_secs(10)).drained);
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(seen.len(), 100);
    seen
}

/// A worker goes behind all that wait after each piece, so others of the same thread wait for a
/// few, however long the queue.
#[test]
fn s38_a_long_queue_holds_up_nobody() {
    let seen = waits(|bystander, done| bystander.send(done).unwrap());
    assert!(seen.iter().all(|&pieces| pieces <= 2), "{seen:?}");
}

/// Those that are woken from outside wait until the thread looks there, after 64 turns at most, of
/// which each piece has one then.
#[test]
fn s38_a_long_queue_holds_up_nobody_outside() {
    let seen = waits(|bystander, done| {
        std::thread::spawn(move || bystander.send(done).unwrap()).join().unwrap();
    });
    assert!(seen.iter().all(|&pieces| pieces <= 64), "{seen:?}");
}
