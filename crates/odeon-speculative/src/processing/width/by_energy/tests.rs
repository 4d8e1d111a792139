use super::{ByEnergy, Objective, PATIENCE};
use crate::processing::width::{Controller, HillClimb, Look, Sample, WidthPolicy};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MOST: usize = 8;

/// A machine and an actor on it: what the actor commits in a second, and what is drawn, at each width.
#[derive(Clone, Copy)]
struct Model {
    throughput: fn(usize) -> f64,
    watts: fn(usize) -> f64,
}

/// The wider, the faster, with less and less gain; each worker draws 10 W, the rest of the machine 5 W.
///
/// | width | commits/s | W | mJ a message | that, by time |
/// |---|---|---|---|---|
/// | 1 | 1000 | 15 | 15.0 | 15.0 |
/// | 2 | 1900 | 25 | 13.2 | 6.9 |
/// | 4 | 3000 | 45 | 15.0 | 5.0 |
/// | 8 | 3300 | 85 | 25.8 | 7.8 |
const SCALES_A_LITTLE: Model = Model {
    throughput: |width| match width {
        1 => 1000.0,
        2 | 3 => 1900.0,
        4..8 => 3000.0,
        _ => 3300.0,
    },
    watts: |width| 5.0 + 10.0 * width as f64,
};

/// Most of what is drawn is drawn for nothing: to be done soon is to be sparing.
const MOSTLY_IDLE: Model = Model { watts: |width| 200.0 + width as f64, ..SCALES_A_LITTLE };

/// A counter of joules: its number, if it gives one.
#[derive(Clone, Default)]
struct Counter(Arc<Mutex<(f64, bool)>>);

impl Counter {
    fn gives_numbers(self, gives: bool) -> Self {
        self.0.lock().unwrap().1 = gives;
        self
    }

    fn source(&self) -> impl FnMut() -> Option<f64> + Send + 'static {
        let counter = self.clone();
        move || {
            let (joules, gives) = *counter.0.lock().unwrap();
            gives.then_some(joules)
        }
    }
}

/// An actor under a controller.
struct Run {
    controller: Controller,
    counter: Counter,
    at: Duration,
    commits: u64,
    width: usize,
}

impl Run {
    fn new(policy: impl WidthPolicy + 'static, counter: &Counter) -> Self {
        let (width, controller) = Controller::new(Box::new(policy), MOST);
        let counter = counter.clone();
        Self { controller, counter, at: Duration::ZERO, commits: 0, width }
    }

    /// So many samples, and a few looks in each; answers the width at which it was most often in the second half.
    fn samples(&mut self, model: Model, samples: usize) -> usize {
        let (mut often, mut taken) = ([0; MOST + 1], 0);
        while taken < samples {
            let step = Duration::from_millis(30);
            let seconds = step.as_secs_f64();
            self.at += step;
            self.commits += ((model.throughput)(self.width) * seconds) as u64;
            self.counter.0.lock().unwrap().0 += (model.watts)(self.width) * seconds;
            let (at, width, commits) = (self.at, self.width, self.commits);
            let look = Look { at, width, commits, rollbacks: 0, waiting: 9 };
            if let Some(sample) = self.controller.look(look) {
                often[width] += usize::from(2 * taken >= samples);
                taken += 1;
                self.width = self.controller.decide(&sample);
            }
        }
        (1..=MOST).max_by_key(|width| often[*width]).expect("there is a width")
    }

    /// The actor has no work for a while, in which somebody else draws a lot.
    fn rests(&mut self, joules: f64) {
        self.controller.rests();
        self.at += Duration::from_secs(5);
        self.counter.0.lock().unwrap().0 += joules;
    }

    fn goes_by(&self) -> &'static str {
        self.controller.goes_by().expect("it says so")
    }
}

fn found(objective: Objective, model: Model) -> usize {
    let counter = Counter::default().gives_numbers(true);
    let mut run = Run::new(ByEnergy::new(counter.source(), objective), &counter);
    run.samples(model, 60)
}

#[test]
fn each_objective_finds_its_own_optimum() {
    let counter = Counter::default();
    assert_eq!(Run::new(HillClimb::new(), &counter).samples(SCALES_A_LITTLE, 60), 8);
    assert_eq!(found(Objective::EnergyPerMessage, SCALES_A_LITTLE), 2);
    assert_eq!(found(Objective::EnergyDelayProduct, SCALES_A_LITTLE), 4);
}

#[test]
fn where_idle_power_is_most_of_it_the_fastest_is_the_most_sparing() {
    assert_eq!(found(Objective::EnergyPerMessage, MOSTLY_IDLE), 8);
}

#[test]
fn what_is_drawn_while_the_actor_rests_is_not_its() {
    let counter = Counter::default().gives_numbers(true);
    let policy = ByEnergy::new(counter.source(), Objective::EnergyPerMessage);
    let mut run = Run::new(policy, &counter);
    assert_eq!(run.samples(SCALES_A_LITTLE, 60), 2);
    let mut often = 0;
    for _ in 0..60 {
        run.rests(1e6);
        often += usize::from(run.width == 2);
        run.samples(SCALES_A_LITTLE, 1);
    }
    assert!(often >= 50, "at the optimum in {often} of 60 samples");
}

#[test]
fn without_numbers_time_decides_and_that_is_said() {
    let counter = Counter::default();
    let policy = ByEnergy::new(counter.source(), Objective::EnergyPerMessage);
    let mut run = Run::new(policy, &counter);
    assert_eq!(run.goes_by(), "energy per message");
    assert_eq!(run.samples(SCALES_A_LITTLE, PATIENCE as usize - 1), 1, "nothing is decided yet");
    assert_eq!(run.samples(SCALES_A_LITTLE, 80), 8, "by throughput");
    assert_eq!(run.goes_by(), "throughput: the source of joules gives no numbers");

    // There are numbers again: they decide.
    run.counter = counter.clone().gives_numbers(true);
    assert_eq!(run.samples(SCALES_A_LITTLE, 300), 2);
    assert_eq!(run.goes_by(), "energy per message");
}

#[test]
fn a_counter_that_stands_still_or_goes_back_gives_no_numbers() {
    let always_the_same = ByEnergy::new(|| Some(7.0), Objective::EnergyPerMessage);
    let mut down = 1e9;
    let goes_back = move || {
        down -= 1.0;
        Some(down)
    };
    let goes_back = ByEnergy::new(goes_back, Objective::EnergyDelayProduct);
    let no_number = ByEnergy::new(|| Some(f64::NAN), Objective::EnergyDelayProduct);
    let counter = Counter::default();
    for mut run in [
        Run::new(always_the_same, &counter),
        Run::new(goes_back, &counter),
        Run::new(no_number, &counter),
    ] {
        assert_eq!(run.samples(SCALES_A_LITTLE, 80), 8);
        assert!(run.goes_by().starts_with("throughput: "), "{}", run.goes_by());
    }
}

#[test]
fn one_missing_number_moves_nothing() {
    let counter = Counter::default().gives_numbers(true);
    let policy = ByEnergy::new(counter.source(), Objective::EnergyPerMessage);
    let mut run = Run::new(policy, &counter);
    assert_eq!(run.samples(SCALES_A_LITTLE, 60), 2);
    for _ in 0..20 {
        run.counter = counter.clone().gives_numbers(false);
        let before = run.width;
        run.samples(SCALES_A_LITTLE, 1);
        assert_eq!(run.width, before);
        run.counter = counter.clone().gives_numbers(true);
        run.samples(SCALES_A_LITTLE, 3);
    }
    assert_eq!(run.goes_by(), "energy per message");
}

#[test]
fn its_samples_are_long_enough_for_its_counter() {
    let policy = ByEnergy::new(|| None, Objective::default());
    assert_eq!(WidthPolicy::period(&policy), Duration::from_millis(40));
    let policy = policy.period(Duration::from_secs(2));
    assert_eq!(WidthPolicy::period(&policy), Duration::from_secs(2));
    let mut policy = policy;
    assert_eq!(policy.next(&Sample { width: 3, most: 8, ..Sample::default() }), 3);
}
