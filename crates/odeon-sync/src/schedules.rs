//! Tests under random schedules, with shuttle.

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};

/// Bytes of a model thread's stack. Shuttle's own 32 KiB are too few for a theater that is compiled
/// without optimisation, and what goes beyond them is a segmentation fault without a word.
const STACK: usize = 256 << 10;

/// Threads are stopped so often where that is unlikely, in [`check_with_priorities`].
const DEPTH: usize = 3;

/// Runs a test under so many schedules, in which each step is anybody's.
///
/// `ODEON_SHUTTLE_ITERATIONS` asks for another number.
///
/// # Panics
///
/// If the test panics, or all its threads wait; shuttle prints the schedule.
pub fn check(iterations: usize, test: impl Fn() + Send + Sync + 'static) {
    let scheduler = RandomScheduler::new(asked_for(iterations));
    Runner::new(scheduler, config()).run(test);
}

/// As [`check`], then as many again in which threads have priorities, so that some of them stand
/// still for long.
pub fn check_with_priorities(iterations: usize, test: impl Fn() + Clone + Send + Sync + 'static) {
    check(iterations, test.clone());
    let scheduler = PctScheduler::new(DEPTH, asked_for(iterations));
    Runner::new(scheduler, config()).run(test);
}

fn config() -> Config {
    let mut config = Config::new();
    config.stack_size = STACK;
    config
}

fn asked_for(iterations: usize) -> usize {
    let asked_for = std::env::var("ODEON_SHUTTLE_ITERATIONS");
    asked_for.map_or(iterations, |n| n.parse().expect("a number"))
}
