//! S39: whose joules they were, in a simulated machine where that is known.

use crate::support::{Folder, Machine, unit};
use odeon_core::*;
use odeon_energy::{Attribution, DeviceUse, Divided, Estimate, Gauge, MachineLoad, PowerSpread};
use odeon_testkit::{Deterministic, for_seeds};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a handler takes: so much time, drawing so many watts.
#[derive(Clone, Copy)]
struct Work {
    micros: u64,
    watts: f64,
}

impl Message for Work {}

/// Knows what it has drawn.
struct Worker {
    machine: Machine,
    idle_watts: f64,
    joules: Arc<Mutex<f64>>,
}

impl Worker {
    fn work(&self, work: Work) {
        let time = Duration::from_micros(work.micros);
        self.machine.run(time, &[self.idle_watts + work.watts]);
        *self.joules.lock().unwrap() += work.watts * time.as_secs_f64();
    }
}

impl Actor for Worker {
    type Msg = Work;
    fn handle(&mut self, work: Work, _: &mut Context<'_, Self>) {
        self.work(work);
    }
}

fn stats(run: &Deterministic) -> Stats {
    run.theater().stats().expect("switched on")
}

fn sum(divided: &Divided) -> f64 {
    let actors: f64 = divided.actors.iter().map(|actor| actor.joules.value).sum();
    actors + divided.theater.value + divided.others.as_ref().map_or(0.0, |others| others.value)
}

/// Actors of which each draws what it likes between 10 W and `spread` times that; answers how many
/// truths lay outside of the bounds that `assumed` gives.
fn outside(seed: u64, spread: f64, assumed: f64) -> usize {
    let mut random = Random::from_seed(seed);
    let run = Deterministic::with(seed, Theater::builder().stats(true));
    let machine = Machine::exact(run.clock_for_actors());
    let mut workers = Vec::new();
    for _ in 0..1 + random.below(6) {
        let joules = Arc::new(Mutex::new(0.0));
        let (machine, taken) = (machine.clone(), joules.clone());
        let worker = Worker { machine, idle_watts: 0.0, joules: taken };
        workers.push((run.theater().spawn(worker), joules));
    }
    // Something is done before the span, which is none of it.
    let mut work = |run: &Deterministic| {
        for _ in 0..random.below(60) {
            let (worker, _) = &workers[random.below(workers.len())];
            let watts = 10.0 * (1.0 + (spread - 1.0) * unit(&mut random));
            worker.send(Work { micros: random.below(5_000) as u64, watts }).unwrap();
        }
        run.run_until_idle();
    };
    work(&run);
    let already: Vec<f64> = workers.iter().map(|(_, joules)| *joules.lock().unwrap()).collect();
    let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
    let (before, span) = (stats(&run), gauge.start());
    work(&run);
    let (reading, after) = (gauge.stop(span), stats(&run));

    let joules = reading.processor_joules().unwrap();
    let attribution = Attribution::of(&before, &after).spread(PowerSpread::new(assumed));
    let divided = attribution.divide(&joules);
    assert!((sum(&divided) - joules.value).abs() < 1e-9, "seed {seed}: nothing lost or doubled");
    assert_eq!(divided.actors.len(), workers.len());
    let mut outside = 0;
    for ((worker, taken), already) in workers.iter().zip(already) {
        let truth = *taken.lock().unwrap() - already;
        let told = divided.actors.iter().find(|actor| actor.id == worker.id()).unwrap();
        let joules = &told.joules;
        assert!(joules.low <= joules.value && joules.value <= joules.high, "seed {seed}");
        let rounding = 1e-9;
        outside += usize::from(truth < joules.low - rounding || truth > joules.high + rounding);
        match told.messages {
            0 => assert!(told.per_message.is_err() && truth == 0.0),
            n => {
                let each = told.per_message.as_ref().unwrap();
                assert!((each.value * n as f64 - joules.value).abs() < 1e-9);
            }
        }
    }
    outside
}

#[test]
fn s39_the_joules_of_each_actor_lie_between_the_bounds() {
    for_seeds(200, |seed| assert_eq!(outside(seed, 3.0, 3.0), 0, "seed {seed}"));
}

#[test]
fn s39_bounds_for_a_spread_that_is_too_small_do_not_hold() {
    let missed = AtomicU64::new(0);
    for_seeds(50, |seed| {
        missed.fetch_add(outside(seed, 3.0, 1.02) as u64, Ordering::Relaxed);
    });
    assert!(missed.into_inner() > 20, "else the bounds would hold whatever was assumed");
}

/// Actors that always draw the same: the division is exact.
#[test]
fn s39_equal_power_is_divided_exactly() {
    let run = Deterministic::with(7, Theater::builder().stats(true));
    let machine = Machine::exact(run.clock_for_actors());
    let spawn = || {
        let joules = Arc::default();
        run.theater().spawn(Worker { machine: machine.clone(), idle_watts: 5.0, joules })
    };
    let [one, other] = [spawn(), spawn()];
    run.theater().register("one", &one).unwrap();
    run.run_until_idle();
    let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
    let idle = gauge.measure_idle(Duration::from_secs(1), |time| machine.run(time, &[5.0]));
    gauge.set_idle_power(odeon_energy::IdlePower::Subtract(idle));

    let (before, span) = (stats(&run), gauge.start());
    for _ in 0..10 {
        one.send(Work { micros: 1_000, watts: 20.0 }).unwrap();
        other.send(Work { micros: 3_000, watts: 20.0 }).unwrap();
    }
    run.run_until_idle();
    // And a pause, whose idle power is nobody's.
    machine.run(Duration::from_secs(2), &[5.0]);
    let (reading, after) = (gauge.stop(span), stats(&run));
    let joules = reading.joules().unwrap();
    let divided = Attribution::of(&before, &after).spread(PowerSpread::new(1.0)).divide(&joules);
    let of = |actor: &ActorRef<Work>| {
        divided.actors.iter().find(|told| told.id == actor.id()).expect("it is alive")
    };
    let near = |number: f64, expected: f64| assert!((number - expected).abs() < 1e-9, "{number}");
    near(of(&one).joules.value, 0.2);
    near(of(&other).joules.value, 0.6);
    near(of(&one).per_message.as_ref().unwrap().value, 0.02);
    near(of(&other).per_message.as_ref().unwrap().high, 0.06);
    near(divided.theater.value, 0.0);
    assert_eq!((of(&one).name.as_deref(), of(&one).messages), (Some("one"), 10));
    assert_eq!(divided.actors[0].id, other.id(), "most joules first");
    assert_eq!(divided.others, None);
}

/// Another program draws, too. How busy the machine was is known in ticks.
#[test]
fn s39_what_other_programs_draw_is_told_apart() {
    for_seeds(100, |seed| {
        let mut random = Random::from_seed(seed);
        let run = Deterministic::with(seed, Theater::builder().stats(true));
        let machine = Machine::exact(run.clock_for_actors());
        let joules = Arc::new(Mutex::new(0.0));
        let worker = Worker { machine: machine.clone(), idle_watts: 0.0, joules: joules.clone() };
        let worker = run.theater().spawn(worker);
        run.run_until_idle();
        let (busy, others) = (Cell::new(Duration::ZERO), Cell::new(0.0));
        let folder = Folder::new(&format!("load-{seed}"));
        let load = || {
            let ticks = busy.get().as_millis() / 10;
            let line =
                format!("cpu  {} 0 {} 999 55 0 0 0 0 0\nintr 1", ticks / 3, ticks - ticks / 3);
            folder.write("stat", line);
            MachineLoad::at(&folder.path().join("stat")).unwrap()
        };
        let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
        let (load_before, before, span) = (load(), stats(&run), gauge.start());
        for _ in 0..20 {
            let mut watts = || 10.0 + 20.0 * unit(&mut random);
            let (mine, theirs) = (watts(), watts());
            let micros = 1 + random.below(100_000) as u64;
            let time = Duration::from_micros(micros);
            if random.below(2) == 0 {
                worker.send(Work { micros, watts: mine }).unwrap();
                run.run_until_idle();
            } else {
                machine.run(time, &[theirs]);
                others.set(others.get() + theirs * time.as_secs_f64());
            }
            busy.set(busy.get() + time);
        }
        let (reading, after, load_after) = (gauge.stop(span), stats(&run), load());
        let joules_of_all = reading.joules().unwrap();
        let attribution = Attribution::of(&before, &after).machine(&load_before, &load_after);
        let divided = attribution.divide(&joules_of_all);
        assert!((sum(&divided) - joules_of_all.value).abs() < 1e-9, "seed {seed}");
        let (mine, theirs) = (*joules.lock().unwrap(), others.get());
        let told = &divided.actors[0].joules;
        assert!(told.low - 1e-9 <= mine && mine <= told.high + 1e-9, "seed {seed}: {mine} {told}");
        let told = divided.others.as_ref().expect("the machine was asked");
        let holds = told.low - 1e-9 <= theirs && theirs <= told.high + 1e-9;
        assert!(holds, "seed {seed}: {theirs} J, told {told}");
    });
}

#[test]
fn s39_who_has_done_nothing_has_taken_nothing() {
    let run = Deterministic::with(7, Theater::builder().stats(true));
    let machine = Machine::exact(run.clock_for_actors());
    let joules = Arc::default();
    let quiet = Worker { machine: machine.clone(), idle_watts: 0.0, joules };
    let _quiet = run.theater().spawn(quiet);
    run.run_until_idle();
    let before = stats(&run);
    let joules = Estimate::new(8.0, 0.0, 0.0, "package-0");
    let divided = Attribution::of(&before, &stats(&run)).divide(&joules);
    assert_eq!((divided.actors[0].joules.value, divided.theater.value), (0.0, 8.0));
    assert!(divided.actors[0].per_message.is_err());
}

/// A dictionary whose reads are shared among readers: what those take is the dictionary's.
struct Dictionary(Worker);

#[derive(Clone, Copy)]
struct Look(Work);
impl Message for Look {}

impl ReadWriteActor for Dictionary {
    type Read = Look;
    type Write = Work;
    fn read(&self, Look(work): Look, _: &mut ReadContext<'_, Self>) {
        self.0.work(work);
    }
    fn write(&mut self, work: Work, _: &mut WriteContext<'_, Self>) {
        self.0.work(work);
    }
}

#[test]
fn s39_what_works_for_an_actor_is_in_that_actors_joules() {
    let run = Deterministic::with(1, Theater::builder().stats(true));
    let machine = Machine::exact(run.clock_for_actors());
    let joules = Arc::new(Mutex::new(0.0));
    let worker = Worker { machine: machine.clone(), idle_watts: 0.0, joules: joules.clone() };
    let shared = ReadWriting::new(Dictionary(worker), ReadWritePolicy::ArrivalOrder);
    let shared = run.theater().spawn(shared.sharing(ReadSharing::Always));
    run.run_until_idle();
    let mut gauge = Gauge::with_clock(machine.meter(), machine.clock.clone());
    let (before, span) = (stats(&run), gauge.start());
    for _ in 0..64 {
        shared.read(Look(Work { micros: 100, watts: 30.0 })).unwrap();
    }
    run.run_until_idle();
    let (reading, after) = (gauge.stop(span), stats(&run));
    assert!(after.actors.len() > 1, "there are readers");
    let divided = Attribution::of(&before, &after).divide(&reading.joules().unwrap());
    let [only] = &divided.actors[..] else { panic!("{divided:?}") };
    assert_eq!((only.id, only.messages), (shared.id(), 64));
    assert!((only.joules.value - *joules.lock().unwrap()).abs() < 1e-9);
}

/// On stages of their own, with real threads: what is divided adds up, and who is alone on a stage
/// has its time.
#[test]
fn s39_stages_that_time_no_actors_are_divided_by_messages() {
    struct Spin;
    impl Actor for Spin {
        type Msg = u32;
        fn handle(&mut self, rounds: u32, _: &mut Context<'_, Self>) {
            std::hint::black_box((0..rounds).fold(0, |sum, n| std::hint::black_box(sum ^ n)));
        }
    }
    let theater = Theater::builder().workers(1).stats(true).build().unwrap();
    let stage = theater.pinned("pin").unwrap();
    let (one, other) =
        (theater.actor().on(&stage).spawn(Spin), theater.actor().on(&stage).spawn(Spin));
    let alone = theater.actor().dedicated("own").spawn(Spin).unwrap();
    let before = theater.stats().unwrap();
    for _ in 0..300 {
        one.send(1_000).unwrap();
        alone.send(1_000).unwrap();
    }
    (0..100).for_each(|_| other.send(1_000).unwrap());
    let handled = |stats: &Stats| stats.stages.iter().map(|stage| stage.messages).sum::<u64>();
    let after = loop {
        let stats = theater.stats().unwrap();
        let rests =
            stats.stages.iter().all(|stage| stage.kind == StageKind::Pool || stage.parks > 0);
        if handled(&stats) == 700 && rests {
            break stats;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let joules = Estimate::new(50.0, 0.0, 0.0, "package-0");
    let divided = Attribution::of(&before, &after).divide(&joules);
    assert!((sum(&divided) - 50.0).abs() < 1e-9);
    let of = |id: ActorId| divided.actors.iter().find(|told| told.id == id).expect("it is alive");
    let (three, quarter) = (of(one.id()), of(other.id()));
    assert!((three.joules.value / quarter.joules.value - 3.0).abs() < 1e-2, "by messages");
    assert_eq!((three.joules.low, quarter.joules.low), (0.0, 0.0), "it is not known whose");
    assert!(of(alone.id()).joules.low > 0.0, "here it is");
}

/// Numbers that were taken while turns were under way: who says how long those may be has bounds
/// that hold.
#[test]
fn s39_turns_under_way_widen_the_bounds() {
    let run = Deterministic::with(7, Theater::builder().stats(true));
    let machine = Machine::exact(run.clock_for_actors());
    let worker = Worker { machine: machine.clone(), idle_watts: 0.0, joules: Arc::default() };
    let worker = run.theater().spawn(worker);
    run.run_until_idle();
    let before = stats(&run);
    worker.send(Work { micros: 10_000, watts: 30.0 }).unwrap();
    run.run_until_idle();
    let joules = Estimate::new(1.0, 0.0, 0.0, "package-0");
    let attribution = Attribution::of(&before, &stats(&run));
    let exact = attribution.divide(&joules).actors[0].joules.clone();
    assert_eq!((exact.low, exact.high), (1.0, 1.0), "nobody else was busy");
    let turn = Duration::from_millis(5);
    let wider = attribution.turns_up_to(turn).divide(&joules).actors[0].joules.clone();
    assert!(
        wider.low < 0.3 && wider.high == 1.0,
        "{wider}: 5 of 10 ms, against 5 ms of somebody else"
    );
}

/// A device of which each user has a part of the time in its handler, at a power of its own; the
/// rest of the time it draws for nobody.
#[test]
fn s39_joules_of_a_device_are_divided_by_time_in_handlers() {
    const PEAK: f64 = 400.0;
    struct User;
    impl Actor for User {
        type Msg = Work;
        fn handle(&mut self, _: Work, _: &mut Context<'_, Self>) {}
    }
    for_seeds(200, |seed| {
        let mut random = Random::from_seed(seed);
        let run = Deterministic::with(seed, Theater::builder().stats(true));
        let users: Vec<_> = (0..4).map(|_| run.theater().spawn(User)).collect();
        run.run_until_idle();
        let (mut all, mut truth, mut uses) = (0.0, Vec::new(), Vec::new());
        for user in &users {
            let in_handlers = Duration::from_micros(random.below(1_000_000) as u64);
            let joules = in_handlers.as_secs_f64() * unit(&mut random) * unit(&mut random) * PEAK;
            all += joules;
            truth.push((user.id(), joules));
            uses.push(DeviceUse { id: user.id(), in_handlers, messages: 10 });
        }
        let for_nobody = unit(&mut random) * 600.0;
        all += for_nobody;
        let joules = Estimate::new(all, 1.0, 2.0, "GPU 0");
        // One of them has ended before the end.
        let ended = users[3].clone();
        let before = stats(&run);
        ended.stop();
        run.run_until_idle();
        let divided = Attribution::of(&before, &stats(&run)).divide_device(&joules, PEAK, &uses);
        assert_eq!(divided.actors.len(), 3, "seed {seed}");
        let sum: f64 = divided.actors.iter().map(|actor| actor.joules.value).sum();
        assert!((sum + divided.rest.value - all).abs() < 1e-9, "seed {seed}");
        for actor in &divided.actors {
            let told = &actor.joules;
            let (_, truth) = truth.iter().find(|(id, _)| *id == actor.id).expect("a user");
            assert!(told.may_be(*truth), "seed {seed}: {truth} J, told {told}");
            assert!(told.may_be(told.value) && told.high <= PEAK * actor.busy.as_secs_f64());
            let per_message = actor.per_message.as_ref().unwrap().value;
            assert!((per_message - told.value / 10.0).abs() < 1e-9, "seed {seed}");
        }
        assert!(divided.rest.may_be(for_nobody + truth[3].1), "seed {seed}: {}", divided.rest);
    });
}
