//! S39: joules of a run, their bounds, idle power, meters together.

use crate::support::{Machine, unit};
use odeon_core::Random;
use odeon_energy::*;
use odeon_testkit::{VirtualClock, for_seeds};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn part(random: &mut Random, name: String) -> Domain {
    let period = Duration::from_micros(1 + random.below(2_000) as u64);
    let resolution = random.below(1_000) as f64 * 1e-6;
    let peak = 1.0 + random.below(300) as f64;
    Domain::new(DomainKind::Package, name, resolution, period, peak)
}

/// Parts with counters of any period, phase and step, drawing anything up to their peak: what was
/// drawn lies between the bounds, and they are no wider than they have to be.
#[test]
fn s39_the_truth_lies_between_the_bounds() {
    let off_by = AtomicU64::new(0);
    for_seeds(300, |seed| {
        let mut random = Random::from_seed(seed);
        let machine = Machine::new(Arc::default());
        let parts = 1 + random.below(4);
        for n in 0..parts {
            let domain = part(&mut random, format!("part {n}"));
            let phase = random.below(domain.updated_every.as_nanos() as usize) as u64;
            machine.run(Duration::from_millis(3), &[]);
            machine.add(domain, Duration::from_nanos(phase));
        }
        let domains = machine.meter().domains().to_vec();
        let mut draw = |machine: &Machine| {
            for _ in 0..random.below(30) {
                let watts = domains.iter().map(|domain| domain.peak_watts * unit(&mut random));
                let watts: Vec<f64> = watts.collect();
                machine.run(Duration::from_micros(random.below(700) as u64), &watts);
            }
        };
        let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
        draw(&machine);
        let before: Vec<f64> = (0..parts).map(|part| machine.truth(part)).collect();
        let span = gauge.start();
        draw(&machine);
        let reading = gauge.stop(span);
        let mut together = 0.0;
        for n in 0..parts {
            let truth = machine.truth(n) - before[n];
            let joules = reading.parts[n].joules.clone().unwrap();
            assert!(joules.may_be(truth), "seed {seed}: {truth} J, measured {joules:.6}");
            assert!(joules.error() <= domains[n].error_joules() * 1.000_001, "seed {seed}");
            let off = ((joules.value - truth).abs() / joules.error() * 100.0) as u64;
            off_by.fetch_max(off, Ordering::Relaxed);
            together += truth;
        }
        let sum = reading.joules().unwrap();
        assert!(sum.may_be(together), "seed {seed}: {together} J, measured {sum:.6}");
    });
    let off_by = off_by.into_inner();
    assert!(off_by > 60, "bounds that nothing comes near ({off_by} %) would hold anything");
}

/// Exact counters: sums, averages and products are exact too.
#[test]
fn s39_sums_are_exact() {
    let machine = Machine::new(Arc::default());
    for (kind, name) in [
        (DomainKind::Package, "package-0"),
        (DomainKind::Memory, "dram of package-0"),
        (DomainKind::Device("GPU-7".into()), "GPU 0"),
    ] {
        machine.add(Domain::new(kind, name, 0.0, Duration::ZERO, 500.0), Duration::ZERO);
    }
    let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
    let (returned, reading) = gauge.measure(|| {
        machine.run(Duration::from_secs(2), &[50.0, 4.0, 200.0]);
        7
    });
    assert_eq!((returned, reading.elapsed), (7, Duration::from_secs(2)));
    let exactly = |figure: Figure| {
        let figure = figure.unwrap();
        assert_eq!((figure.low, figure.high), (figure.value, figure.value));
        figure.value
    };
    assert_eq!(exactly(reading.joules()), 508.0);
    assert_eq!(exactly(reading.processor_joules()), 108.0);
    assert_eq!(exactly(reading.device_joules()), 400.0);
    assert_eq!(exactly(reading.watts()), 254.0);
    assert_eq!(exactly(reading.per(127)), 4.0);
    assert_eq!(exactly(reading.energy_delay_product()), 1016.0);
    assert_eq!(reading.per(0).unwrap_err().cause(), &Cause::NotMeasured);
    assert_eq!(&*reading.processor_joules().unwrap().source, "package-0 + dram of package-0");
    let expected = "\
package-0          100.000 (100.000 to 100.000) J
dram of package-0  8.000 (8.000 to 8.000) J
GPU 0              400.000 (400.000 to 400.000) J
together           508.000 (508.000 to 508.000) J in 2.000 s: 254.0 (254.0 to 254.0) W";
    assert_eq!(reading.to_string(), expected);
}

#[test]
fn s39_idle_power_is_subtracted_or_not_by_choice() {
    let machine = Machine::exact(Arc::default());
    let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
    let idle = gauge.measure_idle(Duration::from_secs(4), |time| machine.run(time, &[12.0]));
    assert_eq!(idle.watts[0].1.as_ref().unwrap().value, 12.0);
    let work = || machine.run(Duration::from_secs(10), &[60.0]);
    assert_eq!(gauge.measure(work).1.joules().unwrap().value, 600.0, "included unless said so");
    gauge.set_idle_power(IdlePower::Subtract(idle.clone()));
    assert_eq!(gauge.measure(work).1.joules().unwrap().value, 480.0);
    gauge.set_idle_power(IdlePower::Include);
    assert_eq!(gauge.measure(work).1.joules().unwrap().value, 600.0);

    // Of another machine, or measured before a counter failed.
    let other = Machine::new(machine.clock.clone());
    let domain = Domain::new(DomainKind::Package, "package-1", 0.0, Duration::ZERO, 9.0);
    other.add(domain, Duration::ZERO);
    let mut gauge = Gauge::with_clock(other.meter(), other.clock.clone());
    gauge.set_idle_power(IdlePower::Subtract(idle));
    let (_, reading) = gauge.measure(|| other.run(Duration::from_secs(1), &[5.0]));
    assert_eq!(reading.joules().unwrap_err().cause(), &Cause::NotMeasured);
}

/// The bounds of what is left beyond idle power hold as well.
#[test]
fn s39_bounds_hold_with_idle_power_subtracted() {
    for_seeds(200, |seed| {
        let mut random = Random::from_seed(seed);
        let machine = Machine::new(Arc::default());
        machine.add(part(&mut random, "package-0".into()), Duration::ZERO);
        let peak = machine.meter().domains()[0].peak_watts;
        let idle_watts = peak * 0.4 * unit(&mut random);
        let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
        let time = Duration::from_micros(500 + random.below(20_000) as u64);
        let idle = gauge.measure_idle(time, |time| machine.run(time, &[idle_watts]));
        gauge.set_idle_power(IdlePower::Subtract(idle));
        let span = gauge.start();
        let mut truth = 0.0;
        for _ in 0..random.below(20) {
            let (watts, time) = (peak * 0.6 * unit(&mut random), random.below(3_000) as u64);
            let time = Duration::from_micros(time);
            machine.run(time, &[idle_watts + watts]);
            truth += watts * time.as_secs_f64();
        }
        let joules = gauge.stop(span).joules().unwrap();
        assert!(joules.may_be(truth), "seed {seed}: {truth} J, measured {joules:.6}");
    });
}

#[test]
fn s39_a_figure_is_a_number_or_says_why_not() {
    let machine = Machine::new(Arc::default());
    for name in ["package-0", "package-1"] {
        let domain = Domain::new(DomainKind::Package, name, 0.0, Duration::ZERO, 100.0);
        machine.add(domain, Duration::ZERO);
    }
    let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
    let span = gauge.start();
    machine.run(Duration::from_secs(1), &[10.0, 10.0]);
    assert_eq!(gauge.look(&span).joules().unwrap().value, 20.0);
    machine.interrupt(1);
    let reading = gauge.stop(span);
    assert_eq!(reading.parts[0].joules.as_ref().unwrap().value, 10.0);
    // A part of the sum is not the sum.
    assert_eq!(reading.joules().unwrap_err().cause(), &Cause::Interrupted);
    assert!(reading.to_string().contains("package-1  unavailable: "), "{reading}");
    assert_eq!(
        reading.device_joules().unwrap_err().cause(),
        &Cause::NotMeasured,
        "none is covered"
    );

    let mut nothing = Gauge::with_clock(Composite::new(), machine.clock.clone());
    let (_, reading) = nothing.measure(|| machine.run(Duration::from_secs(1), &[10.0]));
    assert_eq!(reading.joules().unwrap_err().cause(), &Cause::NotMeasured);
    let (_, reading) = gauge.measure(|| ());
    assert_eq!(reading.joules().unwrap().value, 0.0, "nothing was drawn: this zero is measured");
    assert!(reading.watts().is_err(), "no power in no time");
}

#[test]
fn s39_meters_together_count_no_joule_twice() {
    let machine = Machine::exact(Arc::default());
    let gpu = Machine::new(machine.clock.clone());
    let device = DomainKind::Device("GPU-1".into());
    gpu.add(Domain::new(device, "GPU 0", 0.0, Duration::ZERO, 400.0), Duration::ZERO);
    let mut both = Composite::new();
    both.add(machine.meter()).unwrap();
    both.add(gpu.meter()).unwrap();
    let names: Vec<_> = both.domains().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["package-0", "GPU 0"]);
    machine.run(Duration::from_secs(1), &[30.0]);
    gpu.run(Duration::from_secs(1), &[100.0]);
    assert_eq!(both.joules().unwrap(), 130.0);

    for again in [&machine, &gpu] {
        let overlap = both.add(again.meter()).unwrap_err();
        assert_eq!(overlap.covered, overlap.again);
    }
    let platform = Machine::new(machine.clock.clone());
    let psys = Domain::new(DomainKind::Platform, "psys", 0.0, Duration::ZERO, 400.0);
    platform.add(psys, Duration::ZERO);
    let overlap = both.add(platform.meter()).unwrap_err();
    assert_eq!(overlap.to_string(), "psys would count joules of package-0 again");
    assert_eq!(both.domains().len(), 2, "what overlaps is not added");
    assert_eq!(both.joules().unwrap(), 130.0);
}

/// Counts how often it is read.
struct Read(Arc<AtomicU64>, [Domain; 1]);

impl Meter for Read {
    fn domains(&self) -> &[Domain] {
        &self.1
    }

    fn count(&mut self, _: usize) -> Result<Count, Unavailable> {
        let joules = self.0.fetch_add(1, Ordering::Relaxed) as f64;
        Ok(Count { joules, run: 0 })
    }
}

#[test]
fn s39_a_shared_meter_is_read_in_time_while_it_is_kept_up() {
    let read = Arc::new(AtomicU64::new(0));
    let domain = Domain::new(DomainKind::Package, "package-0", 0.0, Duration::ZERO, 1.0);
    let mut meter = SharedMeter::new(Read(read.clone(), [domain]));
    assert_eq!(meter.clone().joules().unwrap(), 0.0);
    assert_eq!(meter.joules().unwrap(), 1.0, "its clones are the same meter");
    let kept_up = meter.kept_up(Duration::from_millis(1));
    let deadline = Instant::now() + Duration::from_secs(60);
    while read.load(Ordering::Relaxed) < 5 {
        assert!(Instant::now() < deadline, "it is not read");
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(kept_up);
    let after = read.load(Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(read.load(Ordering::Relaxed), after, "it is read no longer");
}

/// Panics each second time it is read, with something that panics when it is dropped.
struct Panics(Read);

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("dropped"));
    }
}

impl Meter for Panics {
    fn domains(&self) -> &[Domain] {
        self.0.domains()
    }

    fn count(&mut self, domain: usize) -> Result<Count, Unavailable> {
        let count = self.0.count(domain)?;
        if count.joules as u64 % 2 == 0 {
            std::panic::resume_unwind(Box::new(Bomb));
        }
        Ok(count)
    }
}

#[test]
fn s39_a_meter_that_panics_is_kept_up_all_the_same() {
    let read = Arc::new(AtomicU64::new(0));
    let domain = Domain::new(DomainKind::Package, "package-0", 0.0, Duration::ZERO, 1.0);
    let meter = SharedMeter::new(Panics(Read(read.clone(), [domain])));
    let kept_up = meter.kept_up(Duration::from_millis(1));
    let deadline = Instant::now() + Duration::from_secs(60);
    while read.load(Ordering::Relaxed) < 10 {
        assert!(Instant::now() < deadline, "it is not read any more");
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(kept_up);
}

/// Counts as a counter does that was set each time the test says so: an error once, then another
/// run.
struct Set {
    set: Arc<AtomicU64>,
    run: u64,
    domains: [Domain; 1],
}

impl Meter for Set {
    fn domains(&self) -> &[Domain] {
        &self.domains
    }

    fn count(&mut self, _: usize) -> Result<Count, Unavailable> {
        let run = self.set.load(Ordering::Relaxed);
        if std::mem::replace(&mut self.run, run) != run {
            return Err(Unavailable::new(Cause::Interrupted, "package-0 has jumped"));
        }
        Ok(Count { joules: 1.0, run })
    }
}

#[test]
fn s39_each_handle_of_a_shared_meter_is_told_of_an_interruption_once() {
    let set = Arc::new(AtomicU64::new(0));
    let domains = [Domain::new(DomainKind::Package, "package-0", 0.0, Duration::ZERO, 1.0)];
    let mut meter = SharedMeter::new(Set { set: set.clone(), run: 0, domains });
    let mut other = meter.clone();
    assert!(meter.joules().is_ok() && other.joules().is_ok());
    set.store(1, Ordering::Relaxed);
    // The thread that keeps it up is the first to find out.
    let kept_up = meter.kept_up(Duration::from_millis(1));
    std::thread::sleep(Duration::from_millis(100));
    drop(kept_up);
    for handle in [&mut meter, &mut other] {
        let why = handle.joules().unwrap_err();
        assert_eq!((why.cause(), why.sentence()), (&Cause::Interrupted, "package-0 has jumped"));
        assert!(handle.joules().is_ok(), "and then the count goes on");
    }
    // A run that begins after it is not concerned.
    set.store(2, Ordering::Relaxed);
    let mut gauge = Gauge::new(meter);
    let (_, reading) = gauge.measure(|| ());
    assert_eq!(reading.joules().unwrap().value, 0.0);
}

/// Whatever this machine has: each figure is a number between its bounds, or says why there is
/// none.
#[test]
fn s39_this_machine_tells_numbers_or_reasons() {
    let odeon_energy::Machine { meter, missing, .. } = odeon_energy::Machine::look();
    for why in &missing {
        assert!(why.sentence().len() > 20, "{why}");
        eprintln!("skipped: {why}");
    }
    let covered = meter.domains().len();
    assert!(covered + missing.len() > 0, "something was looked for");
    let mut gauge = Gauge::new(meter);
    let (_, reading) = gauge.measure(|| std::thread::sleep(Duration::from_millis(50)));
    match reading.joules() {
        Ok(joules) => {
            eprintln!("{reading}");
            assert!(covered > 0 && joules.high > 0.0 && joules.low <= joules.high);
        }
        Err(why) => assert!(covered == 0 || why.cause() != &Cause::NotMeasured, "{why}"),
    }
}

#[test]
fn s39_the_clock_of_a_gauge_is_the_users() {
    let clock = Arc::new(VirtualClock::new());
    let mut gauge = Gauge::with_clock(Composite::new(), clock.clone());
    let (_, reading) = gauge.measure(|| clock.advance(Duration::from_secs(3)));
    assert_eq!(reading.elapsed, Duration::from_secs(3));
}
